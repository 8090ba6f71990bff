"""Evaluation of another filter: what its predictions allow to measure, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from spamnb.errors import ConfigError, DataError
from spamnb.evaluation.other_filter import ExternalPredictions, evaluate_predictions
from spamnb.metrics import MultiScores, Scores

TRUTH = ["spam", "spam", "ham", "ham"]


def test_probabilities_have_all_figures() -> None:
    evaluation = evaluate_predictions(ExternalPredictions(TRUTH, None, np.array([0.9, 0.4, 0.6, 0.1])), {})
    assert isinstance(evaluation.scores, Scores)
    assert (evaluation.scores.true_positives, evaluation.scores.false_positives) == (1, 1)
    assert evaluation.scores.roc_auc == 0.75
    assert evaluation.scores.brier == pytest.approx((0.01 + 0.36 + 0.36 + 0.01) / 4)
    assert not evaluation.stated
    assert evaluation.scored is not None
    assert evaluation.scored.threshold == 0.0


def test_other_scores_rank_only() -> None:
    evaluation = evaluate_predictions(
        ExternalPredictions(TRUTH, None, np.array([7.5, 4.0, 5.0, -1.0])), {"threshold": 5.0}
    )
    assert isinstance(evaluation.scores, Scores)
    assert (evaluation.scores.true_positives, evaluation.scores.false_positives) == (1, 1)
    assert evaluation.scores.roc_auc == 0.75
    assert all(
        math.isnan(v) for v in (evaluation.scores.log_loss, evaluation.scores.brier, evaluation.scores.ece)
    )
    assert evaluation.notes == (
        "the scores go from -1 to 7.5, so they are no probabilities: they rank messages, but give no "
        "log loss, Brier score or calibration error",
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({}, "there is no verdict, and the scores go from -1 to 7.5"),
        ({"cost": ("ham:spam=9",)}, "--cost needs probabilities, but the scores go from -1 to 7.5"),
    ],
)
def test_other_scores_need_a_threshold_of_their_own(flags: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        evaluate_predictions(ExternalPredictions(TRUTH, None, np.array([7.5, 4.0, 5.0, -1.0])), flags)
    assert caught.value.message == message
    assert caught.value.hint == "set the score above which a message is spam, for example --threshold 5"


def test_verdicts_decide_unless_a_threshold_is_given() -> None:
    predictions = ExternalPredictions(TRUTH, ["spam", "unsure", "ham", "ham"], np.array([0.9, 0.6, 0.7, 0.1]))
    stated = evaluate_predictions(predictions, {"threshold": None}).scores
    assert isinstance(stated, Scores)
    assert (stated.true_positives, stated.false_positives, stated.unsure) == (1, 0, 1)
    cut = evaluate_predictions(predictions, {"threshold": 0.5}).scores
    assert isinstance(cut, Scores)
    assert (cut.true_positives, cut.false_positives, cut.unsure) == (2, 1, 0)


def test_verdicts_alone_have_no_curves() -> None:
    evaluation = evaluate_predictions(ExternalPredictions(TRUTH, ["spam", "ham", "ham", "spam"], None), {})
    assert isinstance(evaluation.scores, Scores)
    assert evaluation.scores.accuracy == 0.5
    assert math.isnan(evaluation.scores.roc_auc)
    assert evaluation.scored is None
    with pytest.raises(
        ConfigError, match=r"(?m)^--threshold needs a column of scores, the file has verdicts only$"
    ):
        evaluate_predictions(ExternalPredictions(TRUTH, ["spam"] * 4, None), {"threshold": 0.5})


def test_log_odds_are_known_by_name_even_between_0_and_1() -> None:
    evaluation = evaluate_predictions(
        ExternalPredictions(TRUTH, None, np.array([0.9, 0.2, 0.5, 0.1]), has_log_odds=True), {}
    )
    assert isinstance(evaluation.scores, Scores)
    assert evaluation.scores.true_positives == 2
    assert evaluation.scores.false_positives == 2


def test_several_classes_need_verdicts() -> None:
    truth, predicted = ["a", "b", "c", "c"], ["a", "b", "b", "unsure"]
    evaluation = evaluate_predictions(
        ExternalPredictions(truth, predicted, None, texts=["1", "2", "3", "4"]), {}
    )
    assert isinstance(evaluation.scores, MultiScores)
    assert evaluation.scores.confusion == ((1, 0, 0), (0, 1, 0), (0, 1, 0))
    assert [(m.truth, m.verdict, m.text) for m in evaluation.mistakes] == [("c", "b", "3")]
    assert evaluation.notes[1] == "1 unsure are left out: the file does not have their most probable class"
    with pytest.raises(
        DataError, match=r"(?m)^3 classes need a column of verdicts, the file has only a score$"
    ):
        evaluate_predictions(ExternalPredictions(truth, None, np.array([0.1] * 4)), {})


def test_one_class_alone() -> None:
    evaluation = evaluate_predictions(ExternalPredictions(["ham", "ham"], None, np.array([0.2, 0.7])), {})
    assert (evaluation.classes.labels, evaluation.scores.messages) == (("ham", "spam"), 2)
    with pytest.raises(DataError, match=r"(?m)^all messages are 'x': two classes are needed$"):
        evaluate_predictions(ExternalPredictions(["x", "x"], None, np.array([0.2, 0.7])), {})


def test_the_worst_mistakes_come_first() -> None:
    texts = ["a", "b", "c", "d"]
    evaluation = evaluate_predictions(
        ExternalPredictions(TRUTH, None, np.array([0.4, 0.2, 0.6, 0.8]), texts=texts), {}
    )
    assert [(m.truth, m.verdict, m.text) for m in evaluation.mistakes] == [
        ("ham", "spam", "d"),
        ("ham", "spam", "c"),
        ("spam", "ham", "b"),
        ("spam", "ham", "a"),
    ]

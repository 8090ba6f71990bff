"""Predictions of any filter: which column is which, what they allow to say, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from spamnb.errors import ConfigError, DataError
from spamnb.evaluation.other_filter import Predictions, check_count, check_same, collect, evaluate_predictions
from spamnb.metrics import MultiScores, Scores
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.tables.prediction_file import PredictionFile, Wanted, find_columns, read_predictions

TRUTH = ["spam", "spam", "ham", "ham"]


def opened(
    tmp_path: Path, content: str, name: str = "p.csv", joined: bool = False, **wanted: str
) -> PredictionFile:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    return read_predictions(str(path), Wanted(**wanted), ReadOptions(), joined=joined)


def read(tmp_path: Path, content: str, name: str = "p.csv", **wanted: str) -> Predictions:
    file = opened(tmp_path, content, name, **wanted)
    return collect(file, None, None)[0]


# --- columns ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "joined", "expected"),
    [
        (["truth", "score"], False, 'truth "truth", score "score", no verdict'),
        (["label", "probability"], False, 'truth "label", score "probability", no verdict'),
        (["is_spam", "prediction", "p"], False, 'truth "is_spam", score "p", verdict "prediction"'),
        (
            ["label", "probability", "log_odds", "message"],
            True,
            'no truth, score "log_odds", verdict "label"',
        ),
        (
            ["label", "probability", "log_odds", "truth"],
            False,
            'truth "truth", score "log_odds", verdict "label"',
        ),
        (["y_true", "y_pred"], False, 'truth "y_true", no score, verdict "y_pred"'),
        (["Actual", "Predicted", "Score"], False, 'truth "Actual", score "Score", verdict "Predicted"'),
    ],
)
def test_columns_are_found_by_name(names: list[str], joined: bool, expected: str) -> None:
    row = ["0.5" if "score" in n.lower() or n in ("p", "probability", "log_odds") else "spam" for n in names]
    assert find_columns("p.csv", names, [row], Wanted(), joined).describe() == expected


def test_columns_can_be_stated() -> None:
    wanted = Wanted("b", "3", "A")
    assert find_columns("p", ["A", "b", "c"], [["ham", "ham", "1"]], wanted, False).describe() == (
        'truth "b", score "c", verdict "A"'
    )
    with pytest.raises(DataError, match=r'^p has no column "z"$') as caught:
        find_columns("p", ["a", "b"], [], Wanted(truth="z"), False)
    assert caught.value.hint == "its columns: a, b"


@pytest.mark.parametrize(
    ("names", "message", "hint"),
    [
        (
            ["label", "log_odds"],
            "no column of p says what each message really is; its columns: label, log_odds",
            "name it with --truth, or give the labelled messages too: spamnb evaluate --predictions p DATA",
        ),
        (
            ["truth", "text"],
            "no column of p is a score or a verdict; its columns: truth, text",
            "name one with --score or --verdict",
        ),
    ],
)
def test_what_is_missing_is_named(names: list[str], message: str, hint: str) -> None:
    with pytest.raises(DataError) as caught:
        find_columns("p", names, [["spam", "1"]], Wanted(), False)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_score_that_is_no_number() -> None:
    with pytest.raises(DataError, match=r'^column "score" of p holds no numbers, for example "high"$'):
        find_columns("p", ["truth", "score"], [["spam", "high"]], Wanted(), False)


# --- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", "truth,p,text\nspam,0.9,win\nham,0.2,see you\n"),
        ("p.tsv", "truth\tp\ttext\nspam\t0.9\twin\nham\t0.2\tsee you\n"),
        ("p.txt", "truth;p;text\nspam;0.9;win\nham;0.2;see you\n"),
        (
            "p.jsonl",
            '{"truth": "spam", "p": 0.9, "text": "win"}\n{"truth": "ham", "p": 0.2, "text": "see you"}\n',
        ),
        ("p", '{"truth": 1, "p": 0.9, "text": "win"}\n{"truth": 0, "p": 0.2, "text": "see you"}\n'),
    ],
)
def test_formats(tmp_path: Path, name: str, content: str) -> None:
    found = read(tmp_path, content, name)
    assert found.truth == ["spam", "ham"]
    assert found.score is not None
    assert found.score.tolist() == [0.9, 0.2]
    assert found.texts == ["win", "see you"]
    assert found.said is None


def test_rows_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    file = opened(
        tmp_path, "truth,p,verdict\nspam,0.9,spam\n,0.1,ham\nham,,ham\nham,0.3,maybe\nham,0.4,unsure\n"
    )
    found, left = collect(file, None, None)
    assert found.truth == ["spam", "ham"]
    assert found.said == ["spam", "unsure"]
    assert left.summary() == ("3 left out (line 3: no label, line 4: no score, line 5: unknown verdict)")


def test_nothing_usable(tmp_path: Path) -> None:
    file = opened(tmp_path, "truth,p\n,0.1\n")
    with pytest.raises(DataError, match=r"^no usable rows in .*p\.csv: 1 left out \(line 2: no label\)$"):
        collect(file, None, None)
    with pytest.raises(DataError, match=r"p\.csv is empty$"):
        opened(tmp_path, "")
    with pytest.raises(
        DataError, match=r"p\.parquet is parquet, expected predictions as CSV, TSV or JSON lines$"
    ):
        opened(tmp_path, "truth,p\nspam,1\n", "p.parquet")


def test_a_stated_spam_label(tmp_path: Path) -> None:
    file = opened(tmp_path, "truth,p,verdict\nads,0.9,ads\nwork,0.1,home\n")
    found, _ = collect(file, None, "ads")
    assert found.truth == ["spam", "ham"]
    assert found.said == ["spam", "ham"]


# --- joined by order -------------------------------------------------------------------------------


def test_joining_refuses_other_counts_and_other_messages(tmp_path: Path) -> None:
    file = opened(tmp_path, "label,log_odds,message\nspam,3,win\nham,-2,see you\n", joined=True)
    with pytest.raises(DataError) as caught:
        check_count(file, 3, 1)
    assert caught.value.message == (
        f"{file.name} has 2 predictions, the data 3 labelled messages (1 more had to be left out)"
    )
    assert caught.value.hint == (
        "both need one row for each message, in the same order: predict this very file, or give "
        "the predictions a column with the truth and name it with --truth"
    )
    (tmp_path / "d.csv").write_text("label,text\nham,lunch?\nspam,loan\n")
    with open_source(str(tmp_path / "d.csv"), ReadOptions(), labelled=True) as source:
        data = next(iter(source))
    with pytest.raises(DataError) as caught:
        check_same(file, data)
    assert caught.value.message == (
        f'{file.name} is about other messages than the data: number 1 there is "lunch?"'
    )
    found, _ = collect(file, ["spam", "ham"], None)
    assert evaluate_predictions(found, {}).scores.accuracy == 1.0


# --- figures ---------------------------------------------------------------------------------------


def test_probabilities_have_all_figures() -> None:
    found = evaluate_predictions(Predictions(TRUTH, None, np.array([0.9, 0.4, 0.6, 0.1])), {})
    assert isinstance(found.scores, Scores)
    assert (found.scores.true_positives, found.scores.false_positives) == (1, 1)
    assert found.scores.roc_auc == 0.75
    assert found.scores.brier == pytest.approx((0.01 + 0.36 + 0.36 + 0.01) / 4)
    assert not found.stated
    assert found.outcome is not None
    assert found.outcome.threshold == 0.0


def test_other_scores_rank_only() -> None:
    found = evaluate_predictions(
        Predictions(TRUTH, None, np.array([7.5, 4.0, 5.0, -1.0])), {"threshold": 5.0}
    )
    assert isinstance(found.scores, Scores)
    assert (found.scores.true_positives, found.scores.false_positives) == (1, 1)
    assert found.scores.roc_auc == 0.75
    assert all(math.isnan(v) for v in (found.scores.log_loss, found.scores.brier, found.scores.ece))
    assert found.notes == (
        "the scores go from -1 to 7.5, so they are no probabilities: they rank messages, but give no "
        "log loss, Brier score or calibration error",
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({}, "there is no verdict, and the scores go from -1 to 7.5"),
        ({"cost_fp": 9.0}, "--cost-fp needs probabilities, but the scores go from -1 to 7.5"),
    ],
)
def test_other_scores_need_a_threshold_of_their_own(flags: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        evaluate_predictions(Predictions(TRUTH, None, np.array([7.5, 4.0, 5.0, -1.0])), flags)
    assert caught.value.message == message
    assert caught.value.hint == "say from which score on a message is spam, for example --threshold 5"


def test_verdicts_decide_unless_a_threshold_is_given() -> None:
    given = Predictions(TRUTH, ["spam", "unsure", "ham", "ham"], np.array([0.9, 0.6, 0.7, 0.1]))
    stated = evaluate_predictions(given, {"threshold": None}).scores
    assert isinstance(stated, Scores)
    assert (stated.true_positives, stated.false_positives, stated.unsure) == (1, 0, 1)
    cut = evaluate_predictions(given, {"threshold": 0.5}).scores
    assert isinstance(cut, Scores)
    assert (cut.true_positives, cut.false_positives, cut.unsure) == (2, 1, 0)


def test_verdicts_alone_have_no_curves() -> None:
    found = evaluate_predictions(Predictions(TRUTH, ["spam", "ham", "ham", "spam"], None), {})
    assert isinstance(found.scores, Scores)
    assert found.scores.accuracy == 0.5
    assert math.isnan(found.scores.roc_auc)
    assert found.outcome is None
    with pytest.raises(
        ConfigError, match=r"^--threshold needs a column of scores, the file has verdicts only$"
    ):
        evaluate_predictions(Predictions(TRUTH, ["spam"] * 4, None), {"threshold": 0.5})


def test_log_odds_are_known_by_name_even_between_0_and_1() -> None:
    found = evaluate_predictions(Predictions(TRUTH, None, np.array([0.9, 0.2, 0.5, 0.1]), log_odds=True), {})
    assert isinstance(found.scores, Scores)
    assert found.scores.true_positives == 2
    assert found.scores.false_positives == 2


def test_several_classes_need_verdicts() -> None:
    truth, said = ["a", "b", "c", "c"], ["a", "b", "b", "unsure"]
    found = evaluate_predictions(Predictions(truth, said, None, texts=["1", "2", "3", "4"]), {})
    assert isinstance(found.scores, MultiScores)
    assert found.scores.confusion == ((1, 0, 0), (0, 1, 0), (0, 1, 0))
    assert [(m.truth, m.verdict, m.text) for m in found.mistakes] == [("c", "b", "3")]
    assert found.notes[1] == "1 unsure are left out: the file does not say their likeliest class"
    with pytest.raises(DataError, match=r"^3 classes need a column of verdicts, the file has only a score$"):
        evaluate_predictions(Predictions(truth, None, np.array([0.1] * 4)), {})


def test_one_class_alone() -> None:
    found = evaluate_predictions(Predictions(["ham", "ham"], None, np.array([0.2, 0.7])), {})
    assert (found.labels, found.scores.messages) == (("ham", "spam"), 2)
    with pytest.raises(DataError, match=r"^all messages are 'x': one class has no opposite$"):
        evaluate_predictions(Predictions(["x", "x"], None, np.array([0.2, 0.7])), {})


def test_the_worst_mistakes_come_first() -> None:
    texts = ["a", "b", "c", "d"]
    found = evaluate_predictions(Predictions(TRUTH, None, np.array([0.4, 0.2, 0.6, 0.8]), texts=texts), {})
    assert [(m.truth, m.verdict, m.text) for m in found.mistakes] == [
        ("ham", "spam", "d"),
        ("ham", "spam", "c"),
        ("spam", "ham", "b"),
        ("spam", "ham", "a"),
    ]

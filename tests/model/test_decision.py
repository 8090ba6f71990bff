"""Verdicts, thresholds, costs, and the words in which wrong settings are refused."""

import ast
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import spamnb
from spamnb.errors import ConfigError, ModelError
from spamnb.model.class_choice import expected_costs, least_cost
from spamnb.model.decision import HAM, SPAM, UNSURE, Decision
from spamnb.model.spam_model import SpamModel

RANGE_HINT = "0.5 calls spam what is more likely spam than not, 0.9 what is spam in 9 cases of 10"
COST_HINT = "for example --cost ham:spam=9: flagging ham as spam is 9 times as bad as missing spam"


def test_costs_of_the_course_figure() -> None:
    assert expected_costs(0.6, cost_fp=100, cost_fn=10) == pytest.approx((40, 6))
    assert Decision.from_costs(100, 10).verdicts([0.6]).tolist() == [HAM]
    assert least_cost([[0.4, 0.6]], [[0, 100], [10, 0]]).tolist() == [HAM]


probabilities = st.floats(0, 1)
costs = st.floats(0.01, 100)


@given(probabilities, costs, costs)
def test_cost_threshold_is_the_cheaper_answer(p: float, cost_fp: float, cost_fn: float) -> None:
    say_spam, say_ham = expected_costs(p, cost_fp, cost_fn)
    assume(not math.isclose(say_spam, say_ham, rel_tol=1e-9))
    expected = SPAM if say_spam < say_ham else HAM
    assert Decision.from_costs(cost_fp, cost_fn).verdicts([p]).tolist() == [expected]
    assert least_cost([[1 - p, p]], [[0, cost_fp], [cost_fn, 0]]).tolist() == [expected]


TABLE = ("ham:spam=100", "spam:ham=10")


def test_a_table_of_costs_for_two_classes_is_a_threshold() -> None:
    rule = Decision.from_options(cost=TABLE).for_classes(("ham", "spam"), "spam")
    assert rule == Decision.from_costs(100.0, 10.0)
    other = Decision.from_options(cost=TABLE[:1]).for_classes(("ham", "spam"), "ham")
    assert other == Decision.from_costs(1.0, 100.0)  # here ham is looked for, and spam is the other class


def test_a_table_of_costs_for_three_classes() -> None:
    """news called spam costs 50: 0.2 * 50 + 0.1 for the verdict spam, 0.7 + 0.1 for news."""
    rule = Decision.from_options(cost=("news:spam=50",))
    labels = ("ham", "news", "spam")
    assert rule.for_classes(labels, "spam") == rule
    assert rule.cost_table(labels).tolist() == [[0, 1, 1], [1, 0, 50], [1, 1, 0]]
    assert rule.choose(np.array([[0.1, 0.2, 0.7], [0.0, 0.01, 0.99]]), labels).tolist() == [1, 2]
    assert Decision().choose(np.array([[0.1, 0.2, 0.7]]), labels).tolist() == [2]
    assert Decision.from_state(rule.to_state()) == rule
    assert "costs" not in Decision().to_state()


@pytest.mark.parametrize("text", ["ham", "ham=3", "ham:spam", "ham:spam=x", ":spam=3", "ham:ham=3", "ham:=3"])
def test_a_cost_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Decision.from_options(cost=(text,))
    assert caught.value.message == f"--cost must be TRUTH:VERDICT=NUMBER with two classes, got {text!r}"
    assert caught.value.hint == "for example --cost ham:spam=100"


def test_a_cost_of_an_unknown_class() -> None:
    with pytest.raises(ConfigError) as caught:
        Decision.from_options(cost=("ham:junk=3",)).for_classes(("ham", "spam"), "spam")
    assert caught.value.message == "--cost names the class 'junk', the model has ham, spam"
    assert caught.value.hint == "for example --cost ham:spam=10"


def test_a_model_of_three_classes_chooses_by_cost() -> None:
    texts, labels = ["a b", "a c", "a d"] * 4, ["ham", "news", "spam"] * 4
    model = SpamModel().learn(texts, labels)
    assert model.predict(["a d"]) == ["spam"]
    careful = replace(model, decision=Decision.from_options(cost=("ham:spam=100000",)))
    result = careful.score(["a d"])
    assert result.labels != ["spam"]
    verdict = model.labels.index(result.labels[0])
    assert result.probability[0] == careful.predict_proba(["a d"])[0, verdict]


def test_a_model_of_two_classes_decides_by_cost() -> None:
    model = SpamModel(decision=Decision.from_options(cost=TABLE)).learn(["a b", "a c"], ["ham", "spam"])
    threshold = replace(model, decision=Decision.from_costs(100.0, 10.0))
    assert model.predict(["a c", "a"]) == threshold.predict(["a c", "a"])


def test_equal_costs_at_a_tie_say_ham() -> None:
    assert Decision.from_costs(1, 1).verdicts([0.5]).tolist() == [HAM]


def test_a_cost_alone_is_measured_against_one() -> None:
    labels = ("ham", "spam")
    assert Decision.from_options(cost=["ham:spam=9"]).for_classes(labels, "spam") == Decision.from_costs(9, 1)
    assert Decision.from_options(cost=["spam:ham=3"]).for_classes(labels, "spam").threshold == 0.25


def test_least_cost_of_three_classes() -> None:
    costs = np.array([[0, 1, 1], [1, 0, 1], [50, 50, 0]])  # missing class 2 is what costs
    assert least_cost([[0.9, 0.05, 0.05], [0.99, 0.01, 0.0]], costs).tolist() == [2, 0]


def test_verdicts_at_the_edges() -> None:
    assert Decision().verdicts([0.0, 0.49, 0.5, 0.51, 1.0]).tolist() == [HAM, HAM, HAM, SPAM, SPAM]
    band = Decision.from_options(unsure=(0.2, 0.9))
    assert band.verdicts([0.2, 0.21, 0.9, 0.91]).tolist() == [HAM, UNSURE, UNSURE, SPAM]


def test_no_evidence_is_unsure() -> None:
    codes = Decision().verdicts([0.99, 0.01, 0.99, math.nan], known=[0, 0, 1, 5])
    assert codes.tolist() == [UNSURE, UNSURE, SPAM, UNSURE]
    assert codes.dtype == np.int8


def test_verdicts_of_nothing() -> None:
    assert Decision().verdicts(np.array([]), np.array([])).tolist() == []


@given(st.lists(probabilities, max_size=20), probabilities, probabilities)
def test_batch_is_one_by_one(p: list[float], one: float, other: float) -> None:
    assume(one != other)
    decision = Decision.from_options(unsure=(min(one, other), max(one, other)))
    assert decision.verdicts(p).tolist() == [int(decision.verdicts([value])[0]) for value in p]


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"threshold": 1.5}, "--threshold must lie between 0 and 1, got 1.5", RANGE_HINT),
        ({"threshold": math.nan}, "--threshold must lie between 0 and 1, got nan", RANGE_HINT),
        ({"unsure": (-0.1, 0.9)}, "--unsure must lie between 0 and 1, got -0.1", RANGE_HINT),
        ({"unsure": (0.1, 90)}, "--unsure must lie between 0 and 1, got 90", RANGE_HINT),
        (
            {"unsure": (0.9, 0.2)},
            "--unsure needs its lower end below its upper end, got 0.9 0.2",
            "--unsure 0.2 0.9 leaves what lies between 0.2 and 0.9 undecided",
        ),
        ({"cost": ("ham:spam=0",)}, "--cost must be a positive number, got 0", COST_HINT),
        ({"cost": ("spam:ham=-1",)}, "--cost must be a positive number, got -1", COST_HINT),
        ({"cost": ("spam:ham=inf",)}, "--cost must be a positive number, got inf", COST_HINT),
        (
            {"threshold": 0.5, "cost": ("ham:spam=9",)},
            "--threshold and --cost cannot be combined: each of them sets the threshold",
            "leave out --threshold or --cost",
        ),
        (
            {"threshold": 0.5, "unsure": (0.1, 0.9)},
            "--threshold and --unsure cannot be combined: each of them sets the threshold",
            "leave out --threshold or --unsure",
        ),
        (
            {"unsure": (0.1, 0.9), "cost": ("spam:ham=2",)},
            "--unsure and --cost cannot be combined: each of them sets the threshold",
            "leave out --unsure or --cost",
        ),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Decision.from_options(**options)
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"threshold": 1.5}, "threshold must lie between 0 and 1, got 1.5"),
        ({"threshold": "0.9"}, "threshold must lie between 0 and 1, got '0.9'"),
        ({"unsure_from": -1}, "unsure_from must lie between 0 and 1, got -1"),
        ({"unsure_from": 0.7}, "unsure_from must be below threshold, got 0.7 and 0.5"),
        ({"cost_fp": 0, "cost_fn": 1}, "cost_fp must be a positive number, got 0"),
        ({"cost_fp": 9}, "cost_fp and cost_fn need each other"),
        ({"costs": (("ham", "spam", -1.0),)}, "the cost of ham:spam must be a positive number, got -1"),
        ({"max_fpr": 0.01}, "max_fpr needs a log_odds_threshold, got none"),
    ],
)
def test_wrong_values(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Decision(**values)
    assert caught.value.message == message


def test_numbers_of_numpy_become_those_of_python() -> None:
    decision = Decision(np.float64(0.75), unsure_from=np.float32(0.5))  # type: ignore[arg-type]
    assert (type(decision.threshold), type(decision.unsure_from)) == (float, float)
    assert Decision.from_state(decision.to_state()) == Decision(0.75, 0.5)


def test_the_threshold_follows_from_both_costs() -> None:
    assert Decision(cost_fp=9, cost_fn=1) == Decision.from_costs(9, 1)
    assert Decision(0.7, cost_fp=9, cost_fn=1).threshold == 0.7


@pytest.mark.parametrize(
    "decision",
    [Decision(), Decision(0.9, unsure_from=0.1), Decision.from_costs(100, 10)],
    ids=["threshold", "band", "costs"],
)
def test_there_and_back(decision: Decision) -> None:
    assert Decision.from_state(json.loads(json.dumps(decision.to_state()))) == decision


@pytest.mark.parametrize(
    "change",
    [{"threshold": "high"}, {"threshold": 7}, {"unsure_from": 0.8}, {"cost_fp": -1}, {"cost_fn": []}],
)
def test_damaged_state(change: dict[str, object]) -> None:
    state = Decision().to_state() | change
    with pytest.raises(ModelError) as caught:
        Decision.from_state(state)
    assert caught.value.message == f"the decision settings in the model are damaged: got {state!r}"
    assert caught.value.hint == "train the model again"


def test_incomplete_state() -> None:
    with pytest.raises(ModelError, match=r"(?m)are damaged: got \{'threshold': 0.5\}$"):
        Decision.from_state({"threshold": 0.5})


def test_one_caller_outside_of_the_model_decides() -> None:
    """Everything about a model's scores goes through SpamModel.decide, so that no argument is left out."""
    root = Path(spamnb.__file__).parent
    callers = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "verdicts"
    }
    assert callers == {"model/unsure_verdicts.py", "evaluation/other_filter.py"}

"""The columns of a file of predictions: found by name, stated, missing."""

from __future__ import annotations

import pytest

from spamnb.errors import DataError
from spamnb.readers.tables.prediction_columns import StatedColumns, check_scores, find_columns


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
        (["truth", "score", "type"], False, 'truth "truth", score "score", no verdict'),
        (["category", "score"], True, 'no truth, score "score", no verdict'),
    ],
)
def test_columns_are_found_by_name(names: list[str], joined: bool, expected: str) -> None:
    assert find_columns("p.csv", names, StatedColumns(), [], joined=joined).describe() == expected


def test_columns_can_be_stated() -> None:
    names, sample = ["A", "b", "c"], [["spam", "ham", "0.9"], ["ham", "ham", ""]]
    columns = find_columns("p", names, StatedColumns("b", ("3", "A")), sample, joined=False)
    assert columns.describe() == 'truth "b", score "c", verdict "A"'
    with pytest.raises(DataError) as caught:
        find_columns("p", names, StatedColumns("3", ("A", "b")), sample, joined=False)
    assert caught.value.message == 'columns "A" and "b" of p both have verdicts'
    assert caught.value.hint == "name one of them with --prediction-column"
    with pytest.raises(DataError, match=r'(?m)^p has no column "z"$') as caught:
        find_columns("p", ["a", "b"], StatedColumns(truth="z"), [], joined=False)
    assert caught.value.hint == "its columns: a, b"


@pytest.mark.parametrize(
    ("names", "message", "hint"),
    [
        (
            ["verdict", "log_odds"],
            "no column of p has the true labels; its columns: verdict, log_odds",
            "name it with --label-column, or give the labelled messages too: "
            "spamnb evaluate --predictions p DATA",
        ),
        (
            ["truth", "text"],
            "no column of p is a score or a verdict; its columns: truth, text",
            "name one with --prediction-column",
        ),
    ],
)
def test_what_is_missing_is_named(names: list[str], message: str, hint: str) -> None:
    with pytest.raises(DataError) as caught:
        find_columns("p", names, StatedColumns(), [], joined=False)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_score_that_is_no_number() -> None:
    columns = find_columns("p", ["truth", "score"], StatedColumns(), [], joined=False)
    check_scores("p", columns, [["spam", "high"], ["ham", "0.5"]])
    with pytest.raises(DataError, match=r'(?m)^column "score" of p has no numbers, for example "high"$'):
        check_scores("p", columns, [["spam", "high"]])

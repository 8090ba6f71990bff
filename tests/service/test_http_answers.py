"""The rows of lists: the same as of single messages, one JSON object each."""

from __future__ import annotations

import json

import numpy as np
import pytest

import spamnb
from spamnb.model import Predictions
from spamnb.service.http_answers import (
    encode,
    prediction_items,
    prediction_lines,
    prediction_list,
    prediction_row,
    prediction_texts,
)
from spamnb.service.live_model import LiveModels
from spamnb.service.message_scoring import Message, score_groups

HAM, SPAM, UNSURE = 0, 1, 2


@pytest.fixture(scope="module")
def models() -> LiveModels:
    loaded = LiveModels()
    loaded.load()
    return loaded


def predictions_of(label: str) -> Predictions:
    """Returns predictions of every form; the second class has this label."""
    rows = [
        (HAM, 0.1, -2.25, 5, -1, ""),
        (SPAM, 0.985861918066989, 4.244644299301909, 10, -1, ""),
        (SPAM, 1e-300, 1e22, 0, -1, ""),
        (UNSURE, 0.5, 0.0, 0, -1, ""),
        (UNSURE, 0.5, -0.0, 3, -1, ""),
        (SPAM, np.nan, np.inf, 3, -1, ""),
        (HAM, 0.25, -np.inf, 3, -1, ""),
        (SPAM, 0.9, 1.5, 3, SPAM, ""),
        (HAM, 0.2, -1.5, 3, -1, "allow: @example.org"),
    ]
    codes, p, log_odds, known, taught_as, listed = zip(*rows, strict=True)
    scored = spamnb.load("sms").score(["free"] * len(rows)).replace(names=("ham", label, "unsure"))
    return scored.replace(
        codes=np.array(codes), probability=np.array(p), log_odds=np.array(log_odds), known=np.array(known),
        taught_as=np.array(taught_as), listed=listed,
    )  # fmt: skip


@pytest.mark.parametrize("label", ["spam", "%s{}", "},{", '"}\n{"', "x\\", "\u2028\u00e9\U0001f600"])
def test_rows_of_a_list_are_those_of_single_messages(label: str) -> None:
    predictions = predictions_of(label)
    texts = prediction_texts(predictions)
    rows = [prediction_row(predictions, row) for row in range(len(texts))]
    assert [text.encode() for text in texts] == [encode(row) for row in rows]
    assert all(text.isascii() and text.isprintable() for text in texts)
    assert [row["verdict"] for row in rows[:2]] == ["ham", label]


def test_rows_have_what_is_special_about_a_message() -> None:
    rows = [json.loads(text) for text in prediction_texts(predictions_of("spam"))]
    usual = {"verdict", "probability", "log_odds", "known"}
    assert [sorted(row.keys() - usual) for row in rows] == [
        *[[]] * 3, ["unsure_reason"], ["unsure_reason"], [], [], ["taught_as"], ["listed"],
    ]  # fmt: skip
    assert rows[1]["probability"] == 0.985861918066989
    assert (rows[5]["probability"], rows[5]["log_odds"]) == (None, None)
    assert (rows[6]["probability"], rows[6]["log_odds"]) == (0.25, None)


def test_blocks_are_in_order_where_two_models_answer(models: LiveModels) -> None:
    texts = [b"see you at 7", b"minutes of the meeting " * 30, b"WIN a FREE prize", b"agenda " * 100]
    groups = score_groups(models, [Message(text) for text in texts])
    alone = [score_groups(models, [Message(text)]) for text in texts]
    assert len(groups) == 2
    assert prediction_lines(groups) == b"".join(prediction_lines(one) for one in alone)
    whole = prediction_list([prediction_items(groups), prediction_items(alone[0])])
    rows = [json.loads(prediction_lines(one)) for one in [*alone, alone[0]]]
    assert json.loads(whole) == {"predictions": rows}

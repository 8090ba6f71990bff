"""Formats predictions, explanations and lessons as the JSON of HTTP answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from spamnb.model import Explanation, Predictions
from spamnb.report import explanation_row, reason_row, verdict_row
from spamnb.service.lessons import Taught
from spamnb.service.message_scoring import Scored, ScoredGroup, in_order

Row = dict[str, Any]
_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def encode(value: object) -> bytes:
    return _encode(value).encode()


def prediction_row(predictions: Predictions, row: int) -> Row:
    """Returns what is predicted for one message, with the names of `spamnb predict --format jsonl`."""
    return {**verdict_row(predictions, row), **reason_row(predictions, row)}


def prediction_texts(predictions: Predictions) -> list[str]:
    """Returns the row of each message as JSON; usual ones from pieces, in half of the time."""
    starts = [f'{{"verdict":{_encode(name)},"probability":' for name in predictions.names]
    arrays = predictions.codes, predictions.probability, predictions.log_odds, predictions.known
    columns = zip(*(array.tolist() for array in arrays), strict=True)
    texts = [f'{starts[code]}{p!r},"log_odds":{odds!r},"known":{known}}}' for code, p, odds, known in columns]
    for row in _unusual_rows(predictions):
        texts[row] = _encode(prediction_row(predictions, row))
    return texts


def _unusual_rows(predictions: Predictions) -> list[int]:
    """Finds the rows with a number that JSON does not have, or with other fields than verdict and numbers."""
    unusual = ~np.isfinite(predictions.probability) | ~np.isfinite(predictions.log_odds)
    unusual |= predictions.codes == len(predictions.names) - 1
    if predictions.taught_as is not None:
        unusual |= predictions.taught_as >= 0
    if predictions.listed:
        unusual |= np.array(predictions.listed, bool)
    return unusual.nonzero()[0].tolist()


def prediction_lines(groups: Sequence[ScoredGroup]) -> bytes:
    """Returns a block of predictions as JSON lines."""
    return "".join([f"{text}\n" for text in _texts_in_order(groups)]).encode()


def prediction_items(groups: Sequence[ScoredGroup]) -> bytes:
    """Returns a block of predictions as items of a list in JSON."""
    return ",".join(_texts_in_order(groups)).encode()


def prediction_list(blocks: Sequence[bytes], id: str | int | None = None) -> bytes:
    """Returns the answer for a list of messages, from all of its `prediction_items`, with the client's id."""
    first = b"" if id is None else b'"id":%b,' % encode(id)
    return b'{%b"predictions":[%b]}' % (first, b",".join(blocks))


def _texts_in_order(groups: Sequence[ScoredGroup]) -> list[str]:
    return in_order(groups, lambda group: prediction_texts(group.predictions))


def explained_row(request: str, scored: Scored, explanation: Explanation) -> Row:
    """Returns a prediction with its evidence, with the names of `spamnb explain --json`."""
    return {"id": request, **prediction_row(scored.predictions, scored.row), **explanation_row(explanation)}


def taught_row(request: str, taught: Taught) -> Row:
    """Returns what a lesson did, with the names of `spamnb learn --json`."""
    done = {
        "action": taught.action,
        "lesson": taught.lesson,
        "undone": [*taught.undone],
        "model": taught.path,
    }
    return {"id": request, **done, **taught.outcome.to_dict()}

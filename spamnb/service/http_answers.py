"""Formats predictions, explanations and lessons as the JSON of HTTP answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

from spamnb.model import Explanation
from spamnb.report import explanation_row
from spamnb.service.lessons import Taught
from spamnb.service.message_scoring import Scored

Row = dict[str, Any]
_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def encode(value: object) -> bytes:
    return _encode(value).encode()


def encode_lines(rows: Sequence[Row]) -> bytes:
    """Encodes predictions as JSON lines: all at once, which takes half of the time of one by one.

    No string has the text between two rows: there a quote is escaped, and behind the last one is no letter.
    """
    lines = _encode(rows)[1:-1].replace('},{"verdict":', '}\n{"verdict":')
    return f"{lines}\n".encode()


def prediction_rows_of(scored: Sequence[Scored]) -> list[Row]:
    """Returns a row for each message, with the names of `spamnb predict --format jsonl`."""
    columns: dict[int, tuple[list[Any], ...]] = {}
    rows = []
    for one in scored:
        predictions, row = one.predictions, one.row
        if (key := id(predictions)) not in columns:
            arrays = predictions.codes, predictions.probability, predictions.log_odds, predictions.known
            columns[key] = tuple(array.tolist() for array in arrays)
        codes, p, log_odds, known = columns[key]
        verdict = predictions.names[codes[row]]
        answer = {"verdict": verdict, "probability": p[row], "log_odds": log_odds[row], "known": known[row]}
        if not (isfinite(p[row]) and isfinite(log_odds[row])):
            answer |= {name: None for name in ("probability", "log_odds") if not isfinite(answer[name])}
        if codes[row] == len(predictions.names) - 1:
            answer["unsure_reason"] = predictions.unsure_reason(row)
        if predictions.taught_as is not None and (taught := predictions.taught_label(row)):
            answer["taught_as"] = taught
        if listed := predictions.listed_entry(row):
            answer["listed"] = listed
        rows.append(answer)
    return rows


def explained_row(request: str, scored: Scored, explanation: Explanation) -> Row:
    """Returns a prediction with its evidence, with the names of `spamnb explain --json`."""
    return {"id": request, **prediction_rows_of([scored])[0], **explanation_row(explanation)}


def taught_row(request: str, taught: Taught) -> Row:
    """Returns what a lesson did, with the names of `spamnb learn --json`."""
    done = {
        "action": taught.action,
        "lesson": taught.lesson,
        "undone": [*taught.undone],
        "model": taught.path,
    }
    return {"id": request, **done, **taught.outcome.to_dict()}

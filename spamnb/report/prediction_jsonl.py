"""Writes predictions as JSON lines, one object for each message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.features import token_label
from spamnb.messages import Chunk, Texts
from spamnb.model import Predictions
from spamnb.report.prediction_column_names import Header
from spamnb.report.prediction_lines import Explain

if TYPE_CHECKING:
    from spamnb.model import Evidence, Explanation

Row = dict[str, Any]
ExpectedCosts = Callable[[Predictions], FloatArray | None]  # (n, K): of each verdict
_KEYS = (
    "verdict",
    "probability",
    "log_odds",
    "known",
    "log_evidence",
    "unsure_reason",
    "taught_as",
    "listed",
)
_EXPLANATION = (
    *("for", "against", "sum", "bias", "evidence", "unknown", "joint", "log_joint", "expected_cost"),
)


class Jsonl:
    """One JSON object a line: verdict, probability, log_odds, known, log_evidence, message.

    Mails have a source, unsure messages a reason. With explanations there are the evidence, and for each
    class `joint`, P(c) P(x|c), its logarithm, and the expected cost of that verdict if costs are stated.
    A record of a table has all its values in place of the message.
    """

    def __init__(self, explain: Explain | None = None, costs: ExpectedCosts | None = None) -> None:
        self._explain, self._costs = explain, costs
        self.header = Header(_KEYS if explain is None else (*_KEYS, *_EXPLANATION))

    def begin(self, source: str, columns: tuple[str, ...] | None) -> bytes:  # noqa: ARG002
        self.header.begin_records(columns)
        return b""

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        import json

        out = []
        details, joint = (lambda i: self._details(chunk, i)), self._explain is not None
        costs = None if self._costs is None or not joint else self._costs(predictions)
        for i, row in zip(rows.tolist(), prediction_rows(predictions, rows, details, joint), strict=True):
            if costs is not None:
                row["expected_cost"] = dict(zip(predictions.names, costs[i].tolist(), strict=False))
            if chunk.columns is not None:
                if "unsure_reason" in row and (fault := chunk.columns.fault(i)):
                    row["unsure_reason"] = f"damaged row: {fault}"
                row = self._with_record(row, chunk.columns.record(i))
            out.append(_safe_json(json.dumps(row, ensure_ascii=False, allow_nan=False)))
        return ("\n".join(out) + "\n").encode() if out else b""

    def _details(self, chunk: Chunk, i: int) -> Row:
        message = {"message": message_text(chunk.texts, i)} if chunk.columns is None else {}
        source = {"source": chunk.sources[i]} if chunk.sources else {}
        explanation = {} if self._explain is None else explanation_row(self._explain(chunk, i))
        return {**message, **source, **explanation}

    def _with_record(self, row: Row, record: Mapping[str, Any]) -> Row:
        """Adds the values of a record; the other names get a prefix if it has one of them."""
        prefix = self.header.prefix_beside(record)
        renamed = {prefix + name: value for name, value in row.items()}
        return renamed | {name: _json_value(value) for name, value in record.items()}


def message_text(texts: Texts, row: int) -> str:
    """Returns the message, or the subject of a mail."""
    return texts.subject(row) if texts.subjects else texts[row].decode("utf-8", "replace")


def _json_value(value: Any) -> Any:
    """Replaces NaN and infinities, which Python reads but JSON has not, by null."""
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, list):
        return [_json_value(item) for item in value]
    return {k: _json_value(v) for k, v in value.items()} if isinstance(value, dict) else value


def prediction_rows(
    predictions: Predictions, rows: IntArray, details: Callable[[int], Row], joint: bool = True
) -> Iterator[Row]:
    """Yields what is predicted of each message, its `details`, and the reason if it is unsure."""
    log_evidence = predictions.scored.log_evidence
    for i in rows.tolist():
        yield {
            **verdict_row(predictions, i),
            "log_evidence": _finite(float(log_evidence[i])),
            **details(i),
            **(_joint_row(predictions, i) if joint else {}),
            **reason_row(predictions, i),
        }


def verdict_row(predictions: Predictions, row: int) -> Row:
    """Returns the verdict on a message, its probability and log-odds, and how many tokens are known."""
    return {
        "verdict": predictions.names[int(predictions.codes[row])],
        "probability": _finite(float(predictions.probability[row])),
        "log_odds": _finite(float(predictions.log_odds[row])),
        "known": int(predictions.known[row]),
    }


def reason_row(predictions: Predictions, row: int) -> Row:
    """Returns why a message is unsure, and the lesson or the list that decided its verdict, if any."""
    reasons = {
        "unsure_reason": predictions.unsure_reason(row),
        "taught_as": predictions.taught_label(row),
        "listed": predictions.listed_entry(row),
    }
    return {name: reason for name, reason in reasons.items() if reason}


def _joint_row(predictions: Predictions, row: int) -> Row:
    """Returns P(c) P(x|c) of each class and its logarithm, before damping and calibration.

    The product of a long message is 0 in floating point, its logarithm is not.
    """
    log_joint = predictions.scored.joint[row]
    with np.errstate(over="ignore"):
        joint = np.exp(log_joint)
    pairs = {"joint": joint, "log_joint": log_joint}
    return {
        name: dict(zip(predictions.names, map(_finite, values.tolist()), strict=False))
        for name, values in pairs.items()
    }


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _safe_json(line: str) -> str:
    r"""Escapes what could control a terminal; JSON has an escape for every character.

    >>> _safe_json('"\u202e caf\u00e9"') == '"\\u202e caf\u00e9"'
    True
    """
    return line if line.isprintable() else "".join(c if c.isprintable() else _json_escape(c) for c in line)


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def explanation_row(explanation: Explanation) -> Row:
    """Returns the bias and all evidence, whose sum is the log-odds of `for` against `against`.

    Without smoothing a word can rule a class out: its log-odds are infinite, for which JSON has null.
    """
    return {
        "for": explanation.positive,
        "against": explanation.negative,
        "sum": _finite(explanation.log_odds),
        "bias": _finite(explanation.bias),
        "evidence": [_evidence_row(e, explanation) for e in explanation.evidence],
        "unknown": explanation.basis.unknown,
    }


def _evidence_row(evidence: Evidence, explanation: Explanation) -> Row:
    """Returns a token with its counts of each class, messages or occurrences, also in the base model.

    A token that is no word has a label too: `5-digit number` for `shape:number=5`.
    """
    label = token_label(evidence.token)
    counts = evidence.base_counts
    base = {} if counts is None else {f"base_{explanation.basis.base_counted}": list(counts)}
    return {
        "token": evidence.token,
        **({"label": label} if label else {}),
        "times": evidence.times,
        "log_odds": _finite(evidence.log_odds),
        explanation.basis.counted: list(evidence.own_counts),
        **base,
    }

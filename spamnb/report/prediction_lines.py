"""Writes predictions as lines of bytes: tsv, terse, csv and jsonl, one record for each message.

Lines are joined from cached prefixes, because formatting 280,000 numbers one by one took longer than reading,
tokenising and scoring the messages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb.core import FloatArray, IntArray, visible, visible_bytes
from spamnb.messages import Chunk, Texts
from spamnb.model import Predictions

if TYPE_CHECKING:
    from spamnb.model import Evidence, Explanation

Row = dict[str, Any]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
SHOWN_TOKENS = 6  # of an explanation in one field


def safe_messages(texts: Texts) -> list[bytes]:
    """Returns every message as one field of a line; only those with unusual bytes are checked one by one."""
    messages = texts.tolist()
    raw = np.frombuffer(texts.data, np.uint8)
    odd = np.flatnonzero(((raw < 0x20) | (raw == 0x7F)) & (raw != 10))
    if not texts.are_lines and b"\n" in texts.data:  # there may be line ends inside of messages
        line_ends = np.flatnonzero(raw == 10)
        before = np.maximum(np.searchsorted(texts.starts, line_ends, side="right") - 1, 0)
        odd = np.concatenate((odd, line_ends[line_ends < texts.ends[before]]))
    rows = set((np.searchsorted(texts.starts, odd, side="right") - 1).tolist())
    for row in rows.union(texts.rows_with(lambda run: not _printable(run))):
        if row >= 0 and not _printable(messages[row]):
            messages[row] = visible_bytes(messages[row], tsv=True)
    return messages


def _printable(message: bytes) -> bool:
    try:
        return message.decode().isprintable()
    except UnicodeDecodeError:
        return False


def shown_texts(chunk: Chunk) -> Texts:
    """Returns what represents a message in a line: the message, or the source of a mail."""
    return Texts.of(list(map(os.fsencode, chunk.sources))) if chunk.sources else chunk.texts


def shown_text(chunk: Chunk, row: int) -> str:
    """Returns what represents one message, as text."""
    return chunk.sources[row] if chunk.sources else chunk.texts[row].decode("utf-8", "replace")


def _message(chunk: Chunk, row: int) -> str:
    """Returns the message, or the subject of a mail."""
    texts = chunk.texts.tags.get("subject", chunk.texts)
    return (
        " ".join(texts[row].decode("utf-8", "replace").split())
        if chunk.sources
        else texts[row].decode("utf-8", "replace")
    )


class Prefixes:
    r"""`label<TAB>probability<TAB>` for a verdict and a probability to four decimals, each formatted once.

    >>> Prefixes(("ham", "spam", "unsure"))[1, 0.9877]
    b'spam\t0.9877\t'
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = [visible(name, tsv=True) for name in names]
        self._cache: dict[int, bytes] = {}

    def __getitem__(self, at: tuple[int, float]) -> bytes:
        return self.all(np.array([at[0]]), np.array([at[1]]))[0]

    def all(self, codes: IntArray, probability: np.ndarray[Any, np.dtype[np.float64]]) -> list[bytes]:
        """Returns the prefixes of many messages."""
        keys = (codes * 10_001 + np.rint(probability * 10_000).astype(np.int64)).tolist()
        cache = self._cache
        for key in set(keys).difference(cache):
            code, rounded = divmod(key, 10_001)
            cache[key] = f"{self._names[code]}\t{rounded / 10_000:.4f}\t".encode()
        return [cache[key] for key in keys]


def evidence_text(explanation: Explanation) -> str:
    """Formats the strongest evidence as one field, after the reason for the verdict if it is another one."""
    strongest = explanation.evidence[:SHOWN_TOKENS]
    tokens = ", ".join(f"{visible(e.token, tsv=True)} {e.log_odds:+.2f}" for e in strongest)
    taught = f"taught as {visible(explanation.taught_as, tsv=True)}" if explanation.taught_as else ""
    return "; ".join(filter(None, (explanation.unsure_reason or taught, tokens)))


Explain = Callable[[Chunk, int], "Explanation"]  # explains one message of a chunk
ExpectedCosts = Callable[[Predictions], FloatArray | None]  # (n, K): of each verdict


class Tsv:
    """`label<TAB>probability<TAB>message`, and with explanations a fourth field."""

    header = b""

    def __init__(self, names: Sequence[str], explain: Explain | None = None) -> None:
        self._prefixes = Prefixes(names)
        self._explain = explain

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        prefixes = self._prefixes.all(predictions.codes[rows], predictions.probability[rows])
        messages = safe_messages(shown_texts(chunk))
        if len(rows) < len(messages):
            messages = [messages[i] for i in rows.tolist()]
        if self._explain is None:
            pieces = [b"\n"] * (3 * len(messages))
            pieces[0::3], pieces[1::3] = prefixes, messages
            return b"".join(pieces)
        evidence = [evidence_text(self._explain(chunk, i)).encode() for i in rows.tolist()]
        return b"".join([b"%b%b\t%b\n" % three for three in zip(prefixes, messages, evidence, strict=True)])


class Terse:
    """`label<TAB>probability`: the frozen format for scripts."""

    header = b""

    def __init__(self, names: Sequence[str]) -> None:
        self._prefixes = Prefixes(names)

    def lines(self, _: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        prefixes = self._prefixes.all(predictions.codes[rows], predictions.probability[rows])
        return b"".join([prefix[:-1] + b"\n" for prefix in prefixes])


class Jsonl:
    """One JSON object a line: label, probability, log_odds, known, log_evidence, message.

    Mails have a source, unsure messages a reason. With explanations there are the evidence, and for each
    class `joint`, P(c) P(x|c), its logarithm, and the expected cost of that verdict if costs are stated.
    """

    header = b""

    def __init__(self, explain: Explain | None = None, costs: ExpectedCosts | None = None) -> None:
        self._explain, self._costs = explain, costs

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        import json

        out = []
        details, joint = (lambda i: self._details(chunk, i)), self._explain is not None
        costs = None if self._costs is None or not joint else self._costs(predictions)
        for i, row in zip(rows.tolist(), prediction_rows(predictions, rows, details, joint), strict=True):
            if costs is not None:
                row["expected_cost"] = dict(zip(predictions.names, costs[i].tolist(), strict=False))
            out.append(_safe_json(json.dumps(row, ensure_ascii=False, allow_nan=False)))
        return ("\n".join(out) + "\n").encode() if out else b""

    def _details(self, chunk: Chunk, i: int) -> Row:
        source = {"source": chunk.sources[i]} if chunk.sources else {}
        explanation = {} if self._explain is None else explanation_row(self._explain(chunk, i))
        return {"message": _message(chunk, i), **source, **explanation}


def prediction_rows(
    predictions: Predictions, rows: IntArray, details: Callable[[int], Row], joint: bool = True
) -> Iterator[Row]:
    """Yields what is predicted of each message, its `details`, and the reason if it is unsure."""
    log_evidence = predictions.scored.log_evidence
    for i in rows.tolist():
        row: Row = {
            "label": predictions.names[int(predictions.codes[i])],
            "probability": _finite(float(predictions.probability[i])),
            "log_odds": _finite(float(predictions.log_odds[i])),
            "known": int(predictions.known[i]),
            "log_evidence": _finite(float(log_evidence[i])),
            **details(i),
            **(_joint_row(predictions, i) if joint else {}),
        }
        if reason := predictions.unsure_reason(i):
            row["unsure_reason"] = reason
        if taught := predictions.taught_label(i):
            row["taught_as"] = taught
        yield row


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
        "for": explanation.label,
        "against": explanation.other,
        "sum": _finite(explanation.log_odds),
        "bias": _finite(explanation.bias),
        "evidence": [_evidence_row(e, explanation) for e in explanation.evidence],
        "unknown": explanation.unknown,
    }


def _evidence_row(evidence: Evidence, explanation: Explanation) -> Row:
    """Returns a token with its counts of each class, messages or occurrences, also in the base model."""
    counts = evidence.base_counts
    base = {} if counts is None else {f"base_{explanation.base_counted}": list(counts)}
    return {
        "token": evidence.token,
        "times": evidence.times,
        "log_odds": _finite(evidence.log_odds),
        explanation.counted: list(evidence.counts),
        **base,
    }


class Csv:
    """label, probability, log_odds, message with a header; `guard` is against cells that spreadsheets run."""

    header = b"label,probability,log_odds,message\r\n"

    def __init__(
        self, names: Sequence[str], guard: bool = True, explain: Explain | None = None, escape: bool = False
    ) -> None:
        self._names = [_cell(visible(name) if escape else name, guard) for name in names]
        self._guard = guard
        self._escape = escape  # for a terminal; a file gets the text as it is
        self._explain = explain
        if explain is not None:
            self.header = b"label,probability,log_odds,message,evidence\r\n"

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        out = []
        for i in rows.tolist():
            text = shown_text(chunk, i)
            text = visible(text) if self._escape else text
            cells = [
                self._names[int(predictions.codes[i])],
                f"{predictions.probability[i]:.6f}",
                f"{predictions.log_odds[i]:.6f}",
            ]
            cells.append(_cell(text, self._guard))
            if self._explain is not None:
                cells.append(_cell(evidence_text(self._explain(chunk, i)), self._guard))
            out.append(",".join(cells))
        return ("\r\n".join(out) + "\r\n").encode("utf-8", "replace") if out else b""


def _cell(text: str, guard: bool) -> str:
    """Formats a CSV field, quoted where needed; with `guard` a leading = + - @ gets an apostrophe (CWE-1236).

    >>> _cell('=1+1', True), _cell('say "hi", ok', True)
    ("'=1+1", '"say ""hi"", ok"')
    """
    if guard and text.startswith(_FORMULA):
        text = "'" + text
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text

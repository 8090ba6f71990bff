"""Writes predictions as lines of bytes: tsv and terse, one line for each message.

Lines are joined from cached prefixes, because formatting 280,000 numbers one by one took longer than reading,
tokenising and scoring the messages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb.core import IntArray, visible
from spamnb.features import token_label
from spamnb.messages import Chunk, Texts, backslash_positions, escape_field
from spamnb.model import Predictions
from spamnb.report.prediction_column_names import Header

if TYPE_CHECKING:
    from spamnb.model import Evidence, Explanation

SHOWN_TOKENS = 6  # of an explanation in one field
SHOWN_REASONS = 2  # of an answer to a typed message
HEADER_REASONS = 3  # in the header of a mail


def safe_messages(texts: Texts) -> list[bytes]:
    """Returns every message as one field of a line; only those with unusual bytes are checked one by one."""
    messages = texts.tolist()
    raw = np.frombuffer(texts.data, np.uint8)
    odd = np.flatnonzero(((raw < 0x20) | (raw == 0x7F)) & (raw != 10))
    if not texts.are_lines and b"\n" in texts.data:  # there may be line ends inside of messages
        line_ends = np.flatnonzero(raw == 10)
        before = np.maximum(np.searchsorted(texts.starts, line_ends, side="right") - 1, 0)
        odd = np.concatenate((odd, line_ends[line_ends < texts.ends[before]]))
    odd = np.concatenate((odd, np.array(backslash_positions(texts.data), np.int64)))
    rows = set((np.searchsorted(texts.starts, odd, side="right") - 1).tolist())
    for row in rows.union(texts.rows_with(lambda run: not _printable(run))):
        if row >= 0:
            messages[row] = escape_field(messages[row])
    return messages


def table_fields(column: Texts) -> list[bytes]:
    r"""Returns the fields of a column of a table; a quote that begins one is escaped.

    >>> print(*map(bytes.decode, table_fields(Texts.of(['"YES"', 'say "YES"']))))
    \x22YES" say "YES"
    """
    return [rb"\x22" + field[1:] if field.startswith(b'"') else field for field in safe_messages(column)]


def _printable(message: bytes) -> bool:
    try:
        return message.decode().isprintable()
    except UnicodeDecodeError:
        return False


def shown_texts(chunk: Chunk) -> list[Texts]:
    """Returns what represents a message in a line: the message, or the source and the subject of a mail."""
    if not chunk.sources:
        return [chunk.texts]
    sources = Texts.of(list(map(os.fsencode, chunk.sources)))
    return [sources, Texts.of([chunk.texts.subject(row) for row in range(len(chunk))])]


def shown_text(chunk: Chunk, row: int) -> str:
    """Returns what represents one message, as text."""
    return chunk.sources[row] if chunk.sources else chunk.texts[row].decode("utf-8", "replace")


class Prefixes:
    r"""`verdict<TAB>probability<TAB>` for a verdict and a probability to four decimals, each formatted once.

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
    return _joined(explanation.unsure_reason or _decided_by(explanation), explanation.evidence[:SHOWN_TOKENS])


def header_reasons(explanation: Explanation) -> str:
    """Formats the strongest reasons for the verdict as a remark in the header of a mail."""
    return reasons_text(explanation, HEADER_REASONS)


def reasons_text(explanation: Explanation, most: int = SHOWN_REASONS) -> str:
    """Formats the strongest reasons for the verdict; those for an unsure one may point either way.

    Where too little is known, the sender is listed, or the message was taught word for word, that is it.
    """
    if explanation.lacks_evidence:
        return explanation.unsure_reason
    if _decided_by(explanation):
        return _decided_by(explanation)
    against = explanation.verdict == explanation.negative
    supporting = [e for e in explanation.evidence if (e.log_odds < 0) == against]
    chosen = explanation.evidence if explanation.unsure_reason else supporting
    return _joined(explanation.unsure_reason, chosen[:most])


def _joined(reason: str, evidence: Sequence[Evidence]) -> str:
    tokens = ", ".join(
        f"{visible(token_label(e.token) or e.token, tsv=True)} {e.log_odds:+.2f}" for e in evidence
    )
    return "; ".join(filter(None, (reason, tokens)))


def _decided_by(explanation: Explanation) -> str:
    """Names the list or the lesson that decides the verdict, "" if the evidence does."""
    if explanation.listed:
        return f"listed: {visible(explanation.listed, tsv=True)}"
    return f"taught as {visible(explanation.taught_as, tsv=True)}" if explanation.taught_as else ""


Explain = Callable[[Chunk, int], "Explanation"]  # explains one message of a chunk


class Tsv:
    """`verdict<TAB>probability<TAB>message`, and with explanations one more field, the last.

    A mail has its source and its subject in place of the message. A table has a header, and all its columns.
    """

    def __init__(self, names: Sequence[str], explain: Explain | None = None) -> None:
        self._prefixes = Prefixes(names)
        self._explain = explain
        self.header = Header(["verdict", "probability", *(["evidence"] if explain else [])])

    def begin(self, source: str, columns: tuple[str, ...] | None) -> bytes:
        if not self.header.begin(source, columns) or columns is None:
            return b""
        names = self.header.names
        return "\t".join(visible(n, tsv=True) for n in (*names[:2], *columns, *names[2:])).encode() + b"\n"

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        kept = chunk.columns
        self.header.observe(kept)
        if kept is None:
            columns = list(map(safe_messages, shown_texts(chunk)))
        else:
            columns = [table_fields(kept.texts(i)) for i in range(len(kept.names))]
        fields = [_pick(column, rows) for column in columns]
        prefixes = self._prefixes.all(predictions.codes[rows], predictions.probability[rows])
        if self._explain is not None:
            fields.append([evidence_text(self._explain(chunk, i)).encode() for i in rows.tolist()])
        joined = fields[0] if len(fields) == 1 else map(b"\t".join, zip(*fields, strict=True))
        pieces = [b"\n"] * (3 * len(prefixes))
        pieces[0::3], pieces[1::3] = prefixes, joined
        return b"".join(pieces)


def _pick(fields: list[bytes], rows: IntArray) -> list[bytes]:
    return fields if len(rows) == len(fields) else [fields[i] for i in rows.tolist()]


class Terse:
    """`verdict<TAB>probability`: the frozen format for scripts."""

    def __init__(self, names: Sequence[str]) -> None:
        self._prefixes = Prefixes(names)

    def begin(self, source: str, columns: tuple[str, ...] | None) -> bytes:  # noqa: ARG002
        return b""

    def lines(self, _: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        prefixes = self._prefixes.all(predictions.codes[rows], predictions.probability[rows])
        return b"".join([prefix[:-1] + b"\n" for prefix in prefixes])

r"""Models as text and back, bit for bit: a header with the settings, then one line for each token.

A TSV file begins with `# spamnb-counts 1`, a line `# ` with the settings as JSON, and the column names; a
JSONL file with one object for the settings. The number of tokens stands among them. The last line has what
only programs read: digests of messages and the model that it starts from. Tokens come by the number of
messages that hold them. Those of a refined model have one number more, what is added to their weight, in the
fewest digits that give its 32 bits again. In TSV the backslashes of a token, its invisible characters and
bytes that are no UTF-8 are written `\\`, `\t`, `\n`, `\r` or `\xNN`; in JSONL such bytes are the lone
surrogates U+DC80 to U+DCFF.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from spamnb.core import StringArray
from spamnb.counts import CountStore, to_state
from spamnb.errors import DataError
from spamnb.features import token_key
from spamnb.model.spam_model import SpamModel

FORMAT = "spamnb-counts"
VERSION = 1
_TITLE = f"# {FORMAT} {VERSION}"
_TABLES = (
    "keys",
    "kinds",
    "tokens",
    "messages",
    "spelling_bytes",
    "spelling_ends",
    "totals",
    "word_vocabulary",
)
# What is for programs only stands in the last line.
_LAST = {
    "seen_messages": "which messages were learned",
    "base": "the model that it starts from",
}
_CORRECTION = "correction"
_PROMISED = "tokens"  # in the header: how many lines of tokens were written; older exports say nothing
_AT_THE_END = "at_the_end"  # in the header: what stands in the last line
_MOST = 1 << 53  # occurrences in a model: what can be counted exactly, and added without running over
_LARGEST = float(np.finfo(np.float32).max)
_REST = b"# rest "


def export_lines(model: SpamModel, form: str) -> Iterator[bytes]:
    """The lines of a model as `tsv` or `jsonl`."""
    store, head = model.store, _header(model)
    added = model.correction.of(store.keys).astype(np.float32) if model.correction is not None else None
    rest = {name: head.pop(name) for name in _LAST if head.get(name)}
    if rest:
        head = {_AT_THE_END: list(rest), **head}
    head = {_PROMISED: store.vocabulary, **head}
    if form == "jsonl":
        yield _json({"format": FORMAT, "version": VERSION, **head})
    else:
        yield _TITLE.encode() + b"\n"
        yield b"# " + _json(head)
        yield "\t".join(_column_names(store.labels, added is not None)).encode() + b"\n"
    spelled = list(store.spellings)
    for i in np.lexsort((store.keys, -store.messages.sum(axis=1, dtype=np.int64))).tolist():
        counts = store.tokens[i].tolist(), store.messages[i].tolist()
        key, kind = f"{int(store.keys[i]):016x}", int(store.kinds[i])
        if form == "jsonl":
            text = spelled[i].decode("utf-8", "surrogateescape")
            row = {"token": text, "kind": kind, "occurrences": counts[0], "messages": counts[1]}
            more = {} if added is None else {_CORRECTION: float(short(added[i]))}
            yield _json({**row, **more, "key": key})
        else:
            fields = [escape(spelled[i]), str(kind), *map(str, counts[0]), *map(str, counts[1])]
            extra = [] if added is None else [short(added[i])]
            yield "\t".join([*fields, *extra, key]).encode() + b"\n"
    if rest:
        yield _json({"rest": rest}) if form == "jsonl" else _REST + _json(rest)


def _column_names(labels: Iterable[str], refined: bool) -> list[str]:
    shown = [escape(label.encode("utf-8", "backslashreplace")) for label in labels]
    names = [f"{what}:{label}" for what in ("occurrences", "messages") for label in shown]
    return ["token", "kind", *names, *([_CORRECTION] if refined else []), "key"]


def import_lines(lines: Iterable[bytes], name: str, notes: list[str] | None = None) -> SpamModel:
    """The model of some lines; `name` is for complaints, which name the line, and `notes` takes remarks."""
    numbered = enumerate(lines, 1)
    reader = _Reader(name)
    first = next(numbered, (1, b""))[1]
    if first.startswith(b"{"):
        head = reader.header(reader.json(1, first), titled=True)
        rows = [reader.object(n, line) for n, line in _before_rest(numbered, b'{"rest":', head, reader)]
    else:
        if first.strip().decode("utf-8", "replace") != _TITLE:
            raise reader.foreign()
        head = reader.header(reader.json(*_second(numbered)))
        reader.names(*next(numbered, (3, b"")), head)
        rows = [reader.fields(n, line) for n, line in _before_rest(numbered, _REST, head, reader)]
    if notes is not None and len(rows) < reader.promised:
        notes.append(_fewer(name, reader.promised, len(rows)))
    lost = [what for what in head.pop(_AT_THE_END, ()) if what in _LAST and what not in head]
    if lost:
        told = f"{name} has lost its last line, and with it {' and '.join(_LAST[what] for what in lost)}"
        if "base" in lost:  # without which it judges otherwise
            raise DataError(told, hint="export the model again")
        if notes is not None:
            notes.append(told)
    return _model(head, rows, reader)


def _fewer(name: str, promised: int, came: int) -> str:
    said = f"the header of {name} promises {promised:,} token{'' if promised == 1 else 's'}, {came:,} came"
    return f"{said}: it was cut short, or lines were removed"


def _before_rest(
    numbered: Iterator[tuple[int, bytes]], mark: bytes, head: dict[str, Any], reader: _Reader
) -> Iterator[tuple[int, bytes]]:
    """The lines of tokens; what the last line says beside them is added to the header."""
    for number, line in numbered:
        if line.startswith(mark) and b"\t" not in line:  # a line of a token has tabs
            found = reader.json(number, line.removeprefix(_REST))
            try:
                head.update(arrays(found.get("rest", found)))
            except (TypeError, ValueError):
                raise reader.wrong(number, "the last line is damaged") from None
        elif line.strip():
            yield number, line


def _second(numbered: Iterator[tuple[int, bytes]]) -> tuple[int, bytes]:
    number, line = next(numbered, (2, b""))
    return number, line.removeprefix(b"# ")


def _header(model: SpamModel) -> dict[str, Any]:
    """The state without the tables and without what is computed from them."""
    state = model.to_state()
    counts = {name: value for name, value in state.pop("counts").items() if name not in _TABLES}
    counts["categories"] = {
        c: {v: list(row) for v, row in vs.items()} for c, vs in model.store.categories.items()
    }
    state["metrics"] = None if model.metrics is None else dict(model.metrics)
    if state.get(_CORRECTION):
        state[_CORRECTION] = {n: v for n, v in state[_CORRECTION].items() if n != "weights"}
    found: dict[str, Any] = plain(
        {**state, "counts": {**counts, "message_totals": counts["message_totals"].tolist()}}
    )
    return found


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


# token, kind, occurrences, messages, key, line, correction
Row = tuple[bytes, int, list[int], list[int], int, int, float]


class _Reader:
    """Takes lines apart and says what is wrong with which."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._width = 0
        self._refined = False
        self.promised = 0  # tokens, by the header

    def foreign(self) -> DataError:
        return DataError(
            f"{self._name} is no exported model: its first line is not {_TITLE!r} or a JSON object",
            hint="write one with `spamnb export MODEL -o FILE`",
        )

    def wrong(self, line: int, what: str) -> DataError:
        return DataError(
            f"{self._name} line {line}: {what}", hint="correct the line, or export the model again"
        )

    def json(self, line: int, text: bytes) -> dict[str, Any]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise self.wrong(line, "bad JSON") from None
        if not isinstance(found, dict):
            raise self.wrong(line, "expected a JSON object")
        return found

    def header(self, head: dict[str, Any], *, titled: bool = False) -> dict[str, Any]:
        if titled and (head.pop("format", None) != FORMAT or head.pop("version", None) != VERSION):
            raise self.foreign()
        promised = head.pop(_PROMISED, 0)
        self.promised = promised if type(promised) is int else 0
        try:
            found: dict[str, Any] = arrays(head)
            labels, totals = found["counts"]["labels"], found["counts"]["message_totals"]
            good = all(type(n) is int and n > 0 for n in totals) and len(labels) == len(totals)
            good = good and sum(totals) <= _MOST
            good = good and isinstance(found.get(_CORRECTION) or {}, dict)
        except (KeyError, TypeError, ValueError):
            good = False
        if not good:
            raise self.wrong(1 if titled else 2, "the settings are damaged")
        self._width, self._refined = len(labels), bool(found.get(_CORRECTION))
        return found

    def names(self, number: int, line: bytes, head: dict[str, Any]) -> None:
        """The line with the names of the columns: they must be in the order in which they were written."""
        found = line.rstrip(b"\r\n").decode("utf-8", "replace").split("\t")
        expected = _column_names(head["counts"]["labels"], self._refined)
        if found != expected:
            raise self.wrong(number, f"expected the names of the columns: {', '.join(expected)}")

    def object(self, number: int, line: bytes) -> Row:
        row = self.json(number, line)
        try:
            token = row["token"].encode("utf-8", "surrogateescape")
            parts = row["kind"], list(row["occurrences"]), list(row["messages"])
            key = self._key(row.get("key") or "", token)
            added = float(row.get(_CORRECTION, 0))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self.wrong(number, "expected token, kind, occurrences and messages") from None
        return self._checked((token, *parts, key, number, added))

    def fields(self, number: int, line: bytes) -> Row:
        fields = line.rstrip(b"\r\n").split(b"\t")
        width, last = self._width, 2 + 2 * self._width
        if len(fields) not in (last + self._refined, last + self._refined + 1):
            raise self.wrong(number, f"{len(fields)} fields, expected {last + self._refined + 1}")
        try:
            token = unescape(fields[0])
            numbers = [int(field) for field in fields[1:last]]
            added = float(fields[last] or 0) if self._refined else 0.0
            key = self._key(b"".join(fields[last + self._refined :]).decode(), token)
        except (KeyError, ValueError):
            raise self.wrong(number, "a field is no number, or a backslash means nothing") from None
        counts = numbers[1 : 1 + width], numbers[1 + width :]
        return self._checked((token, numbers[0], *counts, key, number, added))

    @staticmethod
    def _key(written: str, token: bytes) -> int:
        """As written, in 16 digits; a line that was added by hand may leave it out."""
        if written and len(written) != 16:
            raise ValueError(written)
        return int(written, 16) if written else token_key(token.decode())

    def _checked(self, row: Row) -> Row:
        _, kind, occurrences, messages, key, line, added = row
        numbers = [kind, *occurrences, *messages]
        if len(numbers) != 1 + 2 * self._width or not all(type(n) is int and n >= 0 for n in numbers):
            raise self.wrong(line, f"expected counts from 0 on for {self._width} classes")
        if kind > 255 or key >= 1 << 64 or max(numbers) >= 1 << 63 or not abs(added) < _LARGEST:
            raise self.wrong(line, "a number is too large")
        pairs = list(zip(occurrences, messages, strict=True))
        if not any(messages) or any(n < d or (n and not d) for n, d in pairs):
            raise self.wrong(line, "a token needs at least as many occurrences as messages, and some message")
        return row


def _model(head: dict[str, Any], rows: list[Row], reader: _Reader) -> SpamModel:
    counts = head["counts"]
    width = len(counts["labels"])
    rows.sort(key=lambda row: row[4])
    for before, row in pairwise(rows):
        if before[4] == row[4]:
            raise reader.wrong(max(row[5], before[5]), "the token stands here a second time")
    for row in rows:
        if any(d > most for d, most in zip(row[3], counts["message_totals"], strict=True)):
            raise reader.wrong(row[5], "the token is in more messages than there are")
    if sum(sum(row[2]) for row in rows) > _MOST:
        raise reader.wrong(
            max(rows, key=lambda row: sum(row[2]))[5], "the occurrences are too many to add up"
        )
    store = CountStore(
        tuple(counts["labels"]),
        np.array(counts["message_totals"], np.int64),
        np.array([row[4] for row in rows], np.uint64),
        np.array([row[1] for row in rows], np.uint8),
        np.array([row[2] for row in rows], np.int64).reshape(len(rows), width),
        np.array([row[3] for row in rows], np.int64).reshape(len(rows), width),
        StringArray.of(row[0] for row in rows),
    )
    state = to_state(store) | {name: counts.get(name, {}) for name in ("categories", "numbers")}
    if head.get(_CORRECTION):
        head[_CORRECTION]["weights"] = np.array([row[6] for row in rows], np.float32)
    return SpamModel.from_state({**head, "counts": state})


_SHORT = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ESCAPED = re.compile(rb"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_LONG = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def plain(value: Any) -> Any:
    """Arrays, wherever they stand, as their type, shape and bytes."""
    if isinstance(value, np.ndarray):
        return {
            "array": value.dtype.str,
            "shape": list(value.shape),
            "base64": b64encode(value.tobytes()).decode(),
        }
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def arrays(value: Any) -> Any:
    """The inverse of `plain`."""
    if isinstance(value, dict) and value.keys() == {"array", "shape", "base64"}:
        found = np.frombuffer(b64decode(value["base64"]), value["array"])
        return found.reshape(value["shape"]).copy()
    if isinstance(value, dict):
        return {key: arrays(item) for key, item in value.items()}
    return [arrays(item) for item in value] if isinstance(value, list) else value


def escape(token: bytes) -> str:
    r"""A token on one line, in printable characters.

    >>> print(escape(b"a\tb\\\xff"))
    a\tb\\\xff
    """
    text = token.decode("utf-8", "surrogateescape")
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(_SHORT.get(c) or (c if c.isprintable() else _hex(c)) for c in text)


def _hex(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def unescape(field: bytes) -> bytes:
    """The inverse of `escape`; a KeyError where a backslash means nothing."""
    if b"\\" not in field:
        return field
    return _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]) if m[1] else _LONG[m[2]], field)


def short(number: np.float32) -> str:
    """The fewest digits that tell a 32-bit number from all others.

    >>> short(np.float32(0.1)), short(np.float32(0))
    ('0.1', '0')
    """
    text = str(number).removesuffix(".0")
    # Who reads it rounds to 64 bits first, which could in principle end at the number beside it.
    return text if np.float32(float(text)) == number else repr(float(number))

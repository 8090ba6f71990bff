r"""Models as text and back, bit for bit: a header with the settings, then one line for each token.

A TSV file begins with `# spamnb-counts 1`, a line `# ` with the settings as JSON, and the column names; a
JSONL file with one object for the settings. The last line has what only programs read: digests of messages,
the correction of a refined model and the model that it starts from. Tokens come by the number of messages
that hold them. In TSV the backslashes of a token, its invisible characters and bytes that are no UTF-8 are
written `\\`, `\t`, `\n`, `\r` or `\xNN`; in JSONL such bytes are the lone surrogates U+DC80 to U+DCFF.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from spamnb.counts import CountStore
from spamnb.countstate import to_state
from spamnb.errors import DataError
from spamnb.features.hashing import token_key
from spamnb.model import SpamModel
from spamnb.spellings import Spellings

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
_LAST = ("known", "correction", "start")
_REST = b"# rest "
_SHORT = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ESCAPED = re.compile(rb"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_LONG = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def export_lines(model: SpamModel, form: str) -> Iterator[bytes]:
    """The lines of a model as `tsv` or `jsonl`."""
    store, head = model.store, _header(model)
    rest = {name: head.pop(name) for name in _LAST if head.get(name)}
    if form == "jsonl":
        yield _json({"format": FORMAT, "version": VERSION, **head})
    else:
        names = [
            f"{what}:{_escape(label.encode())}"
            for what in ("occurrences", "messages")
            for label in store.labels
        ]
        yield _TITLE.encode() + b"\n"
        yield b"# " + _json(head)
        yield "\t".join(["token", "kind", *names, "key"]).encode() + b"\n"
    spelled = list(store.spellings)
    for i in np.lexsort((store.keys, -store.messages.sum(axis=1, dtype=np.int64))).tolist():
        counts = store.tokens[i].tolist(), store.messages[i].tolist()
        key, kind = f"{int(store.keys[i]):016x}", int(store.kinds[i])
        if form == "jsonl":
            text = spelled[i].decode("utf-8", "surrogateescape")
            row = {"token": text, "kind": kind, "occurrences": counts[0], "messages": counts[1], "key": key}
            yield _json(row)
        else:
            fields = [_escape(spelled[i]), str(kind), *map(str, counts[0]), *map(str, counts[1]), key]
            yield "\t".join(fields).encode() + b"\n"
    if rest:
        yield _json({"rest": rest}) if form == "jsonl" else _REST + _json(rest)


def import_lines(lines: Iterable[bytes], name: str) -> SpamModel:
    """The model of some lines; `name` is for complaints, which name the line."""
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
        next(numbered, None)  # the names of the columns
        rows = [reader.fields(n, line) for n, line in _before_rest(numbered, _REST, head, reader)]
    return _model(head, rows, reader)


def _before_rest(
    numbered: Iterator[tuple[int, bytes]], mark: bytes, head: dict[str, Any], reader: _Reader
) -> Iterator[tuple[int, bytes]]:
    """The lines of tokens; what the last line says beside them is added to the header."""
    for number, line in numbered:
        if line.startswith(mark) and b"\t" not in line:  # a line of a token has tabs
            found = reader.json(number, line.removeprefix(_REST))
            try:
                head.update(_arrays(found.get("rest", found)))
            except (TypeError, ValueError):
                raise reader.wrong(number, "the last line is damaged") from None
        elif line.strip():
            yield number, line


def _second(numbered: Iterator[tuple[int, bytes]]) -> tuple[int, bytes]:
    number, line = next(numbered, (2, b""))
    return number, line.removeprefix(b"# ")


def _header(model: SpamModel) -> dict[str, Any]:
    """The state without the tables and without what is computed from them."""
    state = model.state()
    counts = {name: value for name, value in state.pop("counts").items() if name not in _TABLES}
    plain: dict[str, Any] = _plain(
        {**state, "counts": {**counts, "message_totals": counts["message_totals"].tolist()}}
    )
    return plain


def _plain(value: Any) -> Any:
    """Arrays, wherever they stand, as their type, shape and bytes."""
    if isinstance(value, np.ndarray):
        return {
            "array": value.dtype.str,
            "shape": list(value.shape),
            "base64": b64encode(value.tobytes()).decode(),
        }
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _arrays(value: Any) -> Any:
    """The inverse of `_plain`."""
    if isinstance(value, dict) and value.keys() == {"array", "shape", "base64"}:
        found = np.frombuffer(b64decode(value["base64"]), value["array"])
        return found.reshape(value["shape"]).copy()
    if isinstance(value, dict):
        return {key: _arrays(item) for key, item in value.items()}
    return [_arrays(item) for item in value] if isinstance(value, list) else value


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _escape(token: bytes) -> str:
    r"""A token on one line, in printable characters.

    >>> print(_escape(b"a\tb\\\xff"))
    a\tb\\\xff
    """
    text = token.decode("utf-8", "surrogateescape")
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(_SHORT.get(c) or (c if c.isprintable() else _hex(c)) for c in text)


def _hex(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def _unescape(field: bytes) -> bytes:
    """The inverse of `_escape`; a KeyError where a backslash means nothing."""
    if b"\\" not in field:
        return field
    return _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]) if m[1] else _LONG[m[2]], field)


Row = tuple[bytes, int, list[int], list[int], int, int]  # token, kind, occurrences, messages, key, line


class _Reader:
    """Takes lines apart and says what is wrong with which."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._width = 0

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
        try:
            found: dict[str, Any] = _arrays(head)
            labels, totals = found["counts"]["labels"], found["counts"]["message_totals"]
            good = all(type(n) is int and 0 < n < 1 << 63 for n in totals) and len(labels) == len(totals)
        except (KeyError, TypeError, ValueError):
            good = False
        if not good:
            raise self.wrong(1 if titled else 2, "the settings are damaged")
        self._width = len(labels)
        return found

    def object(self, number: int, line: bytes) -> Row:
        row = self.json(number, line)
        try:
            token = row["token"].encode("utf-8", "surrogateescape")
            parts = row["kind"], list(row["occurrences"]), list(row["messages"])
            key = self._key(row.get("key") or "", token)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self.wrong(number, "expected token, kind, occurrences and messages") from None
        return self._checked((token, *parts, key, number))

    def fields(self, number: int, line: bytes) -> Row:
        fields = line.rstrip(b"\r\n").split(b"\t")
        width = self._width
        if len(fields) not in (2 + 2 * width, 3 + 2 * width):
            raise self.wrong(number, f"{len(fields)} fields, expected {3 + 2 * width}")
        try:
            token = _unescape(fields[0])
            numbers = [int(field) for field in fields[1 : 2 + 2 * width]]
            key = self._key(b"".join(fields[2 + 2 * width :]).decode(), token)
        except (KeyError, ValueError):
            raise self.wrong(number, "a field is no number, or a backslash means nothing") from None
        return self._checked((token, numbers[0], numbers[1 : 1 + width], numbers[1 + width :], key, number))

    @staticmethod
    def _key(written: str, token: bytes) -> int:
        """As written; a line that was added by hand may leave it out."""
        return int(written, 16) if written else token_key(token.decode())

    def _checked(self, row: Row) -> Row:
        _, kind, occurrences, messages, key, line = row
        numbers = [kind, *occurrences, *messages]
        if len(numbers) != 1 + 2 * self._width or not all(type(n) is int and n >= 0 for n in numbers):
            raise self.wrong(line, f"expected counts from 0 on for {self._width} classes")
        if kind > 255 or key >= 1 << 64 or max(numbers) >= 1 << 63:
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
    store = CountStore(
        tuple(counts["labels"]),
        np.array(counts["message_totals"], np.int64),
        np.array([row[4] for row in rows], np.uint64),
        np.array([row[1] for row in rows], np.uint8),
        np.array([row[2] for row in rows], np.int64).reshape(len(rows), width),
        np.array([row[3] for row in rows], np.int64).reshape(len(rows), width),
        Spellings.of(row[0] for row in rows),
    )
    state = to_state(store) | {name: counts.get(name, {}) for name in ("categories", "numbers")}
    return SpamModel.from_state({**head, "counts": state})

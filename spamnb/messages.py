"""Defines messages as they travel: many texts in one byte string, with their labels and columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from spamnb.core import FloatArray, IntArray, Record
from spamnb.errors import InputError, type_name


class Texts(Record):
    """N messages in one UTF-8 byte string: message i is `data[starts[i]:ends[i]]`.

    The spans are in order, do not overlap, and at least one byte that belongs to no message
    (a newline) stands between two neighbours. Bytes need not be valid UTF-8.

    >>> texts = Texts.of(["Free entry", "ok lar"])
    >>> len(texts), texts[1], texts.tolist()
    (2, b'ok lar', [b'Free entry', b'ok lar'])
    """

    data: bytes
    starts: IntArray
    ends: IntArray
    tags: Mapping[str, Texts] = MappingProxyType({})  # texts of mail by tag: subject, from, url ...
    listed: tuple[str, ...] = ()  # the entry of an allow or block list for each mail; () if there is none

    @classmethod
    def of(cls, messages: Iterable[str | bytes]) -> Texts:
        """Joins messages; text is encoded as UTF-8, lone surrogates become invalid bytes."""
        parts = [m if isinstance(m, bytes) else m.encode("utf-8", "surrogatepass") for m in messages]
        sizes = np.fromiter((len(p) for p in parts), np.int64, len(parts))
        ends = np.cumsum(sizes + 1) - 1
        return cls(b"\n".join(parts), ends - sizes, ends)

    @classmethod
    def lines(cls, data: bytes) -> Texts:
        r"""Reads one message per line; `\n`, `\r\n` and a missing final newline all give the same messages.

        >>> Texts.lines(b"a b\r\nc").tolist() == Texts.lines(b"a b\nc\n").tolist() == [b"a b", b"c"]
        True
        """
        if data and not data.endswith(b"\n"):
            data += b"\n"
        raw = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(raw == 10)
        starts = np.empty_like(ends)
        starts[:1] = 0
        starts[1:] = ends[:-1] + 1
        carriage = (ends > starts) & (raw[np.maximum(ends - 1, 0)] == 13)
        return cls(data, starts, ends - carriage)

    @classmethod
    def concat(cls, parts: Sequence[Texts]) -> Texts:
        """Joins all messages with their tags; a part without a tag has empty texts there."""
        shifts = np.cumsum([0, *(len(part.data) + 1 for part in parts)])[:-1].tolist()
        starts = [part.starts + shift for part, shift in zip(parts, shifts, strict=True)]
        ends = [part.ends + shift for part, shift in zip(parts, shifts, strict=True)]
        tags = {
            tag: cls.concat([part.tags.get(tag) or cls.of([b""] * len(part)) for part in parts])
            for tag in dict.fromkeys(tag for part in parts for tag in part.tags)
        }
        data = b"\n".join([part.data for part in parts])  # as they are: no message is copied by itself
        none = np.zeros(0, np.int64)
        listed: tuple[str, ...] = ()
        if any(part.listed for part in parts):
            listed = tuple(entry for part in parts for entry in part.listed or ("",) * len(part))
        return cls(data, np.concatenate([none, *starts]), np.concatenate([none, *ends]), tags, listed)

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        messages = f"{len(self):,} message{'' if len(self) == 1 else 's'}"
        return f"<Texts: {messages}{' with the tags of mail' if self.tags else ''}>"

    def select(self, rows: IntArray) -> Texts:
        """Selects messages, in the order of `rows`, with their tags."""
        picked = Texts.of([self[i] for i in rows.tolist()])
        tags = {tag: texts.select(rows) for tag, texts in self.tags.items()}
        listed = tuple(self.listed[i] for i in rows.tolist()) if self.listed else ()
        return Texts(picked.data, picked.starts, picked.ends, tags, listed)

    def __getitem__(self, index: int) -> bytes:
        return self.data[self.starts[index] : self.ends[index]]

    @cached_property
    def runs(self) -> list[tuple[int, bytes]]:
        """Every run of non-ASCII bytes, with its position."""
        data = self.data
        if data.isascii():
            return []
        positions = np.flatnonzero(np.frombuffer(data, np.uint8) >= 128)
        breaks = np.flatnonzero(np.diff(positions) > 1)
        starts = np.concatenate((positions[:1], positions[breaks + 1])).tolist()
        ends = (np.concatenate((positions[breaks], positions[-1:])) + 1).tolist()
        return [(start, data[start:end]) for start, end in zip(starts, ends, strict=True)]

    @cached_property
    def extracted(self) -> list[tuple[Any, Any]]:
        """The settings of features, and the tokens that `features.extract` has found by them."""
        return []

    @cached_property
    def _distinct_runs(self) -> set[bytes]:
        return {run for _, run in self.runs}

    def rows_with(self, chosen: Callable[[bytes], bool]) -> list[int]:
        """Finds the messages with a run of non-ASCII bytes that is `chosen`."""
        kinds = {run for run in self._distinct_runs if chosen(run)}
        if not kinds:
            return []
        at = np.array([start for start, run in self.runs if run in kinds])
        return sorted(set((np.searchsorted(self.starts, at, side="right") - 1).tolist()))

    @cached_property
    def are_lines(self) -> bool:
        """Whether every byte is part of a message or the newline after it."""
        if not len(self) or self.starts[0] or self.ends[-1] != len(self.data) - 1:
            return False
        return bool((self.starts[1:] == self.ends[:-1] + 1).all()) and self.data.count(b"\n") == len(self)

    def tolist(self) -> list[bytes]:
        data = self.data
        if self.are_lines:
            return data[:-1].split(b"\n")  # twice as fast as slices
        return [data[s:e] for s, e in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]


_HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:")
# Headers that mails begin with, besides X-...: a message such as "Note: call me" is none.
_FIRST_HEADERS = {
    *(b"return-path", b"received", b"delivered-to", b"envelope-to", b"delivery-date", b"from"),
    *(b"to", b"cc", b"subject", b"date", b"message-id", b"mime-version", b"reply-to", b"sender"),
    *(b"content-type", b"dkim-signature", b"arc-seal", b"authentication-results", b"list-id"),
}

Messages = Texts | Iterable[str | bytes | Texts]
Categories = Mapping[str, Sequence[str]] | None  # the categorical columns of messages, by name
Numbers = Mapping[str, FloatArray] | None  # their numeric columns


def as_texts(messages: Messages) -> Texts:
    """Converts lists, Series, arrays and iterators of messages; refuses one message, tables and other types.

    None and NaN are empty messages; parsed mails are joined with their tags.

    >>> len(as_texts(["a", "b"])), len(as_texts([Texts.of(["a"]), Texts.of(["b", "c"])]))
    (2, 3)
    """
    if isinstance(messages, Texts):
        return messages
    if isinstance(messages, (str, bytes)):
        raise InputError("expected a list of messages, got one string", hint="wrap it: [message]")
    if hasattr(messages, "as_bytes"):  # of Python's package email: to iterate over it gives its headers
        raise InputError(
            f"expected a list of messages, got {type_name(messages)}",
            hint="parse it first: model.predict(spamnb.parse_mail(message))",
        )
    if len(getattr(messages, "shape", (0,))) != 1:
        raise _not_one_column(messages)
    if isinstance(messages, Mapping) or not isinstance(messages, Iterable):
        raise InputError(
            f"expected a list of messages, got {type_name(messages)}", hint="pass a list: [message]"
        )
    items: list[Any] = list(messages)
    for i, item in enumerate(items):
        if isinstance(item, bytes):
            _refuse_raw_mail(item, f"messages[{i}]")
    if {*map(type, items)} <= {
        str,
        bytes,
    }:  # the usual case, without a loop in Python
        return Texts.of(items)
    others = [i for i, item in enumerate(items) if not isinstance(item, (str, bytes))]
    if any(isinstance(items[i], Texts) for i in others):
        return Texts.concat(
            [m if isinstance(m, Texts) else Texts.of([_as_text(m, i)]) for i, m in enumerate(items)]
        )
    for i in others:
        items[i] = _as_text(items[i], i)
    return Texts.of(items)


def one_message(message: str | bytes | Texts) -> Texts:
    """Returns one message as texts; refuses lists and several parsed mails.

    >>> one_message("see you").tolist()
    [b'see you']
    """
    if isinstance(message, bytes):
        _refuse_raw_mail(message, "the message")
    if isinstance(message, (str, bytes)):
        return Texts.of([message])
    if isinstance(message, Texts) and len(message) == 1:
        return message
    got = f"{len(message):,} messages" if isinstance(message, Texts) else type_name(message)
    raise InputError(
        f"expected one message, got {got}",
        hint="pass one text, or one parsed mail: parse_mail(raw)",
    )


def by_first_lines(head: bytes) -> str:
    r"""Returns `eml` or `mbox` if the first two lines begin a mail, else "".

    >>> [by_first_lines(head) for head in (b"From a\nTo: b\n", b"To: a\nDate: b\n", b"To: all\nHi\n")]
    ['mbox', 'eml', '']
    """
    first, _, second = head.partition(b"\n")
    if first.startswith(b"From "):
        return "mbox" if _HEADER.match(second) else ""
    continues = second.startswith((b" ", b"\t")) or _HEADER.match(second)
    return "eml" if begins_header(first) and continues else ""


def begins_header(line: bytes) -> bool:
    """Tells whether a line is a header that mails begin with."""
    header = _HEADER.match(line)
    name = header[1].lower() if header else b""
    return name in _FIRST_HEADERS or name.startswith(b"x-")


def _refuse_raw_mail(message: bytes, name: str) -> None:
    """Refuses a mail whose headers would be read as text."""
    if (_HEADER.match(message) or message.startswith(b"From ")) and by_first_lines(message):
        raise InputError(
            f"{name} is a raw email, whose headers would be read as text",
            hint="parse it first: model.predict(spamnb.parse_mail(raw))",
        )


def _not_one_column(table: Any) -> InputError:
    """Describes a table in place of messages: to iterate over a DataFrame gives the names of its columns."""
    columns = list(map(str, getattr(table, "columns", ())))
    listed = f" (columns: {', '.join(columns[:10])})" if columns else ""
    name = "text" if "text" in columns or not columns else columns[-1]
    return InputError(
        f"expected a list of messages, got {type_name(table)} of shape {table.shape}",
        hint=f"pass one column: table[{name!r}]{listed}",
    )


def is_missing(value: object) -> bool:
    """Returns whether a value is None, NaN, or what pandas has in their place.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # no truth value has NA == NA
        return True
    return isinstance(value, float) and value != value


def _as_text(value: object, index: int) -> str | bytes:
    """Returns one message; None, NaN and pandas' NA are empty messages, other types are refused."""
    if isinstance(value, (str, bytes)):
        return value
    if is_missing(value):
        return ""
    raise InputError(
        f"messages[{index}] is {type_name(value)}; expected str or bytes",
        hint="pass one text for each message; spamnb.parse_mail reads raw mail",
    )


class InputColumns(Protocol):
    """All columns of some records, as their input has them."""

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def text(self) -> int | None:
        """The column of the messages."""

    def texts(self, column: int) -> Texts:
        """Returns the values of a column as texts."""

    def record(self, row: int) -> Mapping[str, Any]:
        """Returns the values of a record by name, as JSON has them."""


class Chunk(Record):
    """Some hundreds of messages from a reader, with their labels and columns.

    `labels` is None if the source was read without labels; `categories` has one string per message and
    categorical column ("" = missing), `numbers` one float per message and numeric column (nan = missing);
    `lines` is each message's 1-based line in its source; `position` is how far the source was read, in bytes;
    `sources` is the path of each mail, or `mailbox#number`; `worker_result` is the result of the worker
    processes (`Source.work`); `columns` has all columns of a table (`ReadOptions.keep_columns`); `file` is
    the name of the source if there are several.
    """

    texts: Texts
    lines: IntArray
    labels: list[str] | None = None
    categories: Mapping[str, list[str]] = MappingProxyType({})
    numbers: Mapping[str, FloatArray] = MappingProxyType({})
    position: int = 0
    sources: Sequence[str] = ()
    worker_result: Any = None
    columns: InputColumns | None = None
    file: str = ""

    def __len__(self) -> int:
        return len(self.texts)

    def place(self, row: int) -> str:
        """Returns where a message comes from: the path of a mail, else its line and, of several, its file."""
        if self.sources:
            return self.sources[row]
        return f"{self.file} line {int(self.lines[row])}".strip()

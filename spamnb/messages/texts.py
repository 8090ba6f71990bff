"""Holds many texts in one byte string, with the tags of mail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from spamnb.core import IntArray, Record


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
    subjects: tuple[bytes, ...] = ()  # the decoded subject of each mail, for people; () if there are no mails

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
        subjects: tuple[bytes, ...] = ()
        if any(part.listed for part in parts):
            listed = tuple(entry for part in parts for entry in part.listed or ("",) * len(part))
        if any(part.subjects for part in parts):
            subjects = tuple(one for part in parts for one in part.subjects or (b"",) * len(part))
        return cls(
            data, np.concatenate([none, *starts]), np.concatenate([none, *ends]), tags, listed, subjects
        )

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
        subjects = tuple(self.subjects[i] for i in rows.tolist()) if self.subjects else ()
        return Texts(picked.data, picked.starts, picked.ends, tags, listed, subjects)

    def __getitem__(self, index: int) -> bytes:
        return self.data[self.starts[index] : self.ends[index]]

    def subject(self, row: int) -> str:
        """Returns the subject of a mail on one line, "" for what is no mail."""
        return " ".join(self.subjects[row].decode("utf-8", "replace").split()) if self.subjects else ""

    def blank_rows(self) -> list[int]:
        """Finds the messages that are empty, and have no tags of mail.

        >>> Texts.of(["see you", "", "  "]).blank_rows()
        [1]
        """
        rows = np.flatnonzero(self.starts == self.ends).tolist()
        return [i for i in rows if not any(texts[i] for texts in self.tags.values())]

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

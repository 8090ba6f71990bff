"""Keeps many lessons in one set of arrays, so that any of them can be added up at once.

A record of the journal takes 0.1 ms to decode. The history of a model may have ten thousand lessons: here the
tokens of all lessons of a block are one table, with the lesson of each row.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, Record, StringArray, run_starts
from spamnb.counts import CountStore, merge_stores
from spamnb.features import KeyArray
from spamnb.model.change_history import ChangeHistory
from spamnb.model.journal_records import column_state, read_columns
from spamnb.model.lesson_record import LessonEntry
from spamnb.model.model_delta import DIGESTS, NO_WEIGHTS, Change, ChangedDigests, Weights, merge_weights
from spamnb.model.seen_messages import ByLabel

_LENGTH = struct.Struct("<I")
_TABLES = ("tokens", "messages")
_WIDTHS = ("<i1", "<i2", "<i4", "<i8")
# name, type and whether there are as many as rows, digests or weights
_ARRAYS = (
    *(("row_lesson", "<u4", "rows"), ("keys", "<u8", "rows"), ("kinds", "u1", "rows")),
    *(("tokens", "<i8", "cells"), ("messages", "<i8", "cells"), ("sizes", "<u4", "rows")),
    *(("digest_lesson", "<u4", "digests"), ("digest_part", "u1", "digests")),
    *(("digest_label", "<u2", "digests"), ("digests", "<u8", "digests")),
    *(("weight_lesson", "<u4", "weights"), ("weight_keys", "<u8", "weights"), ("weights", "<f4", "weights")),
    ("letters", "u1", "letters"),
)


class LessonBlock(Record):
    """Lessons in the order of their numbers; `columns` has totals, history and columns of each.

    `row_lesson` is the lesson of each row of the token table, `sizes` the size of its spelling (0: the model
    file has it) in `letters`. Digests have a lesson, a part (an index of DIGESTS) and a label each.
    """

    labels: tuple[str, ...]
    entries: list[LessonEntry]
    columns: list[dict[str, Any]]
    arrays: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, changes: Sequence[Change]) -> LessonBlock:
        """Puts lessons into a block; each change is one lesson."""
        labels = tuple(sorted({label for change in changes for label in _labels(change)}))
        entries, columns, parts = [], [], []
        for number, change in enumerate(changes):
            assert change.lesson is not None
            entries.append(change.lesson)
            columns.append(_columns(change))
            parts.append(_arrays(number, change, labels))
        arrays = {
            name: np.concatenate([np.zeros(0, dtype), *(part[name] for part in parts)]).astype(dtype)
            for name, dtype, _ in _ARRAYS
        }
        return cls(labels, entries, columns, arrays)

    def encode(self) -> bytes:
        """Returns the bytes of the block."""
        tables = {name: self.arrays[name] for name in _TABLES}
        width = next(w for w in _WIDTHS if all(_fits(table, w) for table in tables.values()))
        arrays = self.arrays | {name: table.astype(width) for name, table in tables.items()}
        head = {
            "labels": self.labels,
            "width": width,
            "lessons": [
                {"entry": entry.to_state(), **columns}
                for entry, columns in zip(self.entries, self.columns, strict=True)
            ],
            "sizes": [len(self.arrays[name]) for name, _, _ in _ARRAYS],
        }
        text = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
        return b"".join((_LENGTH.pack(len(text)), text, *(arrays[name].tobytes() for name, _, _ in _ARRAYS)))

    @classmethod
    def decode(cls, data: bytes) -> LessonBlock:
        """Decodes what `encode` gave; raises an exception for bytes that are no block."""
        (size,) = _LENGTH.unpack_from(data)
        head = json.loads(data[_LENGTH.size : _LENGTH.size + size].decode("utf-8", "surrogatepass"))
        arrays, at, width = {}, _LENGTH.size + size, _WIDTHS[_WIDTHS.index(head["width"])]
        for (name, kind, _), count in zip(_ARRAYS, head["sizes"], strict=True):
            dtype = width if name in _TABLES else kind
            arrays[name] = np.frombuffer(data, dtype, count, at) if count else np.zeros(0, dtype)
            at += arrays[name].nbytes
        lessons = head["lessons"]
        entries = [LessonEntry.from_state(lesson.pop("entry")) for lesson in lessons]
        block = cls(tuple(head["labels"]), entries, lessons, arrays)
        block._check(at == len(data))
        return block

    def _check(self, complete: bool) -> None:
        """Refuses arrays that do not belong together."""
        of: dict[str, int] = {}
        for name, _, unit in _ARRAYS:
            of.setdefault(unit, len(self.arrays[name]))
            complete = complete and len(self.arrays[name]) == of[unit]
        complete = complete and of["cells"] == of["rows"] * len(self.labels)
        complete = complete and of["letters"] == int(self.arrays["sizes"].sum(dtype=np.uint64))
        limits = {name: len(self.entries) for name in ("row_lesson", "digest_lesson", "weight_lesson")}
        limits |= {"digest_part": len(DIGESTS), "digest_label": len(self.labels)}
        if not complete or any(self.arrays[name].max(initial=0) >= max(n, 1) for name, n in limits.items()):
            raise ValueError("block")

    def digests(self, parts: Collection[str], numbers: Collection[int]) -> KeyArray:
        """Returns the digests of these lessons in these parts of their changes."""
        wanted = np.isin(self.arrays["digest_lesson"], self._places(numbers))
        wanted &= np.isin(self.arrays["digest_part"], [DIGESTS.index(part) for part in parts])
        return np.asarray(self.arrays["digests"][wanted])

    def lessons_with(self, parts: Collection[str], digests: KeyArray) -> set[int]:
        """Returns the numbers of the lessons with one of these digests in these parts of their changes."""
        rows = np.isin(self.arrays["digests"], digests)
        rows &= np.isin(self.arrays["digest_part"], [DIGESTS.index(part) for part in parts])
        return {self.entries[i].id for i in np.unique(self.arrays["digest_lesson"][rows]).tolist()}

    def _places(self, numbers: Collection[int]) -> IntArray:
        return np.array([i for i, entry in enumerate(self.entries) if entry.id in numbers], np.int64)

    def sum(self, numbers: Collection[int]) -> Change:
        """Returns these lessons as one change."""
        chosen = self._places(numbers)
        return Change(
            merge_stores([self._tokens(chosen), *self._column_stores(chosen)]),
            self._digests(chosen),
            change_history=self._history(chosen),
            weights=self._weights(chosen),
        )

    def _tokens(self, chosen: IntArray) -> CountStore:
        """Returns the counts of the tokens; a token is spelled if one of the lessons spells it."""
        rows = np.flatnonzero(np.isin(self.arrays["row_lesson"], chosen))
        keys, sizes = self.arrays["keys"][rows], self.arrays["sizes"][rows]
        order = np.lexsort((sizes == 0, keys))
        begin = run_starts(keys[order])
        first, shape = rows[order[begin]], (len(self.arrays["keys"]), len(self.labels))
        tables = (self.arrays[name].reshape(shape)[rows[order]].astype(np.int64) for name in _TABLES)
        tokens, messages = (np.add.reduceat(table, begin) if len(begin) else table for table in tables)
        spellings = StringArray(self.arrays["letters"], np.cumsum(self.arrays["sizes"], dtype=np.int64))
        totals = np.zeros(len(self.labels), np.int64)
        kinds = self.arrays["kinds"][first]
        keys = self.arrays["keys"][first]
        return CountStore(self.labels, totals, keys, kinds, tokens, messages, spellings.take(first))

    def _column_stores(self, chosen: IntArray) -> list[CountStore]:
        """Returns the messages of each class, and columns: one store for all lessons without columns."""
        totals, stores = np.zeros(len(self.labels), np.int64), []
        empty = CountStore.empty(self.labels)
        for i in chosen.tolist():
            columns = self.columns[i]
            totals += [columns["totals"].get(label, 0) for label in self.labels]
            if columns["categories"] or columns["numbers"]:
                labels = tuple(columns["labels"])
                stores.append(CountStore.empty(labels).replace(**read_columns(columns, len(labels))))
        return [empty.replace(message_totals=totals), *stores]

    def _history(self, chosen: IntArray) -> ChangeHistory:
        history = ChangeHistory()
        for i in chosen.tolist():
            history = history.plus(ChangeHistory.from_state(self.columns[i]["change_history"], signed=True))
        return history

    def _weights(self, chosen: IntArray) -> Weights:
        if not len(self.arrays["weights"]):
            return NO_WEIGHTS
        rows = np.isin(self.arrays["weight_lesson"], chosen)
        return merge_weights([(self.arrays["weight_keys"][rows], self.arrays["weights"][rows])])

    def _digests(self, chosen: IntArray) -> ChangedDigests:
        wanted = np.isin(self.arrays["digest_lesson"], chosen)
        part, label = self.arrays["digest_part"], self.arrays["digest_label"]
        parts: dict[str, ByLabel] = {}
        for p, name in enumerate(DIGESTS):
            rows = wanted & (part == p)
            each = {text: self.arrays["digests"][rows & (label == i)] for i, text in enumerate(self.labels)}
            parts[name] = {text: digests for text, digests in each.items() if len(digests)}
        return ChangedDigests(**parts)


def join_blocks(blocks: Sequence[LessonBlock]) -> LessonBlock:
    """Returns the lessons of several blocks as one block."""
    if len(blocks) == 1:
        return blocks[0]
    labels = tuple(sorted({label for block in blocks for label in block.labels}))
    parts, at = [], 0
    for block in blocks:
        parts.append(_aligned(block, labels, at))
        at += len(block.entries)
    arrays = {
        name: np.concatenate([np.zeros(0, dtype), *(part[name] for part in parts)])
        for name, dtype, _ in _ARRAYS
    }
    entries = [entry for block in blocks for entry in block.entries]
    return LessonBlock(labels, entries, [c for block in blocks for c in block.columns], arrays)


def _aligned(block: LessonBlock, labels: tuple[str, ...], at: int) -> dict[str, NDArray[Any]]:
    """Returns the arrays of a block whose first lesson has the place `at`, with these classes."""
    arrays = dict(block.arrays)
    for name in ("row_lesson", "digest_lesson", "weight_lesson"):
        arrays[name] = arrays[name] + np.uint32(at)
    if block.labels != labels:
        places = np.array([labels.index(label) for label in block.labels], np.int64)
        arrays["digest_label"] = places[arrays["digest_label"]] if len(places) else arrays["digest_label"]
        for name in _TABLES:
            wide = np.zeros((len(arrays["keys"]), len(labels)), np.int64)
            wide[:, places] = arrays[name].reshape(len(wide), len(block.labels))
            arrays[name] = wide.ravel()
    return arrays


def _fits(table: NDArray[Any], width: str) -> bool:
    limits = np.iinfo(width)
    return bool(table.max(initial=0) <= limits.max and table.min(initial=0) >= limits.min)


def _labels(change: Change) -> set[str]:
    return {*change.counts.labels, *(label for _, part in change.digests.parts() for label in part)}


def _columns(change: Change) -> dict[str, Any]:
    counts = change.counts
    totals = dict(zip(counts.labels, counts.message_totals.tolist(), strict=True))
    return {
        "totals": {label: n for label, n in totals.items() if n},
        "change_history": change.change_history.to_state(),
        "labels": counts.labels if counts.categories or counts.numbers else (),
        **column_state(counts),
    }


def _arrays(number: int, change: Change, labels: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    counts, digests = change.counts, [(p, part) for p, (_, part) in enumerate(change.digests.parts())]
    places = [labels.index(label) for label in counts.labels]
    tables = {}
    for name in _TABLES:
        wide = np.zeros((counts.vocabulary, len(labels)), np.int64)
        wide[:, places] = getattr(counts, name)
        tables[name] = wide.ravel()
    each = [(p, labels.index(label), x) for p, part in digests for label, x in part.items()]
    many = [len(x) for _, _, x in each]
    return {
        **tables,
        "row_lesson": np.full(counts.vocabulary, number),
        "keys": counts.keys,
        "kinds": counts.kinds,
        "sizes": np.diff(counts.spellings.ends, prepend=0),
        "digest_lesson": np.full(sum(many), number),
        "digest_part": np.repeat([p for p, _, _ in each], many) if each else np.zeros(0),
        "digest_label": np.repeat([label for _, label, _ in each], many) if each else np.zeros(0),
        "digests": np.concatenate([x for _, _, x in each]) if each else np.zeros(0, np.uint64),
        "weight_lesson": np.full(len(change.weights[0]), number),
        "weight_keys": change.weights[0],
        "weights": change.weights[1],
        "letters": counts.spellings.blob,
    }

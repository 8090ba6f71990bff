"""A change to a model: what it adds to the counts, below zero for what it takes out, and to the digests."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, Record, StringArray, run_starts as starts
from spamnb.counts import CountStore, Moments, combined, rows_with_any
from spamnb.features import KeyArray
from spamnb.model.change_history import ChangeHistory
from spamnb.model.seen_messages import ByLabel

_NOTHING: Mapping[str, KeyArray] = {}


class Change(Record):
    """What learning or forgetting some messages does: to the counts, to the digests, to the account of it.

    `counts` is what is added to the store, below zero for what is taken out. `stale_removed` are digests of
    stale messages: they are no longer recognised, but their counts stay. They are apart from those of exact
    messages, so that changes can be added up in any order.
    """

    counts: CountStore
    learned: ByLabel = _NOTHING
    forgotten: ByLabel = _NOTHING
    change_history: ChangeHistory = ChangeHistory()
    stale_removed: ByLabel = _NOTHING

    def condensed(self) -> Change:
        """Without the tokens that it does not change in the end."""
        counts = self.counts
        rows = np.flatnonzero(rows_with_any(counts.tokens) | rows_with_any(counts.messages))
        return Change(
            counts.rows(rows), self.learned, self.forgotten, self.change_history, self.stale_removed
        )


def negative(store: CountStore) -> CountStore:
    """These counts, to be taken out."""
    return combined(CountStore.empty(), store, -1)


def total(run_starts: Sequence[Change]) -> Change:
    """All of them as one; each token is spelled as the first that has it spells it."""
    if len(run_starts) == 1:
        return run_starts[0]
    since = ChangeHistory()
    for change in run_starts:
        since = since.plus(change.change_history)
    learned, forgotten = (
        _gathered([c.learned for c in run_starts]),
        _gathered([c.forgotten for c in run_starts]),
    )
    stale_removed = _gathered([c.stale_removed for c in run_starts])
    return Change(sum_counts([c.counts for c in run_starts]), learned, forgotten, since, stale_removed)


def _gathered(parts: list[ByLabel]) -> ByLabel:
    labels = sorted({label for part in parts for label in part})
    return {label: np.concatenate([part[label] for part in parts if label in part]) for label in labels}


def sum_counts(stores: Sequence[CountStore], known: tuple[str, ...] = ()) -> CountStore:
    """The sum of some counts, whatever their signs, not put in order: rows of zeros stay.

    Every class of `known` has a column in it, needed or not.
    """
    labels = tuple(sorted({*known, *(label for store in stores for label in store.labels)}))
    keys = np.concatenate([s.keys for s in stores])
    order = np.argsort(keys, kind="stable")
    begin = starts(keys[order])
    first = order[begin]
    columns = _columns(stores)
    return CountStore(
        labels,
        np.sum([wide(s.message_totals[None], s, labels)[0] for s in stores], axis=0, dtype=np.int64),
        keys[first],
        np.concatenate([s.kinds for s in stores])[first],
        _added([wide(s.tokens, s, labels) for s in stores], order, begin),
        _added([wide(s.messages, s, labels) for s in stores], order, begin),
        _spelled([s.spellings for s in stores], first),
        columns.categories,
        columns.numbers,
    )


def _added(tables: list[IntArray], order: IntArray, begin: IntArray) -> IntArray:
    rows = np.concatenate(tables)
    return np.add.reduceat(rows[order], begin, axis=0, dtype=np.int64) if len(begin) else rows


def _spelled(parts: list[StringArray], which: IntArray) -> StringArray:
    shift, ends = 0, []
    for part in parts:
        ends.append(part.ends + shift)
        shift += len(part.blob)
    return StringArray(np.concatenate([p.blob for p in parts]), np.concatenate(ends)).take(which)


def _columns(stores: Sequence[CountStore]) -> CountStore:
    total = _tokenless(stores[0])
    if any(s.categories or s.numbers for s in stores):
        for store in stores[1:]:
            total = combined(total, _tokenless(store), 1)
    return total


def _tokenless(store: CountStore) -> CountStore:
    """The classes and columns of a store."""
    none, totals = np.zeros((0, len(store.labels)), np.int64), store.message_totals
    keys, kinds = np.zeros(0, np.uint64), np.zeros(0, np.uint8)
    columns = store.categories, store.numbers
    return CountStore(store.labels, totals, keys, kinds, none, none, StringArray.of([]), *columns)


def wide(table: IntArray, store: CountStore, labels: tuple[str, ...]) -> IntArray:
    """The columns of a store's classes among those of all classes."""
    if store.labels == labels:
        return table
    out = np.zeros((len(table), len(labels)), np.int64)
    out[:, [labels.index(label) for label in store.labels]] = table
    return out


_LENGTH = struct.Struct("<I")
_WIDTHS = ("<i1", "<i2", "<i4", "<i8")


def encode(change: Change, spelled: NDArray[np.bool_]) -> bytes:
    """The bytes of a change; `spelled` says which tokens to write out."""
    counts, rows = change.counts, np.flatnonzero(spelled)
    width = next(w for w in _WIDTHS if max(_top(counts.tokens), _top(counts.messages)) <= np.iinfo(w).max)
    words = counts.spellings.take(rows)
    head: dict[str, Any] = {
        "labels": counts.labels,
        "totals": counts.message_totals.tolist(),
        "rows": len(counts.keys),
        "width": width,
        "spelled": len(rows),
        "learned": {label: len(x) for label, x in change.learned.items()},
        "forgotten": {label: len(x) for label, x in change.forgotten.items()},
        "stale_removed": {label: len(x) for label, x in change.stale_removed.items()},
        "change_history": change.change_history.to_dict(),
        "categories": {c: dict(values) for c, values in counts.categories.items()},
        "numbers": {c: [[m.count, m.total, m.squares] for m in row] for c, row in counts.numbers.items()},
    }
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    parts = [
        counts.keys.astype("<u8"),
        counts.kinds.astype("u1"),
        counts.tokens.astype(width),
        counts.messages.astype(width),
        rows.astype("<u4"),
        np.diff(words.ends, prepend=0).astype("<u4"),
        *(
            x.astype("<u8")
            for digests in (change.learned, change.forgotten, change.stale_removed)
            for x in digests.values()
        ),
        words.blob,
    ]
    return b"".join((_LENGTH.pack(len(text)), text, *(part.tobytes() for part in parts)))


def _top(table: IntArray) -> int:
    return int(np.abs(table).max(initial=0))


def decode(data: bytes) -> Change:
    """The inverse of `encode`; a ValueError (or its like) says that it cannot be."""
    (size,) = _LENGTH.unpack_from(data)
    head = json.loads(data[_LENGTH.size : _LENGTH.size + size].decode("utf-8", "surrogatepass"))
    take = _Taker(data, _LENGTH.size + size)
    labels = tuple(str(label) for label in head["labels"])
    rows, width = int(head["rows"]), len(labels)
    if head["width"] not in _WIDTHS or list(labels) != sorted(set(labels)) or len(head["totals"]) != width:
        raise ValueError("classes")
    keys, kinds = take("<u8", rows), take("u1", rows)
    tokens = take(head["width"], rows * width).reshape(rows, width)
    messages = take(head["width"], rows * width).reshape(rows, width)
    written, sizes = take("<u4", head["spelled"]), take("<u4", head["spelled"])
    learned, forgotten = _digests(take, head["learned"]), _digests(take, head["forgotten"])
    stale_removed = _digests(take, head["stale_removed"])
    blob = take("u1", int(sizes.sum()))
    if not take.done or (len(keys) > 1 and not (keys[1:] > keys[:-1]).all()):
        raise ValueError("keys")
    ends = np.zeros(rows, np.int64)
    ends[written] = sizes
    counts = CountStore(
        labels,
        np.array(head["totals"], np.int64),
        *(keys, kinds, tokens, messages, StringArray(blob, np.cumsum(ends))),
        {c: {v: tuple(map(int, row)) for v, row in vs.items()} for c, vs in head["categories"].items()},
        {c: tuple(Moments(*map(int, m)) for m in row) for c, row in head["numbers"].items()},
    )
    history = ChangeHistory.from_dict(head["change_history"])
    return Change(counts, learned, forgotten, history, stale_removed)


class _Taker:
    """Reads one array after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def __call__(self, kind: str, count: int) -> NDArray[Any]:
        array = np.frombuffer(self._data, kind, count, self._at) if count else np.zeros(0, kind)
        self._at += array.nbytes
        return array

    @property
    def done(self) -> bool:
        return self._at == len(self._data)


def _digests(take: _Taker, sizes: dict[str, int]) -> ByLabel:
    return {label: take("<u8", size) for label, size in sizes.items()}

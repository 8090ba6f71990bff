"""A change to a model as bytes for the journal, and back, every part checked.

    length of the head (4 bytes), head (JSON), keys, kinds, tokens, messages, which keys are spelled, sizes of
    the spellings, digests learned, digests forgotten, digests struck, spellings

A token that the model knows already is not spelled: one message takes about 12 bytes a word.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.changes import Change
from spamnb.counts import CountStore
from spamnb.digests import ByLabel
from spamnb.message import IntArray
from spamnb.moments import Moments
from spamnb.since import Since
from spamnb.spellings import Spellings

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
        **({"struck": {label: len(x) for label, x in change.struck.items()}} if change.struck else {}),
        "since": change.since.to_dict(),
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
            for digests in (change.learned, change.forgotten, change.struck)
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
    struck = _digests(take, head.get("struck", {}))
    blob = take("u1", int(sizes.sum()))
    if not take.done or (len(keys) > 1 and not (keys[1:] > keys[:-1]).all()):
        raise ValueError("keys")
    ends = np.zeros(rows, np.int64)
    ends[written] = sizes
    counts = CountStore(
        labels,
        np.array(head["totals"], np.int64),
        *(keys, kinds, tokens, messages, Spellings(blob, np.cumsum(ends))),
        {c: {v: tuple(map(int, row)) for v, row in vs.items()} for c, vs in head["categories"].items()},
        {c: tuple(Moments(*map(int, m)) for m in row) for c, row in head["numbers"].items()},
    )
    return Change(counts, learned, forgotten, Since.from_dict(head["since"]), struck)


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

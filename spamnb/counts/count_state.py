"""Turns a CountStore into a dict of builtins and plain arrays for the model file, and back, fully checked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import StringArray
from spamnb.counts.count_store import CountStore
from spamnb.counts.moments import Moments
from spamnb.errors import ModelError
from spamnb.storage import require

Array = NDArray[Any]
_CODE = "utf-8", "surrogatepass"


def to_state(store: CountStore) -> dict[str, Any]:
    """Returns the state; integer arrays have the smallest type that fits, so equal counts are equal bytes."""
    return {
        "labels": list(store.labels),
        "message_totals": _smallest(store.message_totals),
        "keys": np.ascontiguousarray(store.keys, "<u8"),
        "kinds": np.ascontiguousarray(store.kinds),
        "tokens": _smallest(store.tokens),
        "messages": _smallest(store.messages),
        "spelling_bytes": np.ascontiguousarray(store.spellings.blob),
        "spelling_ends": _smallest(store.spellings.ends),
        "categories": {
            column: pack_column(values, len(store.labels)) for column, values in store.categories.items()
        },
        "numbers": {c: [[m.count, m.total, m.squares] for m in row] for c, row in store.numbers.items()},
        "totals": _smallest(np.array([store.token_totals, store.presence_totals, store.word_totals])),
        "word_vocabulary": store.word_vocabulary,
    }


def pack_column(values: Mapping[str, tuple[int, ...]], width: int) -> dict[str, Array]:
    """Returns the counts of each value of a column as arrays: single values are slow to read, and limited."""
    spelled = StringArray.of(value.encode(*_CODE) for value in values)
    counts = np.array(list(values.values()), np.uint64).reshape(len(values), width)
    return {"bytes": spelled.blob, "ends": _smallest(spelled.ends), "counts": _smallest(counts)}


def _smallest(array: Array) -> Array:
    top = int(array.max()) if array.size else 0
    kind = next(t for t in ("<u1", "<u2", "<u4", "<u8") if top <= np.iinfo(t).max)
    return np.ascontiguousarray(array, kind)


def from_state(state: Mapping[str, Any]) -> CountStore:
    """Returns the store, after a check that its parts fit together: well-formed files can still be wrong."""
    labels = _labels(state)
    keys = require(state, "keys", np.ndarray, dtype="<u8", ndim=1)
    size, width = len(keys), len(labels)
    _check(size < 2 or bool((keys[1:] > keys[:-1]).all()), "keys", "not in ascending order")
    ends = _integers(state, "spelling_ends", (size,)).astype(np.int64)
    blob = require(state, "spelling_bytes", np.ndarray, dtype="u1", ndim=1)
    rising = not size or (int(ends[0]) >= 0 and bool((ends[1:] >= ends[:-1]).all()) and ends[-1] == len(blob))
    _check(rising, "spelling_ends", "do not fit the spellings")
    store = CountStore(
        labels,
        _integers(state, "message_totals", (width,)).astype(np.int64),
        keys,
        require(state, "kinds", np.ndarray, dtype="u1", shape=(size,)),
        _integers(state, "tokens", (size, width)),
        _integers(state, "messages", (size, width)),
        StringArray(blob, ends),
        {_text(c): _category(c, column, width) for c, column in require(state, "categories", dict).items()},
        {_text(c): _moments(c, rows, width) for c, rows in require(state, "numbers", dict).items()},
    )
    totals = _integers(state, "totals", (3, width)).astype(np.int64)
    return store.with_totals(totals[0], totals[1], totals[2], require(state, "word_vocabulary", int))


def _check(good: bool, name: str, fault: str) -> None:
    if not good:
        raise ModelError(f"the model's {name} are damaged: {fault}", hint="train the model again")


def _labels(state: Mapping[str, Any]) -> tuple[str, ...]:
    labels = require(state, "labels", list)
    good = all(isinstance(label, str) for label in labels) and labels == sorted(set(labels))
    _check(good, "labels", f"{labels!r:.80}")
    return tuple(labels)


def _text(value: object) -> str:
    _check(isinstance(value, str), "columns", "a name is no text")
    return str(value)


def _integers(state: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Array:
    array = require(state, name, np.ndarray, shape=shape)
    _check(array.dtype.kind == "u", name, f"expected counts, got {array.dtype}")
    return array


def _category(column: str, packed: object, width: int) -> dict[str, tuple[int, ...]]:
    name = f"counts of column {column!r}"
    _check(isinstance(packed, dict) and packed.keys() == {"bytes", "ends", "counts"}, name, "not a table")
    assert isinstance(packed, dict)
    try:
        values = unpack_column(packed)
    except ValueError as error:
        raise ModelError(f"the model's {name} are damaged: {error}", hint="train the model again") from None
    _check(packed["counts"].shape[1] == width, name, f"{packed['counts'].shape[1]} classes, expected {width}")
    return values


def unpack_column(packed: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The inverse of `pack_column`; a ValueError where the arrays do not fit together.

    >>> unpack_column(pack_column({"web": (3, 1), "": (0, 2)}, 2))
    {'web': (3, 1), '': (0, 2)}
    """
    blob, ends, counts = packed["bytes"], packed["ends"], packed["counts"]
    if not all(isinstance(array, np.ndarray) and array.dtype.kind == "u" for array in (blob, ends, counts)):
        raise ValueError("not a table")
    if (blob.ndim, blob.itemsize, ends.ndim, counts.ndim) != (1, 1, 1, 2):
        raise ValueError("not a table")
    bounds = [0, *ends.tolist()]
    if len(ends) != len(counts) or bounds != sorted(bounds) or bounds[-1] != len(blob):
        raise ValueError("do not fit the values")
    data = blob.tobytes()
    spelled = [str(data[a:b], *_CODE) for a, b in pairwise(bounds)]
    values = dict(zip(spelled, map(tuple, counts.tolist()), strict=True))
    if len(values) != len(spelled):
        raise ValueError("a value stands there twice")
    return values


def _moments(column: str, rows: object, width: int) -> tuple[Moments, ...]:
    name = f"numbers of column {column!r}"
    _check(isinstance(rows, list) and len(rows) == width, name, "wrong length")
    assert isinstance(rows, list)
    for row in rows:
        good = isinstance(row, list) and len(row) == 3 and all(type(n) is int for n in row)
        _check(good, name, f"got {row!r:.80}")
    _check(all(count >= 0 and squares >= 0 for count, _, squares in rows), name, "negative")
    return tuple(Moments(*row) for row in rows)

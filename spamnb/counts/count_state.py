"""A CountStore as a dict of builtins and plain arrays for the model file, and back, every part checked."""

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


def to_state(store: CountStore) -> dict[str, Any]:
    """Every integer array in the smallest type that holds it, so that equal counts are equal bytes."""
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
            c: _packed(packed(values, len(store.labels))) for c, values in store.categories.items()
        },
        "numbers": {c: [[m.count, m.total, m.squares] for m in row] for c, row in store.numbers.items()},
        "totals": _smallest(np.array([store.token_totals, store.presence_totals, store.word_totals])),
        "word_vocabulary": store.word_vocabulary,
    }


def _packed(column: dict[str, Array]) -> dict[str, Array]:
    return {name: _smallest(array) for name, array in column.items()}


def _smallest(array: Array) -> Array:
    top = int(array.max()) if array.size else 0
    kind = next(t for t in ("<u1", "<u2", "<u4", "<u8") if top <= np.iinfo(t).max)
    return np.ascontiguousarray(array, kind)


def from_state(state: Mapping[str, Any]) -> CountStore:
    """The store, after a check that its parts fit together: a file can be well-formed and still be wrong."""
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
        {_text(c): _category(c, values, width) for c, values in require(state, "categories", dict).items()},
        {_text(c): _moments(c, rows, width) for c, rows in require(state, "numbers", dict).items()},
    )
    totals = _integers(state, "totals", (3, width)).astype(np.int64)
    return store.with_totals(totals[0], totals[1], totals[2], require(state, "word_vocabulary", int))


def _check(good: bool, name: str, fault: str) -> None:
    if not good:
        raise ModelError(f"the model's {name} are damaged: {fault}", hint="train the model again")


def _labels(state: Mapping[str, Any]) -> tuple[str, ...]:
    labels = require(state, "labels", list)
    _check(
        all(isinstance(x, str) for x in labels) and labels == sorted(set(labels)), "labels", f"{labels!r:.80}"
    )
    return tuple(labels)


def _text(value: object) -> str:
    _check(isinstance(value, str), "columns", "a name is no text")
    return str(value)


def _integers(state: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Array:
    array = require(state, name, np.ndarray, shape=shape)
    _check(array.dtype.kind == "u", name, f"expected counts, got {array.dtype}")
    return array


def _category(column: str, values: object, width: int) -> dict[str, tuple[int, ...]]:
    _check(isinstance(values, dict), f"counts of column {column!r}", "not a table")
    assert isinstance(values, dict)
    if is_packed(values):
        try:
            values = unpacked(values)
        except ValueError as error:
            _check(False, f"counts of column {column!r}", str(error))
    rows = {_text(value): _whole_numbers(column, row, width) for value, row in values.items()}
    lowest = min((n for row in rows.values() for n in row), default=0)
    _check(lowest >= 0, f"counts of column {column!r}", "negative")
    return rows


def _moments(column: str, rows: object, width: int) -> tuple[Moments, ...]:
    _check(isinstance(rows, list) and len(rows) == width, f"numbers of column {column!r}", "wrong length")
    assert isinstance(rows, list)
    triples = [_whole_numbers(column, row, 3) for row in rows]
    _check(all(n >= 0 and squares >= 0 for n, _, squares in triples), f"numbers of {column!r}", "negative")
    return tuple(Moments(*triple) for triple in triples)


def _whole_numbers(column: str, row: object, width: int) -> tuple[int, ...]:
    good = isinstance(row, list) and len(row) == width and all(type(n) is int for n in row)
    _check(good, f"counts of column {column!r}", f"got {row!r:.80}")
    assert isinstance(row, list)
    return tuple(row)


Column = Mapping[str, tuple[int, ...]]
_CODE = "utf-8", "surrogatepass"


def packed(values: Column, width: int) -> dict[str, Any]:
    """A column as arrays."""
    spelled = StringArray.of(value.encode(*_CODE) for value in values)
    counts = np.array(list(values.values()), np.uint64).reshape(len(values), width)
    return {"bytes": spelled.blob, "ends": spelled.ends.astype(np.uint64), "counts": counts}


def is_packed(values: Mapping[str, Any]) -> bool:
    return isinstance(values.get("counts"), np.ndarray)


def unpacked(values: Mapping[str, Any]) -> dict[str, list[int]]:
    """The counts of each value; a ValueError where the arrays do not fit together.

    >>> unpacked(packed({"web": (3, 1), "": (0, 2)}, 2))
    {'web': [3, 1], '': [0, 2]}
    """
    parts: list[Any] = [values.get(name) for name in ("bytes", "ends", "counts")]
    if not all(isinstance(array, np.ndarray) and array.dtype.kind == "u" for array in parts):
        raise ValueError("not a table")
    blob, ends, counts = parts
    if (blob.ndim, blob.itemsize, ends.ndim, counts.ndim) != (1, 1, 1, 2):
        raise ValueError("not a table")
    bounds = [0, *ends.tolist()]
    if len(ends) != len(counts) or bounds != sorted(bounds) or bounds[-1] != len(blob):
        raise ValueError("do not fit the values")
    data = blob.tobytes()
    spelled = [str(data[a:b], *_CODE) for a, b in pairwise(bounds)]
    found = dict(zip(spelled, counts.tolist(), strict=True))
    if len(found) != len(spelled):
        raise ValueError("a value stands there twice")
    return found

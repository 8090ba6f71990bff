"""Turns a CountStore into a dict of builtins and plain arrays for the model file, and back, fully checked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, StringArray
from spamnb.counts.count_store import (
    LARGEST,
    CountStore,
    column_sums,
    possible_columns,
    possible_tokens,
    rows_with_any,
    sum_of_sizes,
)
from spamnb.counts.moments import Moments
from spamnb.errors import ModelError
from spamnb.storage import require

Array = NDArray[Any]
_CODE = "utf-8", "surrogatepass"
_TOO_LARGE = "larger than 2^63 - 1"


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
    _check(_ascends(keys, strictly=True), "keys", "not in ascending order")
    store = CountStore(
        labels,
        _integers(state, "message_totals", (width,)).astype(np.int64),
        keys,
        require(state, "kinds", np.ndarray, dtype="u1", shape=(size,)),
        _integers(state, "tokens", (size, width)),
        _integers(state, "messages", (size, width)),
        _spellings(state, size),
        {_text(c): _category(c, column, width) for c, column in require(state, "categories", dict).items()},
        {_text(c): _moments(c, rows, width) for c, rows in require(state, "numbers", dict).items()},
    )
    _check_counts(store)
    return _with_totals(store, state)


def _check(good: bool, name: str, fault: str) -> None:
    if not good:
        raise ModelError(f"the model's {name} are damaged: {fault}", hint="train the model again")


def _ascends(values: Array, strictly: bool = False) -> bool:
    pairs = values[1:] > values[:-1] if strictly else values[1:] >= values[:-1]
    return bool(pairs.all())


def _spellings(state: Mapping[str, Any], size: int) -> StringArray:
    ends = _integers(state, "spelling_ends", (size,))
    blob = require(state, "spelling_bytes", np.ndarray, dtype="u1", ndim=1)
    last = int(ends[-1]) if size else 0
    _check(_ascends(ends) and last == len(blob), "spelling_ends", "do not fit the spellings")
    return StringArray(blob, ends if ends.itemsize == 4 else ends.astype(np.int64))  # a copy takes 1 ms


def _check_counts(store: CountStore) -> None:
    """Refuses counts that no messages can have, and rows or classes of zeros; 2 ms for 1.8 million tokens."""
    totals = store.message_totals
    _check(bool(totals.all()), "message_totals", "a class without messages")
    _check(sum(totals.tolist()) <= LARGEST, "message_totals", _TOO_LARGE)
    _check(possible_tokens(store), "counts", "a token is in more messages than it can be")
    rows = _row_numbers(store.messages)
    used = rows_with_any(store.messages) if rows is None else rows
    _check(not len(used) or bool(used.min()), "counts", "a token is in no message")
    _check(possible_columns(store), "counts", "those of a column do not fit the messages")


def _with_totals(store: CountStore, state: Mapping[str, Any]) -> CountStore:
    """Returns the store with the sums that the file has, after a check against the tables."""
    totals = _integers(state, "totals", (3, len(store.labels))).astype(np.int64)
    words = require(state, "word_vocabulary", int)
    tokens, presence, word_totals = totals
    if store.tokens.itemsize == 8:  # the sums of smaller counts do not overflow
        _check(sum_of_sizes(store.tokens) <= LARGEST, "counts", _TOO_LARGE)
    _check(sum(tokens.tolist()) + sum(store.message_totals.tolist()) <= LARGEST, "totals", _TOO_LARGE)
    sums_fit = _are_sums(tokens, store.tokens) and _are_sums(presence, store.messages)
    _check(sums_fit and bool((presence <= tokens).all()), "totals", "not the sums of the counts")
    _check(bool((word_totals <= tokens).all()), "totals", "more words than tokens")
    _check(0 <= words <= store.vocabulary, "totals", "more words than tokens")
    return store.with_totals(tokens, presence, word_totals, words)


def _are_sums(totals: IntArray, table: Array) -> bool:
    """Tells whether these are the sums of the columns.

    Two columns are read as one number: sum_i (a_i + 2^b b_i) = A + 2^b B, modulo 2^64. No accident keeps that
    sum, and it takes a third of the time of two sums.
    """
    numbers = _row_numbers(table)
    if numbers is None:
        return bool((column_sums(table) == totals).all())
    expected = sum(total << (8 * table.itemsize * c) for c, total in enumerate(totals.tolist()))
    return bool(int(numbers.sum(dtype=np.uint64)) == expected % (1 << 64))


def _row_numbers(table: Array) -> Array | None:
    """Returns each row as one number, its first column in the lowest bits; None where it has more than 64."""
    kind = {1: "<u1", 2: "<u2", 4: "<u4", 8: "<u8"}.get(table.itemsize * table.shape[1])
    return None if kind is None or not table.flags.c_contiguous else table.view(kind)


def _labels(state: Mapping[str, Any]) -> tuple[str, ...]:
    labels = require(state, "labels", list)
    good = all(isinstance(label, str) and label.strip() for label in labels) and labels == sorted(set(labels))
    _check(good, "labels", f"{labels!r:.80}")
    return tuple(labels)


def _text(value: object) -> str:
    _check(isinstance(value, str), "columns", "a name is no text")
    return str(value)


def _integers(state: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Array:
    array = require(state, name, np.ndarray, shape=shape)
    _check(array.dtype.kind == "u", name, f"expected counts, got {array.dtype}")
    if array.itemsize < 8:
        return array
    _check(int(array.max(initial=0)) <= LARGEST, name, _TOO_LARGE)
    return array.view(np.int64)


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
    """Reverses `pack_column`; a ValueError where the arrays do not fit together.

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
        raise ValueError("a value is repeated")
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

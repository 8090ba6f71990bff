"""Counts of the values of categorical columns as arrays, and back: a value costs the reader no steps.

A column is {"bytes": all values one after the other, "ends": where each ends, "counts": (values, classes)}.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from spamnb.spellings import Spellings

Column = Mapping[str, tuple[int, ...]]
_CODE = "utf-8", "surrogatepass"


def packed(values: Column, width: int) -> dict[str, Any]:
    """A column as arrays."""
    spelled = Spellings.of(value.encode(*_CODE) for value in values)
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

"""What a model file may hold: builtins and plain arrays, copied so that equal states give equal bytes."""

from __future__ import annotations

import sys

import numpy as np

from spamnb import safeload
from spamnb.errors import ModelError

KINDS = "dict, list, str, bytes, int, float, bool, None or an array of truth values, integers or floats"


def plain(value: object, where: str, blobs: dict[bytes, bytes], depth: int) -> object:
    """A copy of a tree in which equal strings are one object, and equal dtypes too.

    Pickle writes an object it has met before as a reference to it: without this, the bytes of a file would
    depend on which of its equal strings happen to be the same object.
    """
    if value is None or type(value) in (bool, int, float):
        return value
    if type(value) is str:
        return sys.intern(value)
    if type(value) is bytes:
        return blobs.setdefault(value, value)
    if type(value) is np.ndarray:
        return _array(value, where)
    if depth >= safeload.MAX_DEPTH and type(value) in (dict, list, tuple):
        raise ModelError(f"the model state is nested more than {safeload.MAX_DEPTH} levels deep: {where}")
    if type(value) is dict:
        return {
            sys.intern(_key(key, where)): plain(item, f"{where}.{key}" if where else key, blobs, depth + 1)
            for key, item in value.items()
        }
    if type(value) is list or type(value) is tuple:
        return [plain(item, f"{where}[{i}]", blobs, depth + 1) for i, item in enumerate(value)]
    raise _unfit(where, f"{type(value).__module__}.{type(value).__qualname__}")


def _key(key: object, where: str) -> str:
    if type(key) is not str:
        raise _unfit(f"{where}[{key!r}]", f"a key of type {type(key).__name__}")
    return key


def _array(array: np.ndarray, where: str) -> np.ndarray:
    dtype = safeload.DTYPES.get(f"{array.dtype.kind}{array.dtype.itemsize}")
    if dtype is None:
        raise _unfit(where, f"an array of dtype {array.dtype}")
    return np.asarray(array, dtype, order="C").view(dtype)  # asarray may keep an equal dtype object


def _unfit(where: str, got: str) -> ModelError:
    return ModelError(f"the model state cannot keep {where}: expected {KINDS}, got {got}")

"""Reads columns that come as Python values, as the columns of a table are read: NaN and None are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from spamnb.core import FloatArray
from spamnb.errors import DataError, InputError, counted, type_name
from spamnb.messages import is_missing
from spamnb.settings import FeatureConfig

Columns = tuple[dict[str, list[str]], dict[str, FloatArray]]


def columns_of_values(
    features: FeatureConfig,
    size: int,
    categories: Mapping[str, Sequence[str]] | None,
    numbers: Mapping[str, FloatArray] | None,
) -> Columns:
    """Returns categories as texts and numbers as arrays, one value for each of so many messages.

    Of other columns there may be more, but none in place of one that is not there. A column may be left out.

    >>> columns_of_values(FeatureConfig(categorical=("sender",)), 2, {"sender": ["Ann", None]}, None)
    ({'sender': ['Ann', '']}, {})
    """
    texts = {name: _texts(values) for name, values in _own("categorical", features.categorical, categories)}
    arrays = {name: _numbers(name, values) for name, values in _own("numeric", features.numeric, numbers)}
    lengths = {name: len(values) for name, values in texts.items()}
    lengths |= {name: len(values) for name, values in arrays.items()}
    for name, length in lengths.items():
        if length != size:
            raise DataError(f"{counted(size, 'message')} but {counted(length, 'value')} in column {name!r}")
    return texts, arrays


def columns_of_table(features: FeatureConfig, table: Any) -> Columns:
    """Returns the columns of a DataFrame that the features name; refuses one that is not there."""
    names = list(getattr(table, "columns", ()))
    for name in (*features.categorical, *features.numeric):
        if (count := names.count(name)) != 1:
            listed = ", ".join(map(str, names[:20]))
            raise DataError(
                f"the features need a column {name!r}, the messages have {count or 'none'}",
                hint=f"the columns are {listed}" if names else "pass a DataFrame with it",
            )
    categories = {name: table[name] for name in features.categorical}
    numbers = {name: table[name] for name in features.numeric}
    return columns_of_values(features, len(table) if names else 0, categories, numbers)


def _own(kind: str, names: Sequence[str], columns: Any) -> list[tuple[str, Iterable[Any]]]:
    """Returns those of the columns, a mapping or a DataFrame, that have these names."""
    present = [] if columns is None else list(columns)
    missing = [name for name in names if name not in present]
    if missing and not set(present) <= set(names):
        raise InputError(
            f"there is no {kind} column {missing[0]!r}",
            hint=f"the columns are {', '.join(map(str, present[:20]))}",
        )
    own = [(name, columns[name]) for name in names if name in present]
    for name, values in own:
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise InputError(
                f"expected a list of values in column {name!r}, got {type_name(values)}",
                hint="pass one value for each message",
            )
    return own


def _texts(values: Iterable[Any]) -> list[str]:
    return ["" if is_missing(value) else str(value) for value in values]


def _numbers(name: str, values: Iterable[Any]) -> FloatArray:
    """Returns an array; infinities are missing, as in a file."""
    try:
        array = np.array([np.nan if is_missing(value) else float(value) for value in values], np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"expected numbers in column {name!r}: {error}", hint="nan is a missing value"
        ) from None
    return np.where(np.isfinite(array), array, np.nan)

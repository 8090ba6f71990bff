"""Checks and converts what an estimator receives: texts, labels and weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.errors import InputError, counted, type_name
from spamnb.messages import Texts, as_texts, column_hint, is_missing

Labels = NDArray[Any]
_NUMBERS = (int, float, np.number)  # texts of their digits: scikit-learn's checks of estimators pass these


def checked_inputs(X: Any, y: Any) -> tuple[Texts, Labels]:
    """Returns texts and labels; refuses those that cannot be combined."""
    if y is None:
        raise InputError("SpamClassifier requires y to be passed, but the target y is None")
    texts, labels = to_texts(X), to_labels(y)
    if len(texts) != len(labels):
        raise InputError(f"{counted(len(texts), 'message')} but {counted(len(labels), 'label')}")
    return texts, labels


def stated_class_weights(stated: Any, names: list[str]) -> tuple[tuple[str, float], ...]:
    """Returns the weights of classes in the order of their names; refuses labels that do not occur."""
    if isinstance(stated, str):
        raise InputError(
            f"class_weight must map labels to weights, got {stated!r}", hint="use balance='weight'"
        )
    weights = {str(label): float(weight) for label, weight in (stated or {}).items()}
    if unknown := sorted(weights.keys() - set(names)):
        raise InputError(f"class_weight names {unknown[0]!r}, the classes are {', '.join(names)}")
    return tuple(sorted(weights.items()))


def apply_sample_weight(
    texts: Texts, labels: Labels, sample_weight: Any
) -> tuple[Texts, Labels, dict[str, float]]:
    """Returns the texts as often as their weights say, or the weights of their classes."""
    if sample_weight is None:
        return texts, labels, {}
    weights = np.asarray(sample_weight, np.float64)
    if weights.shape != (len(texts),) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError(f"sample_weight must be {len(texts)} numbers from 0 on, one for each message")
    if (weights == np.floor(weights)).all():
        rows = np.repeat(np.arange(len(texts)), weights.astype(np.int64))
        return texts.select(rows), labels[rows], {}
    rows = np.flatnonzero(weights)
    texts, labels, weights = texts.select(rows), labels[rows], weights[rows]
    names = label_texts(labels)
    by_class = dict(sorted(zip(names, weights.tolist(), strict=True)))
    if any(by_class[name] != weight for name, weight in zip(names, weights.tolist(), strict=True)):
        raise InputError(
            "sample_weight must be whole numbers, or the same number for all messages of a class",
            hint="counts are whole numbers: multiply the weights and round them",
        )
    return texts, labels, by_class


def to_texts(X: Any) -> Texts:
    """Returns the texts of a list, an array or a column; refuses one string, tables and sparse matrices.

    A table of one column is its texts: BaggingClassifier and other meta-estimators pass nothing else.
    """
    if isinstance(X, (str, bytes)):
        raise InputError("expected a list of messages, got one string", hint="wrap it: [message]")
    if getattr(X, "ndim", 1) == 2 and X.shape[1] == 1 and not hasattr(X, "nnz"):
        column = np.asarray(X)[:, 0]
        X = X if column.dtype.kind in "biufc" else column  # numbers are no texts
    if getattr(X, "ndim", 1) != 1 or hasattr(X, "nnz"):
        what = f"{type_name(X)} of shape {X.shape}; tables and sparse matrices hold no text"
        raise InputError(f"expected a list of messages, got {what}", hint=column_hint(X))
    if isinstance(X, Iterable) and not hasattr(X, "as_bytes"):  # as_texts refuses a message of email
        X = X if isinstance(X, Texts) else [str(x) if isinstance(x, _NUMBERS) and x == x else x for x in X]
    return as_texts(X)


def to_labels(y: Any) -> Labels:
    """Returns one-dimensional labels, of the type that numpy chooses; tuples and mixed types stay objects."""
    array = np.asarray(y)
    mixed = array.ndim == 1 and array.dtype.kind == "U" and not all(isinstance(label, str) for label in y)
    if mixed or (array.ndim == 2 and all(isinstance(label, tuple) for label in y)):
        array = np.fromiter(y, object, len(y))  # numpy makes '1' of 1 beside 'a', and a row of a tuple
    if array.ndim != 1:
        raise InputError(f"expected one label for each message, got y of shape {array.shape}")
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.floor(array))).all():
        raise InputError("labels must be names of classes, got continuous numbers or nan")
    if array.dtype.kind == "O" and any(map(is_missing, array.tolist())):
        raise InputError("a label is missing (None or nan)", hint="leave out messages without a label")
    return array


def distinct_labels(labels: Labels) -> Labels:
    """Returns the distinct labels in ascending order; labels without an order are sorted by name."""
    distinct = list(dict.fromkeys(labels.tolist()))
    if len(set(map(str, distinct))) < len(distinct):
        raise InputError(f"different labels must not look the same, got {distinct!r:.80}")
    try:
        distinct.sort()
    except TypeError:
        distinct.sort(key=str)
    return np.fromiter(distinct, labels.dtype, len(distinct))


def all_labels(*groups: Labels) -> Labels:
    """Returns the distinct labels of several calls; refuses labels that numpy cannot hold in one array."""
    classes = distinct_labels(np.concatenate(groups))
    if set(label_texts(classes)) != {name for group in groups for name in label_texts(group)}:
        raise InputError(f"labels must be of one kind in all calls, got {classes.tolist()!r:.80} in the end")
    return classes


def label_texts(labels: Labels) -> list[str]:
    """Returns the labels as text, as in a model."""
    return [str(label) for label in labels.tolist()]

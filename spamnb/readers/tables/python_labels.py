"""Reads labels that come as Python values, as the labels of a table are read: 1, True and junk are spam."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from spamnb.core import excerpt
from spamnb.errors import DataError, InputError, type_name, warn
from spamnb.messages import is_missing
from spamnb.readers.skipped_rows import NO_LABEL
from spamnb.readers.tables.label_words import is_label_question, known_label, spam_of_two
from spamnb.readers.tables.labels import LabelMap, is_rare

_MOST_CLASSES = 100  # of more labels than this no two mean spam and ham
_LISTED = 5
_ADD_CLASS = "use one of these classes, or add a class: learn(..., new_classes=True)"


class ReadLabels(NamedTuple):
    """The class of each message, and for rows without a usable label the reason."""

    names: list[str]
    reasons: Mapping[int, str] = MappingProxyType({})


def label_names(labels: Iterable[object], column: str = "", classes: Collection[str] = ()) -> ReadLabels:
    """Returns the label of each message as spamnb uses it; missing ones and typing errors have a reason.

    `column` is the name of the column that they come from, `classes` are those of the model they are for.

    >>> label_names([1, 0, None])
    ReadLabels(names=['spam', 'ham', ''], reasons={2: 'no label'})
    >>> label_names([True, False]).names, label_names(["en", "de", "fr"]).names
    (['spam', 'ham'], ['en', 'de', 'fr'])
    >>> label_names([1, 0], column="is_ham").names
    ['ham', 'spam']
    """
    column = column or column_name(labels)
    written = written_labels(labels).names
    label_map = LabelMap(written, column, classes=classes)
    if not label_map.binary and not classes and (too_many := label_map.too_many_values):
        raise DataError(
            f"these do not look like labels: {too_many}", hint="pass the name of a class for each message"
        )
    if len(set(written)) > _MOST_CLASSES:
        return _with_reasons(written)
    raw = {label: label.encode("utf-8", "surrogatepass") for label in set(written)}
    names = [label_map[raw[label]] for label in written]
    if not label_map.binary and not classes:
        _warn_of_doubtful_classes(Counter(filter(None, names)), column)
    return ReadLabels(
        names, {i: label_map.reason(raw[written[i]]) for i, name in enumerate(names) if not name}
    )


def written_labels(labels: Iterable[object]) -> ReadLabels:
    """Returns the labels as text; refuses a single string and numbers that are no names of classes.

    >>> written_labels(["en", 2]).names
    ['en', '2']
    """
    if isinstance(labels, (str, bytes)):
        raise InputError("expected a list of labels, got one string", hint="wrap it: [label]")
    if not isinstance(labels, Iterable):
        raise InputError(f"expected a list of labels, got {labels!r}", hint="pass one for each message")
    if getattr(labels, "ndim", 1) != 1:
        shape = getattr(labels, "shape", "unknown")
        raise InputError(
            f"expected one label for each message, got {type_name(labels)} of shape {shape}",
            hint="pass one column: table['label']",
        )
    return _with_reasons([_written(label) for label in labels])


def _with_reasons(written: list[str]) -> ReadLabels:
    return ReadLabels(written, {i: NO_LABEL for i, label in enumerate(written) if not label})


def _written(label: object) -> str:
    """Returns one label as text, "" if it is missing."""
    if is_missing(label):
        return ""
    if isinstance(label, (float, np.floating)) and not float(label).is_integer():
        raise InputError(
            f"a label must be the name of a class, got {float(label):g}",
            hint="make labels of scores first, for example scores > 0.5",
        )
    return str(label).strip()


def column_name(labels: object) -> str:
    """Returns the name of a Series, by which the labels of a column named `ham` or `is_spam` are read."""
    name = getattr(labels, "name", None)
    return name if isinstance(name, str) else ""


def _warn_of_doubtful_classes(sizes: Counter[str], column: str) -> None:
    """Warns of classes beside spam and ham that may be other words for these, or typing errors."""
    meanings = Counter(known_label(label, column) for label in sizes)
    if not meanings["spam"] or not meanings["ham"]:
        return
    total = sizes.total()
    rare = any(
        not known_label(label, column) and is_rare(size, total) and size * len(sizes) < total
        for label, size in sizes.items()
    )
    if rare or max(meanings["spam"], meanings["ham"]) > 1:
        listed = [f"{excerpt(label)} ({size:,})" for label, size in sizes.most_common(_LISTED)]
        more = ", ..." * (len(sizes) > _LISTED)
        warn(
            f"the labels are {len(sizes):,} classes, not two: {', '.join(listed)}{more}; "
            "write all labels for spam in one way, and those for ham"
        )


def class_names(labels: Iterable[object], classes: Collection[str], hint: str = _ADD_CLASS) -> ReadLabels:
    """Returns the classes of a model that labels mean: 1, True and junk are spam, 0, False and legit ham.

    A model of two or more classes refuses other labels. With fewer classes they are new ones.

    >>> class_names([1, "junk", "ham"], ("ham", "spam")).names, class_names([1, "0"], ("0", "1")).names
    (['spam', 'spam', 'ham'], ['1', '0'])
    >>> class_names(["en", "de"], ()).names, class_names([True, False], ()).names
    (['en', 'de'], ['spam', 'ham'])
    """
    if isinstance(labels, Iterator):
        labels = list(labels)
    read, meaning, column = written_labels(labels), classes_by_meaning(classes), column_name(labels)
    written = set(filter(None, read.names))
    typed = is_label_question(column) or not any(isinstance(label, str) for label in labels)
    if not classes and typed and all(known_label(label, column) for label in written):
        meaning = {"spam": "spam", "ham": "ham"}
    names = {label: meaning.get(known_label(label, column), label) for label in written - {*classes}}
    names |= {label: label for label in ("", *classes)}
    if len(classes) > 1 and (unknown := sorted(set(names.values()) - {"", *classes})):
        raise DataError(
            f"the model knows {', '.join(classes)}, got the label {unknown[0]!r}; nothing was changed", hint
        )
    return read._replace(names=[names[label] for label in read.names])


def classes_by_meaning(classes: Collection[str]) -> dict[str, str]:
    """Returns the classes of a model that mean spam and ham, if it has such classes."""
    if len(classes) == 2:
        first, second = classes
        spam = spam_of_two(first, second)
        return {"spam": spam, "ham": second if spam == first else first} if spam else {}
    words = {"spam", "ham"}
    if len(classes) > 2:
        words &= set(classes)
    return {word: word for word in words} if words & set(classes) else {}

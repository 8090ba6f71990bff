"""Reads labels that come as Python values, as the labels of a table are read: 1, True and junk are spam."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from spamnb.core import excerpt
from spamnb.errors import DataError
from spamnb.readers.tables.label_words import known_label
from spamnb.readers.tables.labels import LabelMap

_MOST_CLASSES = 100  # of more labels than this no two mean spam and ham
_LISTED = 5


def label_names(labels: Iterable[object], column: str = "", classes: Collection[str] = ()) -> list[str]:
    """Returns the label of each message as spamnb uses it; refuses missing ones and typing errors.

    `column` is the name of the column that they come from, `classes` are those of the model they are for.

    >>> label_names([1, 0, 1]), label_names([True, False]), label_names(["en", "de", "fr"])
    (['spam', 'ham', 'spam'], ['spam', 'ham'], ['en', 'de', 'fr'])
    >>> label_names([1, 0], column="is_ham")
    ['ham', 'spam']
    """
    written = written_labels(labels)
    if len(set(written)) > _MOST_CLASSES:
        return written
    label_map = LabelMap(written, column, classes=classes)
    names = {label: label_map[label.encode("utf-8", "surrogatepass")] for label in set(written)}
    if unknown := sorted(label for label, name in names.items() if not name):
        listed = ", ".join(repr(excerpt(label)) for label in unknown[:_LISTED])
        raise DataError(
            f"these labels mean neither spam nor ham: {listed}",
            hint="correct them, or leave out their messages",
        )
    return [names[label] for label in written]


def written_labels(labels: Iterable[object]) -> list[str]:
    """Returns the labels as text; refuses a single string and missing labels.

    >>> written_labels(["en", 2])
    ['en', '2']
    """
    if isinstance(labels, (str, bytes)):
        raise DataError("expected a list of labels, got one string", hint="wrap it: [label]")
    if getattr(labels, "ndim", 1) != 1:
        shape = getattr(labels, "shape", "unknown")
        raise DataError(
            f"expected one label for each message, got a {type(labels).__name__} of shape {shape}",
            hint="pass one column: table['label']",
        )
    written = ["" if _is_missing(label) else str(label).strip() for label in labels]
    if "" in written:
        raise DataError(
            f"{written.count(''):,} of {len(written):,} labels are missing, the first is number "
            f"{written.index('') + 1:,}",
            hint="leave out these messages",
        )
    return written


def class_name(label: object, classes: Collection[str]) -> str:
    """Returns the class of a model that one label means: 1 and True are spam in a model of spam and ham.

    >>> class_name(1, ("ham", "spam")), class_name("1", ("ham", "spam")), class_name(1, ("0", "1"))
    ('spam', '1', '1')
    """
    if isinstance(label, str):
        return label
    name, of_spam = str(label), {*classes} == {"ham", "spam"}
    return known_label(name) or name if of_spam else name


def _is_missing(label: object) -> bool:
    return label is None or label != label or type(label).__name__ in ("NAType", "NaTType")

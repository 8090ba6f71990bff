"""Reads labels that come as Python values, as the labels of a table are read: 1, True and junk are spam."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from spamnb.core import excerpt
from spamnb.errors import DataError, InputError, type_name
from spamnb.messages import is_missing
from spamnb.readers.tables.label_words import known_label, spam_of_two
from spamnb.readers.tables.labels import LabelMap

_MOST_CLASSES = 100  # of more labels than this no two mean spam and ham
_LISTED = 5
_ADD_CLASS = "use one of these classes, or add a class: learn(..., new_classes=True)"


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
        raise InputError("expected a list of labels, got one string", hint="wrap it: [label]")
    if not isinstance(labels, Iterable):
        raise InputError(f"expected a list of labels, got {labels!r}", hint="pass one for each message")
    if getattr(labels, "ndim", 1) != 1:
        shape = getattr(labels, "shape", "unknown")
        raise InputError(
            f"expected one label for each message, got {type_name(labels)} of shape {shape}",
            hint="pass one column: table['label']",
        )
    written = ["" if is_missing(label) else str(label).strip() for label in labels]
    if "" in written:
        raise DataError(
            f"{written.count(''):,} of {len(written):,} labels are missing, the first is number "
            f"{written.index('') + 1:,}",
            hint="leave out these messages",
        )
    return written


def class_names(labels: Iterable[object], classes: Collection[str], hint: str = _ADD_CLASS) -> list[str]:
    """Returns the classes of a model that labels mean: 1, True and junk are spam, 0, False and legit ham.

    A model of two or more classes refuses other labels. With fewer classes they are new ones.

    >>> class_names([1, "junk", "ham"], ("ham", "spam")), class_names([1, "0"], ("0", "1"))
    (['spam', 'spam', 'ham'], ['1', '0'])
    >>> class_names(["en", "de"], ()), class_names([True, False], ())
    (['en', 'de'], ['spam', 'ham'])
    """
    if isinstance(labels, Iterator):
        labels = list(labels)
    written, meaning = written_labels(labels), classes_by_meaning(classes)
    if not classes and all(map(known_label, written)) and not any(isinstance(v, str) for v in labels):
        meaning = {"spam": "spam", "ham": "ham"}
    names = {label: meaning.get(known_label(label), label) for label in {*written} - {*classes}}
    names |= {label: label for label in classes}
    if len(classes) > 1 and (unknown := sorted(set(names.values()) - set(classes))):
        raise DataError(
            f"the model knows {', '.join(classes)}, got the label {unknown[0]!r}; nothing was changed", hint
        )
    return [names[label] for label in written]


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

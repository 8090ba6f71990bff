"""Chooses the text and label columns of a table: as stated, by name, or by content."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from shlex import quote

from spamnb.core import excerpt
from spamnb.errors import DataError, NoLabelsError
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.label_words import (
    LABEL_NAMES,
    PREDICTED_NAMES,
    TEXT_NAMES,
    is_certain_word,
    is_class_word,
    is_label_name,
    normalize_name,
)
from spamnb.readers.tables.labels import LabelMap

_MOST_CLASSES = 20
_PREDICTED = re.compile(r"(spamnb\d*_|)verdict \1probability")  # neighbours in the output of `spamnb predict`
_SHORTEST_TEXT = 20  # average length below which an unnamed column beside stated ones is not taken for text

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Columns:
    """Column numbers from 0; `categorical` and `numeric` map the stated names to them.

    `all_labelled` is the label of all records, if it is stated in place of a label column.
    """

    text: int | None
    label: int | None = None
    categorical: Mapping[str, int] = field(default_factory=dict)
    numeric: Mapping[str, int] = field(default_factory=dict)
    all_labelled: str = ""

    @property
    def needs_text(self) -> bool:
        """Whether a record without text is useless: there is nothing beside the text."""
        return self.text is not None and not self.categorical and not self.numeric

    @property
    def wanted(self) -> list[int]:
        beside_text = [*self.categorical.values(), *self.numeric.values()]
        return sorted({i for i in (self.text, self.label, *beside_text) if i is not None})


def number(value: str | bytes) -> float:
    """Converts a field to a number; anything else, infinities too, is nan.

    >>> number(b" 2.5 "), number("n/a")
    (2.5, nan)
    """
    try:
        converted = float(value)
    except ValueError:
        return math.nan
    return converted if math.isfinite(converted) else math.nan


def find_column(stated: str, names: Sequence[str]) -> int | None:
    """Finds a column by its name (exactly, else ignoring case), else by its 1-based number."""
    if stated in names:
        return names.index(stated)
    normal = [normalize_name(name) for name in names]
    if normalize_name(stated) in normal:
        return normal.index(normalize_name(stated))
    if stated.isdecimal() and 1 <= int(stated) <= len(names):
        return int(stated) - 1
    return None


def choose_columns(
    source: str, names: Sequence[str], rows: Rows, options: ReadOptions, *, labelled: bool
) -> Columns:
    """Chooses the columns from their names and some rows: as stated, else by name, else by content."""
    stated = options.columns
    all_labelled = (options.label or "") if labelled else ""
    labelled = labelled and not all_labelled
    categorical = {name: stated_column(source, name, names) for name in stated.categorical}
    numeric = {name: stated_column(source, name, names) for name in stated.numeric}
    text = None if stated.text is None else stated_column(source, stated.text, names)
    label = None if stated.label is None else stated_column(source, stated.label, names)
    taken = {*categorical.values(), *numeric.values(), text, label}
    values = by_column(rows, len(names))

    def first(choice: Callable[[list[int]], int | None]) -> int | None:
        column = choice([i for i in range(len(names)) if i not in taken])
        taken.add(column)
        return column

    if text is None:
        text = first(lambda free: _by_name(names, free, TEXT_NAMES))
    if labelled and label is None:
        label = first(lambda free: _label_column(names, free, values))
    if text is None:
        shortest = _SHORTEST_TEXT if stated.beside_text else 0
        text = first(lambda free: _longest(free, values, len(rows), shortest))
    _check(source, names, text, label, options, labelled)
    _check_numeric(source, numeric, values)
    return Columns(text, label if labelled else None, categorical, numeric, all_labelled)


def label_map(
    source: str, columns: Columns, names: Sequence[str], rows: Rows, options: ReadOptions
) -> LabelMap | None:
    """Decides how to read labels: from a sample of the label column, or as stated for all records."""
    if columns.all_labelled:
        return LabelMap([columns.all_labelled])
    if columns.label is None:
        return None
    sample = [row[columns.label] for row in rows if columns.label < len(row)]
    labels = LabelMap(sample, names[columns.label], options.spam_label, options.classes)
    labels.check_sample(source, has_text=columns.text is not None)
    return labels


def describe_columns(columns: Columns, names: Sequence[str], labels: LabelMap | None) -> str:
    """Writes `text column "Message", label column "Label" (spam = "spam")`."""
    facts = ["no text column" if columns.text is None else f"text column {_quote(names[columns.text])}"]
    if columns.label is not None and labels is not None:
        meaning = labels.describe()
        facts.append(f"label column {_quote(names[columns.label])}" + f" ({meaning})" * bool(meaning))
    if columns.all_labelled and labels is not None:
        facts.append(f"all {excerpt(labels[columns.all_labelled.encode()])}")
    for kind, stated in (("categorical", columns.categorical), ("numeric", columns.numeric)):
        if stated:
            facts.append(f"{kind} {', '.join(_quote(names[i]) for i in stated.values())}")
    return ", ".join(facts)


def _quote(name: str) -> str:
    return f'"{excerpt(name)}"' if not name.isdecimal() else name


def list_names(names: Sequence[str]) -> str:
    """Writes the first 20 names of columns."""
    return ", ".join(excerpt(name) or '""' for name in names[:20]) + (", ..." if len(names) > 20 else "")


def stated_column(source: str, stated: str, names: Sequence[str]) -> int:
    """Finds a column that the user states; refuses one that the input does not have."""
    column = find_column(stated, names)
    if column is None:
        raise DataError(f'{source} has no column "{stated}"', hint=f"its columns: {list_names(names)}")
    return column


def by_column(rows: Rows, width: int) -> list[list[str]]:
    """Collects the values of each column in one pass over the fields: there may be 10,000 columns.

    >>> by_column([["a", "b"], ["c"]], 3)
    [['a', 'c'], ['b'], []]
    """
    columns: list[list[str]] = [[] for _ in range(width)]
    for row in rows:
        for values, value in zip(columns, row, strict=False):
            values.append(value)
    return columns


def _by_name(names: Sequence[str], free: Sequence[int], known: Sequence[str]) -> int | None:
    normal = [normalize_name(name) for name in names]
    return next((i for name in known for i in free if normal[i] == name), None)


def _label_column(names: Sequence[str], free: Sequence[int], columns: Rows) -> int | None:
    """Finds the column of the labels; one with predictions, by its name, only if there is no other."""
    written = predicted_columns(names)
    free = [i for i in free if i not in written]
    true = [i for i in free if normalize_name(names[i]) not in PREDICTED_NAMES]
    label = _true_label_column(names, true, columns)
    return _true_label_column(names, free, columns) if label is None else label


def _true_label_column(names: Sequence[str], free: Sequence[int], columns: Rows) -> int | None:
    """Finds the column of the labels: by name and known labels, by known words, else by name."""
    usual = _label_names(names, free)
    choices = (
        _by_known_labels(names, usual, columns),
        _by_known_words(names, free, columns),
        next(iter(usual), None),
    )
    return next((column for column in choices if column is not None), None)


def predicted_columns(names: Sequence[str]) -> list[int]:
    """Lists the columns with verdicts of `spamnb predict`, which are not true labels.

    >>> predicted_columns(["verdict", "probability", "text"]), predicted_columns(["text", "verdict"])
    ([0], [])
    """
    pairs = enumerate(pairwise(names))
    return [i for i, (name, after) in pairs if _PREDICTED.fullmatch(f"{name} {after}")]


def _label_names(names: Sequence[str], free: Sequence[int]) -> list[int]:
    """Lists the columns with usual names for labels, in order of preference."""
    usual = [i for name in LABEL_NAMES for i in free if normalize_name(names[i]) == name]
    return usual + [i for i in free if i not in usual and is_label_name(names[i])]


def _by_known_labels(names: Sequence[str], free: Sequence[int], columns: Rows) -> int | None:
    """Finds a column whose labels mean spam and ham; a few others may be typing errors."""
    values = {i: [value for value in columns[i] if value.strip()] for i in free}
    return next((i for i in free if values[i] and LabelMap(values[i], names[i]).binary), None)


def _by_known_words(names: Sequence[str], free: Sequence[int], columns: Rows) -> int | None:
    """Finds a column of labels whatever its name: by words, since 1 and 0 in a named column mean anything."""
    unnamed = [i for i in free if names[i] == str(i + 1) or is_class_word(names[i])]
    with_words = [i for i in free if any(map(is_certain_word, set(columns[i])))]
    few = [i for i in with_words if len(set(columns[i])) <= min(_MOST_CLASSES, len(columns[i]) // 2)]
    for column in (_by_known_labels(names, with_words, columns), _by_known_labels(names, unnamed, columns)):
        if column is not None:
            return column
    return next(iter(few), None)  # spam, ham and other classes


def _longest(free: Sequence[int], columns: Rows, rows: int, at_least: int) -> int | None:
    """Finds the column with the longest text on average; columns of nothing but numbers are no texts."""
    texts = [i for i in free if not columns[i] or any(math.isnan(number(value)) for value in columns[i])]
    lengths = {i: sum(map(len, columns[i])) / max(rows, 1) for i in texts}
    best = max(texts, key=lambda i: lengths[i], default=None)
    return best if best is not None and lengths[best] >= at_least else None


def _check(
    source: str,
    names: Sequence[str],
    text: int | None,
    label: int | None,
    options: ReadOptions,
    labelled: bool,
) -> None:
    if labelled and label is None and len(names) == 1:
        raise NoLabelsError(
            f"{source} has one column, expected a text and a label column",
            hint="add a column with the label of each message, such as spam or ham",
        )
    if labelled and label is None:
        predicted = [f'; "{names[i]}" has predictions' for i in predicted_columns(names)]
        raise NoLabelsError(
            f"no label column in {source} (columns: {list_names(names)})",
            hint="name it with --label-column" + "".join(predicted[:1]),
        )
    if text is None and not options.columns.beside_text:
        raise DataError(
            f"no text column in {source} (columns: {list_names(names)})", hint="name it with --text-column"
        )
    if labelled and text == label:
        raise DataError(
            f'column "{excerpt(names[text or 0])}" of {source} cannot be both text and label',
            hint="give another --text-column or --label-column",
        )


def _check_numeric(source: str, numeric: Mapping[str, int], columns: Rows) -> None:
    for stated, column in numeric.items():
        values = [value for value in columns[column] if value.strip()]
        if values and all(math.isnan(number(value)) for value in values):
            raise DataError(
                f'column "{stated}" of {source} has no numbers, for example "{excerpt(values[0])}"',
                hint=f"give it as --categorical {quote(stated)}",
            )

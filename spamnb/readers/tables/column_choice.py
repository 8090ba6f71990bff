"""Chooses the text and label columns of a table: as stated, by name, or by content."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from spamnb.core import excerpt
from spamnb.errors import DataError, NoLabelsError
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.label_words import LABEL_NAMES, TEXT_NAMES, known_label, normalize_name
from spamnb.readers.tables.labels import LabelMap

_MOST_CLASSES, _LONGEST_LABEL = 20, 40
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

    def first(*choices: Callable[[list[int]], int | None]) -> int | None:
        free = [i for i in range(len(names)) if i not in taken]
        column = next((i for choice in choices if (i := choice(free)) is not None), None)
        taken.add(column)
        return column

    if text is None:
        text = first(lambda free: _by_name(names, free, TEXT_NAMES))
    if labelled and label is None:
        label = first(
            lambda free: _by_name(names, free, LABEL_NAMES),
            lambda free: _by_known_labels(names, free, values),
        )
    if text is None:
        shortest = _SHORTEST_TEXT if stated.beside_text else 0
        text = first(lambda free: _longest(free, values, len(rows), shortest))
    if labelled and label is None:
        label = first(lambda free: _fewest_values(free, values))
    _check(source, names, text, label, options, labelled)
    _check_numeric(source, numeric, values)
    return Columns(text, label if labelled else None, categorical, numeric, all_labelled)


def label_map(columns: Columns, names: Sequence[str], rows: Rows, options: ReadOptions) -> LabelMap | None:
    """Decides how to read labels: from a sample of the label column, or as stated for all records."""
    if columns.all_labelled:
        return LabelMap([columns.all_labelled])
    if columns.label is None:
        return None
    sample = [row[columns.label] for row in rows if columns.label < len(row)]
    return LabelMap(sample, names[columns.label], options.spam_label, options.classes)


def describe_columns(columns: Columns, names: Sequence[str], labels: LabelMap | None) -> str:
    """Writes `text column "Message", label column "Label" (spam = "spam")`."""
    facts = ["no text column" if columns.text is None else f"text column {_quote(names[columns.text])}"]
    if columns.label is not None and labels is not None:
        facts.append(f"label column {_quote(names[columns.label])} ({labels.describe()})")
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


def _by_known_labels(names: Sequence[str], free: Sequence[int], columns: Rows) -> int | None:
    """Finds a column of known labels only, else one in which a few others look like typing errors."""
    values = {column: [v for v in columns[column] if v.strip()] for column in free}
    filled = [column for column in free if values[column]]
    for column in filled:
        if all(known_label(value, names[column]) for value in set(values[column])):
            return column
    return next((c for c in filled if LabelMap(values[c], names[c]).binary), None)


def _fewest_values(free: Sequence[int], columns: Rows) -> int | None:
    """Finds the column with the fewest distinct values, if these are few, short and repeated."""
    best, fewest = None, _MOST_CLASSES + 1
    for column in free:
        values = [value.strip() for value in columns[column] if value.strip()]
        distinct = set(values)
        short = all(len(value) <= _LONGEST_LABEL for value in distinct)
        if short and 2 <= len(distinct) < min(fewest, max(len(values), 3)):
            best, fewest = column, len(distinct)
    return best


def _longest(free: Sequence[int], columns: Rows, rows: int, at_least: int) -> int | None:
    """Finds the column with the longest text on average."""
    lengths = {i: sum(map(len, columns[i])) / max(rows, 1) for i in free}
    best = max(free, key=lambda i: lengths[i], default=None)
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
            hint="give --label-column, or another --input-format; plain lines cannot be labelled",
        )
    if labelled and label is None:
        raise NoLabelsError(
            f"no label column in {source} (columns: {list_names(names)})", hint="name it with --label-column"
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
                f'column "{stated}" of {source} holds no numbers, for example "{excerpt(values[0])}"',
                hint=f"give it as --categorical {stated}",
            )

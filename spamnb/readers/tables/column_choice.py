"""Which column holds the text and which the label: said by the user, told by its name, or by its content."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from spamnb.errors import DataError, NoLabelsError
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.label_words import LABEL_NAMES, TEXT_NAMES, known_label, normal
from spamnb.readers.tables.labels import LabelMap, shown

_MOST_CLASSES, _LONGEST_LABEL = 20, 40
_SHORTEST_TEXT = 20  # average length below which an unnamed column beside stated ones is not taken for text

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Columns:
    """Column numbers from 0; `categorical` and `numeric` map the names that were asked for to them.

    `stated` is the label of all records where it was given instead of a column.
    """

    text: int | None
    label: int | None = None
    categorical: Mapping[str, int] = field(default_factory=dict)
    numeric: Mapping[str, int] = field(default_factory=dict)
    stated: str = ""

    @property
    def needs_text(self) -> bool:
        """A record without text is useless where the text is all there is."""
        return self.text is not None and not self.categorical and not self.numeric

    @property
    def wanted(self) -> list[int]:
        stated = [*self.categorical.values(), *self.numeric.values()]
        return sorted({i for i in (self.text, self.label, *stated) if i is not None})


def number(value: str | bytes) -> float:
    """A number as written, nan for anything else (also for infinities, which no mean survives).

    >>> number(b" 2.5 "), number("n/a")
    (2.5, nan)
    """
    try:
        found = float(value)
    except ValueError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def find_column(spec: str, names: Sequence[str]) -> int | None:
    """A column by its name (exactly, else ignoring case), else by its 1-based number."""
    if spec in names:
        return names.index(spec)
    plain = [normal(name) for name in names]
    if normal(spec) in plain:
        return plain.index(normal(spec))
    if spec.isdecimal() and 1 <= int(spec) <= len(names):
        return int(spec) - 1
    return None


def choose_columns(
    source: str, names: Sequence[str], rows: Rows, options: ReadOptions, *, labelled: bool
) -> Columns:
    """Settle the columns from their names and some rows: as stated, else by name, else by content."""
    all_labelled = (options.label or "") if labelled else ""
    labelled = labelled and not all_labelled
    categorical = {spec: _stated(source, spec, names) for spec in options.categorical}
    numeric = {spec: _stated(source, spec, names) for spec in options.numeric}
    text = None if options.text_column is None else _stated(source, options.text_column, names)
    label = None if options.label_column is None else _stated(source, options.label_column, names)
    taken = {*categorical.values(), *numeric.values(), text, label}
    below = by_column(rows, len(names))

    def first(*choices: Callable[[list[int]], int | None]) -> int | None:
        free = [i for i in range(len(names)) if i not in taken]
        found = next((i for choice in choices if (i := choice(free)) is not None), None)
        taken.add(found)
        return found

    if text is None:
        text = first(lambda free: _by_name(names, free, TEXT_NAMES))
    if labelled and label is None:
        label = first(
            lambda free: _by_name(names, free, LABEL_NAMES), lambda free: _by_known_labels(names, free, below)
        )
    if text is None:
        text = first(lambda free: _longest(free, below, len(rows), _SHORTEST_TEXT if options.columns else 0))
    if labelled and label is None:
        label = first(lambda free: _few_values(free, below))
    _check(source, names, text, label, options, labelled)
    _check_numeric(source, numeric, rows)
    return Columns(text, label if labelled else None, categorical, numeric, all_labelled)


def label_map(columns: Columns, names: Sequence[str], rows: Rows, options: ReadOptions) -> LabelMap | None:
    """How to read the label column, from a sample of it, or the label that was stated for all."""
    if columns.stated:
        return LabelMap([columns.stated])
    if columns.label is None:
        return None
    values, name = _values(rows, columns.label), names[columns.label]
    return LabelMap(values, name, options.spam_label, options.classes)


def describe_columns(columns: Columns, names: Sequence[str], labels: LabelMap | None) -> str:
    """`text column "Message", label column "Label" (spam = "spam")`."""
    parts = ["no text column" if columns.text is None else f"text column {_named(names[columns.text])}"]
    if columns.label is not None and labels is not None:
        parts.append(f"label column {_named(names[columns.label])} ({labels.describe()})")
    if columns.stated and labels is not None:
        parts.append(f"all {shown(labels[columns.stated.encode()])}")
    for kind, stated in (("categorical", columns.categorical), ("numeric", columns.numeric)):
        if stated:
            parts.append(f"{kind} {', '.join(_named(names[i]) for i in stated.values())}")
    return ", ".join(parts)


def _named(name: str) -> str:
    return f'"{shown(name)}"' if not name.isdecimal() else name


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shown(name) or '""' for name in names[:20]) + (", ..." if len(names) > 20 else "")


def _stated(source: str, spec: str, names: Sequence[str]) -> int:
    found = find_column(spec, names)
    if found is None:
        raise DataError(f'{source} has no column "{spec}"', hint=f"its columns: {_listed(names)}")
    return found


def _values(rows: Rows, column: int) -> list[str]:
    return [row[column] for row in rows if column < len(row)]


def by_column(rows: Rows, width: int) -> list[list[str]]:
    """The values of each column, by one walk over the fields: there may be 10,000 columns.

    >>> by_column([["a", "b"], ["c"]], 3)
    [['a', 'c'], ['b'], []]
    """
    found: list[list[str]] = [[] for _ in range(width)]
    for row in rows:
        for values, value in zip(found, row, strict=False):
            values.append(value)
    return found


def _by_name(names: Sequence[str], free: Sequence[int], known: Sequence[str]) -> int | None:
    plain = [normal(name) for name in names]
    return next((i for name in known for i in free if plain[i] == name), None)


def _by_known_labels(names: Sequence[str], free: Sequence[int], columns: Rows) -> int | None:
    """A column of nothing but known labels; if there is none, one in which a few others look like slips."""
    values = {column: [v for v in columns[column] if v.strip()] for column in free}
    filled = [column for column in free if values[column]]
    for column in filled:
        if all(known_label(value, names[column]) for value in set(values[column])):
            return column
    return next((c for c in filled if LabelMap(values[c], names[c]).binary), None)


def _few_values(free: Sequence[int], columns: Rows) -> int | None:
    """The column with the fewest different values, if these are few, short, and come again."""
    best, fewest = None, _MOST_CLASSES + 1
    for column in free:
        values = [value.strip() for value in columns[column] if value.strip()]
        different = set(values)
        short = all(len(value) <= _LONGEST_LABEL for value in different)
        if short and 2 <= len(different) < min(fewest, max(len(values), 3)):
            best, fewest = column, len(different)
    return best


def _longest(free: Sequence[int], columns: Rows, rows: int, at_least: int) -> int | None:
    """The column with the longest text on average."""
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
            hint="give --label-column, or another --format; plain lines cannot be labelled",
        )
    if labelled and label is None:
        raise NoLabelsError(
            f"no label column found in {source}", hint=f"give --label-column, one of: {_listed(names)}"
        )
    if text is None and not options.columns:
        raise DataError(
            f"no text column found in {source}", hint=f"give --text-column, one of: {_listed(names)}"
        )
    if labelled and text == label:
        raise DataError(
            f'column "{shown(names[text or 0])}" of {source} cannot be both text and label',
            hint="give another --text-column or --label-column",
        )


def _check_numeric(source: str, numeric: Mapping[str, int], rows: Rows) -> None:
    for spec, column in numeric.items():
        values = [value for value in _values(rows, column) if value.strip()]
        if values and all(math.isnan(number(value)) for value in values):
            raise DataError(
                f'column "{spec}" of {source} holds no numbers, for example "{shown(values[0])}"',
                hint=f"give it as --categorical {spec}",
            )

"""Takes messages and labels from lists, or from two columns of a DataFrame."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from spamnb.errors import DataError, InputError, type_name
from spamnb.messages import Messages, Texts, as_texts
from spamnb.readers.tables.label_words import LABEL_NAMES, TEXT_NAMES, is_label_name, normalize_name
from spamnb.readers.tables.python_labels import ReadLabels, label_names, written_labels
from spamnb.readers.tables.usable_rows import check_lengths


def labelled_messages(
    messages: Any,
    labels: Iterable[object] | None,
    columns: tuple[str | None, str | None],
    *,
    as_written: bool = False,
    classes: Collection[str] = (),
) -> tuple[Texts, ReadLabels]:
    """Returns the texts and their labels; `columns` name those of a table, None finds them by usual names.

    With `as_written` labels stay as they are, else words and numbers for spam and ham become these.
    `classes` are those of the model that the labels are for.
    """
    column = ""
    if isinstance(messages, (str, bytes, os.PathLike)):
        raise InputError(
            f"expected messages, got one {type(messages).__name__}",
            hint="read a file first, for example with pandas.read_csv; `spamnb train FILE` reads it itself",
        )
    if is_table(messages):
        messages, labels, column = _pick_columns(messages, labels, *columns)
    elif any(columns):
        raise DataError(
            f"text and label name columns of a table, got {type_name(messages)}",
            hint="pass a DataFrame, or leave them out",
        )
    if labels is None:
        raise DataError("there are no labels", hint="pass them second, after the messages")
    texts: Texts = as_texts(messages)
    read = written_labels(labels) if as_written else label_names(labels, column, classes)
    check_lengths(texts, read)
    return texts, read


def is_table(messages: Any) -> bool:
    """Returns whether it is a DataFrame, of pandas or a library with the same names."""
    return hasattr(messages, "columns") and len(getattr(messages, "shape", ())) == 2


def _pick_columns(
    table: Any, labels: Iterable[object] | None, text: str | None, label: str | None
) -> tuple[Messages, Iterable[object], str]:
    """Returns the columns of the texts and of the labels, and the name of the latter."""
    texts = table[_column(table, text, "text", TEXT_NAMES, lambda _: False)]
    if labels is not None:
        return texts, labels, ""
    name = _column(table, label, "label", LABEL_NAMES, is_label_name)
    return texts, table[name], str(name)


def _column(
    table: Any, stated: str | None, what: str, usual: Sequence[str], is_usual: Callable[[str], bool]
) -> Any:
    """Returns the column that is stated, else the one whose name comes first among the usual ones."""
    columns = list(table.columns)
    listed = ", ".join(map(str, columns[:20]))
    if stated is not None:
        if columns.count(stated) == 1:
            return stated
        problem = "more than one column is named" if stated in columns else "there is no column"
        raise DataError(f"{problem} {stated!r}", hint=f"the columns are {listed}")
    names = {normalize_name(str(column)): column for column in reversed(columns)}
    ranked = [names[name] for name in usual if name in names]
    ranked += [column for column in columns if is_usual(str(column))]
    if not ranked:
        raise DataError(
            f"cannot tell which column holds the {what}s (columns: {listed})", hint=f"name it: {what}='...'"
        )
    return ranked[0]

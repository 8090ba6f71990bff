"""Tables on narrow terminals: whole columns go, the least important first; names and numbers stay whole."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.measure import measure_renderables
from rich.table import Column, Table

_GAP = 2  # between two columns
_LONGEST_WORD = 0.6  # share of the terminal; a longer word of a message is broken, not all else dropped


def fitted(console: Console, table: Table, *groups: Sequence[int]) -> Table:
    """The table without the first of these groups of columns, as many as it takes for it to fit."""
    kept = list(range(len(table.columns)))
    for group in groups:
        if _needed(console, [table.columns[i] for i in kept]) <= console.width:
            break
        kept = [i for i in kept if i not in group]
    return table if len(kept) == len(table.columns) else _only(table, kept)


def fits(console: Console, table: Table) -> bool:
    """Is there room for all columns?"""
    return _needed(console, table.columns) <= console.width


def _needed(console: Console, columns: Sequence[Column]) -> int:
    return sum(_least(console, column) for column in columns) + _GAP * (len(columns) - 1)


def _least(console: Console, column: Column) -> int:
    """How narrow a column may be: numbers in one piece, text as wide as its longest word."""
    wide = console.options.update(max_width=100_000)
    word, whole = measure_renderables(console, wide, [column.header, *column.cells])
    if column.no_wrap:
        return whole
    return min(whole, max(word, column.min_width or 0), int(_LONGEST_WORD * console.width))


def _only(table: Table, kept: Sequence[int]) -> Table:
    columns = [table.columns[i] for i in kept]
    made = Table(
        *(column.copy() for column in columns),
        box=table.box,
        padding=table.padding,
        pad_edge=table.pad_edge,
        header_style=table.header_style,
    )
    for cells in zip(*(column.cells for column in columns), strict=True):
        made.add_row(*cells)
    return made

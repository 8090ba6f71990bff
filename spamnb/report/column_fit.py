"""Prints tables: on a narrow terminal without whole columns, the least important first, elsewhere whole."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.measure import measure_renderables
from rich.segment import Segment, Segments
from rich.table import Column, Table
from rich.text import Text

from spamnb.core import visible
from spamnb.features import token_label

UNLIMITED = 100_000  # columns of a console that is no terminal: no row is wrapped, no column dropped
_WIDE = 120  # columns of a terminal with room for both names of a token
_GAP = 2  # between two columns
_LONGEST_WORD = 0.6  # share of the terminal; a longer word of a message is broken, not all else dropped


def plain_table(*columns: tuple[str, str]) -> Table:
    """Makes a table without lines from names and sides, `left` or `right`; only tokens are wrapped."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, side in columns:
        table.add_column(
            visible(name),
            justify="right" if side == "right" else "left",
            overflow="fold",
            no_wrap=name not in ("token", "value"),
        )
    return table


def token_text(token: str, width: int = UNLIMITED) -> Text:
    """Returns a token for a table: by its name if it is no word, with its spelling if there is room.

    >>> token_text("free").plain, token_text("shape:number=5").plain, token_text("shape:number=5", 80).plain
    ('free', '5-digit number (shape:number=5)', '5-digit number')
    """
    label = token_label(token)
    spelling = f" ({visible(token)})" if width >= _WIDE else ""
    return Text.assemble(visible(label), (spelling, "dim")) if label else Text(visible(token))


def print_table(console: Console, table: Table) -> None:
    """Prints a table without the blanks by which rich fills the last column."""
    lines = console.render_lines(table, pad=False)
    console.print(Segments([piece for line in lines for piece in (*_stripped(line), Segment.line())]), end="")


def _stripped(line: Sequence[Segment]) -> list[Segment]:
    """Returns the pieces of a line without blanks at its end."""
    pieces = list(line)
    while pieces and not pieces[-1].text.rstrip():
        pieces.pop()
    if pieces:
        pieces[-1] = Segment(pieces[-1].text.rstrip(), pieces[-1].style)
    return pieces


def fit_columns(console: Console, table: Table, *groups: Sequence[int]) -> Table:
    """Drops groups of columns, in this order, until the table fits."""
    columns = list(range(len(table.columns)))
    for group in groups:
        if _needed(console, [table.columns[i] for i in columns]) <= console.width:
            break
        columns = [i for i in columns if i not in group]
    return table if len(columns) == len(table.columns) else _select(table, columns)


def fits(console: Console, table: Table) -> bool:
    """Returns whether there is room for all columns."""
    return _needed(console, table.columns) <= console.width


def _needed(console: Console, columns: Sequence[Column]) -> int:
    return sum(_least(console, column) for column in columns) + _GAP * (len(columns) - 1)


def _least(console: Console, column: Column) -> int:
    """Returns the least width of a column: numbers in one piece, text as wide as its longest word."""
    wide = console.options.update(max_width=UNLIMITED)
    word, full = measure_renderables(console, wide, [column.header, *column.cells])
    if column.no_wrap:
        return full
    return min(full, max(word, column.min_width or 0), int(_LONGEST_WORD * console.width))


def _select(table: Table, chosen: Sequence[int]) -> Table:
    columns = [table.columns[i] for i in chosen]
    selected = Table(
        *(column.copy() for column in columns),
        box=table.box,
        padding=table.padding,
        pad_edge=table.pad_edge,
        header_style=table.header_style,
    )
    for cells in zip(*(column.cells for column in columns), strict=True):
        selected.add_row(*cells)
    return selected

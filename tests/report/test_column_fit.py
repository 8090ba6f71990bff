"""Tables on narrow terminals: columns go one after the other, and what is left is whole."""

import io

import pytest
from hypothesis import given, strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.report.column_fit import fit_columns, fits
from spamnb.report.setting_tables import drop_columns, make_table


def example() -> Table:
    table = make_table("setting", "ROC AUC", "p", "lost", "log loss")
    table.add_row(Text("multinomial"), "0.9337", "best", "30", "0.2581")
    table.add_row(Text("less-naive alpha=0.1"), "0.7463", "0.002", "1,234", "0.4556")
    return table


def shown(table: Table, width: int, *groups: list[int]) -> list[str]:
    file = io.StringIO()
    out = Console(file=file, width=width)
    out.print(fit_columns(out, table, *groups))
    return [line.rstrip() for line in file.getvalue().splitlines()]


GROUPS = ([4], [2, 3])


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (
            60,
            [
                "setting               ROC AUC      p   lost  log loss",
                "multinomial            0.9337   best     30    0.2581",
                "less-naive alpha=0.1   0.7463  0.002  1,234    0.4556",
            ],
        ),
        (
            44,
            [
                "setting      ROC AUC      p   lost  log loss",
                "multinomial   0.9337   best     30    0.2581",
                "less-naive    0.7463  0.002  1,234    0.4556",
                "alpha=0.1",
            ],
        ),
        (
            43,
            [
                "setting               ROC AUC      p   lost",
                "multinomial            0.9337   best     30",
                "less-naive alpha=0.1   0.7463  0.002  1,234",
            ],
        ),
        (
            33,
            [
                "setting               ROC AUC",
                "multinomial            0.9337",
                "less-naive alpha=0.1   0.7463",
            ],
        ),
    ],
)
def test_the_least_important_columns_go_first(width: int, lines: list[str]) -> None:
    assert shown(example(), width, *GROUPS) == lines


def test_what_has_room_is_the_same_table() -> None:
    out, table = Console(file=io.StringIO(), width=60), example()
    assert fits(out, table)
    assert fit_columns(out, table, *GROUPS) is table


def test_the_figure_that_a_table_is_about_stays() -> None:
    table = make_table("setting", "log loss", "F1", "log loss")
    table.add_row("multinomial", "0.2581", "0.9000", "0.2581")
    out = Console(file=io.StringIO(), width=22)
    narrower = drop_columns(out, table, ("log loss", "accuracy", "F1"))
    assert [str(column.header) for column in narrower.columns] == ["setting", "log loss"]


words = st.text("abcdefgh", min_size=1, max_size=9)
numbers = st.integers(0, 10**7).map(lambda n: f"{n:,}")


@given(st.lists(st.tuples(words, numbers, numbers, numbers), min_size=1, max_size=4), st.integers(21, 60))
def test_names_and_numbers_are_never_cut(rows: list[tuple[str, ...]], width: int) -> None:
    table = make_table("name", "a", "b", "c")
    for row in rows:
        table.add_row(*row)
    lines = [line.split() for line in shown(table, width, [3], [2])]
    length = len(lines[0])
    assert length >= 2
    assert lines == [["name", "a", "b", "c"][:length], *(list(row[:length]) for row in rows)]

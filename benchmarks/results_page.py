"""Writes the sections of docs/internals/benchmarks.md: each benchmark its own, between two comments."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.intervals import Interval

MARKS = "<!-- {0}: written by `make {1}` -->", "<!-- end of {0} -->"
TARGETS = {"speed": "bench", "detection": "bench-quality"}


def replaced(page: str, section: str, body: str) -> str:
    """The page with this section's text in place of the old one."""
    begin, end = (mark.format(section, TARGETS[section]) for mark in MARKS)
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise SystemExit(f'the page needs the line "{begin}" once, and below it "{end}": add both')
    head, rest = page.split(begin)
    return f"{head}{begin}\n\n{body.strip()}\n\n{end}{rest.split(end)[1]}"


def write(path: Path, section: str, body: str) -> None:
    path.write_text(replaced(path.read_text("utf-8"), section, body), "utf-8")
    print(f"wrote the section on {section} of {path.name}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""A table; the first column is to the left, the others to the right.

    >>> table(["a", "b"], [["1", "2"]])
    '| a | b |\n|---|--:|\n| 1 | 2 |'
    """
    rule = "|---|" + "--:|" * (len(head) - 1)
    return "\n".join([_line(head), rule, *map(_line, rows)])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(re.sub(r"\|", r"\\|", cell) for cell in cells) + " |"


def between(interval: Interval, digits: str = ".2f") -> str:
    """The interval, or a dash where there is none.

    >>> between(Interval(2.0, 1.5, 2.5)), between(Interval(2.0, math.nan, math.nan))
    ('1.50 to 2.50', '-')
    """
    if math.isnan(interval.low):
        return "-"
    return f"{interval.low:{digits}} to {interval.high:{digits}}"


def times(number: int, what: str = "round") -> str:
    """How often something was done.

    >>> times(1), times(4, "split")
    ('1 round', '4 splits')
    """
    return f"{number} {what}{'s' * (number != 1)}"

"""Notices lines on stdin that look like mail or a table, although each is read as one message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core import excerpt

if TYPE_CHECKING:
    from spamnb.messages import Texts

_RECORD, _RECORDS = b'{"', 2  # how a record of JSON begins, and how many such lines are no accident
_EACH = "and each line is classified"


class LineNotes:
    """Describes what lines look like, once; they may come one by one."""

    def __init__(self) -> None:
        self._first: list[bytes] = []  # up to two lines
        self._records = 0  # lines that begin like records of JSON
        self._noted = False

    def of(self, texts: Texts) -> str:
        """Returns what to print on the next lines, "" if that is nothing."""
        if self._noted or not len(texts):
            return ""
        note = ""
        if len(self._first) < 2:
            is_start = not self._first
            self._first += [texts[i] for i in range(min(2 - len(self._first), len(texts)))]
            note = self._of_start() if is_start else ""
            if not note and len(self._first) == 2:
                note = _of_two(*self._first)
        note = note or self._of_records(texts.data)
        self._noted = bool(note)
        return note

    def _of_start(self) -> str:
        """Describes a mail or a table by its first lines, of which only one may be there."""
        from spamnb.readers import by_first_lines, looks_like

        first, second = (*self._first, b"")[:2]
        if len(self._first) == 2 and by_first_lines(first + b"\n" + second):
            return f"this looks like mail, {_EACH}; --input-format eml reads mail"
        return _table_note(looks_like(first, second))

    def _of_records(self, data: bytes) -> str:
        """Describes a table at the second line that begins like a record: one is no table."""
        self._records += data.startswith(_RECORD) + data.count(b"\n" + _RECORD)
        return _table_note("jsonl") if self._records >= _RECORDS else ""


def _of_two(first: bytes, second: bytes) -> str:
    r"""Describes columns that two lines have: the same number of tabs, or the name of one alone.

    >>> _of_two(b"9:00\thi", b"9:05\tok").partition(",")[0], _of_two(b"9:00\thi", b"see you")
    ('lines have 2 fields separated by tabs', '')
    """
    from spamnb.readers import names_one_column

    if tabs := first.count(b"\t") if first.count(b"\t") == second.count(b"\t") else 0:
        fields = f"{tabs + 1} fields separated by tabs"
        return f"lines have {fields}, {_EACH} whole; --input-format tsv reads columns"
    if names_one_column(first):
        name = excerpt(first.decode("utf-8", "replace").strip())
        return f'the first line "{name}" may name a column, {_EACH}; --input-format csv reads columns'
    return ""


def _table_note(table: str) -> str:
    reads = f"--input-format {table} reads columns"
    return f"this looks like {table.upper()}, {_EACH}; {reads}" if table else ""

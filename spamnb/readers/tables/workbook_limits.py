"""Refuses workbooks that would take very much memory, before they are read.

A small workbook can unpack to gigabytes. And a sheet is held as a rectangle: two cells, in the first and in
the last corner, made python-calamine ask for 500 GB, which ends the process.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from spamnb.errors import DataError

MOST_BYTES = 1 << 28  # of all parts together, unpacked
_MOST_CELLS = 20_000_000  # a million rows, the most that Excel has, of 20 columns
_REFERENCE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]*[0-9]+)["']""")  # of a cell, AB7, or a row, 7
_DIGITS, _LETTERS = b"0123456789", bytes(range(ord("A"), ord("z") + 1))
_ROW = re.compile(rb"<(?:[\w.-]+:)?row\b")
_CELL = re.compile(rb"<(?:[\w.-]+:)?c\b")
_WIDE_TEXT = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")  # UTF-16, which workbooks do not use
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


def check_limits(data: bytes, name: str) -> None:
    """Refuses a workbook that is damaged, too large, or holds a sheet with too many cells."""
    unpacked = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            for part in parts.infolist():
                unpacked += part.file_size
                if unpacked > MOST_BYTES:
                    raise too_large(name)
                _check_part(parts.read(part), name)  # reads no more than `file_size` bytes
    except _DAMAGE as error:
        raise damaged_workbook(name) from error


def _check_part(part: bytes, name: str) -> None:
    if part.startswith(_WIDE_TEXT):
        raise damaged_workbook(name)
    if b"sheetData" in part and count_cells(part) > _MOST_CELLS:
        raise too_large(name)


def count_cells(sheet: bytes) -> int:
    """Returns a bound on the cells of the rectangle around all cells of a sheet.

    Cells and rows without a reference follow the one before them.

    >>> count_cells(b'<row r="1"><c r="A1"/></row><row r="9"><c r="C9"/></row>')
    27
    """
    references = _REFERENCE.findall(sheet)
    columns = {reference.rstrip(_DIGITS) for reference in references} - {b""}
    rows = {reference.lstrip(_LETTERS)[:9] for reference in references}
    width, height = max(map(_column, columns), default=0), max(map(int, rows), default=0)
    row_tags, cell_tags = len(_ROW.findall(sheet)), len(_CELL.findall(sheet))
    if row_tags + cell_tags > len(references):
        width += max(len(_CELL.findall(row)) for row in _ROW.split(sheet))
        height += row_tags
    return width * height


def _column(letters: bytes) -> int:
    """Returns the number of a column from 1.

    >>> _column(b"C"), _column(b"AB")
    (3, 28)
    """
    number = 0
    for letter in letters[:8].upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def too_large(name: str) -> DataError:
    return DataError(
        f"{name} is too large for a workbook: more than {MOST_BYTES >> 20} MiB unpacked, or "
        f"{_MOST_CELLS:,} cells",
        hint="save it as CSV, which is read piece by piece",
    )


def damaged_workbook(name: str) -> DataError:
    return DataError(f"{name} is not an Excel workbook, or is damaged", hint="save it as .xlsx or CSV")

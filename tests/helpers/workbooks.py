"""Writes Excel workbooks, as small as they can be."""

from __future__ import annotations

import io
import zipfile

_OFFICE = "http://schemas.openxmlformats.org"
_MAIN = f'xmlns="{_OFFICE}/spreadsheetml/2006/main"'
_TYPE = f"{_OFFICE}/officeDocument/2006/relationships"
_STYLES = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs>'
_LINKS = f'xmlns="{_OFFICE}/package/2006/relationships"'


def sheet(*rows: str) -> str:
    """Returns the XML of a sheet."""
    return f"<worksheet {_MAIN}><sheetData>{''.join(rows)}</sheetData></worksheet>"


def workbook(sheet_xml: str | bytes, strings: tuple[str, ...] = ()) -> bytes:
    """Returns a workbook with one sheet; `strings` are shared by its cells, by number; style 1 is a time."""
    items = "".join(f"<si><t>{text}</t></si>" for text in strings)
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_OFFICE}/package/2006/content-types"/>',
        "_rels/.rels": _links(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_TYPE}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _links(
            ("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")
        ),
        "xl/styles.xml": f"<styleSheet {_MAIN}>{_STYLES}</styleSheet>",
        "xl/sharedStrings.xml": f"<sst {_MAIN}>{items}</sst>",
        "xl/worksheets/sheet1.xml": sheet_xml,
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, part in parts.items():
            book.writestr(name, part)
    return file.getvalue()


def table_workbook(*rows: tuple[str, ...]) -> bytes:
    """Returns a workbook with rows of texts."""
    return workbook(sheet(*(_row(number, cells) for number, cells in enumerate(rows, start=1))))


def _row(number: int, cells: tuple[str, ...]) -> str:
    tags = (
        f'<c r="{"ABCDEFG"[i]}{number}" t="inlineStr"><is><t>{t}</t></is></c>' for i, t in enumerate(cells)
    )
    return f'<row r="{number}">{"".join(tags)}</row>'


def _links(*targets: tuple[str, str]) -> str:
    links = "".join(
        f'<Relationship Id="rId{number}" Type="{_TYPE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    return f"<Relationships {_LINKS}>{links}</Relationships>"

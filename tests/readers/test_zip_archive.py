"""ZIP archives with one data file."""

from __future__ import annotations

import gzip
import io
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source

Read = Callable[..., Any]

CSV = b"label,text\nham,ok lar\nspam,WIN now\n"
TWO = [("ham", b"ok lar"), ("spam", b"WIN now")]
DAMAGED = (
    "x.zip: its ZIP data is damaged, encrypted or packed in an unknown way",
    "unpack it yourself and give the files; `unzip -t` checks it",
)


def archive(method: int = zipfile.ZIP_DEFLATED, **files: bytes) -> bytes:
    """Packs files; `__` in a name stands for a slash, `_` for a dot."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, data in files.items():
            packed.writestr(name.replace("__", "/").replace("_", "."), data)
    return file.getvalue()


def failure(data: bytes, **options: Any) -> tuple[str, str]:
    Path("x.zip").write_bytes(data)
    with pytest.raises(DataError) as caught:
        list(open_source("x.zip", ReadOptions.from_flags(**options), labelled=True))
    return str(caught.value), caught.value.hint


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
@pytest.mark.parametrize("name", ["x.zip", "x"])
def test_the_one_file_is_read(read: Read, method: int, name: str) -> None:
    result = read(archive(method, sms_csv=CSV), name, chunk_bytes=5)
    assert result.rows == TWO
    assert result.source.description.endswith(
        f'{name}/sms.csv: CSV (comma, header, UTF-8, ZIP), text column "text", label column "label" '
        '(spam = "spam")'
    )
    assert read(archive(method, sms_csv=CSV), name, labelled=False).texts == [b"ok lar", b"WIN now"]


def test_formats_inside(read: Read) -> None:
    packed = read(archive(sms_csv_gz=gzip.compress(CSV)), "x.zip")
    assert packed.rows == TWO
    assert "(comma, header, UTF-8, gzip in ZIP)" in packed.source.description
    assert read(archive(sms_json=b'[{"label": "ham", "text": "ok lar"}]'), "x.zip").rows == TWO[:1]
    mail = read(archive(a_eml=b"Subject: hi\nTo: me\n\nok\n"), "x.zip", labelled=False)
    assert mail.texts == [b"ok\n"]
    assert read(archive(data_txt=CSV), "x.zip", format="csv").rows == TWO


def test_files_about_the_data_are_left_out(read: Read) -> None:
    files = {"readme": b"about", "LICENSE_txt": b"x", "__MACOSX___x": b"x", "d___DS.Store": b"x"}
    assert read(archive(SMSSpamCollection=b"ham\tok lar\nspam\tWIN now\n", **files), "x.zip").rows == TWO
    assert read(archive(d__sms_csv=CSV, notes_txt=b"x"), "x.zip").rows == TWO
    assert read(archive(readme_csv=CSV), "x.zip").rows == TWO


@pytest.mark.usefixtures("here")
def test_several_files_are_listed() -> None:
    assert failure(archive(a_csv=CSV, b_csv=CSV, README=b"x")) == (
        "x.zip holds 2 files, expected one: a.csv, b.csv",
        "unpack it, and give the files or their folder",
    )
    many = {f"f{i}": CSV for i in range(9)}
    assert failure(archive(**many))[0] == "x.zip holds 9 files, expected one: f0, f1, f2, f3, f4, ..."
    assert failure(archive()) == ("x.zip holds no files", "give another file")
    assert failure(archive(a_csv=b"")) == ("x.zip/a.csv is empty", "give a file with labelled messages")


@pytest.mark.usefixtures("here")
def test_damaged_archives() -> None:
    whole = archive(zipfile.ZIP_STORED, a_csv=CSV + b"ham,x\n" * 50_000)
    assert failure(whole[:-30]) == DAMAGED
    assert failure(whole[:100]) == DAMAGED
    assert failure(whole[:200_000] + b"!" + whole[200_001:]) == DAMAGED  # the checksum differs
    packed = archive(a_csv=CSV + os.urandom(50_000).hex().encode())
    assert failure(packed[:9000] + bytes(3000) + packed[12_000:]) == DAMAGED
    encrypted = bytearray(archive(a_csv=CSV))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        encrypted[encrypted.index(signature) + offset] |= 1
    assert failure(bytes(encrypted)) == DAMAGED


@pytest.mark.usefixtures("here")
def test_an_archive_within_another_is_no_data() -> None:
    assert failure(archive(inner_zip=archive(a_csv=CSV))) == (
        "x.zip/inner.zip is not an Excel workbook, or is damaged",
        "save it as .xlsx or CSV",
    )


def test_a_packed_archive_cannot_be_read(here: Path) -> None:
    (here / "x.zip.gz").write_bytes(gzip.compress(archive(a_csv=CSV)))
    with pytest.raises(DataError) as caught:
        open_source("x.zip.gz", ReadOptions(), labelled=True)
    assert str(caught.value) == "a ZIP archive cannot be read from x.zip.gz: it is a pipe or packed"
    assert caught.value.hint == "save it as a file and give its path"


def test_memory_does_not_grow_with_what_it_unpacks_to(here: Path) -> None:
    data = archive(a_csv=b"label,text\n" + b"ham,some words\n" * 200_000)
    assert len(data) < 20_000
    (here / "x.zip").write_bytes(data)
    with open_source("x.zip", ReadOptions(chunk_bytes=1 << 14), labelled=True) as source:
        tracemalloc.start()
        rows = sum(map(len, source))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert rows == 200_000
    assert peak < 2_000_000


def test_a_line_that_unpacks_to_very_much_is_refused(here: Path) -> None:
    (here / "x.zip").write_bytes(archive(a_txt=b"a" * (40 << 20)))
    with open_source("x.zip", ReadOptions(), labelled=False) as source:
        assert [chunk.texts.tolist() for chunk in source] == [[b""]]
        assert source.skipped.count == 1

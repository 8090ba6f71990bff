"""Whatever the encoding, messages come out as UTF-8."""

from __future__ import annotations

import codecs
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source

Read = Callable[..., Any]

TEXT = "label,text\nham,café – ok\nspam,WIN £100 “now”\n"
EXPECTED = [("ham", "café – ok".encode()), ("spam", "WIN £100 “now”".encode())]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(TEXT.encode(), "UTF-8", id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + TEXT.encode(), "UTF-8 with BOM", id="utf-8 with mark"),
        pytest.param(TEXT.encode("cp1252"), "UTF-8 or cp1252", id="cp1252"),
        pytest.param(TEXT.encode("utf-16-le"), "UTF-16 LE", id="utf-16-le"),
        pytest.param(TEXT.encode("utf-16-be"), "UTF-16 BE", id="utf-16-be"),
        pytest.param(codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "UTF-16 LE", id="utf-16-le with mark"),
        pytest.param(codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "UTF-16 BE", id="utf-16-be with mark"),
        pytest.param(codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"), "UTF-32 LE", id="utf-32-le with mark"),
    ],
)
def test_detection(read: Read, data: bytes, name: str) -> None:
    for chunk_bytes in (1 << 18, 3):
        result = read(data, chunk_bytes=chunk_bytes)
        assert result.rows == EXPECTED
        assert f"(comma, header, {name})" in result.source.description
    assert read(data, labelled=False, format="csv").texts == [text for _, text in EXPECTED]


def test_lines_of_utf_16(read: Read) -> None:
    data = "one Ċ\r\ntwo\r\n".encode("utf-16")
    assert read(data, "x.txt", labelled=False).texts == ["one Ċ".encode(), b"two"]


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "utf-16", "shift_jis", "koi8-r"]
)
def test_stated_encodings(read: Read, encoding: str) -> None:
    text = {"shift_jis": "迷惑メール", "koi8-r": "привет"}.get(encoding, "café")
    data = f"label,text\nham,{text}\nspam,x\n".encode(encoding)
    result = read(data, encoding=encoding)
    assert result.texts == [text.encode(), b"x"]
    assert f"(comma, header, {encoding})" in result.source.description


def test_a_stated_encoding_is_not_taken_for_binary(read: Read) -> None:
    data = "привет\nпока\n".encode("utf-16-le")
    assert read(data, "x", labelled=False, encoding="utf-16-le").texts == ["привет".encode(), "пока".encode()]


def test_bytes_that_cp1252_leaves_undefined(read: Read) -> None:
    assert read(b"caf\xe9 \x81 \x80\n", "x", labelled=False).texts == ["café \x81 €".encode()]


MIXED = [b"caf\xe9 \x80 5", "caf\u00e9 \u20ac 5".encode(), b"\xe2\x82 cut", b"\xf0\x9f\x98", b"last \xe9"]
READ = ["caf\u00e9 \u20ac 5", "caf\u00e9 \u20ac 5", "\u00e2\u201a cut", "\u00f0\u0178\u02dc", "last \u00e9"]


@pytest.mark.parametrize("pieces", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("before", [0, 1, 70_000])
def test_a_pipe_is_read_as_a_file(here: Path, pieces: int, before: int) -> None:
    """The same bytes are the same text, wherever they come from and however slowly."""
    data = b"plain ascii\n" * before + b"\n".join(MIXED)
    expected = [b"plain ascii"] * before + [text.encode() for text in READ]
    (here / "x.txt").write_bytes(data)
    os.mkfifo(here / "pipe")
    writer = threading.Thread(target=write_in_pieces, args=(here / "pipe", data, pieces))
    writer.start()
    for path in ("x.txt", "pipe"):
        with open_source(path, ReadOptions(format="lines"), labelled=False) as source:
            texts = [text for chunk in source for text in chunk.texts]
        assert texts == expected, path
    writer.join()


def write_in_pieces(path: Path, data: bytes, size: int) -> None:
    with path.open("wb", buffering=0) as pipe:
        begin = max(0, len(data) - 100)
        pipe.write(data[:begin])
        for at in range(begin, len(data), size):
            pipe.write(data[at : at + size])


def test_a_table_of_both_encodings(read: Read) -> None:
    data = b"label,text\n" + "ham,caf\u00e9\n".encode() * 9000 + b"ham,caf\xe9\nspam,x\n"
    for chunk_bytes in (1 << 18, 7):
        assert set(read(data, chunk_bytes=chunk_bytes).texts) == {"caf\u00e9".encode(), b"x"}


def test_a_character_cut_by_the_head(read: Read) -> None:
    data = b"x" * 65535 + "é\nlast\n".encode()
    result = read(data, "x", labelled=False)
    assert "UTF-8" in result.source.description
    assert result.texts == [b"x" * 65535 + "é".encode(), b"last"]


@pytest.mark.parametrize(("encoding", "where"), [("ascii", 19), ("utf-8", 19)])
def test_bytes_that_the_stated_encoding_does_not_have(here: Path, encoding: str, where: int) -> None:
    (here / "x.csv").write_bytes(b"label,text\nham,caf\xe9 x\n")
    with pytest.raises(DataError) as caught:
        open_source("x.csv", ReadOptions(encoding=encoding), labelled=True)
    assert str(caught.value) == f"x.csv is not {encoding}: byte {where} cannot be decoded"
    assert caught.value.hint == "leave --encoding to auto, or try --encoding cp1252"


def test_the_bad_byte_is_counted_from_the_beginning_of_the_file(here: Path) -> None:
    (here / "x.txt").write_bytes(b"x\n" + "é".encode() * 60_000 + b"\xff")
    source = open_source("x.txt", ReadOptions(encoding="utf-8", chunk_bytes=1001), labelled=False)
    with pytest.raises(DataError, match=r"(?m)^x\.txt is not utf-8: byte 120,003 cannot be decoded$"):
        list(source)

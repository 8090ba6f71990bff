"""Opening inputs: formats found, files refused, packed files, one pass."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import ConfigError, DataError
from spamnb.readers import FORMATS, ReadOptions, open_source
from spamnb.readers.formats import any_of, format_by_suffix, table_formats

Read = Callable[..., Any]

CSV = b"label,text\nham,ok lar\nspam,WIN now\n"
TWO = [("ham", b"ok lar"), ("spam", b"WIN now")]


def failure(path: str, *, labelled: bool = True, **options: Any) -> tuple[str, str]:
    with pytest.raises(DataError) as caught:
        list(open_source(path, ReadOptions.from_flags(**options), labelled=labelled))
    return str(caught.value), caught.value.hint


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_has_a_reader(format: str) -> None:
    reader = import_module(f"spamnb.readers.{FORMATS[format].module}")
    assert list(signature(reader.open_input).parameters)[1:] == ["options", "format", "labelled"]


def test_no_two_formats_share_a_suffix_or_magic_bytes() -> None:
    suffixes = [suffix for format in FORMATS.values() for suffix in format.suffixes]
    magic = [format.magic for format in FORMATS.values() if format.magic]
    assert len(suffixes) == len(set(suffixes))
    assert len(magic) == len(set(magic))


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.csv", "csv"),
        ("A.TSV.xz", "tsv"),
        ("x/y.ndjson.gz", "jsonl"),
        ("a.pq", "parquet"),
        ("a.gz", ""),
        ("csv", ""),
    ],
)
def test_suffixes(name: str, format: str) -> None:
    assert format_by_suffix(name) == format


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"ham\tok lar\nspam\tWIN now\n", "TSV"),
        (CSV, "CSV"),
        (b'{"label": "ham", "text": "ok lar"}\n{"label": "spam", "text": "WIN now"}\n', "JSONL"),
    ],
)
def test_content_tells_where_the_name_does_not(read: Read, data: bytes, kind: str) -> None:
    for name in ("SMSSpamCollection", "sms.txt"):
        assert read(data, name).rows == TWO
        result = read(data, name, labelled=False)
        assert result.texts == [b"ok lar", b"WIN now"]
        assert f": {kind} (" in result.source.description


def test_without_labels_doubt_means_lines(read: Read) -> None:
    data = b"Text, or call me\n{not json}\nham, eggs\n"
    result = read(data, "messages", labelled=False)
    assert result.texts == data.splitlines()
    assert "one message per line" in result.source.description
    assert read(data, "messages", labelled=False, default_format="csv").source.description.count("CSV") == 1


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("name", ["data.csv", "data"])
def test_packed_files_are_known_by_their_first_bytes(
    read: Read, pack: Callable[[bytes], bytes], name: str, request: pytest.FixtureRequest
) -> None:
    result = read(pack(CSV), name, chunk_bytes=5)
    assert result.rows == TWO
    assert request.node.callspec.id.split("-")[1] in result.source.description
    assert result.source.size == len(pack(CSV)) == result.chunks[-1].position


def test_packed_in_parts(read: Read) -> None:
    assert read(gzip.compress(CSV[:20]) + gzip.compress(CSV[20:]), "data.csv.gz").rows == TWO


@pytest.mark.parametrize(
    ("pack", "name"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2"), (lzma.compress, "xz")]
)
def test_damaged_packed_files(here: Path, pack: Callable[[bytes], bytes], name: str) -> None:
    packed = pack(CSV + os.urandom(200_000).hex().encode())
    for damaged in (packed[:-20], packed[:5000] + b"\xaa" * 5000 + packed[10000:]):
        (here / "x.csv").write_bytes(damaged)
        assert failure("x.csv") == (
            f"x.csv: its {name} data is damaged or cut off",
            f"get the file again; `{name} -t` checks it",
        )


def test_missing_file(here: Path) -> None:
    (here / "messages.csv").write_bytes(CSV)
    assert failure("mesages.csv") == ("no such file: mesages.csv", "did you mean messages.csv?")
    assert failure("other.csv") == ("no such file: other.csv", "check the path, or give - for stdin")
    assert failure("zzz") == ("no such file: zzz", "check the path, or give - for stdin")
    assert failure("no/x.csv") == ("no such file: no/x.csv", "there is no folder no either: check the path")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read every file")
def test_unreadable_file(here: Path) -> None:
    (here / "x.csv").write_bytes(CSV)
    (here / "x.csv").chmod(0)
    assert failure("x.csv") == ("cannot read x.csv: Permission denied", "check the permissions of the file")


def test_file_that_cannot_be_opened(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "x.csv").write_bytes(CSV)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    assert failure("x.csv") == ("cannot read x.csv: Permission denied", "check the permissions of the file")


def test_empty_file_is_an_error_only_where_labels_are_needed(here: Path, read: Read) -> None:
    (here / "x.csv").write_bytes(b"")
    assert failure("x.csv") == ("x.csv is empty", "give a file with labelled messages")
    result = read(b"", labelled=False)
    assert result.texts == []
    assert result.source.description.endswith("data.csv: empty")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a PNG image"),
        (b'<?xml version="1.0"?>\n<smses>\n</smses>\n', "an XML document"),
        (b"7z\xbc\xaf" + bytes(100), "a 7-Zip archive"),
        (b"\x80\x04\x95" + bytes(100), "a pickle or joblib file"),
        (bytes(range(256)) * 20, "a binary file"),
    ],
)
def test_binary_files(here: Path, data: bytes, kind: str) -> None:
    (here / "x.csv").write_bytes(data)
    assert failure("x.csv") == (
        f"x.csv is {kind}, expected messages as text",
        f"give text, {any_of(table_formats())}, unpacked; for a rare encoding give --encoding",
    )


def test_a_few_control_bytes_are_no_binary_file(read: Read) -> None:
    assert (
        read(CSV + b"ham,nul \0 and bell \a in it" + b" and words" * 10)
        .texts[2]
        .startswith(b"nul \0 and bell \a")
    )


def test_unknown_format_and_encoding() -> None:
    with pytest.raises(ConfigError) as caught:
        ReadOptions(format="xls")
    assert str(caught.value) == 'unknown format "xls"'
    assert caught.value.hint == (f"formats: auto, {', '.join(FORMATS)}")
    for name in ("utf-9", "base64"):
        with pytest.raises(ConfigError) as caught:
            ReadOptions(encoding=name)
        assert str(caught.value) == f'unknown encoding "{name}"'
    with pytest.raises(ConfigError, match=r"(?m)^chunk_bytes must be at least 1, got 0$"):
        ReadOptions(chunk_bytes=0)


@pytest.mark.parametrize(
    ("format", "message"),
    [
        ("lines", "x.csv is read as one message per line and has no labels"),
        ("null", "x.csv is read as NUL separated messages and has no labels"),
        ("tsv", "x.csv has one column, expected a text and a label column"),
        ("jsonl", "no JSON objects in the first lines of x.csv"),
        ("parquet", "x.csv is not a Parquet file, or is damaged"),
    ],
)
def test_wrong_format(here: Path, format: str, message: str) -> None:
    (here / "x.csv").write_bytes(CSV)
    assert failure("x.csv", format=format)[0] == message


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.txt", "x.csv.gz"])
def test_memory_does_not_grow_with_the_input(here: Path, name: str) -> None:
    record = b'{"label": "ham", "text": "some words"}\n' if "json" in name else b"ham,some words\n"
    data = b"label,text\n" * ("csv" in name) + record * (3_000_000 // len(record))
    (here / name).write_bytes(gzip.compress(data, 1) if name.endswith("gz") else data)
    with open_source(name, ReadOptions(chunk_bytes=1 << 14), labelled="txt" not in name) as source:
        del data
        tracemalloc.start()
        rows = sum(map(len, source))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert rows >= 3_000_000 // len(record)
    assert peak < 2_000_000


def test_a_source_is_read_once(read: Read) -> None:
    source = read(CSV).source
    with pytest.raises(RuntimeError, match="was read already"):
        list(source)


def test_reading_can_stop_early(here: Path) -> None:
    (here / "x.csv").write_bytes(CSV + CSV.partition(b"\n")[2] * 99)
    with open_source("x.csv", ReadOptions(chunk_bytes=20), labelled=True) as source:
        for _ in source:
            break


def test_reading_lines_imports_nothing_that_it_does_not_need() -> None:
    code = (
        "import sys; from spamnb.readers import open_source, ReadOptions\n"
        "print([c.texts.tolist() for c in open_source('-', ReadOptions(), labelled=False)])\n"
        "unneeded = {'csv', 'json', 'gzip', 'bz2', 'lzma', 'pandas', 'pyarrow', 'difflib'}\n"
        "print(sorted(unneeded & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"one\ntwo", capture_output=True, check=True)
    assert done.stdout.split(b"\n")[:2] == [b"[[b'one'], [b'two']]", b"[]"]


def test_line_numbers_have_thousands_separators(here: Path) -> None:
    (here / "x.csv").write_text("label,text\n" + "ham,hello\nspam,win\n" * 3000 + "ham,\n")
    with open_source("x.csv", ReadOptions(), labelled=True) as source:
        list(source)
        assert source.skipped.summary() == "1 skipped (line 6,002: no text)"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ConfigError, match='unknown format "xls"'):
        ReadOptions(format="xls")

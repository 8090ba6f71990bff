"""Bare messages, and streams that are answered as they arrive."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spamnb.errors import DataError
from spamnb.messages import Texts
from spamnb.readers import ReadOptions, decoded_input, open_source
from spamnb.readers.byte_stream import ByteStream
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.formats import any_of, table_formats
from spamnb.readers.tables import plain_lines
from spamnb.readers.tables.plain_lines import open_input

Read = Callable[..., Any]


class Stdin:
    """A stand-in for sys.stdin over given bytes or a pipe."""

    def __init__(self, buffer: io.BufferedIOBase) -> None:
        self.buffer = buffer


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The writing end of a pipe that is standard input."""
    reading, writing = os.pipe()
    with open(reading, "rb") as stream:
        monkeypatch.setattr(sys, "stdin", Stdin(stream))
        yield writing


def messages(data: bytes, format: str, chunk_bytes: int) -> list[tuple[int, bytes]]:
    stream = ByteStream("x", io.BufferedReader(io.BytesIO(data)), live=True)  # type: ignore[arg-type]
    opened = DecodedInput(stream)
    opened.decode("auto", nuls=format == "null")
    rows: list[tuple[int, bytes]] = []
    for chunk in open_input(opened, ReadOptions(chunk_bytes=chunk_bytes), format=format, labelled=False):
        rows += zip(chunk.lines.tolist(), chunk.texts.tolist(), strict=True)
    return rows


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"\r", b" ", "é".encode()]), max_size=30),
    st.integers(1, 40),
)
def test_lines_are_the_same_at_any_chunk_size(pieces: list[bytes], chunk_bytes: int) -> None:
    data = b"".join(pieces)
    expected = list(enumerate(Texts.lines(data).tolist(), 1))
    assert messages(data, "lines", chunk_bytes) == expected


@given(st.lists(st.sampled_from([b"a", b"\n", b"\0", b"b c"]), max_size=30), st.integers(1, 40))
def test_nul_separated_messages_keep_their_newlines(pieces: list[bytes], chunk_bytes: int) -> None:
    data = b"".join(pieces)
    parts = data.removesuffix(b"\0").split(b"\0") if data else []
    starts = [sum(len(part) + 1 for part in parts[:i]) for i in range(len(parts))]
    expected = [(1 + data[:start].count(b"\n"), part) for start, part in zip(starts, parts, strict=True)]
    assert messages(data, "null", chunk_bytes) == expected


def test_gaps_between_messages_are_newlines(read: Read) -> None:
    for data, format in ((b"a b\0c\0", "null"), (b"a b\nc\n", "lines")):
        texts = read(data, "x", labelled=False, format=format).chunks[0].texts
        assert texts.data[texts.ends[0] : texts.starts[1]] == b"\n"


def test_blank_lines_are_messages(read: Read) -> None:
    assert read(b"a\n\n\nb", "x.txt", labelled=False).texts == [b"a", b"", b"", b"b"]


def test_a_stream_is_answered_as_it_arrives(pipe: int) -> None:
    os.write(pipe, b"first\nsec")
    source = open_source("-", ReadOptions(), labelled=False)
    assert (source.name, source.size) == ("stdin", None)
    assert source.description == "stdin: one message per line (UTF-8)"
    chunks = iter(source)
    assert next(chunks).texts.tolist() == [b"first"]
    os.write(pipe, b"ond\nthird\n")
    assert next(chunks).texts.tolist() == [b"second", b"third"]
    os.write(pipe, b"\n")
    chunk = next(chunks)
    assert (chunk.texts.tolist(), chunk.lines.tolist(), chunk.position) == ([b""], [4], 20)
    os.write(pipe, b"no newline")
    os.close(pipe)
    assert next(chunks).texts.tolist() == [b"no newline"]
    assert list(chunks) == []


def test_a_stream_of_csv_is_answered_as_it_arrives(pipe: int) -> None:
    os.write(pipe, b"label,text\n")
    source = open_source("-", ReadOptions(), labelled=False)
    chunks = iter(source)
    os.write(pipe, b'ham,"a\n')
    os.write(pipe, b'b"\nspam,c')
    assert next(chunks).texts.tolist() == [b"a\nb"]
    os.write(pipe, b"\n")
    chunk = next(chunks)
    assert (chunk.texts.tolist(), chunk.lines.tolist()) == ([b"c"], [4])
    os.close(pipe)
    assert list(chunks) == []


def test_a_stream_of_json_is_answered_as_it_arrives(pipe: int) -> None:
    os.write(pipe, b'{"text": "a"}\n{"te')
    chunks = iter(open_source("-", ReadOptions(), labelled=False))
    assert next(chunks).texts.tolist() == [b"a"]
    os.write(pipe, b'xt": "b"}\n')
    assert next(chunks).texts.tolist() == [b"b"]
    os.close(pipe)
    assert list(chunks) == []


def test_a_fast_stream_comes_in_large_chunks(pipe: int) -> None:
    os.write(pipe, b"x" * 99 + b"\n")
    chunks = iter(open_source("-", ReadOptions(), labelled=False))
    assert len(next(chunks)) == 1
    for _ in range(3):
        os.write(pipe, (b"x" * 99 + b"\n") * 200)
    assert len(next(chunks)) == 600
    os.close(pipe)
    assert list(chunks) == []


def test_training_from_a_pipe_waits_for_a_full_head(pipe: int) -> None:
    os.write(pipe, b"a,b\n")
    os.write(pipe, b"ham,first\nspam,second\n")
    os.close(pipe)
    chunks = list(open_source("-", ReadOptions(), labelled=True))
    assert [chunk.labels for chunk in chunks] == [["ham", "spam"]]


def test_stdin_that_is_no_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO(b"one\ntwo\n")
    monkeypatch.setattr(sys, "stdin", Stdin(buffer))
    with open_source("-", ReadOptions(), labelled=False) as source:
        assert [chunk.texts.tolist() for chunk in source] == [[b"one", b"two"]]
    del source
    assert not buffer.closed
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataError, match=r"(?m)^there is no standard input to read$"):
        open_source("-", ReadOptions(), labelled=False)


def test_columns_need_a_table(here: Path) -> None:
    (here / "x").write_bytes(b"hello\n")
    with pytest.raises(DataError) as caught:
        open_source("x", ReadOptions.from_flags(format="lines", numeric=("size",)), labelled=False)
    assert str(caught.value) == "x is read as one message per line and has no columns"
    assert caught.value.hint == f"labels and columns need --input-format {any_of(table_formats())}"


LONG = 1 << 20


@pytest.fixture
def short_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """One MiB is the longest that a message may be."""
    monkeypatch.setattr(decoded_input, "LONGEST_RECORD", LONG)
    monkeypatch.setattr(plain_lines, "LONGEST_RECORD", LONG)


@pytest.mark.usefixtures("short_records")
@pytest.mark.parametrize(("form", "end"), [("lines", b"\n"), ("null", b"\0"), ("jsonl", b"\n")])
def test_a_message_that_is_too_long_is_refused(tmp_path: Path, form: str, end: bytes) -> None:
    path, first = tmp_path / "x", b'{"text": "a"}' + end
    how = ReadOptions(format=form, label=None if form == "jsonl" else "spam")
    path.write_bytes(first + b"b" * LONG + end)
    with open_source(str(path), how, labelled=form != "jsonl") as source:
        assert sum(map(len, source)) == 2
    path.write_bytes(first + b"b" * (LONG + 1) + end)
    source = open_source(str(path), how, labelled=form != "jsonl")
    with source, pytest.raises(DataError) as caught:
        list(source)
    assert str(caught.value) == f"{path}: the message that begins at byte 14 is longer than 1 MiB"


@pytest.mark.usefixtures("short_records")
@pytest.mark.parametrize(("form", "end"), [("lines", b"\n"), ("null", b"\0")])
@pytest.mark.parametrize("size", [LONG + 1, 3 * LONG])
@pytest.mark.parametrize("ended", [True, False])
def test_where_all_come_out_a_message_that_is_too_long_comes_out_empty(
    tmp_path: Path, form: str, end: bytes, size: int, ended: bool
) -> None:
    path, long = tmp_path / "x", b"b" * size
    path.write_bytes(end.join([long, b"one", long, long, b"", b"two", long]) + end * ended)
    with open_source(str(path), ReadOptions(format=form), labelled=False) as source:
        texts = [text for chunk in source for text in chunk.texts.tolist()]
    assert texts == [b"", b"one", b"", b"", b"", b"two", b""]
    places = (1, 3, 4, 7) if form == "lines" else (1, 1, 1, 1)
    assert source.skipped.examples == [(place, "longer than 1 MiB") for place in places]


@pytest.mark.usefixtures("short_records")
def test_lines_are_counted_in_what_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"one\ntwo\0" + b"b\n" * LONG + b"\0three\0four\nfive\0six\0")
    with open_source(str(path), ReadOptions(format="null"), labelled=False) as source:
        numbers = [line for chunk in source for line in chunk.lines.tolist()]
    assert numbers == [1, 2, LONG + 2, LONG + 2, LONG + 3]
    assert source.skipped.summary() == "1 message unsure: cannot be read (line 2: longer than 1 MiB)"

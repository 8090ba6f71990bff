"""The fast parser against its slow twin, the csv module, wherever blocks happen to end."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given, strategies as st

from spamnb.readers.byte_stream import ByteStream
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.delimited import open_input
from spamnb.readers.tables.delimited_fallback import parse_rows
from spamnb.readers.tables.delimited_fast import split_rows

# Everything that means something to a CSV parser, and bytes that mean something to UTF-8.
PIECES = [b"a", b" ", b",", b'"', b'""', b'","', b"\n", b"\r", b"\r\n", b'"\n"', b"\xc3\xa9", b"\xff", b"\0"]
soups = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)
fields = st.text(st.sampled_from('a ,"\n\r;é\t\0'), max_size=8)
NASTY = (
    b'label,text\r\nham,"a, ""b"""\r\n"spam","two\r\nlines"\r\nham,\r\n'
    b'"ham",""""\r\nspam,"c\n\n""\nd"\r\nham,last'
)


def reference(data: bytes, quoting: bool = True) -> list[tuple[int, list[bytes]]]:
    """Rows by the csv module, one at a time, with the 1-based line each begins in; blank lines are no rows.

    A line in which a quote opens that is never closed is a row by itself, with its quotes as letters.
    """
    lines = list(io.StringIO(data.decode("utf-8", "surrogateescape"), newline=""))
    rows, start = [], 0
    while start < len(lines):
        end = next((end for end in range(start + 1, len(lines) + 1) if is_row(lines[start:end], quoting)), 0)
        closed = end == start + 1 or (end and ends_well(lines[end - 1]))
        end = end if closed else start + 1
        row = parse(lines[start:end], quoting and bool(closed))[0]
        if row:
            rows.append((start + 1, [field.encode("utf-8", "surrogateescape") for field in row]))
        start = end
    return rows


def parse(lines: list[str], quoting: bool) -> list[list[str]]:
    return list(csv.reader(lines, quoting=csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE))


def is_row(lines: list[str], quoting: bool) -> bool:
    """Whether lines are a whole row: what follows them is another one."""
    return parse([*lines, "next\n"], quoting)[1:] == [["next"]]


def ends_well(line: str) -> bool:
    """Whether the quoted field that a line begins in ends before a delimiter or the line's end."""
    at = 0
    while line[at : at + 2] == '""' or line[at] != '"':
        at += 2 if line[at] == '"' else 1
    return line[at + 1 :].lstrip(" \t")[:1] in ("", ",", "\r", "\n")


def table(data: bytes, chunk_bytes: int) -> list[tuple[int, bytes, bytes]]:
    """Line, label and text of each row through the whole reader; as a category the label stays as written."""
    stream = ByteStream("x.csv", io.BufferedReader(io.BytesIO(data)), live=False)  # type: ignore[arg-type]
    source = DecodedInput(stream)
    source.decode("utf-8")
    options = ReadOptions.from_flags(text_column="text", categorical=("label",), chunk_bytes=chunk_bytes)
    rows = []
    for chunk in open_input(source, options, format="csv", labelled=False):
        labels = chunk.categories["label"]
        rows += zip(chunk.lines.tolist(), labels, chunk.texts.tolist(), strict=True)
    return rows


@given(soups, st.booleans(), st.booleans(), st.integers(1, 3))
@example(b'a,"b"\r\n', True, True, 2)
@example(b'"a\n', True, True, 1)
@example(b'"a"\r', True, False, 1)
@example(b'a"b\nc"d\n', True, True, 1)
@example(b'a,b\n"c', True, True, 2)
def test_fast_rows_are_the_rows_of_the_csv_module(
    soup: bytes, quoting: bool, final: bool, columns: int
) -> None:
    fast = split_rows(soup, ",", columns, quoting=quoting, final=final)
    if fast is None:
        return
    slow = parse_rows(soup[: fast.used], ",", quoting=quoting, final=True)
    assert parse_rows(soup, ",", quoting=quoting, final=final).rows[: len(fast)] == slow.rows
    assert fast.used >= len(soup) or not final
    assert not slow.open_quotes
    assert fast.newlines == slow.newlines
    assert fast.lines.tolist() == slow.lines
    encoded = [[field.encode("utf-8", "surrogateescape") for field in row] for row in slow.rows]
    assert [list(row) for row in zip(*map(fast.column, range(columns)), strict=True)] == encoded
    for column in range(columns):
        values, index = fast.distinct(column)
        assert [values[i] for i in index] == fast.column(column)
        assert fast.texts(column).tolist() == fast.column(column)


@given(soups, st.booleans(), st.integers(0, 40))
def test_slow_rows_of_a_cut_block_are_the_first_rows_of_the_whole(
    soup: bytes, quoting: bool, cut: int
) -> None:
    whole = reference(soup, quoting)
    first = parse_rows(soup[:cut], ",", quoting=quoting, final=False)
    rest = parse_rows(soup[first.used :], ",", quoting=quoting, final=True)
    results = [[field.encode("utf-8", "surrogateescape") for field in row] for row in first.rows + rest.rows]
    lines = [line + 1 for line in first.lines] + [line + 1 + first.newlines for line in rest.lines]
    assert list(zip(lines, results, strict=True)) == whole


@given(
    st.lists(
        st.tuples(st.sampled_from(["ham", "spam", "", "a longer label"]), fields), min_size=1, max_size=8
    ),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.integers(1, 40),
)
def test_what_the_csv_module_writes_is_read_at_any_chunk_size(
    rows: list[tuple[str, str]], quoting: int, line_end: str, final_newline: bool, chunk_bytes: int
) -> None:
    if quoting == csv.QUOTE_MINIMAL:  # Python 3.11 writes a lone carriage return without quotes
        rows = [(label, text.replace("\r", "")) for label, text in rows]
    out = io.StringIO()
    csv.writer(out, quoting=quoting, lineterminator=line_end).writerows([("label", "text"), *rows])  # type: ignore[arg-type]
    data = out.getvalue().encode()
    data = data if final_newline else data.removesuffix(line_end.encode())
    expected = [(line, label.decode().strip(), text) for line, (label, text) in reference(data)[1:]]
    assert table(data, chunk_bytes) == expected
    assert [text.decode() for _, _, text in table(data, 1 << 18)] == [text for _, text in rows]


def test_block_boundaries_at_every_position() -> None:
    expected = [(line, label.decode(), text) for line, (label, text) in reference(NASTY)[1:]]
    assert len(expected) == 6
    for chunk_bytes in range(1, len(NASTY) + 2):
        assert table(NASTY, chunk_bytes) == expected


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_regular_rows_take_the_fast_path(quoting: int) -> None:
    out = io.StringIO()
    rows = [("ham", 'say "hi", you'), ("spam", "two\nlines"), ("ham", ""), ("x", '"')]
    csv.writer(out, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    fast = split_rows(out.getvalue().encode(), ",", 2, quoting=True, final=True)
    assert fast is not None
    assert [text.decode() for text in fast.column(1)] == [text for _, text in rows]
    assert fast.lines.tolist() == [0, 1, 3, 4]


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(b'a,b"c"\n', id="quote in mid-field"),
        pytest.param(b'a,"b"c\n', id="text after a closing quote"),
        pytest.param(b"a,b\rc,d\n", id="lone carriage return"),
        pytest.param(b"a,b\n\nc,d\n", id="blank line"),
        pytest.param(b"a,b\nc\n", id="short row"),
        pytest.param(b"a,b,c\nd\n", id="long and short row that even out"),
        pytest.param(b'a,"b\n', id="open quote"),
    ],
)
def test_irregular_blocks_are_left_to_the_csv_module(block: bytes) -> None:
    assert split_rows(block, ",", 2, quoting=True, final=True) is None


def test_without_quoting_quotes_are_ordinary() -> None:
    fast = split_rows(b'ham\t"Hi" he said\nspam\t"oops\n', "\t", 2, quoting=False, final=False)
    assert fast is not None
    assert fast.column(1) == [b'"Hi" he said', b'"oops']


def test_many_distinct_labels_and_nul_bytes_are_kept_apart() -> None:
    values = [b"", b"\0", b"\0\0", *(b"%d" % i for i in range(50))]
    fast = split_rows(b"".join(b"%s,x\n" % value for value in values), ",", 2, quoting=True, final=True)
    assert fast is not None
    results, index = fast.distinct(0)
    assert [results[i] for i in index] == values
    few = split_rows(b"\0,x\n,x\n\0,x\n", ",", 2, quoting=True, final=True)
    assert few is not None
    assert few.distinct(0)[0] == [b"\0", b""]


def test_fields_longer_than_the_csv_module_allows_and_its_limit_stays_as_it_was() -> None:
    limit = csv.field_size_limit()
    long = "x" * (limit + 10)
    assert parse_rows(f'ham,{long}"\n'.encode(), ",", quoting=True, final=True).rows == [["ham", long + '"']]
    assert csv.field_size_limit() == limit

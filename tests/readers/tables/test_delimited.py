"""CSV and TSV as people have them: names, headers, delimiters, damage."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.tables import delimited

Read = Callable[..., Any]

TWO = [("ham", b"ok lar"), ("spam", b"WIN now")]


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        pytest.param(b"Label,Message\nham,ok lar\nspam,WIN now\n", "CSV (comma, header", id="comma"),
        pytest.param(b"text;class\nok lar;ham\nWIN now;spam\n", "CSV (semicolon, header", id="semicolon"),
        pytest.param(b"is_spam|sms\n0|ok lar\n1|WIN now", "CSV (pipe, header", id="pipe"),
        pytest.param(b"ham\tok lar\nspam\tWIN now\n", "TSV (tab, no header", id="tab without header"),
        pytest.param(b"ham,ok lar\r\nspam,WIN now\r\n", "CSV (comma, no header", id="comma without header"),
        pytest.param(b"spam,content\nno,ok lar\nyes,WIN now\n", "CSV (comma, header", id="yes and no"),
        pytest.param(b"id,Category,Body\n1,ham,ok lar\n2,spam,WIN now\n", "CSV (comma, header", id="id"),
        pytest.param(b"a,b\nham,ok lar\nspam,WIN now\nham,\nspam,\n", "CSV (comma, header", id="odd names"),
        pytest.param(
            b"\n\nlabel,text\n\nham,ok lar\n\nspam,WIN now\n\n", "CSV (comma, header", id="blank lines"
        ),
        pytest.param(b"label,text\rham,ok lar\rspam,WIN now\r", "CSV (comma, header", id="old Mac line ends"),
        pytest.param(b"\xef\xbb\xbflabel,text\nham,ok lar\nspam,WIN now\n", "CSV (comma, header", id="BOM"),
    ],
)
def test_shapes_are_found(read: Read, data: bytes, shape: str) -> None:
    for chunk_bytes in (1 << 18, 7):
        result = read(data, chunk_bytes=chunk_bytes)
        assert result.rows == TWO
        assert shape in result.source.description
        assert result.source.positive_hint == "spam"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CR LF", "CR"])
@pytest.mark.parametrize(
    ("first", "delimiter", "shape"),
    [
        pytest.param(b"sep=;", b";", "CSV (semicolon", id="semicolon"),
        pytest.param(b"SEP=,", b",", "CSV (comma", id="comma"),
        pytest.param(b"sep=\t", b"\t", "TSV (tab", id="tab"),
        pytest.param(b"sep=\\t", b"\t", "TSV (tab", id="tab as written"),
        pytest.param(b'"sep=|"', b"|", "CSV (pipe", id="quoted"),
        pytest.param(b"sep=,,", b",", "CSV (comma", id="saved again"),
    ],
)
def test_a_line_that_names_the_delimiter(
    read: Read, first: bytes, delimiter: bytes, shape: str, end: bytes, mark: bytes
) -> None:
    for header in ([b"label|text"], []):
        lines = [*header, b"ham|ok lar", b"|lost", b"spam|WIN now"]
        data = mark + end.join([first, *(line.replace(b"|", delimiter) for line in lines), b""])
        for name, chunk_bytes in (("data.csv", 1 << 18), ("data.tsv", 7), ("data.txt", 7)):
            result = read(data, name, chunk_bytes=chunk_bytes)
            assert result.rows == TWO
            assert f"{shape}, {'header' if header else 'no header'}, UTF-8" in result.source.description
            assert result.lines == [2 + len(header), 4 + len(header)]
            assert result.source.skipped.examples == [(3 + len(header), "no label")]


class Slow(io.RawIOBase):
    """A stream of which one line comes at a time."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        line = self._lines.pop(0) if self._lines else b""
        buffer[: len(line)] = line
        return len(line)


def test_a_live_stream_after_the_line_that_names_the_delimiter(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [b"\xef\xbb\xbfsep=;\r\n", b"id;text\r\n", b"1;ok, lar\r\n", b"2;WIN now\r\n"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Slow(lines))))
    source = open_source("-", ReadOptions(format="csv"), labelled=False)
    assert [chunk.texts.tolist() for chunk in source] == [[b"ok, lar"], [b"WIN now"]]


def test_a_line_that_names_the_delimiter_in_utf_16(read: Read) -> None:
    assert read("sep=;\r\nlabel;text\r\nham;ok lar\r\nspam;WIN now\r\n".encode("utf-16")).rows == TWO


@pytest.mark.parametrize(
    ("data", "label"),
    [
        pytest.param(b"text,spam\nok lar,0\nWIN now,1\n", '"spam" (spam = "1")', id="text,spam"),
        pytest.param(b"Message,Spam\nok lar,0\nWIN now,1\n", '"Spam" (spam = "1")', id="Message,Spam"),
        pytest.param(b"spam,text\n0,ok lar\n1,WIN now\n", '"spam" (spam = "1")', id="spam,text"),
        pytest.param(b"words,spam\nok lar,0\nWIN now,1\n", '"spam" (spam = "1")', id="words,spam"),
        pytest.param(b"words,spam\nok lar,N\nWIN now,Y\n", '"spam" (spam = "Y")', id="Y and N"),
        pytest.param(b"spam,text\nham,ok lar\nspam,WIN now\n", '"spam" (spam = "spam")', id="words below"),
        pytest.param(b"text,ham\nok lar,1\nWIN now,0\n", '"ham" (spam = "0", ham = "1")', id="text,ham"),
        pytest.param(
            b"is_ham,sms\nyes,ok lar\nno,WIN now\n", '"is_ham" (spam = "no", ham = "yes")', id="is_ham"
        ),
        pytest.param(
            b"legit,words\ntrue,ok lar\nfalse,WIN now\n", '"legit" (spam = "false", ham = "true")', id="legit"
        ),
    ],
)
def test_a_header_that_is_a_label_too(read: Read, data: bytes, label: str) -> None:
    name = label.split('"')[1]
    for options in ({}, {"label_column": name}, {"label_column": name.upper()}):
        result = read(data, **options)
        assert result.rows == TWO
        assert f"label column {label}" in result.source.description
        assert result.lines == [2, 3]


def test_a_first_label_that_is_no_header(read: Read) -> None:
    for rest in (b"ham,b\nspam,c\n", b"ham,b\nham,c\n", b"ham,b\nham,c\nads,sale today\nads,d\n"):
        result = read(b"spam,some text\nham,ok lar\n" + rest)
        assert result.rows[:2] == [("spam", b"some text"), ("ham", b"ok lar")]
        assert "no header" in result.source.description


def test_a_stated_name_makes_a_header(read: Read) -> None:
    data = b"spam,words\nham,ok lar\nspam,WIN now\n"
    assert len(read(data).rows) == 3
    assert read(data, label_column="spam").rows == TWO
    assert read(data, text_column="Words").rows == TWO


def test_a_typing_error_among_labels_is_skipped_and_named(read: Read) -> None:
    lines = [b"ham,hello there", b"spam,WIN now"] * 400
    lines[6] = b"spma,WIN now"
    for data in (b"label,text\n" + b"\n".join(lines), b"kind,words\n" + b"\n".join(lines)):
        result = read(data)
        assert set(result.labels) == {"ham", "spam"}
        assert result.source.positive_hint == "spam"
        assert result.source.skipped.summary() == "1 skipped (line 8: unknown label spma)"


def test_a_third_class_stays_one(read: Read) -> None:
    rows = [b"ham,hello there", b"spam,WIN now"] * 95 + [b"promo,20% off"] * 10
    result = read(b"label,text\n" + b"\n".join(rows))
    assert set(result.labels) == {"ham", "spam", "promo"}
    assert "(labels: ham, spam, promo)" in result.source.description


def test_description_says_it_all(here: Path) -> None:
    (here / "sms.csv").write_bytes(b"Label,Message,length,from\nham,ok,2,x\n1,no,2,y\n")
    options = ReadOptions.from_flags(categorical=("from",), numeric=("length",))
    with open_source("sms.csv", options, labelled=True) as source:
        assert source.description == (
            'sms.csv: CSV (comma, header, UTF-8), text column "Message", '
            'label column "Label" (spam = "1"), categorical "from", numeric "length"'
        )
        assert (source.name, source.size) == ("sms.csv", 46)
    (here / "plain.tsv").write_bytes(b"ham\tok\nspam\tno\n")
    with open_source("plain.tsv", ReadOptions(), labelled=True) as source:
        assert source.description == (
            'plain.tsv: TSV (tab, no header, UTF-8), text column 2, label column 1 (spam = "spam")'
        )


@pytest.mark.parametrize(
    ("rows", "about"),
    [
        pytest.param(b"ham,see you\n", ' (ham = "ham")', id="nothing but ham"),
        pytest.param(b"", "", id="nothing but a header"),
    ],
)
def test_labels_that_do_not_occur_are_not_described(here: Path, rows: bytes, about: str) -> None:
    (here / "x.csv").write_bytes(b"v1,v2\n" + rows)
    with open_source("x.csv", ReadOptions(), labelled=True) as source:
        assert source.description == (
            f'x.csv: CSV (comma, header, UTF-8), text column "v2", label column "v1"{about}'
        )


def test_file_as_a_spreadsheet_exports_it(read: Read) -> None:
    rows = ["v1,v2,,,", 'ham,"Go, ""now""",,,', "spam,WIN £100,,,", 'ham,"more, text"," PO Box",,"']
    result = read("\r\n".join(rows).encode("latin-1"))
    assert result.rows[:2] == [("ham", b'Go, "now"'), ("spam", "WIN £100".encode())]
    assert "cp1252" in result.source.description
    assert result.source.skipped.examples == [(4, "quote is never closed")]


def test_rows_that_cannot_be_used_are_named_with_their_lines(read: Read) -> None:
    data = b'label,text\nham,"two\nlines"\n,no label\nham,\nspam,ok\n\nham\nspam,a,b\n'
    result = read(data)
    assert result.rows == [("ham", b"two\nlines"), ("spam", b"ok"), ("spam", b"a,b")]
    assert result.lines == [2, 6, 9]
    assert result.source.skipped.count == 3
    assert result.source.skipped.examples == [(4, "no label"), (5, "no text"), (8, "no text")]
    assert result.source.skipped.reasons == {"no label": 1, "no text": 2}


def test_unknown_label_after_the_sample(read: Read) -> None:
    data = b"label,text\n" + b"ham,a message of some length\n" * 3000 + b"maybe\x1b,b\nspam,c\n"
    result = read(data)
    assert result.source.skipped.examples == [(3002, "unknown label maybe\\x1b")]
    assert len(result.texts) == 3001


def test_without_labels_every_row_is_a_message(read: Read) -> None:
    data = b"label,text\nham,a\n,\nspam\nham,b,c\nx,y\n"
    result = read(data, labelled=False)
    assert result.texts == [b"a", b"", b"", b"b,c", b"y"]
    assert result.chunks[0].labels is None
    assert result.source.positive_hint is None


def test_surplus_fields_before_the_last_column(read: Read) -> None:
    data = b"text,label\na,ham\nb,c,spam\nd,spam,,\n"
    labelled = read(data)
    assert labelled.rows == [("ham", b"a"), ("spam", b"d")]
    assert labelled.source.skipped.examples == [(3, "3 fields, expected 2")]
    unlabelled = read(data, labelled=False)
    assert unlabelled.texts == [b"a", b"", b"d"]
    assert unlabelled.source.skipped.summary() == (
        "1 row unsure: cannot be read (line 3: 3 fields, expected 2)"
    )


OVERFLOW = b"ham,ok lar,,,\nspam,bare, unquoted comma here,,\nham,a, b, c, d, e\n"
JOINED = [("ham", b"ok lar"), ("spam", b"bare, unquoted comma here"), ("ham", b"a, b, c, d, e")]


@pytest.mark.parametrize("header", [b"v1,v2,,,", b"v1,v2,Unnamed: 2,Unnamed: 3,Unnamed: 4", b"v1,v2,,_2,_3"])
def test_columns_without_a_name_continue_the_text(read: Read, header: bytes) -> None:
    data = header + b"\n" + OVERFLOW + b"ham,see you,,,\nspam,WIN now,,,\n"
    for chunk_bytes in (1 << 18, 7):
        result = read(data, chunk_bytes=chunk_bytes)
        assert result.rows == [*JOINED, ("ham", b"see you"), ("spam", b"WIN now")]
        assert result.source.skipped.lines() == ["2 texts joined from several fields: unquoted delimiters"]
    unlabelled = read(data, labelled=False, keep_columns=True)
    assert unlabelled.texts[:3] == [text for _, text in JOINED]
    assert unlabelled.source.skipped.joined == 2
    assert list(unlabelled.chunks[0].columns.record(1).values())[1:] == [JOINED[1][1].decode(), "", "", ""]


def test_texts_joined_in_blocks_are_counted(read: Read) -> None:
    blocks = read(b"v1,v2,,,\n" + OVERFLOW).source.blocks
    skipped = SkippedRecords()
    [(chunk, lines)] = blocks.reader.read(OVERFLOW, skipped)
    assert (chunk.texts.tolist()[1], lines, skipped.joined) == (JOINED[1][1], 3, 2)
    skipped.extend(skipped, 0)
    assert skipped.joined == 4


def test_columns_without_a_name_that_are_filled_or_before_a_named_one_are_no_text(read: Read) -> None:
    rows = b"".join(b"ham,message %d,tag\nspam,WIN %d,tag\n" % (i, i) for i in range(9))
    assert read(b"v1,text,\n" + rows).texts[0] == b"message 0"
    assert read(b"v1,text,,id\nham,a,b,1\nspam,c,,2\n").texts == [b"a", b"c"]


def test_one_text_joined(read: Read) -> None:
    result = read(b"label,text\nham,a\nspam,b,c\n")
    assert result.source.skipped.lines() == ["1 text joined from several fields: unquoted delimiters"]


def test_a_damaged_row_has_no_columns_to_classify_by(read: Read) -> None:
    data = b"text,size,kind\na,1,x\nb,c,2,y\nd,3,z\n"
    result = read(data, labelled=False, numeric=("size",), categorical=("kind",))
    assert result.texts == [b"a", b"", b"d"]
    assert result.chunks[0].categories == {"kind": ["x", "", "z"]}
    assert str(result.chunks[0].numbers["size"].tolist()) == "[1.0, nan, 3.0]"


def test_damaged_rows_have_no_say_in_what_labels_mean(read: Read) -> None:
    data = b'id,text,label\n1,hello there,ham\n2,WIN now, call 09,spam\n3,see you,ham\n4,"WIN,x,spam\n'
    result = read(data)
    assert result.source.description.endswith('label column "label" (ham = "ham")')
    assert result.rows == [("ham", b"hello there"), ("ham", b"see you")]
    assert result.source.skipped.summary() == (
        "2 skipped (line 3: 4 fields, expected 3, line 5: quote is never closed)"
    )
    last = read(b"label,text\n" + b"nope,a, b\njunk,c\n" * 2)  # a text in the last column has its commas
    assert last.labels == ["ham", "spam", "ham", "spam"]


@pytest.mark.parametrize(
    ("damage", "good"),
    [
        pytest.param(b'ham,"never closed\n', 398, id="no other quote"),
        pytest.param(b'ham,"never closed, comma\n', 398, id="too many fields"),
        pytest.param(
            b'ham,"never closed\n' + b"ham,see you\n" * 9 + b'spam,"a, b"\n', 408, id="a later quote"
        ),
        pytest.param(b'ham,"never closed\nham,"nor this\n', 398, id="twice"),
    ],
)
@pytest.mark.parametrize("chunk_bytes", [40, 1 << 19])
def test_a_quote_that_is_never_closed_takes_one_row(
    read: Read, damage: bytes, good: int, chunk_bytes: int
) -> None:
    rows = b"ham,ok lar\n" + damage + b"spam,WIN now\n" * 397
    result = read(b"label,text\n" + rows, chunk_bytes=chunk_bytes)
    assert len(result.rows) == good
    assert result.lines[-1] == rows.count(b"\n") + 1
    assert set(result.source.skipped.reasons) == {"quote is never closed"}
    assert result.source.skipped.examples[0] == (3, "quote is never closed")


def test_a_quoted_field_of_several_lines_may_end_before_blanks(read: Read) -> None:
    result = read(b'text,label\n"two\nlines" ,ham\n"an ""odd""\nend",spam\n')
    assert result.rows == [("ham", b"two\nlines "), ("spam", b'an "odd"\nend')]
    assert not result.source.skipped.count


def test_classes_other_than_spam_stay_as_they_are(read: Read) -> None:
    result = read(
        b"lang,text\nen,good day\n de ,guten Tag\nfr,bonjour\nen,hello\nde,hallo\n", label_column="lang"
    )
    assert result.labels == ["en", "de", "fr", "en", "de"]
    assert result.source.positive_hint is None
    assert 'label column "lang" (labels: en, de, fr; none is spam)' in result.source.description


def test_spam_label_makes_two_classes(read: Read, here: Path) -> None:
    data = b"kind,text\nads,buy\nfriend,hi\nnews,read\n"
    result = read(data, label_column="kind", spam_label="ADS")
    assert result.labels == ["spam", "ham", "ham"]
    (here / "x.csv").write_bytes(data)
    source = open_source(
        "x.csv", ReadOptions.from_flags(label_column="kind", spam_label="junk"), labelled=True
    )
    with pytest.raises(DataError) as caught:
        list(source)
    assert str(caught.value) == 'spam label "junk" never occurs in x.csv; its labels: ads, friend, news'
    assert caught.value.hint == "give one of these labels with --spam-label"


def test_columns_by_number_and_by_any_case(read: Read) -> None:
    data = b"A,B,C\nx,ham,first one\ny,spam,second\n"
    assert read(data, text_column="3", label_column="2").rows == [("ham", b"first one"), ("spam", b"second")]
    assert read(data, text_column="a", label_column="b").texts == [b"x", b"y"]


TENNIS = (
    b"Day,Outlook,Temperature,Wind,Play\n1,Sunny,30.5,Weak,No\n2,Rain,,Strong,No\n"
    b"3, Rain ,hot,Weak,Yes\n4,,12,Weak,Yes\n"
)


def test_a_table_without_text(read: Read) -> None:
    for chunk_bytes in (1 << 18, 9):
        columns = {"categorical": ("Outlook", "wind"), "numeric": ("Temperature",), "label_column": "Play"}
        result = read(TENNIS, chunk_bytes=chunk_bytes, **columns)
        assert result.rows == [("No", b""), ("No", b""), ("Yes", b""), ("Yes", b"")]
        assert "no text column" in result.source.description
        outlook = [value for chunk in result.chunks for value in chunk.categories["Outlook"]]
        wind = [value for chunk in result.chunks for value in chunk.categories["wind"]]
        degrees = [value for chunk in result.chunks for value in chunk.numbers["Temperature"].tolist()]
        assert outlook == ["Sunny", "Rain", "Rain", ""]
        assert wind == ["Weak", "Strong", "Weak", "Weak"]
        assert degrees[0::3] == [30.5, 12.0]
        assert all(map(math.isnan, degrees[1:3]))


def test_columns_of_skipped_rows_are_skipped_too(read: Read) -> None:
    result = read(b"label,text,n,c\nham,a,1,x\n,b,2,y\nspam,,3,z\n", categorical=("c",), numeric=("n",))
    assert result.rows == [("ham", b"a"), ("spam", b"")]
    assert result.chunks[0].categories == {"c": ["x", "z"]}
    assert result.chunks[0].numbers["n"].tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("data", "options", "message", "hint"),
    [
        pytest.param(
            b"label,text\nham,a\n",
            {"numeric": ("size",)},
            'x.csv has no column "size"',
            "its columns: label, text",
            id="missing column",
        ),
        pytest.param(
            b"ham\ta\nspam\tb\n",
            {"text_column": "3"},
            'x.csv has no column "3"',
            "its columns: 1, 2",
            id="number out of range",
        ),
        pytest.param(
            b"label,text,c\nham,a,red\n",
            {"numeric": ("c",)},
            'column "c" of x.csv has no numbers, for example "red"',
            "give it as --categorical c",
            id="words as numbers",
        ),
        pytest.param(
            b"text\nhello there\nyou\n",
            {},
            "x.csv has one column, expected a text and a label column",
            "add a column with the label of each message, such as spam or ham",
            id="one column",
        ),
        pytest.param(
            b"a,b\none two,three four\nfive,six\n",
            {},
            "no label column in x.csv (columns: 1, 2)",
            "name it with --label-column",
            id="no label",
        ),
        pytest.param(
            b"label,text\nham,a\n",
            {"text_column": "label", "label_column": "label"},
            'column "label" of x.csv cannot be both text and label',
            "give another --text-column or --label-column",
            id="one column for both",
        ),
    ],
)
def test_columns_that_cannot_be(
    here: Path, data: bytes, options: dict[str, object], message: str, hint: str
) -> None:
    (here / "x.csv").write_bytes(data)
    with pytest.raises(DataError) as caught:
        open_source("x.csv", ReadOptions.from_flags(**options), labelled=True)
    assert (str(caught.value), caught.value.hint) == (message, hint)


def test_nothing_usable(here: Path) -> None:
    (here / "x.csv").write_bytes(b"label,text\n" + b",a\n" * 6)
    with pytest.raises(DataError) as caught:
        list(open_source("x.csv", ReadOptions(), labelled=True))
    lines = ", ".join(f"line {i}: no label" for i in range(2, 7))
    assert str(caught.value) == f"no usable rows in x.csv: 6 skipped ({lines}, ...)"
    assert caught.value.hint == "name the columns with --text-column and --label-column"
    (here / "x.csv").write_bytes(b"label,text\n")
    with pytest.raises(DataError, match=r"(?m)^no usable rows in x\.csv: nothing but a header$"):
        list(open_source("x.csv", ReadOptions(), labelled=True))


def test_an_id_taken_for_a_label(here: Path) -> None:
    (here / "x.csv").write_bytes(b"id,text\n" + b"".join(b"%d,a\n" % i for i in range(1500)))
    with pytest.raises(DataError) as caught:
        list(open_source("x.csv", ReadOptions.from_flags(label_column="id"), labelled=True))
    assert str(caught.value) == (
        'column "id" of x.csv does not look like labels: 1,500 different values in 1,500 rows'
    )
    (here / "x.csv").write_bytes(
        b"id,text\n" + b"x,a\n" * 20_000 + b"".join(b"%d,a\n" % i for i in range(1500))
    )
    with pytest.raises(DataError) as caught:
        list(open_source("x.csv", ReadOptions.from_flags(label_column="id"), labelled=True))
    assert str(caught.value) == 'column "id" has more than 1,000 different labels'


def test_quotes_of_a_tab_separated_file(read: Read) -> None:
    ordinary = read(b'ham\t"Hi" he said\nspam\t"WIN\nham\t"ok"\n', "x.tsv")
    assert ordinary.texts == [b'"Hi" he said', b'"WIN', b'"ok"']
    assert "quotes are ordinary characters" in ordinary.source.description
    wrapped = read(b'ham\t"two\nlines"\nspam\t"a\tb"\n', "x.tsv")
    assert wrapped.texts == [b"two\nlines", b"a\tb"]
    assert "ordinary" not in wrapped.source.description


def test_a_quote_that_never_closes_ends_in_an_error_not_in_all_memory(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "LONGEST_RECORD", 1 << 20)
    (here / "x.csv").write_bytes(b"label,text\nham,a\n" * 10000 + b'spam,"b\n' + b"ham,c\n" * 500_000)
    with pytest.raises(DataError) as caught:
        list(open_source("x.csv", ReadOptions(), labelled=True))
    assert str(caught.value) == (
        "x.csv line 20,001: a quote opens in this record and is not closed within 1 MiB"
    )


def test_a_record_without_quotes_that_is_too_long(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST_RECORD", 1 << 20)
    (here / "x.csv").write_bytes(b"label,text\nham,a\nspam," + b"b" * 5_000_000)
    with pytest.raises(DataError) as caught:
        list(open_source("x.csv", ReadOptions(), labelled=True))
    assert str(caught.value) == "x.csv line 3: this record is longer than 1 MiB"


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_too_many_columns_are_refused_unless_they_stand_in_quotes(here: Path, quote: bytes) -> None:
    (here / "x.csv").write_bytes(b"spam," + quote + b"a," * 20_000 + quote + b"\nham,b\n")
    if quote:
        assert sum(len(chunk) for chunk in open_source("x.csv", ReadOptions(), labelled=True)) == 2
        return
    with pytest.raises(DataError) as caught:
        open_source("x.csv", ReadOptions(), labelled=True)
    assert str(caught.value) == (
        "the first line of x.csv has more than 10,000 columns, expected a table of messages"
    )


def test_a_record_longer_than_head_and_chunk(read: Read) -> None:
    long = b"word, " * 50_000
    result = read(b'label,text\nham,"' + long + b'"\nspam,ok\n', chunk_bytes=1000)
    assert result.rows == [("ham", long), ("spam", b"ok")]
    assert result.lines == [2, 3]


def test_positions_grow_to_the_size(read: Read) -> None:
    result = read(b"label,text\n" + b"ham,hello\n" * 20_000, chunk_bytes=50_000)
    positions = [chunk.position for chunk in result.chunks]
    assert len(positions) > 2
    assert positions == sorted(positions)
    assert positions[-1] == result.source.size


def test_bytes_that_are_not_utf_8_are_cp1252(read: Read) -> None:
    data = b"label,text\n" + b"ham,some text that fills the head\n" * 3000 + b'spam,\xff\xfe\nham,x"\xff\n'
    assert read(data).texts[-2:] == ["ÿþ".encode(), 'x"ÿ'.encode()]


@pytest.mark.parametrize("chunk_bytes", [1, 7, 1 << 18])
@pytest.mark.parametrize("delimiter", [b",", b"\t"], ids=["comma", "tab"])
def test_a_column_added_behind_carriage_returns(read: Read, chunk_bytes: int, delimiter: bytes) -> None:
    """As by `sed 's/$/,label/'` on lines that end with CR LF."""
    lines = [b"id,text\r,label", b"1,ok lar\r,ham", b"2,WIN now\r,spam"]
    for end in (b"\n", b"\r\n"):
        data = b"".join(line.replace(b",", delimiter) + end for line in lines)
        result = read(data, chunk_bytes=chunk_bytes)
        assert [(label, text.rstrip()) for label, text in result.rows] == TWO
    only_header = [b"text,id\r, label ", b"ok lar,1,ham\r", b"WIN now,2,spam\r"]
    data = b"".join(line.replace(b",", delimiter) + b"\n" for line in only_header)
    assert read(data, chunk_bytes=chunk_bytes).rows == TWO

"""Tables that `predict` wrote are read as what they were written from."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from spamnb.messages import Texts, escape_field, unescape_fields
from spamnb.readers import ReadOptions, open_source
from spamnb.report.prediction_lines import table_fields
from tests.helpers.command_line import Cli

ODD = st.text(st.sampled_from("\\tnrxuU0041 af\t\n\r\x1b\x85\u202e\u200d\ufeff'=\"é😀"))
TEXTS = st.lists(st.text() | ODD, min_size=1, max_size=6)
ESCAPED = [
    r"a\tb",
    "a\tb",
    "\\\t",
    "\\\\t",
    "C:\\new",
    "¯\\_(ツ)_/¯",
    "two\nlines",
    r"\u202e",
    "\u202e",
    '"Hi"',
    'Reply "YES" to claim',
    '"a" and "b"',
    '"',
]


def written(texts: list[str]) -> bytes:
    """The TSV that `predict` writes of these messages, with a column `label` added."""
    rows = [b"verdict\tprobability\ttext\tlabel"]
    rows += [b"spam\t0.9000\t%b\tham" % field for field in table_fields(Texts.of(texts))]
    return b"".join(row + b"\n" for row in rows)


def read(path: Path, chunk_bytes: int = 1 << 19) -> tuple[list[str], list[str]]:
    """The messages of a file, and those of its kept columns."""
    options = ReadOptions(keep_columns=True, chunk_bytes=chunk_bytes)
    with open_source(str(path), options, labelled=False) as source:
        chunks = list(source)
    messages = [text.decode() for chunk in chunks for text in chunk.texts.tolist()]
    kept = [chunk.columns.record(i)["text"] for chunk in chunks if chunk.columns for i in range(len(chunk))]
    return messages, kept


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.sampled_from([1, 1 << 19]))
@example(ESCAPED, 1 << 19)
@example(['"Hi"'], 1)
def test_every_text_comes_back_from_tsv(tmp_path: Path, texts: list[str], chunk_bytes: int) -> None:
    path = tmp_path / "verdicts.tsv"
    path.write_bytes(written(texts))
    assert read(path, chunk_bytes) == (texts, texts)


@given(st.text() | ODD)
def test_an_escaped_field_is_one_harmless_line(text: str) -> None:
    field = escape_field(text.encode())
    assert not {b"\t", b"\n", b"\r", b"\x1b"} & {field[i : i + 1] for i in range(len(field))}
    assert unescape_fields(Texts.of([field])).tolist() == [text.encode()]


@given(st.binary())
def test_bytes_that_are_not_utf8_make_no_other_escapes(data: bytes) -> None:
    (field,) = unescape_fields(Texts.of([escape_field(data)])).tolist()
    assert field.decode() == data.decode("utf-8", "surrogateescape").translate(
        {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
@example(ESCAPED)
def test_every_text_comes_back_by_way_of_pandas(tmp_path: Path, texts: list[str]) -> None:
    """It quotes what has a quote, and writes what it has read."""
    table = pd.read_csv(io.BytesIO(written(texts)), sep="\t", dtype=str, keep_default_na=False)
    table.to_csv(tmp_path / "saved.tsv", sep="\t", index=False, lineterminator="\n")
    assert read(tmp_path / "saved.tsv")[0] == texts


def test_a_quote_is_escaped_only_in_tables(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "-q")
    assert cli(*flags, stdin=b'"win" he said\n').text == 'spam\t0.7500\t"win" he said\n'
    cli.write("t.csv", 'text\n"""win"" he said"\n')
    assert cli(*flags, "t.csv").text == 'verdict\tprobability\ttext\nspam\t0.7500\t\\x22win" he said\n'


def test_a_backslash_that_escapes_nothing_is_not_changed() -> None:
    for text in ("¯\\_(ツ)_/¯", "\\o/", "end\\", "a\\b"):
        assert escape_field(text.encode()) == text.encode()


@pytest.mark.parametrize("names", [b"id\ttext\tlabel", b"verdict\ttext\tprobability"])
def test_other_tables_have_no_escapes(tmp_path: Path, names: bytes) -> None:
    (path := tmp_path / "sms.tsv").write_bytes(names + b"\n" + rb"1	C:\temp	0" + b"\n")
    assert read(path)[0] == ["C:\\temp"]


def test_learn_and_predict_see_the_messages_that_were_predicted(cli: Cli, tiny: Path) -> None:
    records = [json.dumps({"text": text}) for text in ESCAPED]
    (cli.here / "in.jsonl").write_text("\n".join([*records, ""]))
    cli("predict", "-m", tiny, "in.jsonl", "-o", "out.tsv")
    head, *rows = (cli.here / "out.tsv").read_text().splitlines()
    (cli.here / "mine.tsv").write_text("\n".join([f"label\t{head}", *(f"spam\t{row}" for row in rows), ""]))
    assert read(cli.here / "mine.tsv")[0] == ESCAPED
    again = cli("predict", "-m", tiny, "out.tsv", "--format", "jsonl").records
    assert [row["text"] for row in again] == ESCAPED

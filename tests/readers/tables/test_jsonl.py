"""JSON lines: keys, values, damage."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.tables.jsonl import parse_lines

Read = Callable[..., Any]


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.mark.parametrize(
    ("text", "label"), [("text", "label"), ("Message", "class"), ("sms", "is_spam"), ("blah", "blub")]
)
def test_keys_are_found(read: Read, text: str, label: str) -> None:
    data = lines(*({"id": i, label: "spam" if i % 2 else "ham", text: f"message {i}"} for i in range(30)))
    result = read(data, "x.jsonl", chunk_bytes=64)
    assert result.rows[:2] == [("ham", b"message 0"), ("spam", b"message 1")]
    assert result.lines == list(range(1, 31))
    assert f'JSONL (UTF-8), text column "{text}", label column "{label}"' in result.source.description


def test_values_of_every_kind(read: Read) -> None:
    data = lines(
        {"text": "é \ud83d", "spam": True},
        {"text": 5, "spam": False},
        {"text": None, "spam": True},
        {"text": "x", "spam": None},
        {"text": ["x"], "spam": 1},
        {"spam": 0},
        {"text": "last", "spam": 1.0},
    )
    result = read(data, "x.jsonl")
    assert result.rows == [("spam", b"\xc3\xa9 \xed\xa0\xbd"), ("ham", b"5"), ("spam", b"last")]
    assert [line for line, _ in result.source.skipped.examples] == [3, 4, 5, 6]
    assert result.source.skipped.reasons == {"no text": 3, "no label": 1}
    assert read(data, "x.jsonl", labelled=False).texts == [
        b"\xc3\xa9 \xed\xa0\xbd",
        b"5",
        b"",
        b"x",
        b"",
        b"",
        b"last",
    ]


BAD = (
    b'{"text": "a", "label": "ham"}\n\n{"text": \n[1]\n"x"\n'
    + b"[" * 100_000
    + b'\n{"text": "b", "label": "spam"}'
)


def test_bad_lines_are_skipped_and_named(read: Read) -> None:
    for chunk_bytes in (1 << 18, 16):
        result = read(BAD, "x.jsonl", chunk_bytes=chunk_bytes)
        assert result.rows == [("ham", b"a"), ("spam", b"b")]
        assert result.lines == [1, 7]
        assert result.source.skipped.examples == [
            (3, "bad JSON"),
            (4, "not a JSON object"),
            (5, "not a JSON object"),
            (6, "bad JSON"),
        ]


def test_without_labels_bad_lines_come_out_empty(read: Read) -> None:
    result = read(BAD, "x.jsonl", labelled=False)
    assert result.texts == [b"a", b"", b"", b"", b"", b"b"]
    assert result.source.skipped.reasons == {"bad JSON": 2, "not a JSON object": 2}


def test_columns(read: Read) -> None:
    data = lines(
        {"text": "a", "label": "ham", "from": "me", "size": 3},
        {"text": "b", "label": "z", "size": "4.5"},
        {"text": "c", "label": "y", "from": "you"},
    )
    chunk = read(data, "x.jsonl", categorical=("from",), numeric=("size",)).chunks[0]
    assert chunk.categories == {"from": ["me", "", "you"]}
    assert chunk.numbers["size"].tolist()[:2] == [3.0, 4.5]
    assert chunk.labels == ["ham", "z", "y"]


def test_what_is_no_jsonl(here: Path) -> None:
    (here / "x.json").write_bytes(b'[{"text": "a"}]')
    with pytest.raises(DataError) as caught:
        open_source("x.json", ReadOptions(format="jsonl"), labelled=False)
    assert str(caught.value) == "x.json is a JSON array, expected one JSON object per line"
    assert caught.value.hint == "leave out --input-format jsonl, or give json"
    (here / "x.json").write_bytes(b'{\n"text": "a"\n}\n')
    with pytest.raises(DataError) as caught:
        open_source("x.json", ReadOptions(), labelled=True)
    assert str(caught.value) == "no JSON objects in the first lines of x.json"
    assert caught.value.hint == "this is not JSONL: try --input-format csv, or check the file"


def one_by_one(block: bytes) -> list[object]:
    """The slow twin: json.loads for each line that is not blank."""
    rows: list[object] = []
    for line in block.decode().split("\n"):
        if line.strip():
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            rows.append(value if isinstance(value, dict) else {})
    return rows


@given(
    st.lists(
        st.sampled_from(['{"a":', "1", "2}", "{}", "},", ",", '"b":', "[", "]", "\n", " ", '"},"']),
        max_size=12,
    )
)
@example(['{"a":', "1", "\n", '"b":', "2},", "{}"])
@example(["{}", ",", "{}", "\n", '{"a":', "[", "{}", "\n", "{}", "]", "}"])
@example(["{}", "\n", " ", "\n", "{}"])
def test_parsing_at_once_is_parsing_line_by_line(pieces: list[str]) -> None:
    block = "".join(pieces).encode()
    assert parse_lines(block)[0] == one_by_one(block)


@given(st.lists(st.one_of(st.dictionaries(st.text(), st.text(), max_size=2), st.integers(), st.just("{"))))
def test_lines_are_what_json_reads(values: list[object]) -> None:
    block = "\n".join(value if value == "{" else json.dumps(value) for value in values).encode()
    records, numbers, faults = parse_lines(block)
    assert records == [value if isinstance(value, dict) else {} for value in values]
    assert numbers == list(range(len(values)))
    assert sorted(faults) == [i for i, value in enumerate(values) if not isinstance(value, dict)]


def test_a_first_record_longer_than_the_head(read: Read) -> None:
    data = lines({"text": "x" * 200_000, "label": "ham"}, {"text": "b", "label": "spam"})
    assert read(data, "x.jsonl").labels == ["ham", "spam"]


def test_bad_first_lines_of_a_stream_to_predict(read: Read) -> None:
    assert read(b'oops\n{"text": "a"}\n', "x.jsonl", labelled=False).texts == [b"", b"a"]
    assert read(b"oops\n", "x.jsonl", labelled=False).texts == [b""]


def test_of_very_many_names_the_usual_and_the_stated_ones_are_found(read: Read) -> None:
    records = [{f"n{i}": 1} for i in range(300)] + [{"mine": "a", "text": "b", "label": "ham"}] * 3
    assert read(lines(*records), "x.jsonl").texts == [b"b"] * 3
    assert read(lines(*records), "x.jsonl", text_column="mine").texts == [b"a"] * 3


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize(
    "value",
    [
        {"label": {"0": "ham", "1": "spam"}, "text": {"0": "hi", "1": "WIN"}},  # DataFrame.to_json()
        {"data": [{"label": "ham", "text": "hi"}]},
    ],
)
def test_one_object_that_holds_all_messages_is_refused(read: Read, value: object, labelled: bool) -> None:
    with pytest.raises(DataError) as caught:
        read(lines(value), "x.json", labelled=labelled)
    assert str(caught.value).endswith(
        "x.json is one JSON object that holds all messages, expected an object for each"
    )
    assert caught.value.hint == 'write an array of objects; in pandas to_json(PATH, orient="records")'
    assert read(lines({"text": "hi", "tags": ["a"]}), "x.jsonl", labelled=False).texts == [b"hi"]

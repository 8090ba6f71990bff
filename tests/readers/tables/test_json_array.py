"""JSON arrays: found, read element by element, damaged, piped."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source

Read = Callable[..., Any]

RECORDS = [{"label": "ham", "text": "ok lar"}, {"label": "spam", "text": "WIN é\nnow, [1] {2}"}]
ROWS = [("ham", b"ok lar"), ("spam", "WIN é\nnow, [1] {2}".encode())]


def failure(path: str, **options: Any) -> tuple[str, str]:
    with pytest.raises(DataError) as caught:
        list(open_source(path, ReadOptions.from_flags(**options), labelled=True))
    return str(caught.value), caught.value.hint


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x", "x.json.gz"])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk_bytes", [1, 1 << 19])
def test_arrays_are_found_and_read(read: Read, name: str, indent: int | None, chunk_bytes: int) -> None:
    data = json.dumps(RECORDS, indent=indent, ensure_ascii=False).encode()
    data = gzip.compress(data) if name.endswith("gz") else data
    result = read(data, name, chunk_bytes=chunk_bytes)
    assert result.rows == ROWS
    assert result.lines == ([1, 1] if indent is None else [2, 6])
    stored = "UTF-8, gzip" if name.endswith("gz") else "UTF-8"
    assert result.source.description.endswith(
        f'{name}: JSON array ({stored}), text column "text", label column "label" (spam = "spam")'
    )
    assert read(data, name, labelled=False, chunk_bytes=chunk_bytes).texts == [text for _, text in ROWS]


def test_a_file_json_may_hold_lines(read: Read) -> None:
    data = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()
    result = read(data, "x.json")
    assert result.rows == ROWS
    assert ": JSONL (" in result.source.description


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b""])
def test_line_ends(read: Read, line_end: bytes) -> None:
    elements = [json.dumps(record).encode() for record in RECORDS]
    data = line_end.join([b"[", elements[0] + b",", elements[1], b"]", b""])
    assert read(data, "x.json").rows == ROWS
    assert read(data, "x.json", labelled=False).texts == [text for _, text in ROWS]


def test_an_empty_array(read: Read, here: Path) -> None:
    assert read(b"[ \n]", "x.json", labelled=False).texts == []
    (here / "x.json").write_bytes(b"[]")
    assert failure("x.json") == (
        "no JSON objects at the beginning of the array in x.json",
        'each element should be an object, such as {"label": "ham", "text": "ok"}',
    )


def test_elements_that_are_no_objects_keep_their_place(read: Read) -> None:
    data = b'[{"label": "ham", "text": "a"}, 17, [1], "x", null,\n{"label": "spam", "text": "b"}]'
    for chunk_bytes in (1, 1 << 19):
        result = read(data, "x.json", chunk_bytes=chunk_bytes)
        assert result.rows == [("ham", b"a"), ("spam", b"b")]
        assert result.source.skipped.reasons == {"not a JSON object": 4}
        assert result.lines == [1, 2]
        assert read(data, "x.json", labelled=False).texts == [b"a", b"", b"", b"", b"", b"b"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'[{"label": "ham", "text": "a"},\n{"label": "sp', "x.json line 2: no whole JSON value"),
        (b'[{"label": "ham", "text": "a"},\n\n{"text": bad}, {}]', "x.json line 3: no whole JSON value"),
        (b'[{"label": "ham", "text": "a"},\n {"text": "b"} {}]', "x.json line 2: no whole JSON value"),
        (b'[{"label": "ham", "text": "a"},]', "x.json line 1: no whole JSON value"),
        (b'[{"label": "ham", "text": "a"}', "x.json line 1: no whole JSON value"),
        (b"[" * 100_000, "x.json line 1: no whole JSON value"),
        (b'[{"label": "ham", "text": ' + b"9" * 5000 + b"}]", "x.json line 1: no whole JSON value"),
    ],
)
def test_damaged_arrays(here: Path, data: bytes, message: str) -> None:
    (here / "x.json").write_bytes(data)
    assert failure("x.json") == (message, "the array is damaged or cut off; get the file again")


def test_text_after_the_array(here: Path) -> None:
    (here / "x.json").write_bytes(b'[{"label": "ham", "text": "a"}]\n\n[1]')
    assert failure("x.json") == (
        "x.json line 3: text follows the end of the JSON array",
        "give one array of objects, or one object per line",
    )


def test_a_stated_format_that_is_wrong(here: Path) -> None:
    (here / "x.json").write_bytes(b'{"label": "ham", "text": "a"}\n')
    assert failure("x.json", format="json") == (
        "x.json is not a JSON array: it does not begin with [",
        "leave out --input-format json, or give jsonl for one object per line",
    )


def test_a_value_that_never_ends(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spamnb.readers.tables.json_array.LONGEST_RECORD", 1 << 20)
    (here / "x.json").write_bytes(b'[{"label": "ham", "text": "' + b"a" * (3 << 20))
    assert failure("x.json")[0] == "x.json line 1: no whole JSON value within 1 MiB"


def test_a_first_element_longer_than_what_is_looked_at(read: Read) -> None:
    long = [{"text": "a " * 100_000, "label": "ham"}, *RECORDS]
    result = read(json.dumps(long, indent=1).encode(), "x.json")
    assert result.labels == ["ham", "ham", "spam"]


def test_memory_does_not_grow_with_the_array(here: Path) -> None:
    record = b'{"label": "ham", "text": "some words"}'
    (here / "x.json").write_bytes(b"[" + b",\n".join([record] * 60_000) + b"]")
    with open_source("x.json", ReadOptions(chunk_bytes=1 << 14), labelled=True) as source:
        tracemalloc.start()
        rows = sum(map(len, source))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert rows == 60_000
    assert peak < 3_000_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    elements=st.lists(VALUES, max_size=8),
    chunk_bytes=st.integers(1, 40),
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
)
def test_any_array_gives_what_json_gives(
    read: Read, elements: list[Any], chunk_bytes: int, indent: int | None, ascii_only: bool
) -> None:
    """The slow twin: json.loads of the whole file."""
    elements = [{"text": "ok"}, *elements]
    data = json.dumps(elements, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    result = read(data, "x.json", labelled=False, chunk_bytes=chunk_bytes, format="json", encoding="utf-8")
    assert len(result.texts) == len(json.loads(data))

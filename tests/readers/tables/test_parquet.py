"""Parquet files, where pyarrow is installed."""

from __future__ import annotations

import builtins
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import DataError, MissingExtraError
from spamnb.readers import ReadOptions, open_source

Read = Callable[..., Any]


def parquet(**columns: list[Any]) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), out, row_group_size=100)
    return out.getvalue()


def test_rows_labels_and_columns(read: Read) -> None:
    data = parquet(
        Message=["ok", "WIN é", "", None, "c"],
        Label=[0, 1, 0, 1, None],
        sender=["a", None, "b", "c", "d"],
        size=[1.5, float("nan"), 3.0, 4.0, 5.0],
    )
    result = read(data, "x.parquet")
    assert result.rows == [("ham", b"ok"), ("spam", "WIN é".encode())]
    assert result.source.skipped.examples == [(3, "no text"), (4, "no text"), (5, "no label")]
    assert ': Parquet, text column "Message", label column "Label" (spam = "1")' in result.source.description
    chunk = read(data, "no-suffix", labelled=False, categorical=("sender",), numeric=("size",)).chunks[0]
    assert chunk.texts.tolist() == [b"ok", "WIN é".encode(), b"", b"", b"c"]
    assert chunk.categories == {"sender": ["a", "", "b", "c", "d"]}
    assert chunk.numbers["size"].tolist()[::2] == [1.5, 3.0, 5.0]


def test_batches(read: Read) -> None:
    result = read(
        parquet(text=[str(i) for i in range(950)]), "x.parquet", labelled=False, chunk_bytes=128 * 99
    )
    assert result.texts == [b"%d" % i for i in range(950)]
    assert result.lines == list(range(1, 951))
    assert len(result.chunks) >= 9
    assert result.chunks[-1].position == result.source.size


def test_damaged_file(here: Path) -> None:
    (here / "x.parquet").write_bytes(parquet(text=["a"], label=["ham"])[:-10])
    with pytest.raises(DataError) as caught:
        open_source("x.parquet", ReadOptions(), labelled=True)
    assert str(caught.value) == "x.parquet is not a Parquet file, or is damaged"
    assert caught.value.hint == "try --input-format auto"


def test_damage_that_is_found_late(here: Path) -> None:
    (here / "x.parquet").write_bytes(
        parquet(text=["abcdefgh"], label=["ham"]).replace(b"abcdefgh", b"\xff" * 8)
    )
    with pytest.raises(DataError) as caught:
        open_source("x.parquet", ReadOptions(), labelled=True)
    assert str(caught.value) == "x.parquet: its Parquet data is damaged"
    assert caught.value.hint == "get the file again"


def test_packed_file(here: Path) -> None:
    import gzip

    (here / "x.parquet.gz").write_bytes(gzip.compress(parquet(text=["a"], label=["ham"])))
    with pytest.raises(DataError) as caught:
        open_source("x.parquet.gz", ReadOptions(), labelled=True)
    assert str(caught.value) == "Parquet cannot be read from x.parquet.gz: it is a pipe or packed"


def test_without_the_optional_package(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "x.parquet").write_bytes(b"PAR1")
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError) as caught:
        open_source("x.parquet", ReadOptions(), labelled=True)
    assert str(caught.value) == "reading Parquet needs the package pyarrow"
    assert caught.value.hint == "pip install pyarrow"

"""Parquet files, where pyarrow is installed."""

from __future__ import annotations

import builtins
import io
import subprocess
import sys
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
    assert caught.value.hint == "get the file again, or name its format with --input-format"


def test_damage_that_is_found_late(here: Path) -> None:
    (here / "x.parquet").write_bytes(
        parquet(text=["abcdefgh"], label=["ham"]).replace(b"abcdefgh", b"\xff" * 8)
    )
    with pytest.raises(DataError) as caught:
        open_source("x.parquet", ReadOptions(), labelled=True)
    assert str(caught.value) == "x.parquet: its Parquet data is damaged"
    assert caught.value.hint == "get the file again"


FLIPS = """
import sys
from pathlib import Path
from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source

whole = Path("x.parquet").read_bytes()
footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
refused = 0
for at in range(footer, footer + 64):
    for bit in range(8):
        Path("y.parquet").write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        try:
            for _ in open_source("y.parquet", ReadOptions(), labelled=True):
                pass
        except DataError:
            refused += 1
print(refused)
"""


def test_no_flipped_bit_of_the_schema_ends_the_process(here: Path) -> None:
    """pyarrow 26 calls abort() if sizes of levels do not fit the schema."""
    (here / "x.parquet").write_bytes(parquet(label=["spam", "ham"], text=["win a prize", "see you"]))
    done = subprocess.run([sys.executable, "-c", FLIPS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 100


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


def write(path: Path, columns: dict[str, list[Any]], **how: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    pyarrow.parquet.write_table(pyarrow.table(columns), path, **how)


def test_rows_that_share_a_long_value_are_not_unpacked_together(here: Path) -> None:
    """A file of some kB: each batch had 4,097 copies of a value of 600 kB."""
    texts = ["x" * 600_000, "see you"] * 100
    write(here / "x.parquet", {"text": texts, "label": ["spam", "ham"] * 100}, compression="zstd")
    assert (here / "x.parquet").stat().st_size < 10_000
    sizes, rows = [], 0
    for chunk in open_source("x.parquet", ReadOptions(), labelled=True):
        sizes.append(len(chunk.texts.data))
        rows += len(chunk)
    assert rows == 200
    assert max(sizes) <= 1 << 24


_READ = """
import sys
from spamnb.readers import ReadOptions, open_source
print(sum(len(chunk) for chunk in open_source(sys.argv[1], ReadOptions(), labelled=False)))
"""


def test_a_parquet_bomb_takes_little_memory(here: Path) -> None:
    """400 rows of one value of 600 kB are 240 MB."""
    from tests.robustness.child_process import run_command, spamnb

    for name, rows in (("few", 30), ("bomb", 400)):
        write(here / f"{name}.parquet", {"text": ["x " * 300_000] * rows}, compression="zstd")
        assert (here / f"{name}.parquet").stat().st_size < 10_000
    few, bomb = (run_command([spamnb()[0], "-c", _READ, f"{name}.parquet"], here) for name in ("few", "bomb"))
    assert (few.out, bomb.out) == (b"30\n", b"400\n")
    assert bomb.megabytes < 1.5 * few.megabytes


def test_a_message_that_is_too_long_is_refused_as_in_a_csv_file(here: Path) -> None:
    write(here / "x.parquet", {"text": ["ok", "x" * ((1 << 24) + 1)], "label": ["ham", "spam"]})
    with pytest.raises(DataError) as caught:
        list(open_source("x.parquet", ReadOptions(), labelled=True))
    assert str(caught.value) == "x.parquet line 2: this record is longer than 16 MiB"
    assert (
        caught.value.hint == "cut it, or leave it out; if this is not a table of messages, give another file"
    )


def test_too_many_columns_are_refused_as_in_a_csv_file(here: Path) -> None:
    write(here / "x.parquet", {f"c{i}": [1] for i in range(10_001)})
    with pytest.raises(DataError) as caught:
        open_source("x.parquet", ReadOptions(), labelled=True)
    assert str(caught.value) == "x.parquet has more than 10,000 columns, expected a table of messages"
    assert caught.value.hint == "give another file, or state its --input-format"


def test_a_column_that_unpacks_to_very_much_is_refused(here: Path) -> None:
    """Its pages may be as large as all of it, and are unpacked as a whole."""
    texts = [f"x{i} " * 200_000 for i in range(120)]
    write(here / "x.parquet", {"text": texts}, compression="zstd", use_dictionary=False)
    with pytest.raises(DataError) as caught:
        open_source("x.parquet", ReadOptions(), labelled=False)
    expected = "x.parquet: its column text unpacks to 93 MiB, more than 100 times its size in the file"
    assert str(caught.value) == expected
    assert caught.value.hint == "if this is a table of messages, save it as CSV"


def test_lists_and_fixed_widths_can_be_read(read: Read) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    fixed = pyarrow.array([b"abcd", b"efgh"] * 30, pyarrow.binary(4))
    data = parquet(text=["one", "two"] * 30, words=[["a", "b"], []] * 30, fixed=fixed)
    result = read(data, "x.parquet", labelled=False, text_column="words")
    assert result.texts[:2] == [b"['a', 'b']", b"[]"]
    assert read(data, "x.parquet", labelled=False, text_column="fixed").texts[:2] == [b"abcd", b"efgh"]
    assert len(result.texts) == 60


def test_small_row_groups_are_read_together(read: Read) -> None:
    """Parquet files of streams have a row group for every few rows."""
    result = read(parquet(text=[f"m{i}" for i in range(1000)]), "x.parquet", labelled=False)
    assert result.lines == list(range(1, 1001))
    assert len(result.chunks) < 10

"""Folders of tables are read as one; folders of mail stay folders of mail."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source, plan

CSV = b"label,text\nham,ok lar\nspam,WIN now\n"
MAIL = b"Subject: hi\nTo: me\n\nok\n"


def planned(path: str, **options: str) -> list[object]:
    return [path for path, _ in plan([path], [], ReadOptions.from_flags(**options))]


@pytest.fixture
def folder(here: Path) -> Path:
    (here / "d").mkdir()
    for name, data in {"b.csv": CSV, "a.jsonl.gz": gzip.compress(CSV), "README.md": b"x"}.items():
        (here / "d" / name).write_bytes(data)
    (here / "d" / ".hidden").touch()
    return here / "d"


def test_the_tables_of_a_folder_are_inputs_in_order(folder: Path) -> None:
    assert planned("d") == ["d/a.jsonl.gz", "d/b.csv"]
    (folder / "c.zip").touch()
    assert planned("d") == ["d/a.jsonl.gz", "d/b.csv", "d/c.zip"]
    assert planned("d", format="csv") == ["d/b.csv"]
    assert [(path, how.label) for path, how in plan([], [("spam", "d")], ReadOptions())] == [
        ("d/a.jsonl.gz", "spam"),
        ("d/b.csv", "spam"),
        ("d/c.zip", "spam"),
    ]


def test_folders_of_mail_stay_as_they_are(folder: Path) -> None:
    for number in range(3):
        (folder / f"mail{number}").write_bytes(MAIL)
    assert planned("d") == ["d"]  # most files are no tables
    assert planned("d", format="folder") == ["d"]


def test_a_folder_with_subfolders_stays_as_it_is(folder: Path) -> None:
    (folder / "spam").mkdir()
    assert planned("d") == ["d"]


def test_a_stated_format_that_no_file_has(folder: Path) -> None:
    assert planned("d", format="parquet") == [str(folder.name)]
    with pytest.raises(DataError) as caught:
        open_source("d", ReadOptions(format="parquet"), labelled=True)
    assert str(caught.value) == "d is a directory, expected a file of format parquet"


@pytest.mark.parametrize("path", ["https://example.com/sms.csv?raw=1", "HTTP://example.com/[a].csv"])
def test_a_url_gives_a_hint(here: Path, path: str) -> None:
    with pytest.raises(DataError) as caught:
        planned(path)
    assert str(caught.value) == f"{path} is a URL, expected a file"
    assert caught.value.hint == f"download it first: curl -LO '{path}'"
    with pytest.raises(DataError, match="is a URL, expected a file"):
        open_source(path, ReadOptions(), labelled=False)
    assert list(here.iterdir()) == []

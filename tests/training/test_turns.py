"""Processes that take turns at a file: nothing is lost or read twice, and what ends one ends them all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from spamnb.errors import DataError, SpamnbError
from spamnb.readers import open_source
from spamnb.readers.byte_stream import StoredFile
from spamnb.readers.row_blocks import last_row_end
from spamnb.readers.tables import delimited as tables
from spamnb.readers.tables.delimited_fallback import parse_rows
from spamnb.training import parallel_training, turns
from spamnb.training.parallel_training import Pool
from spamnb.training.trainer import Trainer
from spamnb.training.turns import SharedFile, Token, Turns
from tests.helpers.table_training import SMALL, parallel, same, serial, table

pytestmark = [
    pytest.mark.usefixtures("small_heads"),
    pytest.mark.skipif(
        parallel_training.START != "fork", reason="where processes are not forked, one cuts for all"
    ),
]


def rows_end(data: bytes) -> int:
    return last_row_end(data, ",", quoting=True)


def rows_of(data: bytes) -> list[list[str]]:
    return parse_rows(data, ",", quoting=True, final=True).rows


def shared(path: Path, size: int, number: int = 0) -> SharedFile:
    found = path.stat()
    file = StoredFile(str(path), found.st_size, (found.st_dev, found.st_ino))
    return SharedFile(number, file, size, rows_end, None)  # type: ignore[arg-type]


@pytest.fixture
def line() -> Iterator[int]:
    """Leads to a process that is there, this one."""
    mine, other = os.pipe()
    yield other
    os.close(mine)
    os.close(other)


def of_one(path: Path, size: int, start: int = 0) -> list[tuple[int, bytes]]:
    mine, other = os.pipe()
    token = Turns()
    token.give(Token(0, 0, start))
    found = list(token.blocks(shared(path, size), other))
    token.close()
    os.close(mine)
    os.close(other)
    return found


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.sampled_from(["ham,x", 'spam,"a\nb"', 'ham,"say ""no"""', "", 'ham,5" wide', "é,ü"])),
    end=st.sampled_from(["\n", "\r\n"]),
    size=st.integers(1, 40),
    start=st.integers(0, 3),
)
def test_blocks_are_the_file_and_end_with_rows(
    rows: list[str], end: str, size: int, start: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = ("#" * start + "".join(row + end for row in rows)).encode()
    path = tmp_path_factory.mktemp("turns") / "t.csv"
    path.write_bytes(data)
    found = of_one(path, size, start)
    assert b"".join(block for _, block in found) == data[start:]
    assert [index for index, _ in found] == list(range(len(found)))
    assert [row for _, block in found for row in rows_of(block)] == rows_of(data[start:])


def test_a_file_that_ends_where_a_block_does(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"ham,12\n" * 4)
    assert of_one(path, 7) == [(i, b"ham,12\n") for i in range(4)]


def test_a_record_that_is_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"ham," + b"x" * 100 + b"\nham,y\n")
    assert b"".join(block for _, block in of_one(path, 8)) == path.read_bytes()


def test_tokens_of_other_files(tmp_path: Path, line: int) -> None:
    """An earlier file's token is dropped; a later one's says that this file is over, and stays for others."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"ham,1\n")
    token = Turns()
    token.give(Token(0, 7, -1))
    token.give(Token(1, 0, 0))
    assert list(token.blocks(shared(path, 100, 1), line)) == [(0, b"ham,1\n")]
    token.give(Token(3, 0, 0))
    assert list(token.blocks(shared(path, 100, 2), line)) == []
    assert token._take(line) == Token(3, 0, 0)
    token.close()


def test_several_large_files_and_small_ones_between(tmp_path: Path) -> None:
    paths = []
    for i, size in enumerate((200, 1, 300, 2, 250)):
        paths.append(tmp_path / f"{i}.csv")
        paths[-1].write_bytes(table(size))
    one = serial(paths)
    for jobs in (1, 2, 5):
        same(one, parallel(paths, jobs), tmp_path)


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("text", [b'"', b""], ids=["quoted", "bare"])
def test_a_record_that_is_too_long_is_told_with_its_line(
    text: bytes, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (tables, turns):
        monkeypatch.setattr(module, "LONGEST_RECORD", 1 << 20)
    path = tmp_path / "t.csv"
    path.write_bytes(table(100) + b"ham," + text + b"x" * (1 << 21))
    with pytest.raises(DataError) as one:
        serial([path])
    with pytest.raises(DataError) as many:
        parallel([path], jobs)
    assert str(many.value) == str(one.value)
    assert "line " in str(one.value)


@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
def test_how_long_a_record_may_be_depends_on_nothing_else(
    more: int, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = 1 << 14
    for module in (tables, turns):
        monkeypatch.setattr(module, "LONGEST_RECORD", longest)
    record = b"ham," + b"x" * (longest + more - len(b"ham,")) + b"\n"
    for before in (1, 2, 50, 111):
        path = tmp_path / f"{before}.csv"
        path.write_bytes(table(before) + record + table(30, header=False))
        for jobs in (0, 1, 2):
            try:
                parallel([path], jobs) if jobs else serial([path])
                fitted = True
            except DataError:
                fitted = False
            assert fitted == fits, (before, jobs)


def test_whoever_dies_with_the_token_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(300))
    cut = turns._cut

    def deadly(*given: object) -> tuple[bytes, bool]:
        if given[1] > 2000:  # type: ignore[operator]
            os.kill(os.getpid(), signal.SIGKILL)
        return cut(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(turns, "_cut", deadly)
    with (
        Pool(Trainer(), 3) as pool,
        open_source(str(path), SMALL, labelled=True) as source,
        pytest.raises(SpamnbError, match="a worker process ended before its work was done"),
    ):
        list(chain(pool.feed(source, 0), pool.finish()))
    assert all(not worker.is_alive() for worker in pool._workers.values())


@pytest.mark.parametrize("size", [3, 300], ids=["small", "large"])
def test_a_file_that_is_replaced_is_not_mixed_with_the_other(size: int, tmp_path: Path) -> None:
    path, other = tmp_path / "t.csv", tmp_path / "other.csv"
    path.write_bytes(table(size))
    other.write_bytes(b"text,label\n" + b"win,spam\n" * 3000)
    with Pool(Trainer(), 2) as pool, open_source(str(path), SMALL, labelled=True) as source:
        other.replace(path)
        with pytest.raises(DataError, match=r"t\.csv was replaced while it was read"):
            list(chain(pool.feed(source, 0), pool.finish()))


@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_a_file_that_is_cut_while_it_is_read_is_told(jobs: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(9000))
    whole = path.stat().st_size
    said = f"{path} was cut while it was read: 200,000 bytes of {whole:,} were there"
    with open_source(str(path), SMALL, labelled=True) as source, Pool(Trainer(), max(jobs, 1)) as pool:
        os.truncate(path, 200_000)
        with pytest.raises(DataError, match=said):
            list(chain(pool.feed(source, 0), pool.finish()) if jobs else source)


def test_lines_that_end_with_a_carriage_return_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (tables, turns):
        monkeypatch.setattr(module, "LONGEST_RECORD", 1 << 14)
    path = tmp_path / "t.csv"
    plain = table(100).replace(b"two\nlines", b"two lines").replace(b"\n", b"\r")
    path.write_bytes(plain + b"ham," + b"x" * (1 << 15))
    with pytest.raises(DataError) as one:
        serial([path])
    with pytest.raises(DataError) as many:
        parallel([path], 2)
    assert str(many.value) == str(one.value)
    assert "line 202:" in str(one.value)


ORPHANS = """
import os, sys, time
from spamnb import turns
from spamnb.readers import ReadOptions, open_source
from spamnb.training.parallel_training import Pool
from spamnb.training.trainer import Trainer
cut = turns._cut
def slow(opened, at, file):
    if at > 2000:
        time.sleep(3600)  # with the token in its hand
    return cut(opened, at, file)
turns._cut = slow
reading = ReadOptions(default_format="csv", chunk_bytes=256)
with Pool(Trainer(), 3) as pool, open_source(sys.argv[1], reading, labelled=True) as source:
    fed = pool.feed(source, 0)
    next(fed)
    print(*(worker.pid for worker in pool._workers.values()), flush=True)
    list(fed)
"""


def test_workers_that_wait_for_the_token_notice_that_nobody_asks_any_more(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(300))
    run = subprocess.Popen([sys.executable, "-c", ORPHANS, str(path)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    workers = [int(pid) for pid in run.stdout.readline().split()]
    time.sleep(0.5)
    run.kill()
    run.wait()
    run.stdout.close()
    until = time.monotonic() + 30
    while sum(alive(pid) for pid in workers) > 1 and time.monotonic() < until:
        time.sleep(0.05)
    left = [pid for pid in workers if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert len(left) <= 1  # the one that sleeps


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False

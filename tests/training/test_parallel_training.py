"""Counting in several processes gives the bytes that counting in one gives, whatever the data is like."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from spamnb.core import worker_pool
from spamnb.errors import DataError, SpamnbError
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.row_blocks import last_row_end
from spamnb.readers.tables import delimited
from spamnb.readers.tables.delimited_fallback import parse_rows
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training import sampling
from spamnb.training.parallel_training import BlockCounter, count_block, finish_source
from spamnb.training.trainer import Trainer
from tests.helpers.table_training import FILES, SMALL, jsonl, parallel, rows, same, serial, table

pytestmark = pytest.mark.usefixtures("small_heads")


@pytest.mark.parametrize("name", FILES)
def test_any_number_of_processes_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    expected = serial([path])
    for jobs in (1, 3):
        same(parallel([path], jobs), expected, tmp_path)


def test_processes_that_are_not_forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "can_fork", lambda: False)
    path = tmp_path / "t.csv"
    path.write_bytes(FILES["plain.csv"])
    same(parallel([path], 2), serial([path]), tmp_path)


def test_parquet_by_row_groups(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    labels, texts = zip(*rows(60), strict=True)
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(pa.table({"label": labels, "text": texts}), path, row_group_size=17)
    same(parallel([path], 2), serial([path]), tmp_path)


def test_several_inputs_keep_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLE", 50)  # less than there is: the limit falls
    monkeypatch.setattr(sampling, "WHOLE", 0)
    paths = []
    for i in range(5):
        paths.append(tmp_path / f"{i}.csv")
        paths[-1].write_bytes(table(20 + i))
    same(parallel(paths, 2), serial(paths), tmp_path)


@pytest.mark.parametrize("few", [2, 15])  # every so many rows one without words
def test_columns_and_rows_without_words(tmp_path: Path, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLE", 60)
    monkeypatch.setattr(sampling, "WHOLE", 0)
    path = tmp_path / "t.csv"
    lines = [
        f"{'spam' if i % 3 else 'ham'},{f'hi {i}' if i % few else '!'},{i % 4},{i % 7 / 3}"
        for i in range(300)
    ]
    path.write_text("label,text,kind,size\n" + "\n".join(lines) + "\n")
    reading = ReadOptions.from_flags(
        default_format="csv", chunk_bytes=256, categorical=("kind",), numeric=("size",)
    )
    features = FeatureConfig(categorical=("kind",), numeric=("size",))
    expected = serial([path], reading, Trainer(features))
    assert expected.metrics is not None
    same(parallel([path], 3, reading, Trainer(features)), expected, tmp_path)


@pytest.mark.parametrize(
    "scoring", [ScorerConfig.of("less-naive"), ScorerConfig.of("bernoulli")], ids=lambda s: s.name
)
def test_other_scorers(scoring: ScorerConfig, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(60))
    features = FeatureConfig(ngrams=2, shapes=scoring.name != "less-naive")
    expected = serial([path], SMALL, Trainer(features, scoring))
    same(parallel([path], 2, SMALL, Trainer(features, scoring)), expected, tmp_path)


def test_undersampling(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(60))
    keep = {"ham": 1 << 63}
    same(parallel([path], 2, SMALL, Trainer(keep=keep)), serial([path], SMALL, Trainer(keep=keep)), tmp_path)


def test_what_was_skipped_is_told_as_by_one_process(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    broken = b"ham,\n,text\nham,a,b,c\n"
    table_with_typo = table(30).replace(b"spam,", b"spma,", 1)
    path.write_bytes(b"sep=,\n" + table_with_typo + broken + table(30, header=False) + broken * 3)
    with open_source(str(path), SMALL, labelled=True) as one:
        list(one)
    assert one.skipped.summary().startswith("9 skipped (line 4: unknown label spma, ")
    with open_source(str(path), SMALL, labelled=True) as many, BlockCounter(Trainer(), 2) as pool:
        list(pool.feed(many, 0))
        list(pool.finish())
    assert many.skipped.summary() == one.skipped.summary()
    assert (many.skipped.count, many.skipped.reasons) == (one.skipped.count, one.skipped.reasons)


# --- where rows end

PIECES = ["a", '"', '""', ",", "\n", "\r\n", "\r", '"x, y"', '"two\nlines"', "é", " "]


def blocks(data: bytes, size: int) -> Iterator[bytes]:
    received = b""
    for at in range(0, len(data), size):
        received += data[at : at + size]
        end = last_row_end(received, ",", quoting=True)
        if end:
            yield received[:end]
        received = received[end:]
    if received:
        yield received


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.integers(1, 30))
def test_rows_are_never_cut(text: str, size: int) -> None:
    data = text.encode()
    expected = parse_rows(data, ",", quoting=True, final=True).rows
    results = [
        row for block in blocks(data, size) for row in parse_rows(block, ",", quoting=True, final=True).rows
    ]
    assert results == expected


# --- what goes wrong


def test_an_error_in_a_worker_is_the_same_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("label,text\n" + "".join(f"{i},text number {i}\n" for i in range(3000)))
    reading = ReadOptions.from_flags(default_format="csv", chunk_bytes=256, label_column="label")
    with pytest.raises(SpamnbError) as one:
        serial([path], reading)
    with pytest.raises(SpamnbError) as many:
        parallel([path], 2, reading)
    assert type(many.value) is type(one.value)


def test_a_label_that_never_occurs(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(30))
    with pytest.raises(DataError, match=r'spam label "junk" never occurs in .*; its labels: ham, spam'):
        parallel([path], 2, ReadOptions(default_format="csv", spam_label="junk"))


def test_a_worker_that_is_killed_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(300))
    with BlockCounter(Trainer(), 2) as pool, open_source(str(path), SMALL, labelled=True) as source:
        fed = pool.feed(source, 0)
        next(fed)
        os.kill(pool.pool.workers[0].process.pid, signal.SIGKILL)
        with pytest.raises(SpamnbError, match="a worker process ended before its work was done"):
            list(chain(fed, pool.finish()))
    assert all(not worker.process.is_alive() for worker in pool.pool.workers)


def test_a_worker_that_fails_says_why(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(jsonl(300))
    with BlockCounter(Trainer(), 1) as pool, open_source(str(path), SMALL, labelled=True) as source:
        fed = pool.feed(source, 0)
        next(fed)
        path.unlink()
        with pytest.raises(SpamnbError, match="a worker process failed: FileNotFoundError"):
            list(chain(fed, pool.finish()))


IDLE = """
import os, signal, sys
from spamnb.errors import SpamnbError
from spamnb.readers import ReadOptions, open_source
from spamnb.training.parallel_training import BlockCounter
from spamnb.training.trainer import Trainer
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as the command line does
reading = ReadOptions(default_format="csv", chunk_bytes=256)
with BlockCounter(Trainer(), 2) as pool, open_source(sys.argv[1], reading, labelled=True) as source:
    list(pool.feed(source, 0))
    while pool.pool.workers[-1].waiting:
        pool.pool._receive()
    process = pool.pool.workers[-1].process
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    try:
        list(pool.finish())
    except SpamnbError as error:
        print(error.message)
"""


def test_a_worker_that_dies_when_it_has_nothing_to_do_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(100))
    run = [sys.executable, "-c", IDLE, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("a worker process ended before its work was done"), done.stderr
    assert done.returncode == 0


def test_many_reasons_are_counted_as_by_one_process(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    odd = b"".join(b"odd%d,some text\n" % (i % 150) for i in range(600)) + b"odd7,x\n" * 50
    path.write_bytes(table(30) + odd + table(30, header=False))
    reading = ReadOptions(default_format="csv", chunk_bytes=1 << 11)
    with open_source(str(path), reading, labelled=True) as one:
        list(one)
    with open_source(str(path), reading, labelled=True) as many, BlockCounter(Trainer(), 2) as pool:
        list(chain(pool.feed(many, 0), pool.finish()))
    assert len(one.skipped.reasons) > 100
    assert many.skipped.reasons == one.skipped.reasons


def test_blocks_and_finish_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(30))
    parts = [Trainer().part() for _ in range(3)]
    with open_source(str(path), SMALL, labelled=True) as source:
        assert source.blocks is not None
        assert source.blocks.start == len(b"label,text\n")
        reports = [
            count_block(parts[i % 3], (0, i), source.blocks.reader, bytes(block))
            for i, block in enumerate(source.blocks.cut())
        ]
        finish_source(source, reports)
    whole = Trainer()
    whole.absorb([part.result() for part in parts[::-1]])
    same(whole.finish(), serial([path]), tmp_path)
    assert int(np.sum([report.rows for report in reports])) == 60
    assert len(reports) > 3


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
    monkeypatch.setattr(delimited, "LONGEST_RECORD", 1 << 20)
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
    monkeypatch.setattr(delimited, "LONGEST_RECORD", longest)
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


@pytest.mark.parametrize("size", [100, 300], ids=["small", "large"])
def test_a_file_that_is_replaced_is_not_mixed_with_the_other(size: int, tmp_path: Path) -> None:
    path, other = tmp_path / "t.csv", tmp_path / "other.csv"
    path.write_bytes(table(size))
    other.write_bytes(b"text,label\n" + b"win,spam\n" * 3000)
    with BlockCounter(Trainer(), 2) as pool, open_source(str(path), SMALL, labelled=True) as source:
        other.replace(path)
        with pytest.raises(DataError, match=r"t\.csv was replaced while it was read"):
            list(chain(pool.feed(source, 0), pool.finish()))


@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_a_file_that_is_cut_while_it_is_read_is_told(jobs: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table(9000))
    whole = path.stat().st_size
    text = f"{path} was truncated while it was read: 200,000 of {whole:,} bytes"
    with (
        open_source(str(path), SMALL, labelled=True) as source,
        BlockCounter(Trainer(), max(jobs, 1)) as pool,
    ):
        os.truncate(path, 200_000)
        with pytest.raises(DataError, match=text):
            list(chain(pool.feed(source, 0), pool.finish()) if jobs else source)


def test_lines_that_end_with_a_carriage_return_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "LONGEST_RECORD", 1 << 14)
    path = tmp_path / "t.csv"
    plain = table(100).replace(b"two\nlines", b"two lines").replace(b"\n", b"\r")
    path.write_bytes(plain + b"ham," + b"x" * (1 << 15))
    with pytest.raises(DataError) as one:
        serial([path])
    with pytest.raises(DataError) as many:
        parallel([path], 2)
    assert str(many.value) == str(one.value)
    assert "line 202:" in str(one.value)

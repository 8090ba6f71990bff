"""Large mails, many mails, several processes, and lists of files."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers import ReadOptions
from spamnb.readers.mailboxes import mail_batches
from spamnb.readers.path_list import group_single_mails, plan, read_paths
from tests.helpers.mailboxes import MARK, Stdin, box, failure, mail, opened
from tests.helpers.paths import TEST_DATA

pytestmark = pytest.mark.usefixtures("here")
DATA = TEST_DATA / "mail"


def test_long_mails_are_cut_and_noted() -> None:
    Path("m").mkdir()
    long = mail("long") + b"and more words\n" * 100
    Path("m/1").write_bytes(long)
    Path("m/2").write_bytes(mail("short"))
    Path("m/3.mbox").write_bytes(MARK + long + b"\n" + box("next"))
    Path("m/4.gz").write_bytes(gzip.compress(long))
    source = opened("m", max_size=200)
    texts = [text for chunk in source for text in chunk.texts.tolist()]
    assert [len(text) < 200 for text in texts] == [True] * 5
    assert [text.split()[0] for text in texts] == [b"long", b"next", b"long", b"long", b"short"]
    assert source.skipped.count == 0
    assert dict(source.notes.examples) == {
        "m/1": "cut at 200 bytes",
        "m/3.mbox#1": "cut at 200 bytes",
        "m/4.gz": "cut at 200 bytes",
    }
    assert source.notes.by_reason() == "3 limits met (3 cut at 200 bytes)"
    Path("x.eml").write_bytes(long)
    for path in ("x.eml", "m/3.mbox"):
        source = opened(path, max_size=200)
        list(source)
        assert source.notes.by_reason() == "1 limit met (1 cut at 200 bytes)"
    source = opened("m", max_size=1 << 20)
    list(source)
    assert source.notes.count == 0


def test_attachments_do_not_count_into_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = b"--b\nContent-Type: image/png\n\n" + b"QUJD\n" * 1_000_000
    long = b"Content-Type: multipart/mixed; boundary=b\n\n" + picture + b"--b\n\ncheap watches\n--b--\n"
    Path("m").mkdir()
    Path("m/1").write_bytes(long)
    Path("m/2.mbox").write_bytes(MARK + long + b"\n" + MARK + long)
    Path("m/3.gz").write_bytes(gzip.compress(long))
    Path("x.eml").write_bytes(long)
    for path, number in (("m", 4), ("m/2.mbox", 2), ("x.eml", 1)):
        source = opened(path)
        texts = [text for chunk in source for text in chunk.texts.tolist()]
        assert [text.strip() for text in texts] == [b"cheap watches"] * number
        assert source.notes.count == 0
    monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(long)))
    chunks = list(opened("-", format="eml"))
    assert chunks[0].texts[0].strip() == b"cheap watches"


def test_a_long_mail_in_a_pipe_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO(mail("long") + b"and more words\n" * 20_000)
    monkeypatch.setattr(sys, "stdin", Stdin(stream))
    chunks = list(opened("-", format="eml", max_size=200))
    assert len(chunks[0].texts[0]) < 200
    assert stream.read() == b""


def test_the_size_that_was_stated_is_parsed_whole() -> None:
    text = b"".join(b"%06d\n" % number for number in range(100_000))
    Path("x.eml").write_bytes(b"Subject: x\nFrom: y\n\n" + text)
    for size, note in ((1 << 19, "cut at 524,288 bytes"), (1 << 20, "")):
        source = opened("x.eml", max_size=size)
        list(source)
        assert (note in source.notes.reasons) == bool(note)
        assert not any("only the first" in reason for reason in source.notes.reasons)


def test_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("x.mbox").write_bytes(box(*[f"w{i}" for i in range(600)]))
    assert [len(chunk) for chunk in opened("x.mbox")] == [256, 256, 88]
    monkeypatch.setattr(mail_batches, "BATCH_BYTES", 10 * len(mail("w100")))
    sizes = [len(chunk) for chunk in opened("x.mbox")]
    assert sum(sizes) == 600
    assert set(sizes[1:-1]) <= {10, 11}


def test_reading_can_stop_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_batches, "BATCH_MAILS", 2)
    Path("x.mbox").write_bytes(box(*[f"w{i}" for i in range(60)]))
    for jobs in (1, 2):
        with opened("x.mbox", jobs=jobs) as source:
            assert len(next(iter(source))) == 2


def same(one: list[Chunk], other: list[Chunk]) -> bool:
    def content(chunk: Chunk) -> tuple[Any, ...]:
        tags = {tag: texts.tolist() for tag, texts in chunk.texts.tags.items()}
        lines = chunk.lines.tolist()
        return chunk.texts.tolist(), tags, lines, chunk.labels, list(chunk.sources), chunk.position

    return [content(chunk) for chunk in one] == [content(chunk) for chunk in other]


def test_two_processes_read_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_batches, "BATCH_MAILS", 3)
    one, two = (opened(str(DATA), labelled=True, jobs=jobs, max_size=900) for jobs in (1, 2))
    chunks = list(one)
    assert [len(chunk) for chunk in chunks] == [3] * 6
    assert {"subject", "url", "received"} <= set(chunks[0].texts.tags)
    assert same(chunks, list(two))
    assert one.notes.examples == two.notes.examples
    assert one.notes.count > 0


def peak_memory(path: str, count: int) -> int:
    with opened(path, max_size=5000) as source:
        tracemalloc.start()
        assert sum(map(len, source)) == count
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize("layout", ["mbox", "folder"])
def test_memory_does_not_grow_with_the_mailbox(monkeypatch: pytest.MonkeyPatch, layout: str) -> None:
    monkeypatch.setattr(mail_batches, "BATCH_MAILS", 16)
    raw = mail("word") + b"some words\n" * 5000
    for name, count in (("small", 64), ("large", 192)):
        if layout == "mbox":
            with open(name, "wb") as file:
                file.writelines([MARK + raw + b"\n"] * count)
            continue
        Path(name).mkdir()
        for number in range(count):
            Path(f"{name}/{number}").write_bytes(raw)
    peak_memory("small", 64)  # fills memos
    small, large = peak_memory("small", 64), peak_memory("large", 192)
    assert large < small * 1.1 + 50_000
    assert large < 64 * len(raw)


def test_many_files_are_one_source() -> None:
    names = [f"{i}.eml" for i in range(3)]
    for name in names:
        Path(name).write_bytes(mail(f"w{name[0]}"))
    source = opened((*names, "gone.eml"))
    assert source.description == "4 files from 0.eml on: one email per file"
    chunks = list(source)
    assert [list(chunk.sources) for chunk in chunks] == [names]
    assert dict(source.skipped.examples) == {"gone.eml": "No such file or directory"}
    source = opened(tuple(names), labelled=True, label="ham")
    assert source.description == "3 files from 0.eml on: one email per file, all ham"
    assert [chunk.labels for chunk in source] == [["ham"] * 3]
    assert failure(tuple(names)) == (
        "3 files from 0.eml on have no labels",
        "say what they are: --label spam=PATH, --label ham=PATH",
    )


def test_neighbours_are_taken_together() -> None:
    Path("d.eml").mkdir()
    paths = ["1.eml", "a.csv", "2.eml", "3.EML.gz", "-", "d.eml", "4.eml"]
    assert group_single_mails(paths, ReadOptions()) == [
        "1.eml",
        "a.csv",
        ("2.eml", "3.EML.gz"),
        "-",
        "d.eml",
        "4.eml",
    ]
    assert group_single_mails(["1", "2", "-"], ReadOptions(format="eml")) == [("1", "2"), "-"]
    assert group_single_mails(["1.eml", "2.eml"], ReadOptions(format="mbox")) == ["1.eml", "2.eml"]
    assert group_single_mails([], ReadOptions()) == []


def test_plan() -> None:
    for name in ("1.eml", "2.eml", "x.csv"):
        Path(name).write_bytes(b"")
    options = ReadOptions.from_flags(max_size=7)
    planned = plan(["1.eml", "2.eml", "-"], [("spam", "x.csv"), ("ham", "-")], options)
    assert [(path, how.label, how.mail.max_size) for path, how in planned] == [
        (("1.eml", "2.eml"), None, 7),
        ("-", None, 7),
        ("x.csv", "spam", 7),
        ("-", "ham", 7),
    ]
    for paths, labelled in ((["gone"], []), ([], [("ham", "gone")])):
        with pytest.raises(DataError, match=r"(?m)^no such file: gone$"):
            plan(paths, labelled, options)


def test_lists_of_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("list").write_bytes(b"a b\n\nc\r\n\xff.eml")
    assert read_paths("list") == ["a b", "c", os.fsdecode(b"\xff.eml")]
    Path("list").write_bytes(b"a\nb\0c\0")
    assert read_paths("list") == ["a\nb", "c"]
    monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(b"x\ny")))
    assert read_paths("-") == ["x", "y"]
    for data, message in (
        (b"\n", "no paths in stdin"),
        (b"-\n", "the list on standard input names - itself"),
    ):
        monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(data)))
        with pytest.raises(DataError, match=f"(?m)^{message}$"):
            read_paths("-")
    with pytest.raises(DataError, match=r"(?m)^no such file: gone$"):
        read_paths("gone")


def test_one_process_needs_no_joblib() -> None:
    Path("x.eml").write_bytes(mail("one"))
    code = (
        "import sys; from spamnb.readers import open_source, ReadOptions\n"
        "options = [ReadOptions.from_flags(jobs=jobs) for jobs in (1, 2)]\n"
        "both = [open_source('x.eml', how, labelled=False) for how in options]\n"
        "print([len(chunk) for source in both for chunk in source])\n"
        "print(sorted({'joblib', 'multiprocessing', 'mailbox', 'pandas', 'csv'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.split(b"\n")[:2] == [b"[1, 1]", b"[]"]

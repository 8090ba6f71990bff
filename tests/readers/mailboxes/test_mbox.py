"""Cutting mboxes: marks, escapes, sizes, and blocks that end anywhere."""

from __future__ import annotations

import mailbox
import re
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from spamnb.readers.mailboxes.mail_files import many_mails
from spamnb.readers.mailboxes.mbox import Splitter, holds_many, unescape, without_mark

Mails = list[tuple[bytes, bool]]


def split(data: bytes, max_size: int = 1 << 20, block: int = 1 << 20) -> Mails:
    splitter, mails = Splitter(max_size), Mails()
    for start in range(0, len(data), block):
        mails += splitter.feed(data[start : start + block])
    return mails + splitter.feed(b"", final=True)


def whole(data: bytes) -> list[bytes]:
    texts = split(data)
    assert not any(cut for _, cut in texts)
    return [raw for raw, _ in texts]


BOX = b"From a Mon\nS: 1\n\none\n>From me\n\nFrom b Tue\nS: 2\n\nFromage\n\nFrom c Wed\nS: 3\n\n\nend\n\n"
MAILS = [b"S: 1\n\none\nFrom me\n", b"S: 2\n\nFromage\n", b"S: 3\n\n\nend\n"]


@pytest.mark.parametrize(
    ("data", "mails"),
    [
        pytest.param(BOX, MAILS, id="three mails"),
        pytest.param(
            BOX.replace(b"\n", b"\r\n"), [mail.replace(b"\n", b"\r\n") for mail in MAILS], id="CRLF"
        ),
        pytest.param(b"\n\r\n" + BOX, MAILS, id="blank lines first"),
        pytest.param(BOX.rstrip(b"\n"), [*MAILS[:2], b"S: 3\n\n\nend"], id="no final newline"),
        pytest.param(b"", [], id="empty"),
        pytest.param(b"\n\n\n", [], id="blank"),
        pytest.param(b"From a\n", [b""], id="mark only"),
        pytest.param(b"From a", [b""], id="mark without newline"),
        pytest.param(b"From a\n\nFrom b\n\nFrom c\n", [b"", b"", b""], id="empty mails"),
        pytest.param(b"From a\nS: 1\nFrom b\n", [b"S: 1\nFrom b\n"], id="no blank line before"),
        pytest.param(b"From a\n\n From b\n", [b"\n From b\n"], id="not at the start of a line"),
        pytest.param(b"From a\n\nFrom\tb\n", [b"\nFrom\tb\n"], id="no space"),
        pytest.param(b"S: 1\n\nbody\n\nFrom b\nS: 2\n", [b"S: 1\n\nbody\n", b"S: 2\n"], id="no first mark"),
        pytest.param(b"From a\nx\n\n\n\nFrom b\ny\n", [b"x\n\n\n", b"y\n"], id="many blank lines"),
        pytest.param(b"From a\nx\r\n\nFrom b\ny\n", [b"x\r\n", b"y\n"], id="mixed line ends"),
        pytest.param(b"From a\nx\n\r\nFrom b\ny\n", [b"x\n", b"y\n"], id="mixed line ends, other way"),
        pytest.param(b"From a\nx\r\rFrom b\ny\n", [b"x\r\rFrom b\ny\n"], id="bare CR ends no line"),
        pytest.param(
            b"From a 00:00\nx\n\nFrom now on\n\nFrom 10:30 on\n\nFrom b 9:59\ny\n",
            [b"x\n\nFrom now on\n\nFrom 10:30 on\n", b"y\n"],
            id="text between marks that tell a time",
        ),
        pytest.param(
            b"From a\nx\n\nFrom b 00:00\ny\n\nFrom c\nz\n",
            [b"x\n", b"y\n", b"z\n"],
            id="the first tells none",
        ),
        pytest.param(b"From - Mon 1:00\n\n\nFrom b", [b"\n\nFrom b"], id="text at the end"),
    ],
)
def test_cutting_is_the_same_wherever_blocks_end(data: bytes, mails: list[bytes]) -> None:
    assert whole(data) == mails
    for size in range(1, len(data) + 1):
        assert split(data, block=size) == [(mail, False) for mail in mails]


PIECES = [
    b"From ",
    b"From a\n",
    b"From - Mon 1:00\n",
    b" 23:59",
    b">From b",
    b"\n",
    b"\r\n",
    b"\r",
    b"x",
    b"S: 1\n",
    b"F",
    b" ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join), st.integers(1, 20), st.integers(1, 30))
def test_blocks_change_nothing(data: bytes, block: int, max_size: int) -> None:
    assert split(data, max_size, block) == split(data, max_size)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join), st.integers(1, 20))
def test_marks_are_found_as_a_reader_of_lines_finds_them(data: bytes, block: int) -> None:
    marks = marks_of(data)
    before = data[: marks[0]] if marks else data
    assert len(split(data, block=block)) == len(marks) + bool(before.strip(b"\r\n"))


def marks_of(data: bytes) -> list[int]:
    """Where the lines are that begin a mail, found line by line."""
    marks: list[int] = []
    at, blank, timed = 0, True, False
    for line in data.split(b"\n"):
        if blank and line.startswith(b"From "):
            time = re.search(rb".[ \t]\d?\d:\d\d", line[len(b"From ") :], re.DOTALL) is not None
            timed = timed or (time and not marks)
            marks += [at] if time or not timed else []
        blank = line in (b"", b"\r")
        at += len(line) + 1
    return marks


line = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12).filter(
    lambda text: not text.lstrip(">").startswith("From ")
)
body = st.lists(line | st.sampled_from(["From me", "From ", "", ".", "Fromage"]), max_size=8).map("\n".join)


@given(st.lists(body, max_size=5))
def test_what_the_standard_library_wrote_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[str]
) -> None:
    path = tmp_path_factory.mktemp("mbox") / "box"
    raws = [f"Subject: {i}\n\n{text}\n".encode() for i, text in enumerate(bodies)]
    box = mailbox.mbox(path)
    for raw in raws:
        box.add(raw)
    box.close()
    assert whole(path.read_bytes()) == raws


def test_text_that_looks_like_a_mark_stays_where_it_is() -> None:
    mail = b"From: a@b.c\nSubject: lunch\n\nHello,\n\nFrom now on we meet at five.\nBye: me\n"
    assert whole(b"From a@b.c Mon Jan  1 00:00:00 2024\n" + mail) == [mail]
    assert not holds_many(b"From a@b.c Mon Jan  1 00:00:00 2024\n" + mail)
    assert holds_many(b"From a@b.c\n" + mail)


def test_of_a_long_line_only_the_beginning_is_looked_at() -> None:
    first, long = b"From a 00:00\nx\n\n", b"From " + b"a" * 980
    assert whole(first + long + b" 00:00\ny\n") == [b"x\n", b"y\n"]
    text = long + b"a" * 10 + b" 00:00\ny\n"
    for block in (1, 999, 1 << 20):
        assert split(first + text, block=block) == [(b"x\n\n" + text, False)]


def test_a_long_mail_is_cut_and_the_next_one_is_found() -> None:
    data = b"From a\nS: 1\n\n" + b"long\n" * 1000 + b"\nFrom b\nS: 2\n\nshort\n"
    for block in (1, 7, 100, 10_000):
        assert split(data, 30, block) == [
            (data[7:30], True),
            (b"S: 2\n\nshort\n", False),
        ]


def test_a_mail_of_just_the_size_is_whole() -> None:
    data = b"From a\nS: 1\n\nbody"
    assert split(data, len(data)) == [(b"S: 1\n\nbody", False)]
    assert split(data, len(data) - 1) == [(b"S: 1\n\nbod", True)]


def test_escapes() -> None:
    assert unescape(b">From a\n>>From b\nx >From c\n> From d\n>Fromage\n") == (
        b"From a\n>From b\nx >From c\n> From d\n>Fromage\n"
    )
    assert without_mark(b"From a") == b""
    assert without_mark(b"From: a\n") == b"From: a\n"


def test_one_mail_with_a_mark_is_no_mbox() -> None:
    assert holds_many(b"From a\nS: 1\n\nbody\n\nFrom b\nS: 2\n")
    assert holds_many(b"From a\r\nS: 1\r\n\r\nbody\r\n\r\nFrom b\r\nS: 2\r\n")
    assert not holds_many(b"From a\nS: 1\n\nbody\n\nFrom here on no header follows\n")
    assert not holds_many(b"S: 1\n\nbody\n\nFrom b\nS: 2\n")
    assert not holds_many(b"From a\nS: 1\n\nbody\nFrom b\nS: 2\n")


def test_mails_are_numbered() -> None:
    groups = list(many_mails([BOX[:45], BOX[45:]], "box", "ham", 1 << 20))
    assert [[mail.source for mail in group] for group in groups] == [["box#1"], ["box#2"], ["box#3"]]
    assert [mail.data for group in groups for mail in group] == MAILS
    assert {mail.label for group in groups for mail in group} == {"ham"}


def test_memory_is_bounded_by_the_size_of_a_mail() -> None:
    def blocks() -> Iterator[bytes]:
        yield b"From a\nS: 1\n\n"
        for _ in range(300):
            yield b"endless line " * 1000
        for _ in range(3000):
            yield b"\n\nFrom b\nS: 2\n\n" + b"words " * 200

    tracemalloc.start()
    count = sum(len(group) for group in many_mails(blocks(), "box", "", 100_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 3001
    assert peak < 1_000_000

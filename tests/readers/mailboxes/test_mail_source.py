"""Single mails, mboxes and lists of files: detection, streams, sizes, labels, several processes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import ConfigError
from spamnb.readers import ReadOptions, Source
from spamnb.readers.byte_stream import ByteStream
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.format_detection import by_first_lines, mail_format
from spamnb.readers.formats import any_of, table_formats
from tests.helpers.mailboxes import MARK, Stdin, box, failure, mail, opened

pytestmark = pytest.mark.usefixtures("here")


def words(source: Source) -> list[str]:
    texts = [text for chunk in source for text in chunk.texts.tolist()]
    return [text.split()[0].decode() if text.split() else "" for text in texts]


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The writing end of a pipe that is standard input."""
    reading, writing = os.pipe()
    with open(reading, "rb") as stream:
        monkeypatch.setattr(sys, "stdin", Stdin(stream))
        yield writing


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    ("name", "data", "about", "sources"),
    [
        ("x.eml", mail("one"), "one email", ["x.eml"]),
        ("x.EML", b"no header at all", "one email", ["x.EML"]),
        ("x", mail("one"), "one email", ["x"]),
        ("x.txt", b"Received: from a\n\tby b\n\nbody", "one email", ["x.txt"]),
        ("x.eml", box("one", "two"), "one email", ["x.eml"]),
        ("x.mbox", box("one", "two"), "mbox", ["x.mbox#1", "x.mbox#2"]),
        ("x", box("one", "two"), "mbox", ["x#1", "x#2"]),
        ("x.mbox", b"", "empty", []),
    ],
)
def test_mails_are_known_by_name_or_first_lines(
    name: str, data: bytes, about: str, sources: list[str], ends: bytes
) -> None:
    Path(name).write_bytes(data.replace(b"\n", ends))
    source = opened(name)
    chunks = list(source)
    assert source.description == f"{name}: {about}"
    assert [place for chunk in chunks for place in chunk.sources] == sources
    assert [number for chunk in chunks for number in chunk.lines.tolist()] == list(range(1, len(sources) + 1))
    assert source.size == os.path.getsize(name)
    assert not chunks or chunks[-1].position == source.size


@pytest.mark.parametrize(
    "head",
    [
        b"Note: call me\nTo: you\n",
        b"To: all, meet at one\nok see you\n",
        b"From here on\nwe go\n",
        b"From a\n\nSubject: b\n",
        b"Subject: hi\n\nbody\n",
        b"Re: ok\nSubject: x\n",
        b"label,text\nham,Subject: x\n",
        b": x\nSubject: x\n",
        b"",
    ],
)
def test_what_looks_a_little_like_mail_is_none(head: bytes) -> None:
    assert by_first_lines(head) == ""
    Path("x.txt").write_bytes(head)
    with opened("x.txt") as source:
        assert source.description in ("x.txt: empty", "x.txt: one message per line (UTF-8)") or "CSV" in (
            source.description
        )


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("name", ["x.eml.gz", "x.mbox.xz", "x"])
def test_packed(pack: Callable[[bytes], bytes], name: str, request: pytest.FixtureRequest) -> None:
    Path(name).write_bytes(pack(box("one", "two")))
    source = opened(name)
    kind = "one email" if "eml" in name else "mbox"
    assert source.description == f"{name}: {kind} ({request.node.callspec.id.split('-')[1]})"
    assert words(source) == (["one"] if "eml" in name else ["one", "two"])


def test_one_mail_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for format in ("eml", "auto"):
        monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(MARK + mail("one"))))
        source = opened("-", format=format)
        assert source.description == f"stdin: {'one email' if format == 'eml' else 'mbox'}"
        chunks = list(source)
        assert chunks[0].texts[0].split() == [b"one", b"here"]
        assert chunks[0].texts.tags["subject"][0].split() == [b"one"]
        assert list(chunks[0].sources) == (["stdin"] if format == "eml" else ["stdin#1"])


def test_an_empty_mail_on_standard_input_gets_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(b"")))
    assert words(opened("-", format="eml")) == [""]
    monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(b"")))
    assert words(opened("-", format="mbox")) == []
    Path("x.eml").write_bytes(b"")
    assert failure("x.eml", label="ham") == ("x.eml is empty", "give a file with messages")


def test_a_mail_that_trickles_in(pipe: int) -> None:
    os.write(pipe, b"Subject: hi\n")
    reader, writer = os.pipe()
    sender = subprocess.Popen(
        [sys.executable, "-c", "import os, sys; os.read(0, 1); os.write(1, b'From: a\\n\\nbody')"],
        stdin=reader,
        stdout=pipe,
    )
    os.close(pipe)
    os.close(reader)
    os.write(writer, b"x")
    os.close(writer)
    source = opened("-")
    assert source.description == "stdin: one email"
    assert words(source) == ["body"]
    assert sender.wait() == 0


def test_a_live_mbox_is_answered_as_it_arrives(pipe: int) -> None:
    os.write(pipe, box("one", "two") + b"\nFrom c 00:00\n")
    chunks = iter(opened("-", format="mbox", jobs=2))
    assert next(chunks).sources == ["stdin#1", "stdin#2"]
    os.write(pipe, mail("three"))
    os.write(pipe, b"\nFrom d 00:00\n")
    assert next(chunks).sources == ["stdin#3"]
    os.close(pipe)
    assert next(chunks).sources == ["stdin#4"]
    assert list(chunks) == []


def test_binary_files_are_no_mail() -> None:
    Path("x.eml").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert failure("x.eml", labelled=False)[0] == "x.eml is a PNG image, expected messages as text"


def test_labels_have_to_be_stated() -> None:
    Path("x.eml").write_bytes(mail("one"))
    Path("x").write_bytes(box("one", "two"))
    assert failure("x.eml") == (
        "x.eml is one email and has no label",
        "say what it is: --label spam=x.eml or --label ham=x.eml",
    )
    assert failure("x")[0] == "x is an mbox and has no label"
    source = opened("x", labelled=True, label="1")
    assert source.description == "x: mbox, all spam"
    assert [chunk.labels for chunk in source] == [["spam", "spam"]]
    assert source.positive_hint == "spam"
    with opened("x", labelled=True, label="offers") as source:
        assert source.positive_hint is None


def test_columns_are_not_in_mails() -> None:
    Path("x.eml").write_bytes(mail("one"))
    assert failure("x.eml", labelled=False, categorical=("from",)) == (
        "x.eml is read as mail and has no columns",
        f"columns need --input-format {any_of(table_formats())}",
    )


@pytest.mark.parametrize(
    ("name", "data", "about", "rows", "skipped"),
    [
        (
            "x.txt",
            b"one\n\ntwo\n",
            "one message per line (UTF-8), all spam",
            [b"one", b"two"],
            {2: "no text"},
        ),
        (
            "x.csv",
            b"text,n\none,1\n,2\ntwo,3,4\n",
            'CSV (comma, header, UTF-8), text column "text", all spam',
            [b"one"],
            {3: "no text", 4: "3 fields, expected 2"},
        ),
        (
            "x.jsonl",
            b'{"text": "one"}\n{bad\n{"text": "two", "label": "ham"}\n',
            'JSONL (UTF-8), text column "text", all spam',
            [b"one", b"two"],
            {2: "bad JSON"},
        ),
    ],
)
def test_a_stated_label_goes_for_every_format(
    name: str, data: bytes, about: str, rows: list[bytes], skipped: dict[int, str]
) -> None:
    Path(name).write_bytes(data)
    source = opened(name, labelled=True, label="junk", default_format="csv")
    assert source.description == f"{name}: {about}"
    chunks = list(source)
    assert [text for chunk in chunks for text in chunk.texts.tolist()] == rows
    assert [label for chunk in chunks for label in chunk.labels or []] == ["spam"] * len(rows)
    assert dict(source.skipped.examples) == skipped


def test_options_are_checked() -> None:
    for name in ("max_size", "jobs"):
        with pytest.raises(ConfigError, match=rf"^{name} must be at least 1, got 0$"):
            ReadOptions.from_flags(**{name: 0})
    with pytest.raises(ConfigError, match=r"(?m)^a label must not be empty$"):
        ReadOptions(label=" ")


class Trickle(io.RawIOBase):
    """Gives one line at a time."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        line = self._lines.pop(0) if self._lines else b""
        buffer[: len(line)] = line
        return len(line)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    ("lines", "is_mail"),
    [
        pytest.param([b"From: ann@x.example", b"Subject: y", b"", b"body"], True, id="an address"),
        pytest.param([b"Subject: y", b"From: Ann", b"", b"body"], True, id="a whole header"),
        pytest.param([b"Subject: y", b"Date: Fri, 2 Jan 2026 09:00:00 +0000"], True, id="a date of mail"),
        pytest.param([b"Received:", b" from a.example by b", b"X-A: b"], True, id="folded"),
        pytest.param([b"Received-SPF: Pass (mx)", b" client-ip=::1"], True, id="results of SPF"),
        pytest.param([b"Date: Friday", b"Place: Joe", b"see you"], False, id="a date of a person"),
        pytest.param([b"Date: Friday", b"Place: Joe", b"", b"see you"], False, id="a name of no mail"),
        pytest.param([b"Subject: hi", b"From: Anna"], False, id="names only"),
        pytest.param([b"To: all", b"Cc: Anna", b"From: a@b.example is mine"], True, id="an address later"),
        pytest.param([b"To: all", b"see you", b"From: a@b.example"], False, id="an address too late"),
    ],
)
def test_a_pipe_is_mail_only_if_it_can_be_nothing_else(
    pipe: int, lines: list[bytes], is_mail: bool, end: bytes
) -> None:
    """Whether it arrives at once or line after line makes no difference."""
    data = b"".join(line + end for line in lines)
    os.write(pipe, data)
    os.close(pipe)
    kind = "one email" if is_mail else "one message per line (UTF-8)"
    assert opened("-").description == f"stdin: {kind}"
    trickle = ByteStream("-", io.BufferedReader(Trickle(data.splitlines(True))), live=True)
    assert mail_format(DecodedInput(trickle)) == ("eml" if is_mail else "")
    Path("x").write_bytes(data)
    with opened("x") as source:
        assert source.description == f"x: {kind}"


def test_a_line_that_never_ends_ends_detection() -> None:
    """What follows two fields may be one line longer than detection reads."""
    data = b"Subject: x\nTo: Ann\n" + b"a" * (1 << 25)
    decoded = DecodedInput(ByteStream("-", io.BufferedReader(io.BytesIO(data)), live=False))
    assert mail_format(decoded) in ("", "eml")
    assert len(decoded.raw_head) < len(data)

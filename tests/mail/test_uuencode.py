"""Uuencoded files in a text: those that are text are read, all others are attachments."""

from __future__ import annotations

from binascii import b2a_uu

import pytest

from spamnb.mail.parse import parse_mail
from spamnb.mail.uuencode import take_files


def encoded(name: str, content: bytes) -> bytes:
    lines = b"".join(b2a_uu(content[at : at + 45]) for at in range(0, len(content), 45))
    return b"begin 644 " + name.encode() + b"\n" + lines + b"`\nend\n"


def parsed(text: bytes) -> tuple[list[str], set[str]]:
    mail = parse_mail(b"Subject: x\n\n" + text)
    return mail.body.decode().split(), set(mail.tags["file"].decode().split())


def test_a_text_file_is_read() -> None:
    words, files = parsed(b"see this\n" + encoded("note.txt", b"cheap watches " * 20) + b"bye")
    assert words == ["cheap", "watches"] * 20 + ["see", "this", "bye"]
    assert files == {"type_text_plain", "note", "txt", "ext_txt"}


def test_a_page_is_read_as_html() -> None:
    words, _ = parsed(encoded("a.html", b"<p>cheap</p><p style='display:none'>ham</p>"))
    assert words == ["cheap"]


def test_a_program_is_an_attachment() -> None:
    words, files = parsed(b"see\n" + encoded("invoice.exe", bytes(range(256)) * 4) + b"bye")
    assert words == ["see", "bye"]
    assert files == {"type_application_octet_stream", "invoice", "exe", "ext_exe"}


def test_a_file_without_an_end_runs_to_the_end() -> None:
    words, files = parsed(b"see\n" + encoded("a.bin", b"\0\1\2" * 90).removesuffix(b"`\nend\n"))
    assert words == ["see"]
    assert "ext_bin" in files


@pytest.mark.parametrize(
    "text",
    [
        b"begin 644 or end with it",
        b"we begin 644 a.txt\n",
        b"begin 644 a.txt\n\nend",
        b"begin 9 a.txt\n#a\nend",
    ],
)
def test_prose_is_left_alone(text: bytes) -> None:
    assert take_files(text) == (text, [])


def test_blanks_that_a_program_left_out_are_read() -> None:
    whole = encoded("a.txt", b"a" + b"\0" * 44 + b"hello")
    stripped = b"\n".join(line.rstrip() for line in whole.replace(b"`", b" ").split(b"\n"))
    assert take_files(stripped)[1][0].content == b"a" + b"\0" * 44 + b"hello"

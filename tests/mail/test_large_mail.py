"""Mails beyond the limit: attachments do not count, text behind them is found, and memory is bounded."""

from __future__ import annotations

import tracemalloc
from base64 import encodebytes
from binascii import b2a_uu

import pytest
from hypothesis import given, strategies as st

from spamnb.mail.large_mail import LargeMail, without_attachments
from spamnb.mail.parse import parse_mail
from spamnb.mail.parsed_mail import Limits

PICTURE = b"Content-Type: image/png; name=a.png\nContent-Transfer-Encoding: base64\n\n" + encodebytes(
    b"\x89PNG" * 400_000
)
TEXT = b"Content-Type: text/plain\n\ncheap watches\n"


def multi(*parts: bytes, boundary: bytes = b"b", preamble: bytes = b"") -> bytes:
    head = b"Content-Type: multipart/mixed; boundary=" + boundary + b"\n\n" + preamble
    return head + b"".join(b"--%b\n%b\n" % (boundary, part) for part in parts) + b"--" + boundary + b"--\n"


INNER = b"Content-Type: message/rfc822\n\nSubject: in\n" + multi(PICTURE, TEXT, boundary=b"c")
UUENCODED = b"".join(b2a_uu(b"\0\1\2" * 15) for _ in range(20_000))
CASES = {
    "a picture before the text": multi(PICTURE, TEXT),
    "CRLF": multi(PICTURE, TEXT).replace(b"\n", b"\r\n"),
    "parts within parts": multi(multi(PICTURE, PICTURE, boundary=b"bb"), TEXT),
    "a mail within a mail": multi(INNER),
    "a large preamble": multi(TEXT, preamble=b"no one reads this\n" * 60_000),
    "a large epilogue of a part": multi(multi(PICTURE, boundary=b"bb") + b"epilogue\n" * 90_000, TEXT),
    "an uuencoded program": b"A: b\n\nhello\nbegin 644 a.exe\n" + UUENCODED + b"`\nend\ncheap watches\n",
    "an mbox line before it": b"From a@b Mon Jan  1 00:00:00 2024\n" + multi(PICTURE, TEXT),
    "blank lines before it": b"\n\n" + multi(PICTURE, TEXT),
}  # fmt: skip


@pytest.mark.parametrize("raw", CASES.values(), ids=CASES)
def test_text_behind_an_attachment_is_found(raw: bytes) -> None:
    mail = parse_mail(raw)
    assert len(raw) > 1 << 19
    assert b"cheap watches" in mail.body
    assert mail.notes == ()


@pytest.mark.parametrize("raw", CASES.values(), ids=CASES)
def test_the_same_is_read_as_without_a_limit(raw: bytes) -> None:
    whole = parse_mail(raw, Limits(message=1 << 30, text=1 << 30, words=1 << 30))
    cut = parse_mail(raw)
    assert (cut.body, cut.tags) == (whole.body, whole.tags)


@pytest.mark.parametrize("line", [b"see you at lunch\n", b"lunch " * 20 + b"\r\n"])
def test_a_long_text_does_not_push_out_the_page_behind_it(line: bytes) -> None:
    ham = b"Content-Type: text/plain\n\n" + line * (600_000 // len(line))
    raw = multi(ham, b"Content-Type: text/html\n\n<p>cheap watches\n").replace(b"mixed", b"alternative")
    mail = parse_mail(raw)
    assert mail.body.split() == b"cheap watches".split()
    both = parse_mail(multi(ham, ham, ham, TEXT), Limits(words=1 << 30, text=1 << 30))
    assert both.body.endswith(b"cheap watches\n")


def test_too_much_text_is_cut_and_noted() -> None:
    raw = multi(PICTURE, b"\n" + b"hello " * 200_000)
    assert parse_mail(raw).notes[0] == "only the first 524,288 bytes were read"
    shortened, cut = without_attachments(raw, 1000)
    assert 500 < len(shortened) < 1000  # half of the room was left for parts that could follow
    assert shortened.endswith(b"hello \n--b--")
    assert cut


def test_text_that_fits_is_not_cut() -> None:
    assert without_attachments(b"A: b\n\nhello", 11) == (b"A: b\n\nhello", False)
    assert without_attachments(b"A: b\n\nhello", 10) == (b"A: b\n\nhell", True)
    assert without_attachments(b"", 10) == (b"", False)


PIECES = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"--b", b"--b--", b"\n--b\n", b"\n--c\n", b"\n--c--\n", b"--", b"a", b" ", b"\n\n"),
        *(b"Content-Type: multipart/mixed; boundary=b\n\n", b"Content-Type: multipart/mixed; boundary=c\n\n"),
        *(b"Content-Type: image/png\n\n", b"Content-Type: message/rfc822\n\n", b"Subject: x\n"),
        *(b"begin 644 a.exe\n", b"begin 644 a.txt\n", b"\nend\n", b"hello\n"),
    ]
)


@given(st.lists(st.lists(PIECES, max_size=6).map(b"".join), max_size=6), st.integers(0, 200))
def test_where_blocks_end_makes_no_difference(blocks: list[bytes], limit: int) -> None:
    mail, whole = LargeMail(limit), LargeMail(limit)
    for block in blocks:
        mail.feed(block)
    whole.feed(b"".join(blocks))
    parsed = mail.finish()
    assert parsed == whole.finish()
    assert len(parsed[0]) <= limit


@given(st.lists(PIECES, max_size=12).map(b"".join))
def test_leaving_out_attachments_changes_no_text(raw: bytes) -> None:
    shortened, cut = without_attachments(raw, 1 << 20)
    assert not cut
    assert parse_mail(shortened).body.split() == parse_mail(raw).body.split()


def test_memory_stays_within_the_limit() -> None:
    mail = LargeMail(1 << 19)
    mail.feed(multi()[:43] + b"--b\nContent-Type: image/png\n\n")
    block = b"QUJD" * 19 + b"\n"
    tracemalloc.start()
    try:
        for _ in range(200):
            mail.feed(block * 1000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000

"""Whole mails: sample mails and public ones beside the standard library's parser, and any bytes at all."""

from __future__ import annotations

import email
import lzma
import re
import tarfile
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from spamnb.mail import TAGS, mail_texts
from spamnb.mail.charset import to_utf8
from spamnb.mail.html_text import parse_html
from spamnb.mail.parse import parse_mail
from spamnb.mail.parsed_mail import Limits
from tests.helpers.paths import SMALL_MAILS, SPAMASSASSIN, TEST_DATA

WORDS = re.compile(r"[\w ]*")
NO_LIMITS = Limits(message=1 << 30, text=1 << 30, words=1 << 30)


def texts_of(raw: bytes) -> Iterator[bytes]:
    """The text parts as the standard library reads a mail; of alternatives the one that is shown."""
    return texts_in(email.message_from_bytes(raw))


def texts_in(part: Message) -> Iterator[bytes]:
    if part.is_multipart():
        parts = [inner for inner in part.get_payload() if isinstance(inner, Message)]
        pages = [i for i, inner in enumerate(parts) if any(map(shows, inner.walk()))]
        is_alternative = part.get_content_subtype() == "alternative"
        for inner in parts[pages[-1] if is_alternative and pages else 0 :]:
            yield from texts_in(inner)
    elif part.get_content_maintype() == "text":
        yield parse_html(text_of(part))[0] if part.get_content_subtype() == "html" else text_of(part)


def text_of(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return to_utf8(payload, str(part.get_param("charset", "")).encode("ascii", "replace"))


def shows(part: Message) -> bool:
    """Whether this is an HTML page with text or a picture."""
    if part.get_content_type() != "text/html" or part.is_multipart():
        return False
    page = parse_html(text_of(part))
    return bool(page.text.split()) or b"images_0" not in page.facts


@pytest.mark.parametrize("path", SMALL_MAILS, ids=lambda path: path.stem)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=repr)
def test_sample_mails_read_as_the_standard_library_does(path: Path, end: bytes) -> None:
    raw = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", end)
    mail = parse_mail(raw)
    assert mail.body.split() == b"\n".join(texts_of(raw)).split()
    assert mail.body.strip()
    assert mail.notes == ()


def test_there_are_sample_mails() -> None:
    assert len(SMALL_MAILS) >= 10


def test_sample_mails_have_the_tags_one_would_expect() -> None:
    tags = parse_mail((TEST_DATA / "mail" / "spam" / "02-bank-phishing-html.eml").read_bytes()).tags
    assert {b"198_51_100_77", b"ip_host", b"mismatch", b"www_corbel_bank_example"} <= set(tags["url"].split())
    assert {b"security_corbel_bank_example", b"returnpath_differs"} <= set(tags["from"].split())
    assert {b"x_priority_1", b"content_type_text_html"} <= set(tags["header"].split())
    assert (
        b"hidden"
        in parse_mail((TEST_DATA / "mail/spam/07-parcel-html.eml").read_bytes()).tags["html"].split()
    )


def public_mails() -> Iterator[tuple[str, bytes]]:
    if not SPAMASSASSIN.exists():
        pytest.skip("the public mail corpus is not beside the checkout")
    with lzma.open(SPAMASSASSIN) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        number = 0
        for member in archive:
            content = (
                archive.extractfile(member) if member.isfile() and member.name.endswith(".eml") else None
            )
            if content is not None:
                if number % 20 == 0:
                    yield member.name, content.read()
                number += 1


def test_public_mails_read_as_the_standard_library_does() -> None:
    different, seen = [], 0
    for name, raw in public_mails():
        seen += 1
        if parse_mail(raw, NO_LIMITS).body.split() != b"\n".join(texts_of(raw)).replace(b"\0", b"").split():
            different.append(name)
    assert seen >= 300
    assert len(different) <= 3, different  # broken multiparts and base64, which are read further here


PIECES = (
    *(
        b"From: a@b.example\n",
        b"Subject: =?utf-8?q?=C3=A9?=\n",
        b"Received: from a.b ([1.2.3.4])\n",
        b"\n",
        b"\r",
    ),
    *(b"Content-Type: multipart/mixed; boundary=b\n", b"--b\n", b"--b--\n", b"Content-Type: text/html\n"),
    *(
        b"Content-Type: text/plain; charset=utf-16\n",
        b"Content-Transfer-Encoding: base64\n",
        b"<a href=http://a.b>",
    ),
    *(
        b"Content-Disposition: attachment; filename=a.b.c\n",
        b"<!--",
        b"&#x41;",
        b"www.",
        b"://",
        b"\0",
        b"\xff",
        b" ",
    ),
    *(
        b"\xc3\xa9",
        b"List-Id: <a.b>\n",
        b"Message-ID: <@>\n",
        b"To: \n",
        b"Content-Type: message/rfc822\n",
        b"a",
        b".",
    ),
)
mails = st.binary(max_size=200) | st.lists(st.sampled_from(PIECES) | st.binary(max_size=5), max_size=25).map(
    b"".join
)


@given(mails)
def test_any_bytes_are_a_mail(raw: bytes) -> None:
    mail = parse_mail(raw)
    mail.body.decode()
    assert set(mail.tags) <= set(TAGS)
    for tag, text in mail.tags.items():
        assert WORDS.fullmatch(text.decode()), (tag, text)
    again = parse_mail(raw)
    assert (again.body, again.tags, again.notes) == (mail.body, mail.tags, mail.notes)


@given(mails, st.integers(0, 60), st.integers(0, 3))
def test_small_limits_are_kept(raw: bytes, size: int, few: int) -> None:
    limits = Limits(
        message=size * 4, header_line=size, headers=size, parts=few, depth=few, text=size, tag_words=few + 1
    )
    mail = parse_mail(raw, limits)
    mail.body.decode()
    assert len(mail.body) <= 4 * size + few + 1  # a byte of one character set may be several in UTF-8
    for text in mail.tags.values():
        assert len(text.split()) <= few + 1


@given(st.lists(mails, min_size=1, max_size=4))
def test_mails_as_a_batch(raws: list[bytes]) -> None:
    parsed = [parse_mail(raw) for raw in raws]
    batch = mail_texts(parsed)
    assert batch.tolist() == [mail.body for mail in parsed]
    assert batch.tags["url"].tolist() == [mail.tags["url"] for mail in parsed]


def test_the_answer_does_not_depend_on_what_was_read_before() -> None:
    raws = [path.read_bytes() for path in SMALL_MAILS]
    forward = [parse_mail(raw).tags for raw in raws]
    assert [parse_mail(raw).tags for raw in reversed(raws)] == forward[::-1]

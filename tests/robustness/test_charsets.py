"""Mails that do not declare their character set, or declare a wrong one, are decoded as they were written."""

from __future__ import annotations

import random
from base64 import b64encode

import pytest

from spamnb.mail.charset import to_utf8
from spamnb.mail.parse import parse_mail
from tests.robustness.charsets import BODIES, CASES, ENOUGH, SENTENCES, body, mail, wrong

EIGHT_BIT = [case for case in CASES if case[1] not in ("utf-8", "utf-16", "iso-2022-jp", "cp1258")]


def test_95_percent_of_2000_bodies_are_decoded_right() -> None:
    faults = wrong(BODIES)
    assert sum(faults.values()) <= (1 - ENOUGH) * BODIES, {case: n for case, n in faults.items() if n}
    assert len({codec for _, codec in CASES}) >= 20


@pytest.mark.parametrize("declared", ["us-ascii", "unknown-8bit", "x-unknown", "utf-8"])
@pytest.mark.parametrize(("language", "codec"), EIGHT_BIT)
def test_a_wrong_declaration_is_not_believed(language: str, codec: str, declared: str) -> None:
    text = body(language, codec, random.Random(2))
    raw = mail(text, codec).replace(b"text/plain", b"text/plain; charset=" + declared.encode())
    assert parse_mail(raw).body.decode().rstrip() == text.rstrip()


@pytest.mark.parametrize(
    ("language", "codec"), [case for case in EIGHT_BIT if case[0] not in ("de", "fr", "es")]
)
def test_a_raw_subject_is_decoded(language: str, codec: str) -> None:
    subject = SENTENCES[language].split("\n")[0]
    words = parse_mail(b"Subject: " + subject.encode(codec) + b"\n\nx").tags["subject"].decode().split()
    assert words == parse_mail(b"Subject: " + subject.encode() + b"\n\nx").tags["subject"].decode().split()


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("declared", ["; charset=utf-16", ""])
def test_wide_characters(codec: str, declared: str) -> None:
    text = SENTENCES["de"]
    raw = f"Content-Type: text/plain{declared}\nContent-Transfer-Encoding: base64\n\n".encode()
    if codec != "utf-32" or not declared:
        assert parse_mail(raw + b64encode(text.encode(codec))).body.decode().lstrip("\ufeff") == text


def test_ascii_that_claims_to_be_utf_16() -> None:
    assert to_utf8(b"free entry", b"utf-16") == b"free entry"
    page = b"Content-Type: text/html\n\n<meta charset=utf-16><p>caf\xc3\xa9</p>"
    assert parse_mail(page).body.decode().split() == ["café"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"It\x92s \xa35 \x96 \x93now\x94", "It’s £5 – “now”"),
        (b"caf\xe9", "café"),
        (b"na\xefve r\xe9sum\xe9 \x85", "naïve résumé …"),
        (b"\xa9 2007 \xae \x99", "© 2007 ® ™"),
        (b"10\xb0 \xbd", "10° ½"),
    ],
)
def test_few_bytes_beyond_ascii_are_western(data: bytes, text: str) -> None:
    assert to_utf8(data).decode() == text


def test_a_few_broken_bytes_do_not_change_a_right_declaration() -> None:
    text = SENTENCES["ru"]
    broken = text.encode()[:300] + b"\xff" + text.encode()[301:]
    assert "Добрый день" in to_utf8(broken, b"utf-8").decode()
    assert "Добрый день" in to_utf8(broken).decode()

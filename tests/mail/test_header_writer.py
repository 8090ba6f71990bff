"""Properties of the passthrough on any bytes, and on real mails."""

from __future__ import annotations

import tarfile

import pytest
from hypothesis import given, strategies as st

from spamnb.mail.header_writer import annotate, fold, split_header
from tests.helpers.paths import SPAMASSASSIN

FIELDS = [("X-Spam-Flag", "YES"), ("X-Spamnb", "spam, " + "token +0.10, " * 20)]
OTHERS = [("X-Spam-Flag", "NO")]

# Pieces of which mails go wrong: any order of these is a mail that somebody will send.
PIECES = [b"\n", b"\r\n", b"\r", b" ", b"\t", b":", b"a", b"\0", b"\xff", b"From x", b">From y", b"To: b"]
PIECES += [b"X-Spam-Flag: NO", b"x-spamnb :", b"X-Spam-Level", b"\n.\n", b"X-Spam: 1\n", b"A: 1\n", b"\n c"]
raws = st.one_of(st.binary(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join))


@given(raws)
def test_split_loses_nothing(raw: bytes) -> None:
    header, body = split_header(raw)
    assert header + body == raw


@given(raws)
def test_the_body_stays_and_the_verdict_comes_once(raw: bytes) -> None:
    _, body = split_header(raw)
    header, after = split_header(annotate(raw, FIELDS))
    assert after in (body, b"\n" + body, b"\r\n" + body)
    assert header.lower().count(b"x-spam-flag: yes") == 1
    assert header.endswith((b"\n", b"\r\n"))


@given(raws)
def test_only_the_last_verdict_counts(raw: bytes) -> None:
    assert annotate(annotate(raw, FIELDS), OTHERS) == annotate(raw, OTHERS)
    assert annotate(annotate(raw, OTHERS), FIELDS) == annotate(raw, FIELDS)


@given(st.text(max_size=300))
def test_a_folded_field_is_one_field(value: str) -> None:
    lines = fold("X-Spam-Status", value).split("\n")
    assert lines[0].startswith("X-Spam-Status:")
    assert all(line.startswith(" ") and line.strip() for line in lines[1:])
    assert all(len(line) <= 78 and line.isascii() and line.isprintable() for line in lines)


def test_real_mails() -> None:
    if not SPAMASSASSIN.exists():
        pytest.skip("needs ../shared/data/mail/spamassassin.tar.xz")
    seen = 0
    with tarfile.open(SPAMASSASSIN) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is None:
                continue
            raw = file.read()
            _check(raw)
            seen += 1
            if seen == 60:
                return
    pytest.fail(f"only {seen} mails")


def _check(raw: bytes) -> None:
    body = raw[raw.index(b"\n\n") :] if b"\n\n" in raw else b""
    out = annotate(raw, FIELDS)
    assert out.endswith(body)
    header = out[: len(out) - len(body)]
    assert header.count(b"\nX-Spam-Flag:") == 1
    assert header.partition(b"\n")[0] == raw.partition(b"\n")[0]


def test_a_mail_cut_in_the_middle_of_its_blank_line_keeps_the_verdict_in_the_header() -> None:
    raw = b"Subject: hi\r\n\r"
    assert annotate(raw, [("X-Spam-Flag", "YES")]) == b"Subject: hi\r\nX-Spam-Flag: YES\r\n\r"

"""Properties of writing a verdict into any bytes, and into real mails."""

from __future__ import annotations

import email
import email.policy
import tarfile

import pytest
from hypothesis import given, strategies as st

from spamnb.mail.header_block import plain_name, skip_to_header, split_block, split_envelope, unify_line_ends
from spamnb.mail.headers import read_fields
from spamnb.mail.parsed_mail import DEFAULT
from spamnb.mail.verdict_header import NO_VERDICT, annotate, fold
from tests.helpers.paths import SPAMASSASSIN

FIELDS = [("X-Spam-Flag", "YES"), ("X-Spamnb", "spam, " + "token +0.10, " * 20)]
OTHERS = [("X-Spam-Flag", "NO")]

# Pieces of which mails go wrong: any order of these is a mail that could arrive.
PIECES = [b"\n", b"\r\n", b"\r", b" ", b"\t", b":", b"a", b"\0", b"\xff", b"From x", b">From y", b"To: b"]
PIECES += [b"X-Spam-Flag: NO", b"x-spamnb :", b"X-Spam-Level", b"\n.\n", b"X-Spam: 1\n", b"A: 1\n", b"\n c"]
PIECES += [b"\rX-Spam-Flag: NO", b"\r\r\n", b"\nX-Spam-Flag\0: NO\n", b"no field\n", b"\nFrom z\n"]
raws = st.one_of(st.binary(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join))


def flags(mail: bytes) -> list[list[str]]:
    """The values of X-Spam-Flag by Python's email, with two policies, and by spamnb."""
    parsed = (email.message_from_bytes(mail, policy=p) for p in (email.policy.compat32, email.policy.default))
    names, values, _ = read_fields(skip_to_header(unify_line_ends(mail)), DEFAULT, [])
    ours = [value for name, value in zip(names, values, strict=True) if plain_name(name) == b"x-spam-flag"]
    return [
        *([str(value).strip() for value in message.get_all("X-Spam-Flag", [])] for message in parsed),
        [value.decode().strip() for value in ours],
    ]


@given(raws)
def test_a_split_loses_nothing(raw: bytes) -> None:
    assert b"".join(split_envelope(raw)) == raw
    assert b"".join(split_block(raw)) == raw


@given(raws)
def test_every_parser_reads_our_verdict_and_no_other(raw: bytes) -> None:
    assert flags(annotate(raw, FIELDS)) == [["YES"]] * 3
    assert flags(annotate(raw, NO_VERDICT)) == [[]] * 3


@given(raws)
def test_the_body_stays(raw: bytes) -> None:
    body = split_block(split_envelope(raw)[1])[2]
    assert annotate(raw, FIELDS).endswith(body)
    assert annotate(raw, NO_VERDICT).endswith(body)


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
    assert (b"\n" + header).count(b"\nX-Spam-Flag:") == 1
    assert flags(out) == [["YES"]] * 3
    if raw.startswith(b"From "):
        assert header.partition(b"\n")[0] == raw.partition(b"\n")[0]

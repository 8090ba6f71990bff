"""A thousand real mails through `spamnb filter`: not a byte of a body changes, and one verdict is left."""

from __future__ import annotations

import re
import tarfile
from email import message_from_bytes
from functools import cache
from pathlib import Path

import pytest

from spamnb.mail import DEFAULT, parse_mail
from spamnb.model import with_verdict
from spamnb.model.spam_model import SpamModel
from spamnb.report import header_reasons
from tests.helpers.command_line import Cli
from tests.helpers.paths import SPAMASSASSIN

MANY, EVERY = 1000, 6
FORGED = b"X-Spam-Flag: NO\nX-Spam-Status: No, score=-9.9\n\trequired=5.0\nx-spamnb: ham, p=0.0\n"

pytestmark = pytest.mark.skipif(
    not SPAMASSASSIN.exists(), reason="the SpamAssassin corpus is not beside this checkout"
)


@cache
def mails() -> list[bytes]:
    """Every sixth mail of the corpus; every third of those brings forged verdicts along."""
    with tarfile.open(SPAMASSASSIN) as packed:
        files = (m for m in packed if m.isfile() and re.search(r"(ham|spam)/", m.name))
        chosen = [packed.extractfile(m) for i, m in enumerate(files) if i % EVERY == 0][:MANY]
        raw_mails = [file.read() for file in chosen if file is not None]
    return [_forged(raw) if i % 3 == 0 else raw for i, raw in enumerate(raw_mails)]


def _forged(raw: bytes) -> bytes:
    """With verdicts after the line of an mbox, if there is one, and again before the body."""
    start = raw.index(b"\n") + 1 if raw.startswith(b"From ") else 0
    end = b"\r\n" if b"\r\n" in raw[:2000] else b"\n"
    lines, blank = FORGED.replace(b"\n", end), _blank(raw)
    return raw[:start] + lines + raw[start:blank] + lines + raw[blank:]


def _blank(raw: bytes) -> int:
    """Where the blank line before the body begins."""
    match = re.search(rb"(?m)^\r?\n", raw)
    return len(raw) if match is None else match.start()


def _others(raw: bytes) -> list[tuple[str, str]]:
    """All fields but verdicts, by the standard library's parser."""
    head = re.sub(rb"\A(?:>?From [^\n]*\n)*", b"", raw[: _blank(raw)])
    fields = message_from_bytes(head + b"\n\n").items()
    return [(name, value) for name, value in fields if not re.match(r"(?i)x-spam(-|nb$|$)", name)]


def _check(raw: bytes, out: bytes) -> None:
    body = raw[_blank(raw) :]
    assert out.endswith(body)
    header = out[: len(out) - len(body)]
    assert len(re.findall(rb"(?im)^x-spam-flag[ \t]*:", header)) == 1
    assert len(re.findall(rb"(?im)^x-spam(?:nb|-[^:\s]*)[ \t]*:", header)) == 5
    assert re.search(rb"(?m)^X-Spam-Flag: (YES|NO)\r?$", header)
    assert b"score=-9.9" not in header
    assert _others(out) == _others(raw)
    before, after = parse_mail(raw), parse_mail(out)  # a mail can be learned before and after the filter
    assert (before.body, before.tags) == (after.body, after.tags)


def test_a_thousand_real_mails(mail_model: Path) -> None:
    model = SpamModel.load(mail_model)
    assert len(mails()) == MANY
    assert sum(b"\nX-Spam" in raw[: _blank(raw)] for raw in mails()) > MANY / 3
    for raw in mails():
        _check(raw, with_verdict(raw, model, DEFAULT, header_reasons))


def test_some_of_them_as_a_mail_system_does(cli: Cli, mail_model: Path) -> None:
    model = SpamModel.load(mail_model)
    for raw in mails()[::125]:
        out = cli("filter", "-m", mail_model, stdin=raw).out
        _check(raw, out)
        assert out == with_verdict(raw, model, DEFAULT, header_reasons)

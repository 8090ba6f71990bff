"""Where a header block ends, which headers are read, and mails that begin oddly."""

from __future__ import annotations

import pytest

from spamnb.mail.headers import split_head
from spamnb.mail.parse import parse_mail
from spamnb.mail.parsed_mail import DEFAULT, Limits

HEAD = b"From: Ann <ann@example.com>\nSubject: Lunch\n"


def head(raw: bytes, limits: Limits = DEFAULT) -> tuple[dict[bytes, bytes], bytes]:
    return split_head(raw, limits, [])


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"From ann@example.com Mon Oct 19 08:02:15 2026\n",
        b">From ann@example.com Mon Oct 19 08:02:15 2026\n",
        b"From a\n>From b\n",
        b"\n\n\n",
        b"\r\n \t\n",
        b"\xef\xbb\xbf",
    ],
    ids=repr,
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=repr)
def test_odd_starts_and_line_ends(start: bytes, end: bytes) -> None:
    mail = parse_mail((start + HEAD + b"\nAt one,\nthen.").replace(b"\n", end))
    assert mail.tags["subject"].split() == [b"Lunch"]
    assert mail.tags["from"].split()[0] == b"Ann"
    assert mail.body == b"At one,\nthen."


def test_mixed_line_ends() -> None:
    mail = parse_mail(b"Subject: a\r\nX-One: b\nX-Two: c\r\r\nbody\r\nmore")
    assert mail.tags["subject"].split() == [b"a"]
    assert {b"x_one", b"x_two"} <= set(mail.tags["header"].split())
    assert mail.body == b"body\nmore"


def test_folded_lines_are_one_value() -> None:
    assert head(b"Subject: a\n b\n\tc\nTo: d\n\nbody") == (
        {b"subject": b" a\n b\n\tc", b"to": b" d"},
        b"body",
    )


def test_the_first_of_a_repeated_header_counts() -> None:
    assert head(b"Subject: first\nsubject: second\n\n")[0] == {b"subject": b" first"}


def test_all_received_headers_count() -> None:
    assert head(b"Received: a\nReceived: b\nReceived: c\n\n")[0] == {b"received": b" a\r b\r c"}


def test_without_a_blank_line_the_body_begins_at_the_first_line_that_is_no_header() -> None:
    headers, body = head(b"Subject: a\n b\nHello there\nhttp://example.com\n\nBye")
    assert headers == {b"subject": b" a\n b"}
    assert body == b"Hello there\nhttp://example.com\n\nBye"


def test_a_mailbox_line_among_headers_is_passed_over() -> None:
    assert head(b"Subject: a\n>From x Mon\nTo: b\n\nc") == ({b"subject": b" a", b"to": b" b"}, b"c")


@pytest.mark.parametrize(
    "text",
    [
        b"Hello there\n\nSubject: x\n\nBye",
        b"One line",
        b": x\n\ny",
        b"\0\n\n",
        b"\xff: a\n\nb",
        b"http://a.example\n\nx",
    ],
    ids=repr,
)
def test_without_headers_everything_is_body(text: bytes) -> None:
    mail = parse_mail(text)
    assert mail.body == text.replace(b"\0", b"").replace(b"\xff", "ÿ".encode())
    assert mail.tags["header"].startswith(b"content_type_text_plain no_from")


def test_of_a_mail_without_anything_nothing_is_known() -> None:
    for raw in (b"", b"\n", b" \r\n\t\n"):
        assert parse_mail(raw).body == b""
        assert not any(parse_mail(raw).tags.values())


def test_a_blank_before_the_colon() -> None:
    raw = b"From : a@b.example\nX-Spam-Flag : YES\nSubject\t: hi\nTo: c\n\nbody"
    assert head(raw) == ({b"from": b" a@b.example", b"subject": b" hi", b"to": b" c"}, b"body")


@pytest.mark.parametrize(
    "mark", ["*****SPAM*****", "[SPAM]", "{Spam?}", "***SPAM(7.2)***", "[SPAM] [SPAM]", "[SUSPECTED SPAM]"]
)
def test_the_mark_of_another_filter_is_no_part_of_the_subject(mark: str) -> None:
    assert parse_mail(f"Subject: {mark} cheap pills\n\nx".encode()).tags["subject"].split() == [
        b"cheap",
        b"pills",
    ]
    for subject in (
        "spam with eggs",
        "Re: [spamassassin-talk] rules",
        "[spam-l] weekly",
        "stop (spam filters) now",
    ):
        assert parse_mail(f"Subject: {subject}\n\nx".encode()).tags["subject"].lower().find(b"spam") >= 0


def test_a_bare_subject_is_in_the_character_set_of_the_mail() -> None:
    raw = "Subject: привет\nContent-Type: text/plain; charset=koi8-r\n\nмир".encode("koi8-r")
    assert parse_mail(raw).tags["subject"].decode().split() == ["привет"]


def test_headers_alone() -> None:
    assert parse_mail(b"Subject: a\nTo: b").body == b""
    assert parse_mail(b"Subject: a\nTo: b\n\n").body == b""


NEVER = (
    *("X-Spam-Flag", "X-Spam-Status", "X-Old-Spam-Status", "X-Bogosity", "X-Spamd-Result", "X-Rspamd-Score"),
    *("X-DSPAM-Result", "X-CRM114-Status", "X-SpamProbe", "X-Spamnb", "X-MS-Exchange-Organization-SCL"),
    *("X-Barracuda-Spam-Score", "X-Junk-Score", "Status", "X-Status", "X-UID", "X-UIDL", "X-Keywords"),
    *("X-Mozilla-Status", "X-Mozilla-Keys", "Lines", "Content-Length", "Delivered-To", "X-Original-To"),
    *("X-Original-Folder", "X-YahooFilteredBulk", "X-TM-AS-Result", "X-Amavis-Alert", "X-Razor", "X-Pyzor"),
    *("X-Delivered-To", "Envelope-To", "X-Envelope-To", "X-Folder", "X-Label", "X-Gmail-Labels"),
    *("Delivery-Date", "Replied", "X-Evolution-Source", "X-IMAPbase", "X-Virus-Scanned", "X-MailScanner"),
)


@pytest.mark.parametrize("name", NEVER)
def test_headers_that_give_the_label_away_are_no_features(name: str) -> None:
    plain = parse_mail(HEAD + b"\nbody")
    for spelled in (name, name.upper(), name.lower()):
        marked = parse_mail(HEAD + spelled.encode() + b": YES, score=99 secret@example.org\n\nbody")
        assert (marked.tags, marked.body) == (plain.tags, plain.body)


def test_dates_are_no_features() -> None:
    dates = (b"Mon, 19 Oct 2026 07:02:11 +0000", b"Sun, 1 Jan 1995 23:00:00 -0900 (PST)")
    mails = [parse_mail(b"Date: %b\nReceived: from a.example by b.example; %b\n\nx" % (d, d)) for d in dates]
    assert mails[0].tags == mails[1].tags


def test_long_header_lines_are_cut_and_noted() -> None:
    mail = parse_mail(b"Subject: " + b"a " * 5000 + b"\nTo: x\n\nbody")
    assert mail.notes == ("header lines were cut at 8,192 bytes", "the tag subject was cut at 200 words")
    assert mail.tags["subject"].split() == [b"a"] * 200
    assert b"to" in mail.tags["header"].split()


def test_headers_beyond_the_limit_are_left_out_and_the_body_is_read() -> None:
    mail = parse_mail(b"Subject: a\n" + b"X-Filler: b\n" * 10_000 + b"X-Late: c\n\nbody")
    assert mail.notes == ("headers beyond 65,536 bytes were left out",)
    assert b"x_late" not in mail.tags["header"].split()
    assert mail.body == b"body"


def test_a_header_cut_in_its_name_is_no_body() -> None:
    limits = Limits(headers=24, header_line=20)
    mail = parse_mail(b"Subject: hello\nX-Header-Name: b\nX-C: d\n\nbody", limits)
    assert mail.body == b"body"
    assert mail.tags["subject"].split() == [b"hello"]


def test_a_long_text_without_headers_is_not_taken_for_a_long_header() -> None:
    mail = parse_mail(b"hello there " * 5000)
    assert mail.notes == ("the body was cut at 8,000 words",)
    assert len(mail.body.split()) == 8000

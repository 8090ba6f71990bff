"""What the headers say about sender, recipients, route, list and program."""

from __future__ import annotations

import pytest

from spamnb.mail.parse import parse_mail


def tag(name: str, *lines: str) -> list[str]:
    """The words of one tag of a mail with these header lines."""
    raw = "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n\nbody"
    return parse_mail(raw).tags[name].decode().split()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            "Ann Lee <ann.lee@mail.example.com>",
            "Ann Lee ann_lee_mail_example_com ann lee mail_example_com example_com",
        ),
        ('"Lee, Ann" <a@b.example>', "Lee Ann a_b_example a b_example"),
        ("a@b.example (Ann)", "Ann a_b_example a b_example"),
        ("a@b.example", "a_b_example a b_example"),
        ("<a@b.example>", "a_b_example a b_example"),
        ('"info@bank.example" <x@evil.example>', "info bank example x_evil_example x evil_example"),
        ("Just a name", "Just a name"),
        ("=?utf-8?q?J=C3=BCrgen?= <j@b.example>", "Jürgen j_b_example j b_example"),
        ("J\udcfcrgen <j@b.example>", "Jürgen j_b_example j b_example"),
        ("Jürgen <j@b.example>", "Jürgen j_b_example j b_example"),
        ("a@[192.0.2.1]", "192 0 2 1 a_ a"),
        ("a@", "a_ a"),
        ("@", "_"),
        ("", ""),
    ],
)
def test_from(value: str, expected: str) -> None:
    assert tag("from", f"From: {value}") == expected.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Reply-To: c@mail.bank.example", ["replyto_bank_example"]),
        ("Reply-To: Bank <c@evil.example>", ["replyto_evil_example", "replyto_differs"]),
        ("Return-Path: <bounce-1@evil.example>", ["returnpath_evil_example", "returnpath_differs"]),
        ("Return-Path: <>", ["returnpath_empty", "returnpath_differs"]),
        ("Sender: list@bank.example", ["sender_bank_example"]),
        ("Message-ID: <2026.1@host.bank.example>", ["msgid_bank_example"]),
        ("Message-ID: <2026.1>", ["msgid_empty"]),
    ],
)
def test_other_senders(line: str, expected: list[str]) -> None:
    assert tag("from", "From: a@bank.example", line)[3:] == expected


def test_second_level_domains() -> None:
    assert tag("from", "From: a@b.co.uk", "Reply-To: a@c.co.uk")[-2:] == [
        "replyto_c_co_uk",
        "replyto_differs",
    ]
    assert tag("from", "From: a@x.b.co.uk", "Reply-To: a@y.b.co.uk")[-1] == "replyto_b_co_uk"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["To: a@b.example"], "recipients_1"),
        (["To: a@b.example, c@d.example", "Cc: e@f.example"], "recipients_4"),
        (["To: undisclosed-recipients:;"], "recipients_0 undisclosed"),
        (["To: Undisclosed Recipients"], "recipients_0 undisclosed"),
        (["From: A <a@b.example>", "To: a@b.example"], "recipients_1 same_as_from"),
        ([], "recipients_0"),
    ],
)
def test_to_has_facts_and_no_names(lines: list[str], expected: str) -> None:
    assert tag("to", *lines) == expected.split()


RECEIVED = (
    "Received: from win (mx.shop.example [198.51.100.7])\n\tby mail.example.org (8.17.1) with SMTP id 5"
    "\n\tfor <office@secret.example>; Tue, 03 Nov 2026 09:14:02 +0100"
)


def test_received() -> None:
    assert tag("received", RECEIVED) == [
        *("hops_1", "mx_shop_example", "198_51_100_7", "mail_example_org"),
        *("shop_example", "198_51_100", "example_org", "helo_win"),
    ]


@pytest.mark.parametrize(
    "hop",
    [
        "Received: (qmail 3112 invoked by uid 500); 3 Nov 2026 08:00:00 -0000",
        "Received: by a.example (Postfix, from userid 1) id 7F; for <office@secret.example>; Tue, 3 Nov 2026",
        "Received: from a.example by b.example for office@secret.example; Tue, 3 Nov 2026 09:14:02.125 +0100",
        "Received: from unknown (HELO friend) (192.0.2.1) by b.example with SMTP; 3 Nov 2026",
    ],
)
def test_received_has_no_recipient_and_no_date(hop: str) -> None:
    tokens = tag("received", hop)
    assert not [word for word in tokens if "secret" in word or "2026" in word or "nov" in word.lower()]


def test_received_counts_hops_and_greetings() -> None:
    tokens = tag("received", *[RECEIVED] * 5, "Received: from unknown (HELO friend) (192.0.2.1) by b.example")
    assert tokens[0] == "hops_8"
    assert {"helo_unknown", "helo_friend", "192_0_2_1", "192_0_2", "b_example"} <= set(tokens)
    assert tag("received", "To: a") == ["hops_0"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("List-Id: Bird feeders <birds.lists.example.org>", "birds_lists_example_org example_org"),
        ("List-Post: <mailto:birds@lists.example.org>", "lists_example_org example_org"),
        ("Mailing-List: contact help@birds.example; run by ezmlm", "birds_example"),
        ("List-Unsubscribe: <https://news.shop.example/u?x>", "news_shop_example shop_example"),
        ("To: a@b.example", ""),
    ],
)
def test_list(line: str, expected: str) -> None:
    assert tag("list", line) == expected.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("X-Mailer: BulkPigeon 3.1 (unregistered)", "BulkPigeon 3_1 unregistered"),
        ("User-Agent: Mutt/1.4.2i", "Mutt 1_4_2i"),
        ("X-Mailer: \udcff!", ""),
    ],
)
def test_mailer(line: str, expected: str) -> None:
    assert tag("mailer", line) == expected.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("X-Priority: 1 (Highest)", "x_priority x_priority_1"),
        ("Precedence: Bulk", "precedence precedence_bulk"),
        ("Importance: High", "importance importance_high"),
        ("X-Odd!Name: x", "x_odd_name"),
        ("Content-Type: text/html; charset=x", "content_type content_type_text_html"),
        ("Received-SPF: Fail (mx.example: no)", "received_spf received_spf_fail"),
        ("Subject: BUY NOW", "subject subject_upper"),
    ],
)
def test_header(line: str, expected: str) -> None:
    tokens = tag("header", line)
    assert [word for word in expected.split() if word not in tokens] == []
    assert ("subject_upper" in tokens) == ("BUY" in line)


def test_missing_headers_are_told() -> None:
    assert tag("header", "To: a")[-4:] == ["no_from", "no_subject", "no_date", "no_message_id"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Hello, world!", "Hello world"),
        ("=?iso-8859-1?q?caf=E9?= au lait", "café au lait"),
        ("=?utf-8?b?Y2Fmw6k=?=", "café"),
        ("caf\udce9", "café"),
        ("Äpfel – 50 €", "Äpfel 50"),
        ("a_b", "a_b"),
    ],
)
def test_subject(value: str, expected: str) -> None:
    assert tag("subject", f"Subject: {value}") == expected.split()

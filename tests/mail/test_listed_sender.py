"""Allow and block lists: which senders an entry matches, and that a forged From is never allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.errors import ConfigError
from spamnb.mail.list_files import StoredLists, read_list, write_list
from spamnb.mail.listed_sender import listed_entry
from spamnb.mail.parsed_mail import Limits
from spamnb.mail.sender_lists import ListEntry, SenderLists, is_entry, ranked

SERVER = b"mx.me.example"


def decide(entries: str, *fields: str) -> str:
    """The entry that decides a mail with these fields."""
    lists = SenderLists(tuple(ranked(ListEntry(*line.split()) for line in entries.split(";"))))
    raw = "".join(f"{field}\r\n" for field in fields).encode() + b"\r\nHi\r\n"
    return listed_entry(raw, Limits(authserv_ids=(SERVER,), lists=lists))


def results(text: str) -> str:
    return f"Authentication-Results: {SERVER.decode()}; {text}"


ANN = "From: Ann <Ann@Example.org>"
DKIM = results("dkim=pass header.d=example.org")


@pytest.mark.parametrize(
    "field",
    [
        DKIM,
        results("dkim=fail header.d=example.org; dkim=pass (2048 bit) header.i=@example.org"),
        results("spf=pass smtp.mailfrom=bounce@example.org"),
        results("spf=pass (a; dkim=fail) smtp.mailfrom=example.org"),
        results("dmarc=pass (p=none) header.from=example.org"),
    ],
)
@pytest.mark.parametrize("entry", ["allow ann@example.org", "allow example.org"])
def test_a_confirmed_sender_is_allowed(entry: str, field: str) -> None:
    assert decide(entry, field, ANN) == entry


@pytest.mark.parametrize(
    "fields",
    [
        (),
        (results("dkim=fail header.d=example.org"),),
        (results("dkim=pass header.d=evil.example"),),
        (results("dkim=pass header.d=sub.example.org"),),  # a customer of it, perhaps
        (results("dkim=pass header.d=notexample.org"),),
        (results("dkim=pass header.d=org"),),
        (results("spf=softfail smtp.mailfrom=ann@example.org"),),
        (results("spf=pass smtp.helo=example.org"),),
        (results('dkim=fail reason="x; dkim=pass header.d=example.org"'),),
        (results("dkim=fail (; dkim=pass header.d=example.org)"),),
        (results("dkim=passed header.d=example.org"),),
        ("Authentication-Results: mx.evil.example; dkim=pass header.d=example.org",),
        ("X-Authentication-Results: mx.me.example; dkim=pass header.d=example.org",),
        (DKIM, "From: eve@evil.example"),  # two authors
        (DKIM, "From : eve@evil.example"),
    ],
)
@pytest.mark.parametrize("entry", ["allow ann@example.org", "allow example.org"])
def test_a_sender_who_is_not_confirmed_is_not_allowed(entry: str, fields: tuple[str, ...]) -> None:
    assert decide(entry, *fields, ANN) == ""


def test_a_second_address_in_the_name_allows_nothing() -> None:
    evil = results("dkim=pass header.d=evil.example")
    for author in ('"ann@example.org" <eve@evil.example>', "eve@evil.example (ann@example.org)"):
        assert decide("allow example.org", evil, f"From: {author}") == ""
        assert decide("allow evil.example", evil, f"From: {author}") == ""


@pytest.mark.parametrize(
    ("entry", "author"),
    [
        ("block eve@evil.example", "EVE@evil.example"),
        ("block evil.example", "eve@evil.example"),
        ("block evil.example", "Eve <eve@mail.evil.example>"),
        ("block evil.example", '"ann@example.org" <eve@evil.example>'),
        ("block evil.example", "a@good.example, eve@evil.example"),
    ],
)
def test_a_block_entry_always_counts(entry: str, author: str) -> None:
    assert decide(entry, f"From: {author}") == entry
    assert decide(entry, f"From: {author.replace('evil', 'notevil')}") == ""


def test_mailing_lists() -> None:
    fields = (ANN, "List-Id: News of us <News.lists.example.com>")
    news = "list:news.lists.example.com"
    assert decide(f"block {news}", *fields) == f"block {news}"
    assert decide(f"allow {news}", *fields) == ""
    assert decide(f"allow {news}", DKIM, *fields) == ""  # the author, not the list
    assert (
        decide(f"allow {news}", results("dkim=pass header.d=lists.example.com"), *fields) == f"allow {news}"
    )
    assert decide("block list:other.example.com", *fields) == ""


def test_the_most_exact_entry_that_counts_decides() -> None:
    both = "block example.org;allow ann@example.org"
    assert decide(both, DKIM, ANN) == "allow ann@example.org"
    assert decide(both, ANN) == "block example.org"
    assert decide("allow example.org;block mail.example.org", DKIM, "From: a@mail.example.org") == (
        "block mail.example.org"
    )


def test_without_names_the_server_of_the_receiver_is_trusted() -> None:
    lists = SenderLists((ListEntry("allow", "example.org"),))
    head = f"{DKIM}\r\n{ANN}\r\n"
    for by, entry in (("mail.me.example", "allow example.org"), ("mx.other.example", "")):
        raw = f"Received: from a by {by} with SMTP; Mon\r\n{head}\r\nHi".encode()
        assert listed_entry(raw, Limits(lists=lists)) == entry


@pytest.mark.parametrize(
    "value", ["", "example", "ann@", "@example.org", "a b@c.example", "list:", "1.2.3.4", "é.com"]
)
def test_what_is_no_entry(value: str) -> None:
    assert not is_entry(value)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lists.txt"
    entries = [ListEntry("block", "example.net"), ListEntry("allow", "list:a.example.org")]
    write_list(str(path), entries)
    assert path.read_text() == "allow list:a.example.org\nblock example.net\n"
    assert sorted(map(str, read_list(str(path)))) == sorted(map(str, entries))
    path.write_text("# friends\n\nallow Ann@Example.org  # my sister\n")
    assert list(map(str, read_list(str(path)))) == ["allow ann@example.org"]
    path.write_text("allow ann@example.org\npermit bob@example.org\n")
    with pytest.raises(ConfigError, match=r"lists.txt:2: expected an entry, got 'permit bob@example.org'"):
        read_list(str(path))


def test_a_change_on_disk_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, site = tmp_path / "own", tmp_path / "site"
    monkeypatch.setattr("spamnb.mail.list_files.list_paths", lambda: [str(own), str(site)])
    warnings: list[str] = []
    stored = StoredLists(warnings.append)
    first = stored.newest()
    assert first.entries == ()
    assert stored.newest() is first
    site.write_text("block a@example.net\n")
    own.write_text("allow example.net\n")
    second = stored.newest()
    assert list(map(str, second.entries)) == ["allow example.net", "block a@example.net"]  # one's own first
    own.write_text("nonsense\n")
    assert stored.newest() is second
    assert warnings == [f"{own}:1: expected an entry, got 'nonsense'; the lists are used as they were"]

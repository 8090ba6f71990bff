"""The small messages of the tests: well-formed, varied, with reserved addresses, and as their card says."""

from __future__ import annotations

import csv
import email
import io
import ipaddress
import json
import re
from collections import Counter
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from tests.helpers.paths import SHARED, SMALL_MAILS, SMALL_SMS, TEST_DATA

SHARED_SMS = SHARED / "sms"

RESERVED_HOST = re.compile(r"(?:.+\.)?(?:example|test|invalid|example\.(?:com|net|org))", re.IGNORECASE)
HOST = re.compile(
    r"(?:://|@)([a-z0-9][a-z0-9.-]*[a-z0-9])"
    r"|(?<![a-z0-9./@_-])((?:[a-z0-9-]+\.)+[a-z]{2,})(?![a-z0-9@_(]|\.[a-z0-9])",
    re.IGNORECASE,
)
ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
DOCUMENTATION = [ipaddress.ip_network(n) for n in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")]
DIGITS = re.compile(r"\+?\(?[0-9](?:[ ().-]{0,2}[0-9]){8,}")
UK_FICTION = r"(?:0|44)(?:7700900|2079460|3069990|9098790)[0-9]{3}"
FICTION = re.compile(rf"{UK_FICTION}|1?[2-9][0-9]{{2}}55501[0-9]{{2}}")

SCRIPTS = {
    "Russian": "\u0400-\u04ff",
    "Hindi (Devanagari)": "\u0900-\u097f",
    "Arabic": "\u0600-\u06ff",
    "Thai": "\u0e00-\u0e7f",
    "Japanese": "\u3040-\u30ff",
}


def read_sms() -> list[tuple[str, str]]:
    with SMALL_SMS.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file, strict=True))
    assert header == ["label", "text"]
    assert {len(row) for row in rows} == {2}
    return [(label, text) for label, text in rows]


ROWS = read_sms()
TEXTS = [text for _, text in ROWS]


def foreign_hosts(text: str) -> list[str]:
    """Hosts, bare or in a URL or address, that somebody could own."""
    hosts = [url or bare for url, bare in HOST.findall(text)]
    return [h for h in hosts if "." in h and not RESERVED_HOST.fullmatch(h) and not ADDRESS.fullmatch(h)]


def foreign_phones(text: str) -> list[str]:
    """Runs of nine or more digits that are not a number kept free for fiction."""
    numbers = [re.sub(r"\D", "", run) for run in DIGITS.findall(ADDRESS.sub("", text))]
    return [n for n in numbers if not FICTION.fullmatch(n)]


def foreign_addresses(text: str) -> list[str]:
    """IPv4 addresses outside the documentation ranges."""
    matches = ADDRESS.findall(text)
    return [a for a in matches if not any(ipaddress.ip_address(a) in net for net in DOCUMENTATION)]


def parts(message: Message) -> Iterator[tuple[Message, str]]:
    """Each leaf of a mail with its decoded text; a wrong charset raises."""
    for part in message.walk():
        if not part.is_multipart():
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            yield part, payload.decode(part.get_content_charset("ascii"))


def parse(path: Path) -> Message:
    return email.message_from_bytes(path.read_bytes())


def card_table(heading: str) -> dict[str, list[int]]:
    """The rows of the data card's table whose first column is `heading`, as name -> numbers."""
    card = (TEST_DATA / "README.md").read_text(encoding="utf-8")
    block = card.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in block.splitlines()[2:]]
    return {row[0]: [int(cell) for cell in row[1:] if cell.isdigit()] for row in rows}


def class_counts() -> Counter[str]:
    return Counter(label for label, _ in ROWS)


def test_sms_is_plain_utf8_quoted_only_where_needed() -> None:
    raw = SMALL_SMS.read_bytes()
    again = io.StringIO()
    writer = csv.writer(again, lineterminator="\n")
    writer.writerows([("label", "text"), *ROWS])
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in raw
    assert again.getvalue() == raw.decode("utf-8")


def test_sms_size_labels_and_share_of_spam() -> None:
    counts = class_counts()
    assert set(counts) == {"ham", "spam"}
    assert len(ROWS) >= 600
    assert 0.17 <= counts["spam"] / len(ROWS) <= 0.24


def test_sms_has_no_empty_padded_or_repeated_message() -> None:
    assert all(text.strip() == text != "" for text in TEXTS)
    folded = Counter(" ".join(text.casefold().split()) for text in TEXTS)
    assert [text for text, n in folded.items() if n > 1] == []


def test_sms_order_is_mixed() -> None:
    labels = [label for label, _ in ROWS]
    tenth = len(labels) // 10
    shares = [labels[i : i + tenth].count("spam") / tenth for i in range(0, tenth * 10, tenth)]
    assert min(shares) > 0.08
    assert max(shares) < 0.40


def test_sms_exercises_csv_quoting_as_the_card_says() -> None:
    card = (TEST_DATA / "README.md").read_text(encoding="utf-8")
    stated = re.search(r"(\d+) messages contain a comma, (\d+) a double quote and (\d+) a line break", card)
    assert stated is not None
    assert [int(n) for n in stated.groups()] == [sum(c in t for t in TEXTS) for c in ',"\n']
    assert 3 <= sum("\n" in t for t in TEXTS) <= 5


@pytest.mark.parametrize("mark", ["\u200b", "\u00ad", "\u0430", "\uff41"])
def test_some_spam_and_no_ham_in_latin_letters_hides_its_words(mark: str) -> None:
    mixed = [label for label, text in ROWS if mark in text and re.search("[a-z]{4}", text)]
    assert mixed
    assert set(mixed) == {"spam"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pay at post-fee.example/r or https://www.example.org/a.html", []),
        ("mail my.own_name@example.net, 3.50 a.m. ok... v1.14 s.split() http://192.0.2.7/x.php", []),
        ("go to winner.com now", ["winner.com"]),
        ("https://myexample.com/a", ["myexample.com"]),
        ("x@mail.co.uk", ["mail.co.uk"]),
    ],
)
def test_the_host_check_itself(text: str, expected: list[str]) -> None:
    assert foreign_hosts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("07700 900 461, +44 7700 900583, 020 7946 0140, (312) 555-0177, +1 202 555 0119", []),
        ("code 482913, Rs 1,06,912.00, 2026-11-15, 192.0.2.141", []),
        ("07911 123456", ["07911123456"]),
        ("call 312-555-2177", ["3125552177"]),
    ],
)
def test_the_phone_check_itself(text: str, expected: list[str]) -> None:
    assert foreign_phones(text) == expected


def test_sms_reaches_nobody() -> None:
    assert [h for t in TEXTS for h in foreign_hosts(t)] == []
    assert [p for t in TEXTS for p in foreign_phones(t)] == []
    assert [a for t in TEXTS for a in foreign_addresses(t)] == []


@pytest.mark.parametrize("path", SMALL_MAILS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_mail_parses_and_reaches_nobody(path: Path) -> None:
    message = parse(path)
    assert [d for part in message.walk() for d in part.defects] == []
    for name in ("From", "To", "Subject", "Date", "Message-ID", "Received"):
        assert message[name], name
    assert parsedate_to_datetime(message["Date"]).tzinfo is not None
    assert str(make_header(decode_header(message["Subject"]))).strip()
    headers = "\n".join(value for name, value in message.items() if not name.startswith("Content-"))
    for text in (headers, *(text for _, text in parts(message))):
        assert text.strip()
        assert foreign_hosts(text) + foreign_addresses(text) == []
    assert [p for _, text in parts(message) for p in foreign_phones(text)] == []


def test_mail_covers_the_shapes_the_card_names() -> None:
    messages = {f"{p.parent.name}/{p.name}": parse(p) for p in SMALL_MAILS}
    assert sum("List-Id" in m for m in messages.values()) == 1
    assert sum("=?" in m["Subject"] for m in messages.values()) >= 5
    assert {b"\r\n" in p.read_bytes() for p in SMALL_MAILS} == {True, False}
    kinds = {
        (part.get_content_charset(), part["Content-Transfer-Encoding"])
        for m in messages.values()
        for part, _ in parts(m)
    }
    assert {("iso-8859-1", "quoted-printable"), ("utf-8", "base64")} <= kinds
    assert {m.get_content_type() for m in messages.values()} == {
        "text/plain",
        "text/html",
        "multipart/alternative",
        "multipart/mixed",
    }
    assert sum(any(p.get_filename() for p in m.walk()) for m in messages.values()) >= 2


def test_phishing_mail_shows_one_address_and_leads_to_another() -> None:
    ((_, html),) = parts(parse(TEST_DATA / "mail" / "spam" / "02-bank-phishing-html.eml"))
    links = re.findall(r'<a href="https?://([^/"]+)[^>]*>https?://([^/<]+)', html)
    assert links
    assert all(target != shown for target, shown in links)


def test_card_totals_are_those_of_the_files() -> None:
    sms = class_counts()
    mail = Counter(path.parent.name for path in SMALL_MAILS)
    assert list(card_table("file").values()) == [
        [sms["ham"], sms["spam"], sms.total()],
        [mail["ham"], mail["spam"], mail.total()],
    ]
    assert (mail["ham"], mail["spam"]) == (10, 8)


def test_card_names_every_mail_and_says_which_have_crlf() -> None:
    lines = (TEST_DATA / "README.md").read_text(encoding="utf-8").splitlines()
    listed = {
        m[1]: "CRLF" in line for line in lines if (m := re.match(r"\| `((?:ham|spam)/[^`]+\.eml)`", line))
    }
    assert listed == {f"{p.parent.name}/{p.name}": b"\r\n" in p.read_bytes() for p in SMALL_MAILS}


def test_card_kinds_and_languages_add_up_to_the_classes() -> None:
    counts = class_counts()
    languages = card_table("language").values()
    assert sum(n for (n,) in card_table("kind of ham").values()) == counts["ham"]
    assert sum(n for (n,) in card_table("kind of spam").values()) == counts["spam"]
    assert [sum(column) for column in zip(*languages, strict=True)] == [counts["ham"], counts["spam"]]


@pytest.mark.parametrize("language", SCRIPTS)
def test_card_counts_of_languages_with_their_own_script(language: str) -> None:
    # A share, as disguised English spam borrows Cyrillic letters, and Japanese mixes kana with kanji.
    own = re.compile(f"[{SCRIPTS[language]}]")
    least = 0.2 if language == "Japanese" else 0.6
    letters = [(label, len(own.findall(t)) / max(1, len(re.findall(r"\w", t)))) for label, t in ROWS]
    results = Counter(label for label, share in letters if share > least)
    assert [results["ham"], results["spam"]] == card_table("language")[language]


def public_sms() -> Iterator[str]:
    """The text of every message in the public SMS corpora beside the checkout."""
    for path in sorted(SHARED_SMS.glob("*.[ct]sv")):
        yield from path.read_text(encoding="utf-8", errors="replace").splitlines()
    for path in sorted(SHARED_SMS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield " ".join(str(value) for value in json.loads(line).values())


def runs_of_words(text: str, size: int) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return set(zip(*(words[i:] for i in range(size)), strict=False))


@pytest.mark.skipif(not SHARED_SMS.is_dir(), reason="the public SMS corpora are not beside this checkout")
def test_no_message_is_taken_from_a_public_corpus() -> None:
    # Seven words in a row: shorter runs such as "do you want to come" are common property.
    ours = {run: text for text in TEXTS for run in runs_of_words(text, 7)}
    assert len(ours) > 3000
    shared = [ours[run] for text in public_sms() for run in runs_of_words(text, 7) & ours.keys()]
    assert shared == []

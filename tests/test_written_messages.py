"""The messages and mails in data: well-formed, all different, and as their card says."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from email import message_from_bytes, policy
from pathlib import Path
from typing import NamedTuple

import pytest

from spamnb.readers import ReadOptions, open_source
from tests.helpers.paths import DATA, SHARED

CARD = (DATA / "messages" / "README.md").read_text(encoding="utf-8")


class Message(NamedTuple):
    label: str
    language: str
    kind: str
    writer: str
    text: str


PATHS = {"train": DATA / "messages" / "train.csv", "sample": DATA / "sms_sample.csv"}
MAILS = {"train": DATA / "modern_mail" / "train", "sample": DATA / "mail"}


def read(name: str) -> list[Message]:
    with PATHS[name].open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file, strict=True))
    assert header == list(Message._fields)
    return [Message(*row) for row in rows]


FILES = {name: read(name) for name in PATHS}


def letters(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text.lower())


@pytest.mark.parametrize("name", FILES)
def test_rows_are_well_formed(name: str) -> None:
    for row in FILES[name]:
        assert row.label in ("ham", "spam")
        assert re.fullmatch(r"[a-z]{2}(-Latn)?", row.language)
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", row.kind)
        assert re.fullmatch(rf"{'sample' if name == 'sample' else '(en|lang)'}-[0-9a-j]", row.writer)
        assert row.text == row.text.strip() != ""


@pytest.mark.parametrize("name", FILES)
def test_the_card_has_the_counts(name: str) -> None:
    rows = FILES[name]
    labels = Counter(row.label for row in rows)
    assert re.search(
        rf"\| `{PATHS[name].name}` \|.*\| {labels['ham']:,} \| {labels['spam']:,} \| {len(rows):,} \|",
        CARD.replace("../", ""),
    )


def test_no_message_stands_twice_or_in_both_files() -> None:
    for rows in FILES.values():
        assert max(Counter(row.text for row in rows).values()) == 1
    seen = {letters(row.text) for row in FILES["sample"]}
    both = [row.text for row in FILES["train"] if len(letters(row.text)) > 2 and letters(row.text) in seen]
    assert both == []


def test_every_language_of_the_training_messages_has_both_classes() -> None:
    classes = {(row.language, row.label) for row in FILES["train"]}
    languages = {row.language for row in FILES["train"]}
    assert len(languages) >= 17
    assert classes == {(language, label) for language in languages for label in ("ham", "spam")}


def test_no_message_is_taken_from_a_corpus() -> None:
    corpus = SHARED / "sms" / "smishing.jsonl"
    if not corpus.exists():
        pytest.skip("no corpora beside the clone")
    lines = corpus.read_text(encoding="utf-8").splitlines()
    known = {letters(json.loads(line)["text"]) for line in lines}
    for rows in FILES.values():
        assert [row.text for row in rows if len(letters(row.text)) > 20 and letters(row.text) in known] == []


def test_the_card_of_the_sample_has_its_counts() -> None:
    card = (DATA / "README.md").read_text(encoding="utf-8")
    sms = Counter(row.label for row in FILES["sample"])
    mail = Counter(path.parent.name for path in MAILS["sample"].glob("*/*.eml"))
    for name, counts in (("sms_sample.csv", sms), ("mail/ham/*.eml", mail)):
        numbers = f"| {counts['ham']:,} | {counts['spam']:,} | {counts.total():,} |"
        assert re.search(rf"\| `{re.escape(name)}`.*{re.escape(numbers)}", card), name


@pytest.mark.parametrize("name", MAILS)
def test_mails_are_whole_and_counted_by_their_card(name: str) -> None:
    folder = MAILS[name]
    mails = {label: sorted((folder / label).glob("*.eml")) for label in ("ham", "spam")}
    for path in (*mails["ham"], *mails["spam"]):
        mail = message_from_bytes(path.read_bytes(), policy=policy.default)
        assert all(mail[name] for name in ("From", "To", "Subject", "Date")), path.name
        assert mail.get_body(("plain", "html")) is not None, path.name
    ham, spam = len(mails["ham"]), len(mails["spam"])
    card = (DATA / "modern_mail" / "README.md").read_text(encoding="utf-8").replace("../", "")
    assert re.search(rf"\| `{folder.name}/` \|.*\| {ham} \| {spam} \| {ham + spam} \|", card)


def sevens(folder: Path) -> list[set[str]]:
    """Seven words in a row, for each mail of a folder."""
    with open_source(str(folder), ReadOptions(), labelled=True) as source:
        texts = [text.decode() for chunk in source for text in chunk.texts.tolist()]
    words = [re.findall(r"\w+", text.lower()) for text in texts]
    return [{" ".join(row[i : i + 7]) for i in range(len(row) - 6)} for row in words]


def test_no_training_mail_repeats_the_sample() -> None:
    sample = set.union(*sevens(MAILS["sample"]))
    shared = [len(mail & sample) / len(mail) for mail in sevens(MAILS["train"]) if mail]
    assert max(shared) <= 0.25  # footers that everybody uses

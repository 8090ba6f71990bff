"""Which mails are spam and which ham: folders named so, indexes, stated labels."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from spamnb.readers import ReadOptions, open_source
from spamnb.readers.mailboxes.folder_labels import folder_label
from tests.helpers.mailboxes import TMP, Found, box, failure, make
from tests.helpers.paths import TEST_DATA

pytestmark = pytest.mark.usefixtures("here")
DATA = TEST_DATA / "mail"


@pytest.mark.parametrize(
    ("name", "label"),
    [
        *[(name, "spam") for name in ("spam", "Junk", "PHISHING", ".Junk", "spam_2", "Junk E-mail")],
        *[(name, "ham") for name in ("ham", "INBOX", "good", "Legit", "notspam", "not-spam", "easy_ham_2")],
        *[(name, "") for name in ("", "work", "spammer", "hamlet", "2024", "no spam please")],
    ],
)
def test_names_of_folders(name: str, label: str) -> None:
    assert folder_label(name) == label


def test_labelled_folders_of_every_kind() -> None:
    make(
        {
            "m/Spam/cur/1": "maildir",
            f"m/Spam/{TMP}/9": "x",
            "m/junk/7": "mh7",
            "m/junk/10": "mh10",
            "m/phishing.mbox.gz": gzip.compress(box("box1", "box2")),
            "m/inbox": box("in1", "in2"),
            "m/good/2023/a.eml": "good",
            "m/lists/a.eml": "work",
            "m/README": b"text",
        }
    )
    source = Found("m", labelled=True)
    assert source.labels == [
        ("spam", "maildir"),
        ("ham", "good"),
        ("ham", "in1"),
        ("ham", "in2"),
        ("spam", "mh7"),
        ("spam", "mh10"),
        ("spam", "box1"),
        ("spam", "box2"),
    ]
    assert source.skipped == {
        "m/README": "no label",
        "m/lists": "no label",
        f"m/Spam/{TMP}/9": "still being delivered",
    }
    assert source.about == "m: labelled folders (ham: good, inbox; spam: Spam, junk, phishing.mbox.gz)"
    assert source.source.positive_hint == "spam"
    assert set(Found("m").words) == {*source.words, "work", "text"}


def test_labels_further_down() -> None:
    make({f"m/{part}/{label}/1": f"{part}{label}" for part in ("b1", "b2") for label in ("ham", "spam")})
    make({"m/about.txt": b"hello"})
    source = Found("m", labelled=True)
    assert source.labels == [("ham", "b1ham"), ("spam", "b1spam"), ("ham", "b2ham"), ("spam", "b2spam")]
    assert source.skipped == {"m/about.txt": "no label"}


@pytest.mark.parametrize("junk", [".Junk", "Junk"])
def test_a_maildir_with_a_junk_folder_is_inbox_and_junk(junk: str) -> None:
    make({"box/cur/1": "in", "box/new/2": "new", "box/tmp/": b"", f"box/{junk}/cur/3": "junk"})
    make({"box/.Sent/cur/4": "sent", f"box/{TMP}/5": "x", "box/dovecot-uidlist": b"3 V1\n"})
    source = Found("box", labelled=True)
    assert source.labels == [("spam", "junk"), ("ham", "in"), ("ham", "new")]
    assert source.about == f"box: labelled folders (ham: cur, new; spam: {junk})"
    assert source.source.skipped.count == 3
    assert source.skipped == {
        "box/.Sent": "hidden",
        f"box/{TMP}/5": "still being delivered",
        "box/dovecot-uidlist": "no label",
    }
    assert Found("box", labelled=True, format="maildir").rows == source.rows


def test_a_stated_spam_label_makes_every_folder_a_class() -> None:
    make({"m/offers/1": "o", "m/friends/2": "f", "m/work.mbox": box("w"), "m/notes.txt": b"x"})
    source = Found("m", labelled=True, spam_label="Offers")
    assert source.labels == [("ham", "f"), ("spam", "o"), ("ham", "w")]
    assert source.skipped == {"m/notes.txt": "no label"}
    assert failure("m", spam_label="ofers") == (
        'spam label "ofers" never occurs in m; its labels: friends, offers, work',
        "give one of these labels with --spam-label",
    )


def test_one_known_folder_settles_the_other() -> None:
    make(
        {
            "m/junk/1": "j",
            "m/friends/2": "f",
            "n/ham.mbox": box("h"),
            "n/offers.mbox": box("o"),
            "n/READ": b"x",
        }
    )
    assert Found("m", labelled=True).labels == [("spam", "j"), ("ham", "f")]
    assert Found("m", labelled=True).about == "m: labelled folders (ham: friends; spam: junk)"
    assert Found("n", labelled=True).labels == [("ham", "h"), ("spam", "o")]
    make({"m/lists/3": "w"})
    assert Found("m", labelled=True).labels == [("spam", "j")]


def test_two_unknown_folders_are_named() -> None:
    make({"m/offers/1": "o", "m/offers/2": "p", "m/friends/3": "f"})
    assert failure("m") == (
        'cannot tell which label of m means spam: it has "offers" (2) and "friends" (1)',
        "add --spam-label offers or --spam-label friends",
    )
    assert Found("m", labelled=True, spam_label="offers").labels == [
        ("ham", "f"),
        ("spam", "o"),
        ("spam", "p"),
    ]


def test_a_folder_of_validation_mails_is_no_label() -> None:
    make(
        {f"m/{part}/{label}/1": f"{part}{label}" for part in ("train", "valid") for label in ("ham", "spam")}
    )
    assert [label for label, _ in Found("m", labelled=True).labels] == ["ham", "spam", "ham", "spam"]


def test_labels_of_an_index_are_settled_too() -> None:
    make({"t/index": b"junk 1\nfriends 2\n", "u/index": b"offers 1\nfriends 2\n", "t/1": "a", "t/2": "b"})
    assert Found("t", labelled=True).labels == [("spam", "a"), ("ham", "b")]
    make({"u/1": "a", "u/2": "b"})
    assert failure("u/index", format="index") == (
        'cannot tell which label of u/index means spam: its first 2 rows have "offers" (1) and "friends" (1)',
        "add --spam-label offers or --spam-label friends",
    )


def test_one_label_for_a_whole_folder() -> None:
    make({"m/ham/1": "one", "m/2": "two"})
    source = Found("m", labelled=True, label="Junk")
    assert source.labels == [("spam", "two"), ("spam", "one")]
    assert source.about == "m: folder of mail, all spam"
    assert Found("m", labelled=True, label="offer").labels == [("offer", "two"), ("offer", "one")]
    assert Found("m", labelled=False, label="spam").labels == [("", "two"), ("", "one")]


def test_no_labels_anywhere() -> None:
    make({"m/1": "one", "m/lists/2": "two", "empty/": b""})
    for name in ("m", "empty"):
        assert failure(name) == (
            f"no labels for the emails in {name}: looked for {name}/index, {name}/full/index, and folders or "
            "mailboxes named spam, junk, phishing or ham, inbox, good, legit, notspam",
            f"sort them into {name}/spam and {name}/ham, or give --label spam=DIR --label ham=DIR",
        )


def test_empty_folders_and_mails() -> None:
    make({"m/ham/": b"", "m/spam/": b"", "n/ham/1": b"", "n/ham/2": b" \n\n"})
    assert Found("m").rows == []
    hint = "give an email, an mbox, a Maildir or a folder of mail"
    assert failure("m") == ("no usable emails in m: it is empty", hint)
    assert failure("n") == ("no usable emails in n: 2 skipped (n/ham/1: empty, n/ham/2: empty)", hint)
    assert Found("n").rows == [("n/ham/1", "", ""), ("n/ham/2", "", "")]


def test_the_mails_of_the_project() -> None:
    mails = Found(str(DATA), labelled=True)
    assert [label for label, _ in mails.labels] == ["ham"] * 10 + ["spam"] * 8
    assert [os.path.basename(source)[:2] for source, _, _ in mails.rows[10:]] == [
        f"0{i}" for i in range(1, 9)
    ]
    assert mails.source.skipped.count == 0


INDEX = (
    b"spam ../data/2\nHAM ../data/1\r\n\nspam\nmaybe ../data/1\nham ../data/gone\nham ../data\nham\t../data/3"
)


def test_index() -> None:
    make({"t/full/index": INDEX, "t/data/1": "one", "t/data/2": "two", "t/data/3": "three"})
    rows = [
        ("t/full/../data/2", "spam", "two"),
        ("t/full/../data/1", "ham", "one"),
        ("t/full/../data/3", "ham", "three"),
    ]
    for path in ("t", "t/full", "t/full/index"):
        source = Found(path, labelled=True, format="index", spam_label=None)
        assert source.labels[0] == ("spam", "two")
    Path("t/full/index").write_bytes(INDEX.replace(b"maybe ../data/1", b""))
    for path in ("t", "t/full", "t/full/index"):
        source = Found(path, labelled=True)
        assert source.rows == rows
        assert source.about == "t/full/index: index of emails"
        assert source.skipped == {
            4: "expected a label and a path",
            "t/full/../data/gone": "No such file or directory",
            "t/full/../data": "not a regular file",
        }
        assert Found(path).words == ["two", "one", "three"]
        assert source.source.positive_hint == "spam"


def test_index_with_a_label_that_comes_late() -> None:
    lines = (b"spam " + b"./" * 500 + b"1\n") * 70
    make({"t/index": lines + b"maybe 1\n", "t/1": "one"})
    source = Found("t", labelled=True)
    assert len(source.rows) == 70
    assert source.skipped == {71: "unknown label maybe"}
    source = Found("t", labelled=True, label="ham")
    assert source.labels == [("ham", "one")] * 71


def test_an_index_of_names_that_no_file_has() -> None:
    make({"t/index": b"spam 1\nham a\0b\nham " + b"x" * 100_000 + b"\nham 1\n", "t/1": "one"})
    source = Found("t", labelled=True)
    assert source.labels == [("spam", "one"), ("ham", "one")]
    assert source.skipped["t/a\0b"] == "not a name that a file can have"
    assert source.skipped["t/" + "x" * 100_000] == "File name too long"


def test_an_index_comes_before_the_folders() -> None:
    make({"t/index": b"ham spam/1\nspam ham/1\n", "t/spam/1": "a", "t/ham/1": "b"})
    assert Found("t", labelled=True).labels == [("ham", "a"), ("spam", "b")]
    assert Found("t", labelled=True, format="folder").labels == [("ham", "b"), ("spam", "a")]


@pytest.mark.parametrize("name", ["labels", "list.txt", "index.csv", "train.tsv", "index"])
def test_an_index_of_any_name(name: str) -> None:
    make({f"t/{name}": b"spam data/1\nham data/2\n", "t/data/1": "one", "t/data/2": "two"})
    source = Found(f"t/{name}", labelled=True)
    assert source.labels == [("spam", "one"), ("ham", "two")]
    assert source.about == f"t/{name}: index of emails"
    assert Found(f"t/{name}").words == ["one", "two"]


def test_an_index_of_other_labels() -> None:
    make({"t/list": b"offers 1\nfriends 2\nwork 1\n", "t/1": "one", "t/2": "two"})
    assert [label for label, _ in Found("t/list", labelled=True).labels] == ["offers", "friends", "work"]
    make({"u/list": b"see you\nhome now\n", "u/you": "one"})
    with open_source("u/list", ReadOptions(), labelled=False) as source:
        assert not source.mail


def test_what_is_called_index_need_not_be_one() -> None:
    make({"t/index": "mail", "t/1": "one"})
    assert Found("t").words == ["mail", "one"]
    assert Found("t/index").words == ["mail"]
    assert failure("t/1", format="index")[0].startswith("no usable emails in t/1: 3 skipped (")
    Path("t/index").unlink()
    assert failure("t", format="index") == (
        "no index in t: looked for t/index and t/full/index",
        "an index has lines such as `spam path/to/mail`; or leave out --input-format index",
    )

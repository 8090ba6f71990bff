"""Folders of mails: every layout, its order and labels, and what in it is no mail."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from spamnb.readers import ReadOptions, open_source
from spamnb.readers.formats import any_of, table_formats
from spamnb.readers.mailboxes import folder_walk
from tests.helpers.mailboxes import TMP, Found, box, failure, mail, make

pytestmark = pytest.mark.usefixtures("here")


MAILDIR: dict[str, bytes | str] = {
    "box/cur/1.a:2,S": "one",
    "box/cur/2.b:2,": "two",
    "box/new/3.c": "three",
    f"box/{TMP}/4.d": "unfinished",
    "box/dovecot.index.cache": b"\0\1\2",
    "box/dovecot-uidlist": b"3 V1\n",
    "box/.Sent/cur/5.e": "sent",
    "box/cur/.nfs0001": "hidden",
}


def test_maildir_takes_only_cur_and_new() -> None:
    make(MAILDIR)
    source = Found("box")
    assert source.rows == [
        ("box/cur/1.a:2,S", "", "one"),
        ("box/cur/2.b:2,", "", "two"),
        ("box/new/3.c", "", "three"),
    ]
    assert source.about == "box: Maildir"
    assert source.source.skipped.count == 5
    assert source.skipped == {
        "box/.Sent": "hidden",
        "box/cur/.nfs0001": "hidden",
        f"box/{TMP}/4.d": "still being delivered",
        "box/dovecot.index.cache": "not in cur or new",
        "box/dovecot-uidlist": "not in cur or new",
    }
    assert Found("box", format="maildir").rows == source.rows
    assert source.source.skipped.summary().startswith(
        "5 skipped (box/.Sent: hidden, box/cur/.nfs0001: hidden"
    )


def test_maildir_with_folders_in_its_place() -> None:
    make({"box/cur/1": "one", "box/cur/sub/2": "two", "box/lists/cur/3": "three", "box/lists/new/": b""})
    source = Found("box")
    assert source.words == ["one", "three"]
    assert source.skipped == {"box/cur/sub": "folder among the emails of a Maildir"}


def test_maildir_that_lost_its_empty_folders() -> None:
    make({"a/cur/1": "one", "b/new/2": "two", "b/tmp/": b"", "c/new/3": "three"})
    assert [Found(name).about for name in "abc"] == ["a: Maildir", "b: Maildir", "c: folder of mail"]


def test_mh_folder_in_the_order_of_its_numbers() -> None:
    make({f"mh/{i}": f"w{i}" for i in (1, 2, 10, 9, 100)})
    make({"mh/.mh_sequences": b"cur: 1\n", "mh/,3": "x", "mh/#4": "x", "mh/5~": "x", "mh/notes": "x"})
    source = Found("mh")
    assert source.words == ["w1", "w2", "w9", "w10", "w100"]
    assert source.skipped == {
        "mh/#4": "deleted, or a backup",
        "mh/,3": "deleted, or a backup",
        "mh/.mh_sequences": "hidden",
        "mh/5~": "deleted, or a backup",
        "mh/notes": "not an MH email: its name is not a number",
    }
    assert source.about == "mh: folder of mail"
    make({"MH/context": b"Current-Folder: inbox\n", "MH/inbox/1": "one"})
    assert Found("MH").skipped == {"MH/context": "index or cache file"}


def test_folders_in_folders() -> None:
    make({"m/b.eml": "b", "m/a.txt": "a", "m/z/y/1": "deep", "m/c/2": "c", "m/.git/config": b"x"})
    source = Found("m")
    assert source.rows == [
        ("m/a.txt", "", "a"),
        ("m/b.eml", "", "b"),
        ("m/c/2", "", "c"),
        ("m/z/y/1", "", "deep"),
    ]
    assert source.skipped == {"m/.git": "hidden"}
    assert Found("m/").rows == source.rows


def test_folders_deeper_than_python_can_call() -> None:
    folders = ["m" + "/d" * depth for depth in range(sys.getrecursionlimit() + 100)]
    for folder in folders:
        os.mkdir(folder)
    try:
        make({f"{folders[-1]}/1": "deep"})
        assert Found("m").words == ["deep"]
    finally:  # what clears temporary folders cannot call that deep either
        os.remove(f"{folders[-1]}/1")
        for folder in reversed(folders):
            os.rmdir(folder)


def test_boxes_and_packed_mails_in_a_folder() -> None:
    make(
        {
            "m/a.mbox": box("one", "two"),
            "m/b.mbox.gz": gzip.compress(box("three", "four")),
            "m/c": box("five", "six"),
            "m/d.gz": gzip.compress(mail("seven")),
            "m/e": box("eight"),
            "m/f": box("nine") + b"\nFrom here on it is text\n",
            "m/inbox.msf": b"// index of a mail program",
            "m/dovecot.index": b"\0",
        }
    )
    mails = Found("m")
    assert mails.words == ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    assert [source for source, _, _ in mails.rows][:3] == ["m/a.mbox#1", "m/a.mbox#2", "m/b.mbox.gz#1"]
    assert [source for source, _, _ in mails.rows][-3:] == ["m/d.gz", "m/e", "m/f"]
    assert mails.skipped == {"m/inbox.msf": "index or cache file", "m/dovecot.index": "index or cache file"}


def test_stated_formats_of_folders() -> None:
    make({"m/cur/1": "one", "m/new/": b"", "m/2": "two", "b/x": b"From a\nA: 1\n\nx\n\nFrom b\n\ny\n"})
    assert Found("m").words == ["one"]
    assert Found("m", format="folder").words == ["two", "one"]
    assert Found("m", format="eml").words == ["one"]
    assert len(Found("b").rows) == 1
    assert len(Found("b", format="mbox").rows) == 2
    assert failure("b", labelled=False, format="maildir") == (
        "b is not a Maildir: it has no folders cur and new",
        "leave out --input-format maildir",
    )
    assert failure("b", labelled=False, format="csv") == (
        "b is a directory, expected a file of format csv",
        "give the files in it, for example b/*",
    )
    for format in ("maildir", "folder"):
        assert failure("b/x", labelled=False, format=format) == (
            f"b/x is a file, expected a directory: --input-format {format}",
            "leave out --input-format, or give eml or mbox",
        )


def test_columns_are_not_in_mails() -> None:
    make({"m/1": "one"})
    for options in ({"text_column": "text"}, {"numeric": ("size",)}):
        assert failure("m", labelled=False, **options) == (
            "m is read as mail and has no columns",
            f"columns need --input-format {any_of(table_formats())}",
        )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs and sockets in the file system")
def test_fifos_sockets_and_broken_links_are_skipped() -> None:
    make({"m/1": "one"})
    os.mkfifo("m/fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("m/socket")
        os.symlink("nowhere", "m/link")
        source = Found("m")
    assert source.words == ["one"]
    assert source.skipped == {
        "m/fifo": "not a regular file",
        "m/socket": "not a regular file",
        "m/link": "No such file or directory",
    }


def test_links_are_followed_but_not_round_in_circles() -> None:
    make({"m/sub/1": "one", "other/2": "two"})
    os.symlink("../other/2", "m/two")
    os.symlink("..", "m/sub/up")
    os.symlink("../other", "m/zother")
    os.symlink("m", "start")
    source = Found("start")
    assert sorted(source.words) == ["one", "two", "two"]
    assert source.skipped == {"start/sub/up": "link to a folder above"}


def test_files_that_cannot_be_read_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    make({"m/1": "one", "m/2": "two", "m/3.gz": gzip.compress(mail("three"))[:-9], "m/4": "four"})

    really = os.open

    def refuse(path: str, flags: int) -> int:
        if path == "m/2":
            raise PermissionError(13, "Permission denied", path)
        return really(path, flags)

    monkeypatch.setattr(os, "open", refuse)
    source = Found("m")
    assert source.words == ["one", "four"]
    assert source.skipped == {
        "m/2": "Permission denied",
        "m/3.gz": "its gzip data is damaged or cut off",
    }


def test_folders_that_cannot_be_read_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    make({"m/1": "one", "m/sub/2": "two"})
    scan = os.scandir

    def refuse(path: str) -> Any:
        if path == "m/sub":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    source = Found("m")
    assert source.words == ["one"]
    assert source.skipped == {"m/sub": "Permission denied"}


def test_files_and_folders_that_vanish() -> None:
    make({"m/1": "one", "m/2": "two", "m/sub/3": "three"})
    source = open_source("m", ReadOptions(), labelled=False)
    shutil.rmtree("m/sub")
    Path("m/2").unlink()
    assert [len(chunk) for chunk in source] == [1]


def test_names_that_are_no_text() -> None:
    name = b"m/caf\xe9"
    os.mkdir("m")
    try:
        with open(name, "wb") as file:
            file.write(mail("one"))
    except OSError:
        pytest.skip("the file system takes only UTF-8 names")
    assert Found("m").rows == [(os.fsdecode(name), "", "one")]


def test_a_link_up_is_no_way_to_the_other_label() -> None:
    make({"d/ham/1": "good", "d/spam/2": "bad"})
    os.symlink("..", "d/ham/up")
    source = Found("d", labelled=True)
    assert source.rows == [("d/ham/1", "ham", "good"), ("d/spam/2", "spam", "bad")]
    assert source.skipped == {"d/ham/up": "link to a folder above"}


def test_the_mails_of_a_maildir_are_the_same_with_and_without_labels() -> None:
    make(
        {"M/cur/1": "one", "M/cur/sub/2": "x", "M/new/3": "three", f"M/{TMP}/": b"", "M/.Junk/cur/4": "four"}
    )
    os.symlink("..", "M/cur/loop")
    assert Found("M", labelled=True).words == ["four", "one", "three"]
    assert Found("M").words == ["one", "three"]


def test_a_link_to_where_one_may_not_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may look everywhere, so the system's answer is put in its mouth."""
    make({"m/1": "one", "m/2": "two"})

    class Entry:
        def __init__(self, path: str) -> None:
            self.path, self.name = path, os.path.basename(path)

        def is_dir(self) -> bool:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(
        folder_walk, "listing", lambda folder, _: [Entry(f"{folder}/{name}") for name in "12"]
    )
    assert Found("m").words == ["one", "two"]

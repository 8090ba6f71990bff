"""What is written is for its owner alone, holds no text beyond tokens, and goes through no planted link."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from spamnb.core import files
from spamnb.errors import DataError

if sys.platform == "win32":
    pytest.skip("Windows has other permissions", allow_module_level=True)

from tests.robustness.file_permissions import WRITERS, link_followed, written


def test_files_are_private_and_hold_no_text_beyond_tokens(tmp_path: Path) -> None:
    assert written(tmp_path) == ([], [])


@pytest.mark.parametrize("name", [*WRITERS][::2])
def test_a_planted_link_is_not_followed(tmp_path: Path, name: str) -> None:
    assert link_followed(tmp_path, name) == ""


def test_links_of_the_system_are_followed(tmp_path: Path) -> None:
    """As in `--json /dev/stdout`, and in the shell's `>(program)`."""
    path = tmp_path / "out"
    with open(path, "wb") as file:
        files.write(f"/dev/fd/{file.fileno()}", b"ok")
    assert path.read_bytes() == b"ok"


def test_a_file_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("a longer text")
    path.chmod(0o644)
    files.write(str(path), b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o644)


def test_a_link_that_is_planted_after_the_look_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim, link = tmp_path / "victim", tmp_path / "link"
    victim.write_text("precious")
    link.symlink_to(victim)
    monkeypatch.setattr(os.path, "islink", lambda _: False)
    files.write(str(link), b"x")  # takes the place of the link
    assert victim.read_text() == "precious"
    assert link.read_bytes() == b"x"


def test_a_full_disk_leaves_the_file_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "page.html"
    path.write_text("precious")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError) as caught:
        files.write(str(path), b"new")
    assert str(caught.value) == f"cannot write {path}: No space left on device"
    assert caught.value.hint == "free some disk space and try again"
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["page.html"]

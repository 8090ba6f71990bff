"""New files: whole or not at all, several together or none, and nothing left behind by dead writers."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spamnb.core.new_files import NewFile, Replacements, SecondName, remove_leftovers

if sys.platform == "win32":
    pytest.skip("Windows cannot rename open files", allow_module_level=True)

WRITER = """
import os, sys, time
from spamnb.core.new_files import NewFile
with NewFile(sys.argv[1]) as new:
    new.file.write(b"half")
    new.file.flush()
    print(new.path, flush=True)
    time.sleep(60)
"""


def writer(folder: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that is busy with a new file."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, folder], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_new_file_is_private_until_it_takes_its_place(tmp_path: Path) -> None:
    with NewFile(str(tmp_path)) as new:
        assert os.stat(new.path).st_mode & 0o777 == 0o600
        new.file.write(b"text")
        new.sync()
        new.place(str(tmp_path / "m"))
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("m", b"text")]


def test_a_new_file_without_a_place_vanishes(tmp_path: Path) -> None:
    with NewFile(str(tmp_path)) as new:
        new.file.write(b"text")
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_dead_writers_go_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    (dead, left), (alive, busy) = writer(tmp_path), writer(tmp_path)
    try:
        remove_leftovers(str(tmp_path))
        assert left.exists()
        dead.send_signal(signal.SIGKILL)
        dead.wait()
        remove_leftovers(str(tmp_path))
        assert (left.exists(), busy.exists()) == (False, True)
    finally:
        for process in (dead, alive):
            process.kill()
            process.communicate()


def test_only_regular_files_with_such_names_are_leftovers(tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    (tmp_path / ".spamnb-link.tmp").symlink_to(victim)
    (tmp_path / ".spamnb-folder.tmp").mkdir()
    os.mkfifo(tmp_path / ".spamnb-pipe.tmp")
    for name in (".spamnb-notes.txt", "spamnb-x.tmp", ".spamnb-left.tmp"):
        (tmp_path / name).write_text("x")
    before = {path.name for path in tmp_path.iterdir()}
    remove_leftovers(str(tmp_path))
    assert before - {path.name for path in tmp_path.iterdir()} == {".spamnb-left.tmp"}
    assert victim.read_text() == "precious"
    remove_leftovers(str(tmp_path / "nowhere"))


def test_a_file_that_was_taken_for_a_leftover_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    created, make = [], tempfile.mkstemp

    def swept(*args: str) -> tuple[int, str]:
        created.append(make(*args))
        if len(created) == 1:
            remove_leftovers(str(tmp_path))
        return created[-1]

    monkeypatch.setattr(tempfile, "mkstemp", swept)
    with NewFile(str(tmp_path)) as new:
        assert (len(created), new.path) == (2, created[1][1])
        new.place(str(tmp_path / "m"))
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_writers_and_sweepers_at_once(tmp_path: Path) -> None:
    """No writer loses its file to another that looks for leftovers."""
    children, end = [], time.monotonic() + 2
    for number in range(4):
        child = os.fork()
        if not child:
            try:
                while time.monotonic() < end:
                    with NewFile(str(tmp_path)) as new:
                        new.file.write(b"x")
                        remove_leftovers(str(tmp_path))
                        new.place(str(tmp_path / f"m{number}"))
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m0", "m1", "m2", "m3"]


def test_replacements_happen_together(tmp_path: Path) -> None:
    for name in ("a", "b", "new"):
        (tmp_path / name).write_text(name)
    with Replacements() as changes:
        changes.replace(str(tmp_path / "new"), str(tmp_path / "a"))
        changes.remove(str(tmp_path / "b"))
        changes.remove(str(tmp_path / "nothing"))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "new"}


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links here"])
def test_an_error_undoes_all_replacements(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", refuse)
    for name in ("a", "b", "new", "newer"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "folder").mkdir()
    numbers = {name: (tmp_path / name).stat().st_ino for name in ("a", "b")}
    with pytest.raises(IsADirectoryError):
        replace_some(tmp_path)
    (tmp_path / "folder").rmdir()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "a", "b": "b", "link": "a"}
    assert numbers == {name: (tmp_path / name).stat().st_ino for name in ("a", "b")}
    assert (tmp_path / "link").is_symlink()


def replace_some(folder: Path) -> None:
    """Two removals, two replacements and one that fails."""
    with Replacements() as changes:
        for name in ("b", "link"):
            changes.remove(str(folder / name))
        for new, name in (("new", "a"), ("newer", "c"), ("b", "folder")):
            changes.replace(str(folder / new), str(folder / name))


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "new").write_text("new")
    with pytest.raises(IsADirectoryError), Replacements() as changes:
        changes.replace(str(tmp_path / "new"), str(tmp_path / "a"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "new"]


def test_a_second_name_is_no_leftover_while_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    with SecondName(str(tmp_path / "a"), str(tmp_path)) as second:
        remove_leftovers(str(tmp_path))
        assert os.path.samefile(second.path, tmp_path / "a")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def refuse(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")

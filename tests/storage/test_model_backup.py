"""The model that is replaced stays as PATH.bak with its journal; a failure leaves everything as it was."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import ModelError
from spamnb.storage import model_backup, model_writer
from tests.helpers.small_models import NEWS, ROWS, beside, is_trained_on, learn, trained

if sys.platform == "win32":
    pytest.skip("Windows has other links and limits", allow_module_level=True)

STEPS = ["os.replace", "os.fsync", "os.link", "os.unlink", "tempfile.mkstemp", "joblib.dump", "os.fchmod"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model with a journal, and a backup with another one."""
    path, backup = tmp_path / "m.spamnb", tmp_path / "m.spamnb.bak"
    trained(ROWS[:3]).save(backup)
    learn(backup, NEWS[2])
    (tmp_path / "m.spamnb.bak.lock").unlink()
    trained(ROWS).save(path)
    learn(path, NEWS[0])
    return path


def everything(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Contents, mode and time of all files."""
    facts = {path.name: (path.read_bytes(), path.stat()) for path in folder.iterdir()}
    return {name: (data, status.st_mode, status.st_mtime_ns) for name, (data, status) in facts.items()}


def replace(path: Path, rows: list[tuple[str, str]]) -> int:
    return trained(rows).save(path, backup=f"{path}.bak")


def test_the_replaced_model_is_kept_with_its_journal(path: Path) -> None:
    replace(path, ROWS[1:])
    assert is_trained_on(path, ROWS[1:])
    assert is_trained_on(path.with_name("m.spamnb.bak"), [*ROWS, NEWS[0]])
    assert not beside(path).exists()
    replace(path, ROWS)
    assert is_trained_on(path.with_name("m.spamnb.bak"), ROWS[1:])
    names = ["m.spamnb", "m.spamnb.bak", "m.spamnb.lock"]
    assert sorted(entry.name for entry in path.parent.iterdir()) == names


@pytest.mark.parametrize("data", [b"", b"no journal", bytes(range(256)) * 2])
def test_a_journal_that_cannot_be_read_goes_with_the_backup(path: Path, data: bytes) -> None:
    beside(path).write_bytes(data)
    replace(path, ROWS[1:])
    assert not beside(path).exists()
    assert beside(path.with_name("m.spamnb.bak")).read_bytes() == data
    learn(path, NEWS[0])
    assert is_trained_on(path, [*ROWS[1:], NEWS[0]])


@pytest.mark.parametrize("how", ["link", "no links here"])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_backup_is_shared_like_the_model(
    path: Path, how: str, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "no links here":
        monkeypatch.setattr(os, "link", refuse)
    path.chmod(mode)
    time = path.stat().st_mtime_ns
    replace(path, ROWS[1:])
    backup = path.with_name("m.spamnb.bak")
    assert is_trained_on(backup, [*ROWS, NEWS[0]])
    assert (backup.stat().st_mode & 0o777, backup.stat().st_mtime_ns) == (mode, time)


def test_a_backup_replaces_a_planted_link(path: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in ("m.spamnb.bak", "m.spamnb.bak.journal"):
        (tmp_path / name).unlink()
        (tmp_path / name).symlink_to(victim)
    replace(path, ROWS[1:])
    assert victim.read_text() == "precious"
    assert is_trained_on(tmp_path / "m.spamnb.bak", [*ROWS, NEWS[0]])


def test_a_folder_in_place_of_the_backup_is_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "m.spamnb.bak").unlink()
    (tmp_path / "m.spamnb.bak").mkdir()
    with pytest.raises(ModelError) as caught:
        replace(path, ROWS[1:])
    assert caught.value.message == f"cannot keep the previous file as {path}.bak: Is a directory"
    assert is_trained_on(path, [*ROWS, NEWS[0]])


@pytest.mark.parametrize("rows", [ROWS[1:], ROWS], ids=["other bytes", "the same bytes"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_failure_of_any_step_leaves_all_files_as_they_were(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int, rows: list[tuple[str, str]]
) -> None:
    path.chmod(0o644)
    before, refusals = everything(path.parent), 0
    for passes in range(9):
        with monkeypatch.context() as patch:
            fail_once(patch, step, passes, number)
            try:
                replace(path, rows)
                break
            except ModelError:
                refusals += 1
        assert everything(path.parent) == before, f"{step}, after {passes} calls that worked"
    assert refusals or step in ("os.unlink", "os.link")  # without links files are copied


def test_an_interrupt_after_the_last_step_undoes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the model that was replaced would be nowhere."""
    real = os.replace

    def interrupted(source: str, target: str) -> None:
        real(source, target)
        if target == str(path):
            raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace(path, ROWS[1:])
    assert is_trained_on(path, ROWS[1:])
    assert is_trained_on(path.with_name("m.spamnb.bak"), [*ROWS, NEWS[0]])


def fail_once(patch: pytest.MonkeyPatch, step: str, passes: int, number: int) -> None:
    """Lets a function work some times, then fails once, as a full disk does until there is room again."""
    module, name = step.split(".")
    real, calls = getattr(__import__(module), name), iter(range(1000))

    def function(*args: Any, **named: Any) -> Any:
        if next(calls) == passes:
            raise OSError(number, os.strerror(number))
        return real(*args, **named)

    patch.setattr(step, function)


def test_a_full_disk_leaves_all_files_as_they_were(tmp_path: Path) -> None:
    """A small file system of its own, filled up to the last byte."""
    import subprocess

    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("cannot mount a small file system here")
    try:
        path = folder / "m.spamnb"
        trained(ROWS).save(path)
        replace(path, ROWS[1:])
        learn(path, NEWS[0])
        large = trained([(f"word{i} {i} more{i}", "spam" if i % 2 else "ham") for i in range(400)])
        for room in (0, 4096, 8192, 16384):
            fill(folder, room)
            before = everything(folder)
            with pytest.raises(ModelError, match=r"[Nn]o space left on device"):
                large.save(path, backup=f"{path}.bak")
            assert everything(folder) == before
        assert is_trained_on(path, [*ROWS[1:], NEWS[0]])
    finally:
        subprocess.run(["umount", folder], check=True)


def fill(folder: Path, room: int) -> None:
    """Leaves so many bytes on a file system."""
    (folder / "filler").unlink(missing_ok=True)
    free = os.statvfs(folder)
    (folder / "filler").write_bytes(bytes(free.f_bavail * free.f_frsize - room))


def test_a_model_that_is_new_needs_no_backup(tmp_path: Path) -> None:
    replace(tmp_path / "m.spamnb", ROWS)
    assert [path.name for path in tmp_path.iterdir()] == ["m.spamnb"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_the_mode_of_a_new_model_and_of_the_folders_made_for_it(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "new" / "deep" / "m.spamnb"
    trained(ROWS).save(path, mode=mode)
    assert path.stat().st_mode & 0o777 == mode
    passing = {0o600: 0o700, 0o640: 0o710, 0o644: 0o711}[mode]
    assert [p.stat().st_mode & 0o777 for p in (path.parent, path.parent.parent)] == [passing] * 2
    model_writer.write({"x": 1}, path)
    assert path.stat().st_mode & 0o777 == mode


def refuse(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def test_the_journal_is_copied_not_linked(path: Path) -> None:
    """A learner extends a journal in place."""
    with model_backup.kept_as(str(path), f"{path}.bak"):
        pass
    assert not os.path.samefile(beside(path), beside(path.with_name("m.spamnb.bak")))

"""The journal: torn, stale, foreign or damaged, a reader gets the old or the new model and nothing else."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spamnb.errors import JournalError, ModelError
from spamnb.model.spam_model import SpamModel
from spamnb.storage import model_file, update_journal
from spamnb.training import lesson_writer
from spamnb.training.incremental import Learner
from tests.helpers.count_stores import identical
from tests.helpers.small_models import NEWS, ROWS, beside, is_trained_on, learn, trained


@pytest.fixture
def path(tmp_path: Path) -> Path:
    trained(ROWS).save(tmp_path / "m.spamnb")
    return tmp_path / "m.spamnb"


def test_files_are_private_and_few(path: Path) -> None:
    learn(path, NEWS[0])
    assert sorted(os.listdir(path.parent)) == ["m.spamnb", "m.spamnb.journal", "m.spamnb.lock"]
    assert {stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()} == {0o600}


def test_every_cut_of_the_last_record_gives_the_model_before_it(path: Path) -> None:
    learn(path, NEWS[0])
    first = beside(path).stat().st_size
    learn(path, NEWS[1])
    whole = beside(path).read_bytes()
    for size in [*range(first, first + 40), *range(first + 40, len(whole), 37), len(whole) - 1]:
        beside(path).write_bytes(whole[:size])
        assert is_trained_on(path, [*ROWS, NEWS[0]])
    beside(path).write_bytes(whole)
    assert is_trained_on(path, [*ROWS, *NEWS[:2]])


@pytest.mark.parametrize("zeros", [16, 20, 60])
def test_zeros_before_a_whole_record_are_no_crash(
    path: Path, zeros: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash leaves zeros at the end; zeros in the middle hide records that were reported as learned."""
    monkeypatch.setattr(update_journal, "_PAUSE", 0)
    for row in NEWS:
        learn(path, row)
        if row is NEWS[0]:
            at = beside(path).stat().st_size
    data = beside(path).read_bytes()
    beside(path).write_bytes(data[:at] + bytes(zeros) + data[at + zeros :])
    for read in (SpamModel.load, lambda model: learn(model, ("one more", "spam"))):
        with pytest.raises(JournalError) as caught:
            read(path)
        assert caught.value.message == f"{path}.journal is damaged: byte {at}"


@pytest.mark.parametrize("left", [b"\0" * 100, b"\0" * 20 + b"x" * 50, b"rec", b"\0"])
def test_what_a_crash_leaves_is_overwritten(path: Path, left: bytes) -> None:
    learn(path, NEWS[0])
    with open(beside(path), "ab") as file:
        file.write(left)
    assert is_trained_on(path, [*ROWS, NEWS[0]])
    learn(path, NEWS[1])
    journal = update_journal.read(path, model_file.checksum_of(path))
    assert journal is not None
    assert (len(journal.payloads), journal.end) == (2, beside(path).stat().st_size)
    assert is_trained_on(path, [*ROWS, *NEWS[:2]])


def test_every_flipped_byte_gives_an_older_model_or_an_error(path: Path) -> None:
    learn(path, NEWS[0])
    learn(path, NEWS[1])
    whole = beside(path).read_bytes()
    right = [trained(rows).store for rows in (ROWS, [*ROWS, NEWS[0]], [*ROWS, *NEWS[:2]])]
    errors = 0
    for at in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[at] ^= 0x20
        try:
            parsed = update_journal.parse(bytes(damaged), model_file.checksum_of(path))
        except update_journal.DamagedJournal:
            errors += 1
            continue
        store = right[0] if parsed is None else right[len(parsed.payloads)]
        assert parsed is None or len(parsed.payloads) < 2
        beside(path).write_bytes(damaged)
        identical(SpamModel.load(path).store, store)
    assert errors > len(whole) // 7 // 3  # all of the first record


def test_damage_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update_journal, "_PAUSE", 0)
    learn(path, NEWS[0])
    learn(path, NEWS[1])
    data = bytearray(beside(path).read_bytes())
    data[200] ^= 1
    beside(path).write_bytes(data)
    for read in (SpamModel.load, learn):
        with pytest.raises(ModelError) as caught:
            read(path)
        assert caught.value.message == f"{path}.journal is damaged: byte 82"
        assert caught.value.hint == (
            "without it the model is as it was when its file was written: "
            f"mv {path}.journal {path}.journal.damaged"
        )


def test_sense_is_asked_for_too(path: Path) -> None:
    update_journal.append(path, model_file.checksum_of(path), None, b"checked, but no change")
    with pytest.raises(ModelError) as caught:
        SpamModel.load(path)
    assert caught.value.message.startswith(f"{path}.journal is damaged: a record is invalid (")


# --- a model file and a journal that cannot be combined --------------------------------------------


def test_a_journal_left_behind_after_the_model_file_was_written_anew_is_ignored(path: Path) -> None:
    learn(path, NEWS[0])
    old = beside(path).read_bytes()
    with Learner(path) as learner:
        learner.compact()
    assert not beside(path).exists()
    beside(path).write_bytes(old)  # as if the process had died before it could remove it
    assert is_trained_on(path, [*ROWS, NEWS[0]])
    learn(path, NEWS[1])
    assert is_trained_on(path, [*ROWS, *NEWS[:2]])


def test_an_old_model_file_put_back_does_not_take_the_new_journal(path: Path) -> None:
    old = path.read_bytes()
    learn(path, NEWS[0])
    with Learner(path) as learner:
        learner.compact()
    learn(path, NEWS[1])
    path.write_bytes(old)
    assert is_trained_on(path, ROWS)


def test_a_copy_of_both_files_is_the_whole_model(path: Path) -> None:
    learn(path, NEWS[0])
    there = path.parent / "there.spamnb"
    shutil.copy(path, there)
    shutil.copy(beside(path), beside(there))
    assert is_trained_on(there, [*ROWS, NEWS[0]])


def test_the_same_model_trained_again_has_forgotten_the_journal(path: Path) -> None:
    before = path.read_bytes()
    learn(path, NEWS[0])
    trained(ROWS).save(path)
    assert path.read_bytes() == before
    assert not beside(path).exists()
    assert is_trained_on(path, ROWS)


def test_the_journal_goes_before_the_same_bytes_come_again(path: Path) -> None:
    learn(path, NEWS[0])
    code = (
        "import os, sys; from spamnb.storage import model_file;"
        "from spamnb.model.spam_model import SpamModel;"
        "model = SpamModel.from_state(model_file.read(sys.argv[1]));"
        "os.replace = lambda *_: os._exit(9); model.save(sys.argv[1])"
    )
    assert subprocess.run([sys.executable, "-c", code, path], check=False).returncode == 9
    assert is_trained_on(path, ROWS)  # the new model: it is the old file without the journal


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_the_journal_comes_back_if_the_same_bytes_cannot_be_written(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    learn(path, NEWS[0])

    def die(*_: object) -> None:
        raise error

    monkeypatch.setattr("os.replace", die)
    with pytest.raises((KeyboardInterrupt, ModelError)):
        trained(ROWS).save(path)
    assert is_trained_on(path, [*ROWS, NEWS[0]])
    assert sorted(os.listdir(path.parent)) == ["m.spamnb", "m.spamnb.journal", "m.spamnb.lock"]


def test_learning_and_forgetting_never_gives_the_bytes_of_an_older_file(path: Path) -> None:
    checksums = {model_file.checksum_of(path)}
    for _ in range(3):
        with Learner(path) as learner:
            learner.learn([NEWS[0][0]], [NEWS[0][1]])
        with Learner(path) as learner:
            learner.forget([NEWS[0][0]])
        with Learner(path) as learner:
            learner.compact()
        checksums.add(model_file.checksum_of(path))
    assert len(checksums) == 4
    assert is_trained_on(path, ROWS)


@pytest.mark.parametrize("content", ["my diary", "", "spamnb-journal 1\n", "spamnb-jou"])
def test_a_file_that_is_no_journal_is_named_and_left_alone(
    path: Path, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be what is left of a journal: a learner must not replace it unnoticed."""
    monkeypatch.setattr(update_journal, "_PAUSE", 0)
    beside(path).write_text(content)
    for read in (SpamModel.load, lambda model: learn(model, NEWS[0])):
        with pytest.raises(JournalError) as caught:
            read(path)
        assert caught.value.message == f"{path}.journal is damaged: byte 0"
    trained(ROWS).save(path)
    assert beside(path).exists() == (content != "spamnb-journal 1\n")


# --- tidying up --------------------------------------------------------------------------------------


def test_many_records_become_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_writer, "RECORDS", 3)
    file = path.read_bytes()
    for n, row in enumerate(NEWS, 1):
        learn(path, row)
        journal = update_journal.read(path, model_file.checksum_of(path))
        assert journal is not None
        assert len(journal.payloads) == (n if n < 3 else 1)
    assert path.read_bytes() == file
    assert is_trained_on(path, [*ROWS, *NEWS])


def test_a_large_journal_goes_into_the_model_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_writer, "LARGE", 1000)
    monkeypatch.setattr(lesson_writer, "SHARE", 1 << 30)
    learn(path, NEWS[0])
    assert beside(path).exists()
    learn(path, *NEWS[1:])
    assert not beside(path).exists()
    assert SpamModel.load(path).generation == 1
    assert is_trained_on(path, [*ROWS, *NEWS])


def test_a_change_too_large_for_the_journal_is_written_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson_writer, "LARGE", 10)
    monkeypatch.setattr(lesson_writer, "SHARE", 1 << 30)
    learn(path, *NEWS)
    assert sorted(os.listdir(path.parent)) == ["m.spamnb", "m.spamnb.history", "m.spamnb.lock"]
    assert is_trained_on(path, [*ROWS, *NEWS])


# --- links, and what is read ----------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_in_place_of_the_journal_and_the_lock_are_not_followed(path: Path) -> None:
    victim = path.parent / "victim"
    victim.write_text("precious")
    path.with_name("m.spamnb.lock").symlink_to(victim)
    with pytest.raises(ModelError) as caught:
        learn(path, NEWS[0])
    assert caught.value.message == f"{path}.lock is a link, expected a lock file"
    path.with_name("m.spamnb.lock").unlink()
    beside(path).symlink_to(victim)
    with pytest.raises(ModelError) as caught:
        learn(path, NEWS[0])
    assert caught.value.message == f"{path}.journal is a link, expected a journal"
    assert victim.read_text() == "precious"


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_model_behind_a_link_is_read_with_its_journal_and_does_not_learn(path: Path) -> None:
    link = path.parent / "link"
    link.symlink_to(path)
    with pytest.raises(ModelError) as caught:
        learn(link, NEWS[0])
    assert caught.value.message == f"{link} is a link to {path}: spamnb does not write through links"
    assert caught.value.hint == f"give the path itself: {path}"
    assert not beside(path).exists()
    assert not path.with_name("m.spamnb.lock").exists()
    learn(path, NEWS[0])
    assert is_trained_on(link, [*ROWS, NEWS[0]])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs")
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_fifo_or_a_folder_in_place_of_the_journal_or_the_lock_is_refused(
    path: Path, make: Callable[[Path], None]
) -> None:
    make(beside(path))
    for work in (SpamModel.load, lambda model: learn(model, NEWS[0])):
        with pytest.raises(ModelError) as caught:
            work(path)
        assert caught.value.message == f"{path}.journal is not a regular file, expected a journal"
    model = trained(ROWS)
    with pytest.raises(ModelError, match="is not a regular file: remove it"):
        model.save(path)
    os.rmdir(beside(path)) if beside(path).is_dir() else os.unlink(beside(path))
    path.with_name("m.spamnb.lock").unlink(missing_ok=True)
    make(path.with_name("m.spamnb.lock"))
    with pytest.raises(ModelError, match=r"m\.spamnb\.lock"):
        learn(path, NEWS[0])
    assert is_trained_on(path, ROWS)


def test_a_reader_without_a_journal_loads_nothing_of_it(path: Path) -> None:
    code = (
        "import sys; from spamnb.model.spam_model import SpamModel;"
        "SpamModel.load(sys.argv[1]).predict(['win']);"
        "names = 'storage.update_journal', 'storage.model_writer', 'storage.lock', 'counts.apply_delta';"
        "print([m for m in (*(f'spamnb.{n}' for n in names), 'json') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("at", [3, 20, 80])
def test_damage_to_the_head_is_told(path: Path, at: int) -> None:
    """It must not pass for the journal of another model file, whose records are not looked at."""
    learn(path, *NEWS)
    data = bytearray(beside(path).read_bytes())
    data[at] ^= 1
    beside(path).write_bytes(data)
    with pytest.raises(ModelError, match="is damaged: byte 0"):
        SpamModel.load(path)


@pytest.mark.parametrize("zeros", [20, 100, 128])
def test_a_journal_that_lost_its_beginning_is_told(path: Path, zeros: int) -> None:
    learn(path, *NEWS)
    learn(path, ("one more", "spam"))
    data = beside(path).read_bytes()
    beside(path).write_bytes(bytes(zeros) + data[zeros:])
    with pytest.raises(ModelError, match="is damaged: byte 0"):
        SpamModel.load(path)


def test_a_model_that_only_may_be_read_goes_on_learning(path: Path) -> None:
    path.chmod(0o444)
    learn(path, *NEWS)
    assert stat.S_IMODE(beside(path).stat().st_mode) == 0o644


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_who_may_read_the_model_may_read_what_it_learned(path: Path, mode: int) -> None:
    path.chmod(mode)
    learn(path, *NEWS)
    assert stat.S_IMODE(beside(path).stat().st_mode) == mode
    with Learner(path) as learner:
        learner.compact()
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_journal_and_lock_follow_the_mode_of_the_model(path: Path) -> None:
    learn(path, NEWS[0])
    for mode in (0o640, 0o644, 0o600):
        path.chmod(mode)
        learn(path, (f"more {mode}", "spam"))
        files = beside(path), path.with_name("m.spamnb.lock")
        assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [mode, mode]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root changes the owner")
def test_journal_and_lock_follow_the_owner_and_the_group_of_the_model(path: Path) -> None:
    learn(path, NEWS[0])
    os.chown(path, 4321, 1234)
    learn(path, NEWS[1])
    for file in (beside(path), path.with_name("m.spamnb.lock")):
        assert (file.stat().st_uid, file.stat().st_gid) == (4321, 1234)


def test_the_place_of_damage_is_written_like_other_numbers(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update_journal, "_PAUSE", 0)
    for row in NEWS * 4:
        learn(path, row)
    data = beside(path).read_bytes()
    beside(path).write_bytes(data * 2)
    with pytest.raises(JournalError) as caught:
        SpamModel.load(path)
    assert len(data) > 1000
    assert caught.value.message == f"{path}.journal is damaged: byte {len(data):,}"

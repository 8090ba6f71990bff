"""Whatever step the system refuses: the old model is there, the words are clear, the next try works."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import ModelError
from spamnb.model.spam_model import SpamModel
from spamnb.storage.lock import Lock
from spamnb.training import lesson_writer
from tests.helpers.count_stores import identical
from tests.helpers.small_models import NEWS, ROWS, beside, is_trained_on, learn, trained

STEPS = ["os.write", "os.fsync", "os.fdatasync", "os.replace", "os.open", "tempfile.mkstemp", "joblib.dump"]
WAYS = ["first record", "later record", "after a crash", "model file"]


class Refusal:
    """Lets a function work some times, then fails once as a full or broken disk does."""

    def __init__(self, real: Callable[..., Any], passes: int, number: int, half: bool) -> None:
        self.real, self.passes, self.number, self.half = real, passes, number, half
        self.failed = False

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self.passes or self.failed:
            self.passes -= 1
            return self.real(*args, **named)
        if self.half and len(args) == 2 and len(args[1]) > 1:  # a short write; the next one fails
            self.half = False
            return self.real(args[0], bytes(args[1])[: len(args[1]) // 2])
        self.failed = True
        raise OSError(self.number, os.strerror(self.number))


def prepared(path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """A model for which learning takes this way, and what it has learned by then."""
    if way == "model file":
        monkeypatch.setattr(lesson_writer, "LARGE", 1)
        monkeypatch.setattr(lesson_writer, "SHARE", 1 << 30)
    if way in ("first record", "model file"):
        return ROWS
    learn(path, NEWS[0])
    if way == "after a crash":
        with open(beside(path), "ab") as file:
            file.write(b"torn")
    return [*ROWS, NEWS[0]]


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("way", WAYS)
def test_no_step_can_fail_badly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, number: int, half: bool
) -> None:
    tried = 0
    for step in STEPS[: 1 if half else None]:
        for passes in range(5):
            path = tmp_path / f"{step}{passes}" / "m.spamnb"
            trained(ROWS).save(path)
            before = prepared(path, way, monkeypatch)
            if not refused(path, step, passes, number, half, monkeypatch):
                break
            tried += 1
            assert is_trained_on(path, before)
            learn(path, NEWS[1])
            assert is_trained_on(path, [*before, NEWS[1]])
    # A new file is written through a buffer, not by os.write; the next test has the short write of that.
    assert tried >= (0 if half and way in ("first record", "model file") else 1 if half else 3)


@pytest.mark.parametrize("way", ["first record", "model file"])
def test_a_new_file_that_is_cut_short_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    path = tmp_path / "m.spamnb"
    trained(ROWS).save(path)
    before = prepared(path, way, monkeypatch)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))  # a journal of one record is larger
    try:
        with pytest.raises(ModelError, match="cannot write"):
            learn(path, NEWS[1])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".tmp"] == []
    assert is_trained_on(path, before)
    learn(path, NEWS[1])
    assert is_trained_on(path, [*before, NEWS[1]])


def refused(
    path: Path, step: str, passes: int, number: int, half: bool, monkeypatch: pytest.MonkeyPatch
) -> bool:
    """Was learning stopped there, with words?"""
    module, name = step.split(".")
    real = getattr(__import__(module), name)
    refusal = Refusal(real, passes, number, half)
    with monkeypatch.context() as patch:
        patch.setattr(step, refusal)
        try:
            learn(path, NEWS[2])
        except ModelError as error:
            words = error.message, error.hint
        else:
            words = "", ""
    if words[0]:
        reason = os.strerror(number)
        assert words[0].endswith(f": {reason[0].lower()}{reason[1:]}")
        assert words[1]
        return True
    if refusal.failed:  # a step that the model does not depend on: the name of the file on disk
        assert step in ("os.fsync", "os.open")
        identical(SpamModel.load(path).store, trained([*_now(path)]).store)
    return False


def _now(path: Path) -> list[tuple[str, str]]:
    model = SpamModel.load(path)
    known = int(model.store.message_totals.sum())
    return [*ROWS, *([NEWS[0]] if known == len(ROWS) + 2 else []), NEWS[2]]


def test_tidying_up_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is in the journal by then, so it is learned."""
    path = tmp_path / "m.spamnb"
    trained(ROWS).save(path)
    monkeypatch.setattr(lesson_writer, "LARGE", 1200)
    monkeypatch.setattr(lesson_writer, "SHARE", 1 << 30)
    learn(path, NEWS[0])

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("joblib.dump", full)
        learn(path, NEWS[1])
    assert beside(path).exists()
    assert is_trained_on(path, [*ROWS, *NEWS[:2]])
    learn(path, NEWS[2])
    assert not beside(path).exists()
    assert is_trained_on(path, [*ROWS, *NEWS])


def test_a_journal_cut_off_by_the_system(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="file size limits are a POSIX matter")
    path = tmp_path / "m.spamnb"
    trained(ROWS).save(path)
    learn(path, NEWS[0])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (beside(path).stat().st_size + 50, limits[1]))
    try:
        with pytest.raises(ModelError) as caught:
            learn(path, NEWS[1])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.message == f"cannot write {path}.journal: file too large"
    assert is_trained_on(path, [*ROWS, NEWS[0]])


def test_a_folder_where_one_may_not_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    path = tmp_path / "m.spamnb"
    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(ModelError) as caught, Lock(path):
        pass
    assert caught.value.message == f"cannot change {path}: cannot open {path}.lock: permission denied"
    assert caught.value.hint == "learning needs a model in a folder where you may write"

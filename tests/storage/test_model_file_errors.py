"""Model files that are missing, cut, changed, foreign, too new or too large, in words for the user."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
import pytest

from spamnb.errors import ModelError
from spamnb.storage import model_file, model_writer

STATE: dict[str, object] = {
    "labels": ["ham", "spam"],
    "settings": {"alpha": 0.5, "lower": True},
    "counts": {"keys": np.arange(7, dtype="u8"), "table": np.arange(14, dtype="u4").reshape(7, 2)},
}
AGAIN = "copy the file again, or train a new model with `spamnb train DATA`"
TRAIN = "train one with `spamnb train DATA`"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "m.joblib"
    model_writer.write(STATE, path)
    return path


def error(call: Callable[..., object], *args: object) -> tuple[str, str]:
    with pytest.raises(ModelError) as caught:
        call(*args)
    return caught.value.message, caught.value.hint


def test_places_that_cannot_be_written(tmp_path: Path, saved: Path) -> None:
    inside = saved / "m"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert (
        error(model_writer.write, {}, tmp_path)[0]
        == f"cannot write {tmp_path}: it is a directory, expected a file"
    )
    assert error(model_writer.write, {}, inside)[0] == f"cannot write {inside}: not a directory"
    assert error(model_writer.write, {}, pipe)[0] == f"cannot write {pipe}: it is not a regular file"
    assert error(model_writer.write, {}, "a\0b")[0] == "cannot write a\0b: embedded null byte"


def test_every_truncation_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for size in range(1, len(whole)):
        saved.write_bytes(whole[:size])
        message, hint = error(model_file.read, saved)
        assert message == f"{saved} is cut short or not a spamnb model: no checksum at its end"
        assert hint == AGAIN


def test_every_changed_byte_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    damaged = 0
    for at in range(len(whole)):
        for flip in (0x01, 0xFF):
            saved.write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
            message, _ = error(model_file.read, saved)
            damaged += message == f"{saved} is damaged: its contents do not match its checksum"
    assert damaged > len(whole)  # the others break the first byte or the mark of the checksum


def test_a_plain_joblib_file_is_refused(tmp_path: Path) -> None:
    joblib.dump({"format": "spamnb-model", "version": 1}, tmp_path / "m")
    message, _ = error(model_file.read, tmp_path / "m")
    assert message == f"{tmp_path / 'm'} is cut short or not a spamnb model: no checksum at its end"


FOREIGN = {
    "a CSV file": b"label,text\nham,hi\n",
    "a TSV file": b"ham\thi\r\n",
    "a JSON file": b'{"label": "ham"}\n',
    "a mailbox": b"From me Thu Jan  1 00:00:00 2026\nSubject: x, y\n",
    "a text file": b"\n",
    "a ZIP archive": b"PK\x03\x04\x00",
    "a Parquet file": b"PAR1\x00",
    "compressed data": b"\x1f\x8b\x08",
    "the data of another program": b"\x7fELF\x00",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_recognized(tmp_path: Path, kind: str) -> None:
    (tmp_path / "m").write_bytes(FOREIGN[kind])
    assert error(model_file.read, tmp_path / "m") == (
        f"{tmp_path / 'm'} is not a spamnb model: it looks like {kind}",
        "if these are labelled messages, train on them with `spamnb train`",
    )


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ({"format": "x", "version": 1}, "PATH is not a spamnb model"),
        ({"format": "spamnb-model", "version": True}, "PATH is not a spamnb model: it has no format version"),
        ({"format": "spamnb-model", "version": 0}, "PATH is not a spamnb model: it has no format version"),
        (
            {"format": "spamnb-model", "version": 3},
            "PATH was written by a newer spamnb (format 3, this one reads 1)",
        ),
        ({"version": 1}, "PATH is not a spamnb model"),
    ],
)
def test_titles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: dict[str, object], message: str
) -> None:
    monkeypatch.setattr(model_writer, "_with_title", lambda state: title | state)
    model_writer.write({}, tmp_path / "m")
    actual, hint = error(model_file.read, tmp_path / "m")
    assert actual == message.replace("PATH", str(tmp_path / "m"))
    assert hint == (
        "upgrade spamnb, or " + TRAIN.replace("one", "a new model") if "newer" in actual else TRAIN
    )


def test_places_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m"
    assert error(model_file.read, path) == (f"no model at {path}", TRAIN)
    path.touch()
    assert error(model_file.read, path) == (f"{path} is empty, expected a spamnb model", AGAIN)
    assert error(model_file.read, tmp_path) == (
        f"{tmp_path} is a directory, expected a model file",
        "give the path of the file in it",
    )
    os.mkfifo(tmp_path / "pipe")
    assert error(model_file.read, tmp_path / "pipe")[0] == (
        f"{tmp_path / 'pipe'} is not a regular file, expected a model file"
    )
    assert error(model_file.read, "a\0b")[0] == "cannot read a\0b: embedded null byte"

    def deny(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(model_file, "open", deny, raising=False)
    assert error(model_file.read, path) == (
        f"cannot read {path}: permission denied",
        "check the path and its permissions",
    )


def test_files_over_the_limit_are_neither_written_nor_read(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = saved.stat().st_size
    monkeypatch.setattr(model_file, "MAX_BYTES", 500)
    assert (
        error(model_writer.write, STATE, saved)[0]
        == f"cannot write {saved}: it would be larger than 500 bytes"
    )
    assert error(model_file.read, saved)[0] == f"{saved} is too large: {size} bytes, expected at most 500"


def test_require_gives_the_value_or_says_what_is_wrong() -> None:
    def message(key: str, kind: type, **more: object) -> str:
        with pytest.raises(ModelError) as caught:
            model_file.require(STATE, key, kind, **more)  # type: ignore[arg-type]
        assert caught.value.hint == AGAIN
        return caught.value.message.removeprefix("the model's ")

    assert model_file.require(STATE, "settings.alpha", float) == 0.5
    assert model_file.require(STATE, "counts.table", np.ndarray, dtype="u4", shape=(7, 2)).shape == (7, 2)
    assert message("counts.nothing", list) == "the model has no counts.nothing"
    assert message("labels.ham", list) == "the model has no labels.ham"
    assert message("labels", dict) == "labels is not usable: expected dict, got list"
    assert message("settings.lower", int) == "settings.lower is not usable: expected int, got bool"
    keys, table = "counts.keys", "counts.table"
    assert message(keys, np.ndarray, dtype="f8") == f"{keys} is not usable: expected float64, got uint64"
    assert message(table, np.ndarray, ndim=1) == f"{table} is not usable: expected 1 dimensions, got 2"
    assert (
        message(table, np.ndarray, shape=(7, 3))
        == f"{table} is not usable: expected shape (7, 3), got (7, 2)"
    )

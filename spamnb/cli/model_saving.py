"""Saves a model: overwrites nothing but models, and keeps the previous one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

from spamnb.cli.model_option import default_text, refuse_shipped
from spamnb.cli.output import print_status, print_step
from spamnb.core import check_owner, files
from spamnb.errors import ModelError, SpamnbError
from spamnb.model import name_of

if TYPE_CHECKING:
    from spamnb.model import SpamModel


def check_target(path: str, force: bool) -> None:
    """Refuses, before the work is done, to overwrite a file that is no model."""
    from spamnb.storage import model_file

    files.refuse_link(path, ModelError)
    if os.path.isdir(path):
        raise ModelError(
            f"{path} is a folder", hint=f"name a file in it: -o {quote(os.path.join(path, 'model.spamnb'))}"
        )
    refuse_shipped(path, "choose another name for -o")
    _check_folder(path)
    if not os.path.exists(path):
        return
    check_owner(path)
    if force:
        return
    if not model_file.is_model_file(path):
        raise ModelError(
            f"{path} exists and is not a spamnb model: it was not overwritten",
            hint="choose another name for -o, or add --force",
        )


def _check_folder(path: str) -> None:
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.exists(folder):  # it will be created
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise ModelError(
            f"cannot write {path}: {folder} is a file, expected a folder", "choose another path for -o"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ModelError(
            f"cannot write {path}: you may not write in {folder}", "choose a place for -o where you may"
        )


def save(model: SpamModel, path: str, quiet: bool) -> int:
    """Writes the model; the one that it replaces stays beside it as PATH.bak, with its journal.

    A PATH.bak with lessons stays if the replaced model has none: that can be trained again from its data.
    """
    if not os.path.exists(path):
        return _write(model, path)
    from spamnb.storage import Lock

    with Lock(path):  # what another process learns right now goes into one of the two models
        lost = _lost_lessons(path, model)
        if lost == 0 and _lost_lessons(f"{path}.bak", model):
            print_step("kept", f"{path}.bak as it is: it has lessons that the model lacks", quiet)
            return _write(model, path)
        size = _replace(path, model, quiet)
    if lost:
        _warn_of_lost_lessons(path, lost)
    return size


def _lost_lessons(path: str, new: SpamModel) -> int | None:
    """Counts the messages that the model in a file was taught and that `new` lacks, or has as another class.

    None for a file that cannot be read. Without digests all messages learned since training count.
    """
    from spamnb.model import SpamModel

    try:
        old = SpamModel.load(path)
    except SpamnbError:
        return None
    if old.seen_messages is None:
        return old.change_history.learned + old.change_history.relabelled
    known, lessons = new.seen_messages, old.seen_messages.lessons
    return sum(
        len(taught) if known is None else int((known.count(label, taught) == 0).sum())
        for label, taught in lessons.items()
    )


def _warn_of_lost_lessons(path: str, number: int) -> None:
    """Prints, also with -q, what was lost, where it still is, and what to do."""
    lessons = (
        "1 message learned since training is"
        if number == 1
        else f"{number:,} messages learned since training are"
    )
    kept = f"{path}.bak has {'it' if number == 1 else 'them'} until a model with lessons is replaced again"
    print_status(f"warning: {lessons} not in the new model; {kept}")
    print_status(
        "Hint: keep corrections in a table, and train with both: spamnb train data.csv corrections.csv"
    )


def print_saved(path: str, size: int, quiet: bool) -> None:
    """Prints where a model was written, and whether commands without -m use it."""
    use = f"unchanged: `spamnb model use {quote(name_of(path))}` makes it this model"
    print_step("saved", f"{path} ({size / 1e3:,.0f} kB)", quiet)
    print_step("default", default_text(path) or use, quiet)


@contextmanager
def changing(path: str, *sources: str) -> Iterator[Callable[[SpamModel, bool], int]]:
    """Yields a function that saves a model made from `sources`.

    Where `path` is one of them it is locked meanwhile: what another process learned after it was read would
    be lost.
    """
    if any(os.path.realpath(path) == os.path.realpath(source) for source in sources):
        from spamnb.storage import Lock, model_file

        model_file.check_file(path)  # before a lock file is created beside something that is no model
        with Lock(path):
            yield partial(_replace_changed, path)
    else:
        yield lambda model, quiet: save(model, path, quiet)


def _replace_changed(path: str, model: SpamModel, quiet: bool) -> int:
    """Replaces a model whose journal is in the new one: the history keeps its lessons, to list them."""
    from spamnb.training import keep_journal

    if model.lesson_mark is not None:
        keep_journal(path)
    return _replace(path, model, quiet)


def _replace(path: str, model: SpamModel, quiet: bool) -> int:
    size = _write(model, path, backup=f"{path}.bak")
    print_step("kept", f"the previous file as {path}.bak", quiet)
    return size


def _write(model: SpamModel, path: str, backup: str | None = None) -> int:
    # joblib looks for multiprocessing when it is imported, 80 ms that a save does not need; a command that
    # counts in parallel has imported it by now.
    os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
    return model.save(path, backup=backup, force=True)  # `check_target` has checked it


def has_lessons(model: SpamModel) -> bool:
    """Returns whether a model has learned since it was trained."""
    return model.lesson_mark is not None or model.change_history.changed

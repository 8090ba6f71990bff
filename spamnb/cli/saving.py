"""Writing a model where one may already be: nothing foreign is overwritten, the previous model is kept."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spamnb import private
from spamnb.cli.output import say
from spamnb.cli.paths import refuse_shipped
from spamnb.errors import ModelError

if TYPE_CHECKING:
    from spamnb.model import SpamModel


def check_target(path: str, force: bool) -> None:
    """Refuse, before the work is done, to write over something that is no model."""
    from spamnb import modelfile

    private.refuse_link(path, ModelError)
    if os.path.isdir(path):
        raise ModelError(
            f"{path} is a folder", hint=f"name a file in it: -o {os.path.join(path, 'model.spamnb')}"
        )
    refuse_shipped(path, "choose another name for -o")
    _check_folder(path)
    if force or not os.path.exists(path):
        return
    if not modelfile.titled(path):
        raise ModelError(
            f"{path} exists and is not a spamnb model: it was not overwritten",
            hint="choose another name for -o, or add --force",
        )


def _check_folder(path: str) -> None:
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.exists(folder):  # it will be made
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
    """Write the model; what it replaces stays beside it as PATH.bak, with what was learned into it."""
    # joblib looks for multiprocessing when it is imported, 80 ms that a save does not need; a command that
    # counts in parallel has imported it by now.
    os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
    if not os.path.exists(path):
        return model.save(path)
    from spamnb.lock import Lock

    with Lock(path):  # what somebody learns right now goes into the one model or into the other
        _keep(path, f"{path}.bak", quiet)
        return model.save(path)


def _keep(path: str, backup: str, quiet: bool) -> None:
    from contextlib import suppress

    from spamnb.modelfile import JOURNAL

    try:
        with suppress(FileNotFoundError):
            os.unlink(backup + JOURNAL)
        private.keep(path, backup)
        with suppress(FileNotFoundError):
            private.copy(os.path.realpath(path) + JOURNAL, backup + JOURNAL)
        say(f"kept      the previous file as {backup}", quiet)
    except OSError as error:
        raise ModelError(
            f"cannot keep the previous file as {backup}: {error.strerror}",
            hint="choose another name for -o",
        ) from None

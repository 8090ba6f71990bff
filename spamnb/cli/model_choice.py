"""Turns -m and -o into the path of the model to use, to change or to write, and loads it to read it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spamnb.errors import JournalError, ModelError, TornJournalError
from spamnb.model import (
    MODEL_VARIABLE,
    find_model as find_model,
    model_to_change as model_to_change,
    new_path_of,
    own_model,
    refuse_shipped as refuse_shipped,
)

if TYPE_CHECKING:
    from spamnb.model import SpamModel


def load_model(path: str) -> SpamModel:
    """Loads a model for a command that only reads it; a journal that cannot be used does not stop it.

    The warning is printed also with --quiet, as an error would be.
    """
    from spamnb.model import SpamModel

    return SpamModel.load(path, warn=_print_warning)


def _print_warning(error: JournalError) -> None:
    from spamnb.cli.output import print_status

    used = (
        "with all records before it"
        if isinstance(error, TornJournalError)
        else "without what it learned last"
    )
    print_status(f"warning: {error.message}; the model is used {used}")
    print_status(f"Hint: {error.hint}")


def require_model(path: str) -> None:
    """Refuses a file that does not begin like a model."""
    from spamnb.storage import model_file

    model_file.check_file(path)
    if not model_file.is_model_file(path):
        raise ModelError(f"{path} is not a spamnb model", hint="`spamnb model list` lists all models")


def output_path(option: str | None) -> str:
    """Where a new model is written: the stated name or path, else your own model."""
    stated = option or os.environ.get(MODEL_VARIABLE)
    path = new_path_of(stated) if stated else own_model()
    if path is None:
        raise ModelError(
            "there is no home folder for a model of your own: HOME is not set",
            hint=f"say where to write: -o FILE, or set {MODEL_VARIABLE}=FILE",
        )
    return path

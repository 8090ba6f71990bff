"""Turns -m and -o into the path of the model to use, to change or to write, and loads it to read it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from spamnb.errors import JournalError, ModelError, TornJournalError
from spamnb.model import (
    MESSAGE_KINDS,
    MODEL_VARIABLE,
    choose_model,
    is_shipped,
    name_of,
    new_path_of,
    own_model,
    used_model,
)

if TYPE_CHECKING:
    from spamnb.model import SpamModel


def find_model(option: str | None, kind: Callable[[], str] = lambda: MESSAGE_KINDS[0]) -> str:
    """The path of the model to use; `kind` tells which ready-made one fits if there is no other."""
    chosen = choose_model(option, kind)
    if chosen is None or chosen.path is None:
        raise ModelError(
            "there is no model yet",
            hint="train one with `spamnb train DATA`, or name one with -m MODEL",
        )
    return chosen.existing()


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


def model_to_change(option: str | None) -> str:
    """The path of the model that learns; a ready-made one never does."""
    path = find_model(option)
    if option is not None or os.environ.get(MODEL_VARIABLE):
        refuse_shipped(path, "start your own with `spamnb train few.csv --base ready-made`, or change a copy")
    elif used_model() and is_shipped(path):
        raise ModelError(
            f"{name_of(path)} is used by default, and the ready-made models do not learn",
            hint="name your own with -m MODEL, or make it the default with `spamnb model use MODEL`",
        )
    elif is_shipped(path):
        raise ModelError(
            "there is no model of your own yet, and the ready-made ones do not learn",
            hint=f"train one with `spamnb train DATA{'' if own_model() else ' -o FILE'}`, "
            "or name one with -m MODEL",
        )
    return path


def refuse_shipped(path: str, hint: str) -> None:
    """Refuses to change a file that belongs to the program, by whatever path it is named."""
    if is_shipped(path):
        raise ModelError(f"{path} is a ready-made model: it is part of the program and is not changed", hint)


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

"""Finds the model file to use or to change, and refuses to change what belongs to the program."""

from __future__ import annotations

import os
from collections.abc import Callable

from spamnb.errors import ModelError
from spamnb.model.model_names import MESSAGE_KINDS, is_common, is_shipped, name_of, used_model
from spamnb.model.model_paths import MODEL_VARIABLE, choose_model, own_model


def find_model(option: str | None, kind: Callable[[], str] = lambda: MESSAGE_KINDS[0]) -> str:
    """Returns the path of the model to use; `kind` tells which ready-made one fits if there is no other."""
    chosen = choose_model(option, kind)
    if chosen is None or chosen.path is None:
        raise ModelError(
            "there is no model yet",
            hint="train one with `spamnb train DATA`, or name one with -m MODEL",
        )
    return chosen.existing()


def model_to_change(option: str | None) -> str:
    """Returns the path of the model that learns; a ready-made one never does."""
    path = find_model(option)
    if option is not None or os.environ.get(MODEL_VARIABLE):
        refuse_shipped(path, "start your own with `spamnb train few.csv --base ready-made`, or change a copy")
    elif used_model() and is_shipped(path):
        raise ModelError(
            f"{name_of(path)} is used by default, and the ready-made models do not learn",
            hint="name your own with -m MODEL, or make it the default with `spamnb model use MODEL`",
        )
    elif is_common(path):
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

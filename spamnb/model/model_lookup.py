"""Finds the model file to use or to change, and refuses to change what belongs to the program."""

from __future__ import annotations

import os
from collections.abc import Callable

from spamnb.errors import ModelError
from spamnb.model.default_model import (
    MODEL_VARIABLE,
    ModelPath,
    choose_model,
    kind_without_messages,
    own_model,
)
from spamnb.model.model_paths import is_shipped, name_of, text_or_mail

Kind = Callable[[], str]


def find_model(option: str | None, kind: Kind = kind_without_messages) -> str:
    """Returns the path of the model to use; `kind` tells the kind of the messages if that decides."""
    return choose_existing(option, kind)[1]


def choose_existing(option: str | None, kind: Kind) -> tuple[ModelPath, str]:
    """Returns the model to use with its path; refuses a name without a model."""
    chosen = choose_model(option, kind)
    if chosen is None or chosen.path is None:
        raise ModelError(
            "there is no model yet",
            hint="train one with `spamnb train DATA`, or name one with -m MODEL",
        )
    return chosen, chosen.existing()


def model_to_change(option: str | None, kind: Kind = kind_without_messages) -> str:
    """Returns the path of the model that learns; a ready-made one never does, the site's only by -m."""
    chosen, path = choose_existing(option, kind)
    if option is not None or os.environ.get(MODEL_VARIABLE):
        refuse_shipped(path, "start your own with `spamnb train few.csv --base ready-made`, or change a copy")
    elif chosen.is_fallback:
        raise _no_own_model(text_or_mail(kind()))
    elif is_shipped(path):
        raise ModelError(
            f"{name_of(path)} is used by default, and the ready-made models do not learn",
            hint="`spamnb model use auto` goes back to your own model; -m MODEL names one",
        )
    return path


def _no_own_model(kind: str) -> ModelError:
    return ModelError(
        f"there is no model of your own for {kind} yet, and the ready-made ones do not learn",
        hint=f"train one with `spamnb train DATA{'' if own_model(kind) else ' -o FILE'}`, "
        "or name one with -m MODEL",
    )


def refuse_shipped(path: str, hint: str) -> None:
    """Refuses to change a file that belongs to the program, by whatever path it is named."""
    if is_shipped(path):
        raise ModelError(f"{path} is a ready-made model: it is part of the program and is not changed", hint)

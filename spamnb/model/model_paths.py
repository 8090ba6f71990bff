"""Chooses the model file to use: a named one, the user's own, or a ready-made one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MODEL_VARIABLE = "SPAMNB_MODEL"
MESSAGE_KINDS = ("sms", "mail")  # there is a ready-made model for each
READY_MADE_NAMES = {"sms": "ready-made model for SMS", "mail": "ready-made model for mail"}  # as base models
_FILE_NAME = "model.spamnb"


@dataclass(frozen=True, slots=True)
class ModelPath:
    """Where a model may be, and why it would be used; `named` if the user asked for this file."""

    reason: str
    path: str | None  # None: this way of choosing was not used
    named: bool = False

    @property
    def usable(self) -> bool:
        """A named model is used even if it is missing, so that the error is about that file."""
        return self.path is not None and (self.named or os.path.exists(self.path))


def own_model() -> str | None:
    """The user's own model in the platform's data directory: what `spamnb train` writes by default.

    None if there is no such directory: without HOME, for a user without an entry in the password database.
    """
    from platformdirs import user_data_dir

    try:
        folder = user_data_dir("spamnb", appauthor=False)
    except RuntimeError:  # earlier versions of platformdirs return a path that begins with ~
        return None
    return os.path.join(folder, _FILE_NAME) if os.path.isabs(folder) else None


def shipped_model(kind: str) -> str:
    """The ready-made model for this kind of messages."""
    return str(Path(__file__).resolve().parent / "ready_made" / f"{kind}.spamnb")


def is_shipped(path: str) -> bool:
    """Tells whether a path, by whatever name, leads to a ready-made model."""
    return os.path.realpath(path) in (os.path.realpath(shipped_model(kind)) for kind in MESSAGE_KINDS)


def possible_models(option: str | None = None) -> list[ModelPath]:
    """The models that may be used, in the order in which they are considered; `option` is that of -m."""
    return [
        ModelPath("given with -m", option, named=True),
        ModelPath(f"${MODEL_VARIABLE}", os.environ.get(MODEL_VARIABLE) or None, named=True),
        ModelPath("your own model", own_model()),
        *(_ready_made(kind) for kind in MESSAGE_KINDS),
    ]


def choose_model(
    option: str | None = None, kind: Callable[[], str] = lambda: MESSAGE_KINDS[0]
) -> ModelPath | None:
    """The model to use, None if there is none at all.

    `kind` tells, if no other model is there, for which kind of messages a ready-made one is wanted.
    """
    for model in possible_models(option)[: -len(MESSAGE_KINDS)]:
        if model.usable:
            return model
    ready_made = _ready_made(kind())
    return ready_made if ready_made.usable else None


def _ready_made(kind: str) -> ModelPath:
    return ModelPath(f"ready-made, {kind}", shipped_model(kind))

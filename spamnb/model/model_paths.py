"""Chooses the model file to use: a named one, the user's own, or a ready-made one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spamnb.errors import ModelError

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

MODEL_VARIABLE = "SPAMNB_MODEL"
MESSAGE_KINDS = ("sms", "mail")  # there is a ready-made model for each
READY_MADE_NAMES = {"sms": "ready-made model for SMS", "mail": "ready-made model for mail"}  # as base models
_SUFFIX = ".spamnb"
_OWN_NAME = "model"


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


def data_folder() -> str | None:
    """The platform's folder for the user's models.

    None if there is no such folder: without HOME, for a user without an entry in the password database.
    """
    from platformdirs import user_data_dir

    try:
        folder = user_data_dir("spamnb", appauthor=False)
    except RuntimeError:  # earlier versions of platformdirs return a path that begins with ~
        return None
    return folder if os.path.isabs(folder) else None


def own_model() -> str | None:
    """The user's own model in the data folder: what `spamnb train` writes by default."""
    folder = data_folder()
    return None if folder is None else os.path.join(folder, _OWN_NAME + _SUFFIX)


def is_model_name(text: str) -> bool:
    """Returns whether a text is the name of a model: a word without a slash and the suffix .spamnb.

    >>> [is_model_name(text) for text in ("sms", "work", "work.spamnb", "./work", "-")]
    [True, True, False, False, False]
    """
    return os.path.basename(text) == text and text not in ("", ".", "..", "-") and not text.endswith(_SUFFIX)


def model_file(name_or_path: str) -> str:
    """Returns the file of a model, which need not exist: `sms`, `mail`, a name in the data folder, or a path.

    >>> model_file("./work"), model_file("work.spamnb"), model_file("sms") == shipped_model("sms")
    ('./work', 'work.spamnb', True)
    """
    if not is_model_name(name_or_path):
        return name_or_path
    if name_or_path in MESSAGE_KINDS:
        return shipped_model(name_or_path)
    if (folder := data_folder()) is None:
        raise ModelError(
            f'there is no folder for the model "{name_or_path}": HOME is not set',
            hint=f"for a file in this folder write ./{name_or_path}",
        )
    return os.path.join(folder, name_or_path + _SUFFIX)


def existing_model_file(name_or_path: str) -> str:
    """Returns the file of a model; refuses a name without one. Reading reports a path without a file."""
    path = model_file(name_or_path)
    if path == name_or_path or os.path.exists(path):
        return path
    if os.path.exists(name_or_path):
        hint = f"for the file in this folder write ./{name_or_path}"
    else:
        hint = f"models: {', '.join(model_names())}; for a file write its path, such as ./{name_or_path}"
    raise ModelError(f'there is no model "{name_or_path}" ({path} does not exist)', hint=hint)


def load(model: str | os.PathLike[str]) -> SpamModel:
    """Loads a model: `sms` or `mail`, which are ready-made, a name in the data folder, or a path.

    >>> load("sms").predict(["WIN a FREE prize! Call 0909 879 0123 now", "running late, home by 7"])
    ['spam', 'ham']
    """
    from spamnb.model.spam_model import SpamModel

    return SpamModel.load(existing_model_file(model) if isinstance(model, str) else model)


def model_names() -> list[str]:
    """Lists the names of models: the ready-made ones, then those in the data folder in order."""
    folder = data_folder()
    try:
        files = [] if folder is None else sorted(os.listdir(folder))
    except OSError:  # nothing was saved there yet
        files = []
    stems = [file.removesuffix(_SUFFIX) for file in files if file.endswith(_SUFFIX)]
    return [*MESSAGE_KINDS, *(stem for stem in stems if stem and stem not in MESSAGE_KINDS)]


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

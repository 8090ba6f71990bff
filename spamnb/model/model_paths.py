"""Chooses the model file to use: a stated one, the user's default, the user's own, or a ready-made one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from spamnb.errors import ModelError
from spamnb.model import model_names
from spamnb.model.model_names import (
    MESSAGE_KINDS,
    common_model,
    is_name,
    is_shipped,
    model_path,
    used_model,
)

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

MODEL_VARIABLE = "SPAMNB_MODEL"
OWN_MODEL = "model"  # the name of the model that `spamnb train` writes by default


@dataclass(frozen=True, slots=True)
class ModelPath:
    """Where a model may be, and why it would be used; `stated` is the name or path that the user wrote."""

    reason: str
    path: str | None  # None: this way of choosing was not used
    stated: str | None = None

    @property
    def usable(self) -> bool:
        """A stated model is used even if it is missing, so that the error is about that model."""
        return self.path is not None and (self.stated is not None or os.path.exists(self.path))

    def existing(self) -> str:
        """Returns the path; refuses a name without a model. A missing file is an error where it is read."""
        assert self.path is not None
        return self.path if self.stated is None else existing_path_of(self.stated)


def own_model() -> str | None:
    """Returns the model that `spamnb train` writes by default, None if there is no data folder."""
    folder = model_names.data_folder()
    return None if folder is None else os.path.join(folder, f"{OWN_MODEL}{model_names.SUFFIX}")


def load(model: str | os.PathLike[str]) -> SpamModel:
    """Loads a model: `sms` or `mail`, which are ready-made, a name in the data folder, or a path.

    >>> load("sms").predict(["WIN a FREE prize! Call 0909 879 0123 now", "running late, home by 7"])
    ['spam', 'ham']
    """
    from spamnb.model.spam_model import SpamModel

    return SpamModel.load(existing_path_of(model) if isinstance(model, str) else model)


def existing_path_of(text: str) -> str:
    """Returns the file of a model that is stated by name or by path; refuses a name without a model."""
    path = model_path(text)
    if is_name(text) and not os.path.exists(path):
        raise no_such_name(text)
    return path


def no_such_name(name: str) -> ModelError:
    """Returns the error about a name without a model; it names the file that may be meant."""
    if os.path.isfile(name):
        return ModelError(
            f"there is no model named {name!r}", hint=f"for the file {name} write {quote(f'./{name}')}"
        )
    return ModelError(
        f"there is no model named {name!r}",
        hint="`spamnb model list` lists all models; a file has a slash or a dot in its path",
    )


def possible_models(option: str | None = None) -> list[ModelPath]:
    """Returns the models that may be used, in the order of preference; `option` is that of -m."""
    return [
        _stated("stated with -m", option),
        _stated(f"${MODEL_VARIABLE}", os.environ.get(MODEL_VARIABLE) or None),
        _stated("chosen with `spamnb model use`", used_model()),
        ModelPath("your own model", own_model()),
        *map(_common, MESSAGE_KINDS),
    ]


def choose_model(
    option: str | None = None, kind: Callable[[], str] = lambda: MESSAGE_KINDS[0]
) -> ModelPath | None:
    """Returns the model to use, None if there is none at all.

    `kind` tells, if no other model is there, for which kind of messages one is wanted: the site's model in
    /etc/spamnb, else a ready-made one.
    """
    if option is not None:
        return _stated("stated with -m", option)
    for model in possible_models()[: -len(MESSAGE_KINDS)]:
        if model.usable:
            return model
    common = _common(kind())
    return common if common.usable else None


def _stated(reason: str, text: str | None) -> ModelPath:
    return ModelPath(reason, None if text is None else model_path(text), text)


def _common(kind: str) -> ModelPath:
    path = common_model(kind)
    return ModelPath("ready-made" if is_shipped(path) else "the site's model", path)

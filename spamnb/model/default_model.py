"""Chooses the model file to use: a stated one, the user's default, the user's own, or a ready-made one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from spamnb.errors import ModelError
from spamnb.model import model_paths
from spamnb.model.model_paths import (
    MAIL,
    OWN_MODELS,
    READY_MADE,
    READY_MADE_NAMES,
    TEXT,
    common_model,
    is_common,
    is_name,
    is_shipped,
    model_path,
    name_of,
    new_path_of,
    text_or_mail,
    used_model,
)

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

MODEL_VARIABLE = "SPAMNB_MODEL"


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

    @property
    def is_fallback(self) -> bool:
        """Tells whether this is a ready-made model, or the site's, that is used for want of another one."""
        return self.stated is None and self.path is not None and is_common(self.path)


def own_model(kind: str) -> str | None:
    """Returns the model that `train` and `learn` write for this kind, None if there is no data folder."""
    folder = model_paths.data_folder()
    name = f"{OWN_MODELS[text_or_mail(kind)]}{model_paths.SUFFIX}"
    return None if folder is None else os.path.join(folder, name)


def load(model: str | os.PathLike[str]) -> SpamModel:
    """Loads a model: `sms` or `mail`, which are ready-made, a name in the data folder, or a path.

    A word without a dot and a slash is a name, and a file only if no model has that name.

    >>> load("sms").predict(["WIN a FREE prize! Call 0909 879 0123 now", "running late, home by 7"])
    ['spam', 'ham']
    """
    from spamnb.model.spam_model import SpamModel

    model_paths.check_path(model)
    return SpamModel.load(model if _is_file(model) else existing_path_of(str(model)))


def _is_file(model: str | os.PathLike[str]) -> bool:
    """Tells whether a model is stated by its file: by a path, or by a bare name that no model has."""
    if not isinstance(model, str):
        return True
    return not is_name(model) or (os.path.isfile(model) and not os.path.exists(model_path(model)))


def existing_path_of(text: str) -> str:
    """Returns the file of a model that is stated by name or by path; refuses a name without a model."""
    model_paths.check_path(text)
    path = model_path(text)
    if is_name(text) and not os.path.exists(path):
        raise no_such_name(text)
    return path


def own_file_of(model: str | os.PathLike[str], *, may_be_new: bool = False) -> str:
    """Returns the file of a model that has lessons: by its path, or by its name in the data folder."""
    model_paths.check_path(model)
    text = os.fspath(model)
    if _is_file(model):
        return text
    path = new_path_of(text) if may_be_new and text not in READY_MADE_NAMES else existing_path_of(text)
    if is_shipped(path):
        hint = f'start a model of your own from it: spamnb.Learner("my.spamnb", base={model!r})'
        raise ModelError(f"{model} is a ready-made model, which does not learn", hint)
    return path


def no_such_name(name: str) -> ModelError:
    """Returns the error about a name without a model; it names the file that may be meant."""
    if name == model_paths.BOTH_READY_MADE:
        return ModelError("ready-made stands for two models", hint="write -m sms or -m mail")
    if os.path.isfile(name):
        return ModelError(
            f"there is no model named {name!r}", hint=f"for the file {name} write {quote(f'./{name}')}"
        )
    return ModelError(
        f"there is no model named {name!r}",
        hint="`spamnb model list` lists all models; a file has a slash or a dot in its path",
    )


def choose_model(option: str | None = None, kind: Callable[[], str] = lambda: TEXT) -> ModelPath | None:
    """Returns the model to use, None if there is none at all: the one rule of all commands.

    It is the stated one (`option` is that of -m), else the default for the kind of the messages: the choice
    of `spamnb model use`, the user's own model for that kind, that of the site in /etc/spamnb, or a
    ready-made one.
    """
    if option is not None:
        return _stated("stated with -m", option)
    if variable := os.environ.get(MODEL_VARIABLE):
        return _stated(f"${MODEL_VARIABLE}", variable)
    wanted = kind()
    preferred = (
        _stated("chosen with `spamnb model use`", used_model(wanted)),
        ModelPath("your own model", own_model(wanted)),
        _common(READY_MADE[wanted]),
    )
    return next((model for model in preferred if model.usable), None)


def chosen_names() -> dict[str, str]:
    """Returns for text and mail the name of the model that is used, if not for want of another one."""
    models = {kind: choose_model(None, lambda kind=kind: kind) for kind in OWN_MODELS}  # type: ignore[misc]
    own = {kind: model for kind, model in models.items() if model is not None and not model.is_fallback}
    return {kind: name_of(model.path or "") for kind, model in own.items()}


def kind_without_messages() -> str:
    """Returns, where no messages tell, the kind of the user's only model; refuses a choice of two."""
    names = chosen_names()
    if len(set(names.values())) < 2:
        return next(iter(names), TEXT)
    text, mail = names[TEXT], names[MAIL]
    raise ModelError(
        f"there are two models: {text} for text and {mail} for mail",
        hint=f"name one: -m {quote(text)} or -m {quote(mail)}",
    )


def _common(name: str) -> ModelPath:
    path = common_model(name)
    return ModelPath("ready-made" if is_shipped(path) else "the site's model", path)


def _stated(reason: str, text: str | None) -> ModelPath:
    return ModelPath(reason, None if text is None else model_path(text), text)

"""Loads the model that a new model starts from: that of `--base`, or the one that `train` gets."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from spamnb.errors import ConfigError, InputError, type_name
from spamnb.messages import Texts
from spamnb.model import (
    MAIL,
    READY_MADE as READY_MADE_OF,
    READY_MADE_NAMES,
    BaseModel,
    SpamModel,
    existing_path_of,
    kind_by_length,
    shipped_model,
)
from spamnb.settings import FEW_MESSAGES, NO_BASE, READY_MADE, ScorerConfig

if TYPE_CHECKING:
    from spamnb.training.trainer import Trainer


def base_model(base: object, kind: Callable[[], str]) -> BaseModel | None:
    """Returns the base model that is stated as a model, a name or a path; None for `none`.

    `kind` tells, for `ready-made`, which kind of messages is to be learned.

    >>> base_model("none", lambda: "text"), base_model("ready-made", lambda: "mail").name
    (None, 'ready-made model for mail')
    """
    if base is None or base == NO_BASE:
        return None
    if isinstance(base, SpamModel):
        return BaseModel.of("given model", base)
    if not isinstance(base, (str, os.PathLike)):
        raise InputError(
            f"base must be a SpamModel, a name or a path, got {type_name(base)}",
            hint=f'for example base="{READY_MADE}"',
        )
    text = os.fspath(base)
    if text in (READY_MADE, *READY_MADE_NAMES):
        return ready_made_base(READY_MADE_OF[kind()] if text == READY_MADE else text)
    path = existing_path_of(text) if isinstance(base, str) else text
    if not os.path.isfile(path):
        raise ConfigError(
            f"--base must be {READY_MADE}, {NO_BASE}, the name of a model or a file, got {text!r}",
            hint=f"for example --base {READY_MADE}, or check the path",
        )
    return BaseModel.of(f"model {os.path.basename(path)}", SpamModel.load(path))


def ready_made_base(name: str) -> BaseModel:
    """Returns the ready-made model of this name, `sms` or `mail`."""
    return BaseModel.of(READY_MADE_NAMES[name], SpamModel.load(shipped_model(name)))


def suits_ready_made(trainer: Trainer) -> bool:
    """Returns whether messages are too few to be learned alone, and classes and scorer those of a base model.

    Without folds nothing tells how much a base model should weigh.
    """
    usual = trainer.training.folds > 0 and trainer.scoring == ScorerConfig()
    return usual and trainer.messages < FEW_MESSAGES and trainer.classes == {"ham", "spam"}


def kind_of(texts: Texts) -> str:
    """Returns the kind of these messages, by which a ready-made model is chosen."""
    mean_size = int((texts.ends - texts.starts).sum()) / max(1, len(texts))
    return MAIL if texts.tags else kind_by_length(mean_size)

"""Loads the model that a new model starts from."""

from __future__ import annotations

import os

from spamnb.errors import InputError
from spamnb.messages import Texts
from spamnb.model import (
    MAIL,
    READY_MADE as READY_MADE_OF,
    READY_MADE_NAMES,
    BaseModel,
    SpamModel,
    kind_by_length,
    load,
)
from spamnb.settings import NO_BASE, READY_MADE


def base_model(base: object, texts: Texts) -> BaseModel | None:
    """Returns the base model that `train` gets as a model, a name or a path; None for `none`.

    >>> base_model("none", Texts.of(["see you"])), base_model("ready-made", Texts.of(["see you"])).name
    (None, 'ready-made model for SMS')
    """
    if base is None or base == NO_BASE:
        return None
    if isinstance(base, SpamModel):
        return BaseModel.of("given model", base)
    if not isinstance(base, (str, os.PathLike)):
        raise InputError(
            f"base must be a SpamModel, a name or a path, got a {type(base).__name__}",
            hint=f'for example base="{READY_MADE}"',
        )
    name = _ready_made_for(texts) if base == READY_MADE else os.fspath(base)
    shown = READY_MADE_NAMES[name] if name in READY_MADE_NAMES else f"model {os.path.basename(name)}"
    return BaseModel.of(shown, load(name))


def _ready_made_for(texts: Texts) -> str:
    """Returns the name of the ready-made model that fits these messages."""
    mean_size = int((texts.ends - texts.starts).sum()) / max(1, len(texts))
    return READY_MADE_OF[MAIL if texts.tags else kind_by_length(mean_size)]

"""Starts the user's own model from a ready-made one, for the first lesson after installation."""

from __future__ import annotations

import os
from collections.abc import Callable

from spamnb.model import (
    READY_MADE_NAMES,
    SpamModel,
    choose_model,
    is_shipped,
    own_model,
    shipped_model,
)
from spamnb.storage import WAIT, Lock
from spamnb.training.fit_base_weight import start_model


def start_own_model(option: str | None, kind: Callable[[], str], wait: float = WAIT) -> tuple[str, str]:
    """Writes a model that says what the ready-made one says, if there is no model to learn into yet.

    Returns its path and the name of the ready-made model, both empty if there was nothing to do. `option` is
    that of -m; `kind` tells which ready-made model fits the messages.
    """
    chosen, path = choose_model(option), own_model()
    if path is None or chosen is None or chosen.stated is not None or not is_shipped(chosen.path or ""):
        return "", ""
    name = READY_MADE_NAMES[wanted := kind()]
    model = start_model(name, SpamModel.load(shipped_model(wanted)))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with Lock(path, wait):
        if not os.path.exists(path):
            model.save(path)
    return path, name

"""Starts the user's own model from a ready-made one, for the first lesson after installation."""

from __future__ import annotations

import os

from spamnb.model import READY_MADE_NAMES, SpamModel, own_model, shipped_model
from spamnb.storage import WAIT, Lock
from spamnb.training.fit_base_weight import start_model


def start_own_model(kind: str, wait: float = WAIT) -> str:
    """Writes a model that says what the ready-made one for `mail` or `sms` says, unless there is one.

    Returns its path.
    """
    path = own_model()
    assert path is not None
    model = start_model(READY_MADE_NAMES[kind], SpamModel.load(shipped_model(kind)))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with Lock(path, wait):
        if not os.path.exists(path):
            model.save(path)
    return path

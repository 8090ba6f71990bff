"""Starts the user's own model from a ready-made one, for the first lesson after installation."""

from __future__ import annotations

import os
from typing import Any

from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.message_kind import kind_of_messages
from spamnb.cli.output import print_status
from spamnb.model import READY_MADE_NAMES, choose_model, is_shipped, own_model, shipped_model


def start_own_model(paths: tuple[str, ...], flags: dict[str, Any]) -> None:
    """Writes a model that says what the ready-made one says, if there is no model to learn into yet."""
    chosen, path = choose_model(flags["model"]), own_model()
    if (
        path is None
        or chosen is None
        or chosen.stated is not None
        or chosen.path is None
        or not is_shipped(chosen.path)
    ):
        return
    from spamnb.model import SpamModel
    from spamnb.storage import Lock
    from spamnb.training import start_model

    default = () if flags["files_from"] or flags.get("labelled") else ("-",)
    kind = kind_of_messages(inputs(paths or default, flags, read_options(flags)))
    model = start_model(READY_MADE_NAMES[kind], SpamModel.load(shipped_model(kind)))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with Lock(path):
        if not os.path.exists(path):
            model.save(path)
    name = READY_MADE_NAMES[kind]
    print_status(f"no model of your own yet: starting {path} from the {name}", flags["quiet"])

"""Starts the user's own model from a ready-made one, for the first lesson after installation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.message_kind import kind_of_messages
from spamnb.cli.output import print_status
from spamnb.model import READY_MADE_NAMES, choose_model, is_shipped, own_model, shipped_model


@contextmanager
def own_model_started(paths: tuple[str, ...], flags: dict[str, Any]) -> Iterator[None]:
    """Writes a copy of the ready-made model if there is no model to learn into; removes it after an error."""
    path = _start(paths, flags)
    started = None if path is None else os.stat(path)
    try:
        yield
    except BaseException:
        if path is not None and started is not None:
            _remove_unchanged(path, started)
        raise


def _remove_unchanged(path: str, started: os.stat_result) -> None:
    """Removes a new model, unless another process has learned into it meanwhile."""
    from spamnb.storage import JOURNAL, Lock

    with Lock(path):
        same = os.path.exists(path) and os.stat(path).st_mtime_ns == started.st_mtime_ns
        if same and not os.path.exists(f"{path}{JOURNAL}"):
            os.remove(path)


def _start(paths: tuple[str, ...], flags: dict[str, Any]) -> str | None:
    """Returns the path of the new model, None if there is one already."""
    chosen, path = choose_model(flags["model"]), own_model()
    if (
        path is None
        or chosen is None
        or chosen.stated is not None
        or chosen.path is None
        or not is_shipped(chosen.path)
    ):
        return None
    from spamnb.model import SpamModel
    from spamnb.storage import Lock
    from spamnb.training import start_model

    default = () if flags["files_from"] or flags.get("labelled") else ("-",)
    kind = kind_of_messages(inputs(paths or default, flags, read_options(flags)))
    model = start_model(READY_MADE_NAMES[kind], SpamModel.load(shipped_model(kind)))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with Lock(path):
        if os.path.exists(path):  # another process was faster
            return None
        model.save(path)
    name = READY_MADE_NAMES[kind]
    print_status(f"no model of your own yet: starting {path} from the {name}", flags["quiet"])
    return path

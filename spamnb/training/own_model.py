"""Starts the user's own model from that of the site or a ready-made one, for the first lesson."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from spamnb.model import (
    BaseModel,
    SpamModel,
    base_of_file,
    choose_model,
    common_model,
    is_common,
    is_shipped,
    own_model,
)
from spamnb.storage import JOURNAL, Lock
from spamnb.training.base_choice import ready_made_base
from spamnb.training.fit_base_weight import start_model
from spamnb.training.threshold import MAIL_MAX_FPR


class OwnModel(NamedTuple):
    """The path of a new model, the name of the one that it starts from, and its state on disk."""

    path: str
    base_name: str
    written: os.stat_result


@contextmanager
def own_model_started(option: str | None, kind: Callable[[], str]) -> Iterator[OwnModel | None]:
    """Starts the user's own model as `start_own_model`; removes it if nothing is learned inside `with`."""
    started = start_own_model(option, kind)
    try:
        yield started
    finally:
        if started is not None:
            _remove_unchanged(started)


def start_own_model(option: str | None, kind: Callable[[], str]) -> OwnModel | None:
    """Writes a model that predicts what the common one does, if there is none to learn into yet.

    Returns None if there is one. `option` is that of -m; `kind` returns the kind of the messages.
    """
    chosen, path = choose_model(option), own_model()
    if path is None or chosen is None or chosen.stated is not None or not is_common(chosen.path or ""):
        return None
    wanted = kind()
    base = common_base(wanted)
    model = start_model(base, MAIL_MAX_FPR if wanted == "mail" else None)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with Lock(path):
        if os.path.exists(path):  # another process was faster
            return None
        model.save(path)
        return OwnModel(path, base.name, os.stat(path))


def common_base(kind: str) -> BaseModel:
    """Returns what users without a model start from: the model of the site if there is one, live."""
    path = common_model(kind)
    if is_shipped(path):
        return ready_made_base(kind)
    return base_of_file(SpamModel, f"site's model {path}", path)


def _remove_unchanged(started: OwnModel) -> None:
    """Removes a new model that nothing was learned into."""
    path = started.path
    with Lock(path):
        same = os.path.exists(path) and os.stat(path).st_mtime_ns == started.written.st_mtime_ns
        if same and not os.path.exists(f"{path}{JOURNAL}"):
            os.remove(path)

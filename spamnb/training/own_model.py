"""Starts the user's own model from that of the site or a ready-made one, for the first lesson."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from spamnb.errors import ModelError
from spamnb.model import (
    MAIL,
    READY_MADE,
    BaseModel,
    SpamModel,
    base_of_file,
    choose_model,
    common_model,
    is_shipped,
    own_model,
    text_or_mail,
)
from spamnb.storage import JOURNAL, Lock
from spamnb.training.base_choice import ready_made_base
from spamnb.training.fit_base_weight import start_model
from spamnb.training.threshold import MAIL_MAX_FPR


class OwnModel(NamedTuple):
    """A new model for text or mail, the name of the one that it starts from, its state on disk."""

    path: str
    kind: str
    base_name: str
    written: os.stat_result

    @property
    def text(self) -> str:
        """Returns what is printed about it."""
        return f"no model of your own for {self.kind} yet: starting {self.path} from the {self.base_name}"


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
    chosen = choose_model(option, kind)
    if chosen is None or not chosen.is_fallback or (path := own_model(wanted := kind())) is None:
        return None
    base = READY_MADE[text_or_mail(wanted)]  # a long message among short ones decides nothing
    start = common_base(base)
    model = start_model(start, MAIL_MAX_FPR if base == READY_MADE[MAIL] else None)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise ModelError(
            f"cannot write {path}: {error.strerror}", hint="train one with `spamnb train DATA -o FILE`"
        ) from None
    with Lock(path):
        if os.path.exists(path):  # another process was faster
            return None
        model.save(path)
        return OwnModel(path, text_or_mail(wanted), start.name, os.stat(path))


def common_base(name: str) -> BaseModel:
    """Returns what own models start from: the site's `sms` or `mail`, live, or the ready-made one."""
    path = common_model(name)
    if is_shipped(path):
        return ready_made_base(name)
    return base_of_file(SpamModel, f"site's model {path}", path)


def _remove_unchanged(started: OwnModel) -> None:
    """Removes a new model that nothing was learned into."""
    path = started.path
    with Lock(path):
        same = os.path.exists(path) and os.stat(path).st_mtime_ns == started.written.st_mtime_ns
        if same and not os.path.exists(f"{path}{JOURNAL}"):
            os.remove(path)

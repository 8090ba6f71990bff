"""Starts the user's own model from that of the site or a ready-made one, for the first lesson."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from spamnb.errors import ConfigError, ModelError
from spamnb.model import (
    MAIL,
    READY_MADE,
    READY_MADE_NAMES,
    BaseModel,
    SpamModel,
    base_of_file,
    choose_model,
    common_model,
    is_shipped,
    own_model,
    text_or_mail,
)
from spamnb.settings import field_names, named_in_python
from spamnb.storage import JOURNAL, Lock
from spamnb.training.base_choice import base_model, ready_made_base
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
            remove_unchanged(started.path, started.written)


def start_own_model(option: str | None, kind: Callable[[], str]) -> OwnModel | None:
    """Writes a model that predicts what the common one does, if there is none to learn into yet.

    Returns None if there is one. `option` is that of -m; `kind` returns the kind of the messages.
    """
    chosen = choose_model(option, kind)
    if chosen is None or not chosen.is_fallback or (path := own_model(wanted := kind())) is None:
        return None
    base = READY_MADE[text_or_mail(wanted)]  # a long message among short ones decides nothing
    start = common_base(base)
    written = start_file(path, start, is_mail=base == READY_MADE[MAIL])
    return None if written is None else OwnModel(path, text_or_mail(wanted), start.name, written)


def start_file(path: str, base: BaseModel, *, is_mail: bool) -> os.stat_result | None:
    """Writes a model that predicts what its base model does, and remembers its lessons; None if there is one.

    With `is_mail` lessons move the threshold towards the usual false positive rate on mail.
    """
    model = start_model(base, MAIL_MAX_FPR if is_mail else None)
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    except OSError as error:
        raise ModelError(
            f"cannot write {path}: {error.strerror}", hint="train one with `spamnb train DATA -o FILE`"
        ) from None
    with Lock(path):
        if os.path.exists(path):  # another process was faster
            return None
        model.save(path)
        return os.stat(path)


def start_from(path: str, base: SpamModel | str | os.PathLike[str]) -> os.stat_result | None:
    """Starts a model file from a base model as `train` takes it, if there is no file yet."""
    if os.path.exists(path):
        return None
    with named_in_python(field_names()):
        start = base_model(base, _no_kind)
        if start is None:
            return None
        return start_file(path, start, is_mail=start.name == READY_MADE_NAMES[READY_MADE[MAIL]])


def _no_kind() -> str:
    raise ConfigError("the base model has to be named before there are messages", 'base="sms" or base="mail"')


def common_base(name: str) -> BaseModel:
    """Returns what own models start from: the site's `sms` or `mail`, live, or the ready-made one."""
    path = common_model(name)
    if is_shipped(path):
        return ready_made_base(name)
    return base_of_file(SpamModel, f"site's model {path}", path)


def remove_unchanged(path: str, written: os.stat_result) -> None:
    """Removes a new model that nothing was learned into."""
    with Lock(path):
        same = os.path.exists(path) and os.stat(path).st_mtime_ns == written.st_mtime_ns
        if same and not os.path.exists(f"{path}{JOURNAL}"):
            os.remove(path)

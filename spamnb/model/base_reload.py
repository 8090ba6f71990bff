"""Reads the base model of a personal model again when its file changes: the model of a site.

The personal model has a copy of its base, and the path that it came from. The copy is used where the file is
missing, damaged, or reads messages in another way. Own counts, weight and calibration do not depend on the
base model's counts; the threshold is the new base model's, moved by the same lessons as before.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from spamnb.errors import SpamnbError
from spamnb.model.base_model import BaseModel
from spamnb.model.journal_records import load_with_journal
from spamnb.storage import model_file, update_journal

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel


def base_of_file(kind: type[SpamModel], name: str, path: str) -> BaseModel:
    """Returns the model of a file as a base model that follows the file."""
    stamp = stamp_of(path)  # first: what is written meanwhile is noticed later
    return BaseModel.of(name, load_with_journal(kind, path, None)).replace(path=path, stamp=stamp)


def stamp_of(path: str) -> str:
    """Returns what tells one state of a model file and its journal from another; "" if it cannot be read."""
    try:
        checksum = model_file.checksum_of(path).decode("ascii", "replace")
    except (OSError, ValueError, SpamnbError):
        return ""
    try:
        status = os.stat(update_journal.path_of(path))
    except OSError:
        return checksum
    return f"{checksum} {status.st_size} {status.st_mtime_ns}"


def with_newest_base(model: SpamModel) -> SpamModel:
    """Returns a model with its base model as that is on disk now; the same model if nothing has changed."""
    old = model.base
    if old is None or not old.path or stamp_of(old.path) in ("", old.stamp):
        return model
    try:
        new = base_of_file(type(model), old.name, old.path)
    except SpamnbError:
        return model
    if new.model.features != old.model.features or new.model.labels != old.model.labels:
        return model
    history = model.change_history
    decision = new.model.decision.with_rate(model.decision.max_fpr)
    decision = decision.after_lessons(history.ham, history.lost_ham)
    return replace(model, base=new.replace(weight=old.weight), decision=decision)

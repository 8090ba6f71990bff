"""Decides mails of senders on allow and block lists: the list is the verdict, the log-odds stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spamnb.model.predictions import Predictions, remember
from spamnb.model.spam_class import spam_classes

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel


def follow_lists(model: SpamModel, predictions: Predictions, listed: tuple[str, ...]) -> Predictions:
    """Gives mails of allowed senders the verdict ham, and those of blocked ones spam."""
    if not any(listed):
        return predictions
    classes = np.array([_listed_class(model, entry) for entry in listed])
    decided = remember(model, predictions, classes)
    return decided.replace(
        taught_as=classes
        if predictions.taught_as is None
        else np.where(classes >= 0, classes, predictions.taught_as),
        listed=tuple(
            entry if code >= 0 else "" for entry, code in zip(listed, classes.tolist(), strict=True)
        ),
    )


def _listed_class(model: SpamModel, entry: str) -> int:
    """Returns the class of a list's entry: the first one that is spam, or that is not; -1 without one."""
    spam = spam_classes(model.labels)
    wanted = [(label in spam) == entry.startswith("block") for label in model.labels]
    return wanted.index(True) if entry and spam and True in wanted else -1

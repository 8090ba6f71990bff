"""Describes a change to a model, by counts and digests, and sums up changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spamnb.core import Record
from spamnb.counts import CountStore, merge_stores, rows_with_any
from spamnb.features import KeyArray
from spamnb.model.change_history import ChangeHistory
from spamnb.model.lesson_record import LessonEntry, LessonMark
from spamnb.model.seen_messages import ByLabel

_NOTHING: Mapping[str, KeyArray] = {}
Weights = tuple[KeyArray, NDArray[np.float32]]  # distinct keys ascend
NO_WEIGHTS: Weights = np.zeros(0, np.uint64), np.zeros(0, np.float32)


class ChangedDigests(Record):
    """Digests of messages by label, and by what a change does with them.

    `stale_removed` are digests of stale messages: they are no longer recognized, but their counts stay. They
    are kept apart from exact messages, so that changes can be added up in any order. `taught` become lessons,
    `untaught` are none any more.
    """

    learned: ByLabel = _NOTHING
    forgotten: ByLabel = _NOTHING
    stale_removed: ByLabel = _NOTHING
    stale_added: ByLabel = _NOTHING
    taught: ByLabel = _NOTHING
    untaught: ByLabel = _NOTHING

    def parts(self) -> list[tuple[str, ByLabel]]:
        """Returns all digests by the name of their field."""
        return [(name, getattr(self, name)) for name in DIGESTS]

    def inverse(self) -> ChangedDigests:
        """Returns what takes these changes back."""
        return ChangedDigests(
            learned=self.forgotten,
            forgotten=self.learned,
            stale_removed=self.stale_added,
            stale_added=self.stale_removed,
            taught=self.untaught,
            untaught=self.taught,
        )


DIGESTS = tuple(ChangedDigests.__annotations__)  # the names of the fields


class Change(Record):
    """The effect of learning and forgetting messages on counts, digests and change history.

    `counts` is added to the store; it is below zero for what is removed. `weights` has keys and corrected
    weights of removed tokens: they leave the model with the token, and come back if the change is undone.
    """

    counts: CountStore
    digests: ChangedDigests = ChangedDigests()
    change_history: ChangeHistory = ChangeHistory()
    weights: Weights = NO_WEIGHTS
    lesson: LessonEntry | None = None  # the lesson that it is; None for part of one and for several
    mark: LessonMark | None = None  # of the model after it

    def inverse(self) -> Change:
        """Returns the change that takes this one back."""
        return Change(
            merge_stores([self.counts], [-1]),
            self.digests.inverse(),
            change_history=self.change_history.negated(),
            weights=self.weights,
        )

    def condensed(self) -> Change:
        """Drops the tokens whose counts it does not change."""
        counts = self.counts
        rows = np.flatnonzero(rows_with_any(counts.tokens) | rows_with_any(counts.messages))
        return self.replace(counts=counts.rows(rows))


def sum_changes(changes: Sequence[Change]) -> Change:
    """Returns all changes as one; a token is spelled as in the first change that has it."""
    if len(changes) == 1:
        return changes[0]
    history = ChangeHistory()
    for change in changes:
        history = history.plus(change.change_history)
    marks = [change.mark for change in changes if change.mark is not None]
    digests = {
        name: concat_digests([getattr(change.digests, name) for change in changes]) for name in DIGESTS
    }
    return Change(
        merge_stores([change.counts for change in changes]),
        ChangedDigests(**digests),
        change_history=history,
        weights=merge_weights([change.weights for change in changes]),
        mark=max(marks, key=lambda mark: mark.last, default=None),
    )


def merge_weights(parts: Sequence[Weights]) -> Weights:
    """Returns the weights of all parts; a token has the same weight in all of them."""
    keys, first = np.unique(np.concatenate([part[0] for part in parts]), return_index=True)
    return keys, np.concatenate([part[1] for part in parts])[first]


def concat_digests(parts: list[ByLabel]) -> ByLabel:
    """Joins the digests of each label."""
    labels = sorted({label for part in parts for label in part})
    return {label: np.concatenate([part[label] for part in parts if label in part]) for label in labels}

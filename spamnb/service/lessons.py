"""Learns, forgets and undoes messages for clients, through the same journal and lock as `spamnb learn`."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext
from threading import Lock
from typing import NamedTuple

import numpy as np

from spamnb.core import FloatArray
from spamnb.errors import DataError, ModelError
from spamnb.messages import Texts
from spamnb.model import SpamModel, model_to_change
from spamnb.service.live_model import LiveModels
from spamnb.service.message_scoring import Message, texts_of
from spamnb.training import Learner, LearnResult, class_label, own_model_started

MOST_UNDONE = 100  # lessons that can be undone


FORGET, LEARN, LEARN_AGAIN = "forget", "learn", "learn again"  # `learn` relabels, or skips a known message


class Step(NamedTuple):
    """What takes one message of a lesson back: an action, and the label for it."""

    message: Message
    action: str
    label: str


class Taught(NamedTuple):
    """A change of a model: by `learn`, `forget` or `undo`, of these messages."""

    action: str
    path: str
    messages: Sequence[Message]
    label: str  # as the model spells it; empty if it was looked up
    outcome: LearnResult


class NothingToUndoError(DataError):
    """There is no lesson of this server that could be taken back."""


class Lessons:
    """Changes the model that learns; the next request sees the change. Lessons wait for each other."""

    def __init__(self, models: LiveModels, option: str | None = None) -> None:
        self._models, self._option = models, option
        self._steps: deque[tuple[str, list[Step]]] = deque(maxlen=MOST_UNDONE)
        self._turn = Lock()

    def learn(self, messages: Sequence[Message], label: str) -> Taught:
        """Learns messages with this label: `spam`, `ham` or a class of the model."""
        return self._change(LEARN, messages, label)

    def forget(self, messages: Sequence[Message], label: str = "") -> Taught:
        """Forgets messages as this label, or as the one that they were learned with."""
        return self._change(FORGET, messages, label)

    def undo(self) -> Taught:
        """Takes the last lesson back that went through this server and is not undone yet."""
        with self._turn:
            if not self._steps:
                raise NothingToUndoError("there is no lesson to undo", "teach one with POST /learn")
            path, steps = self._steps[-1]
            with Learner(path) as learner:
                for step in reversed(steps):
                    _apply(learner, *step)
            self._steps.pop()
            self._models.check()
            return Taught("undo", path, [step.message for step in steps], "", learner.outcome)

    def _change(self, action: str, messages: Sequence[Message], label: str) -> Taught:
        starts = (
            own_model_started(self._option, lambda: messages[0].kind) if action == LEARN else nullcontext()
        )
        with self._turn, starts:
            path = model_to_change(self._option)
            learner, steps = Learner(path), list[Step]()
            name = label_of(learner.load(), label) if label else ""
            with learner:
                for message in messages:
                    before = _totals(learner.outcome)
                    _apply(learner, message, action, name)
                    steps += _steps_back(message, before, _totals(learner.outcome))
            if steps:
                self._steps.append((path, steps))
            self._models.check()
            return Taught(action, path, messages, name, learner.outcome)


def label_of(model: SpamModel, label: str) -> str:
    """Returns the model's own label for `spam`, `ham` or one of its classes."""
    if label in model.labels:
        return label
    if label in ("spam", "ham"):
        return class_label(model, label == "spam")
    raise ModelError(
        f"the model has no class {label!r}", hint=f"label must be one of {', '.join(model.labels)}"
    )


def _apply(learner: Learner, message: Message, action: str, label: str) -> None:
    texts, _ = texts_of([message])
    columns = _missing_columns(learner.model, texts)
    if action == FORGET:
        learner.forget(texts, [label] if label else None, *columns)
    else:
        learner.learn(texts, [label], *columns, again=action == LEARN_AGAIN)


def _missing_columns(model: SpamModel, texts: Texts) -> tuple[dict[str, list[str]], dict[str, FloatArray]]:
    features, count = model.features, len(texts)
    numbers = {name: np.full(count, np.nan) for name in features.numeric}
    return {name: [""] * count for name in features.categorical}, numbers


Totals = tuple[dict[str, int], dict[str, int], dict[tuple[str, str], int]]


def _totals(outcome: LearnResult) -> Totals:
    return dict(outcome.learned), dict(outcome.forgotten), dict(outcome.relabelled)


def _steps_back(message: Message, before: Totals, after: Totals) -> list[Step]:
    """Returns what takes back what was done with one message, by the growth of the totals."""
    return [
        *(Step(message, FORGET, label) for label, n in after[0].items() if n > before[0].get(label, 0)),
        *(Step(message, LEARN_AGAIN, label) for label, n in after[1].items() if n > before[1].get(label, 0)),
        *(Step(message, LEARN, pair[0]) for pair, n in after[2].items() if n > before[2].get(pair, 0)),
    ]

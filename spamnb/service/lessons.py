"""Learns, forgets and undoes messages for clients, through the same journal and lock as `spamnb learn`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from threading import Lock
from typing import NamedTuple

import numpy as np

from spamnb.core import FloatArray
from spamnb.errors import DataError, ModelError
from spamnb.messages import Texts
from spamnb.model import MESSAGE_KINDS, LessonEntry, SpamModel, model_to_change
from spamnb.service.live_model import LiveModels
from spamnb.service.message_scoring import Message, texts_of
from spamnb.training import Learner, LearnResult, class_label, history, own_model_started, undo

FORGET, LEARN, UNDO = "forget", "learn", "undo"  # `learn` relabels, or skips a known message
SOURCE = "serve"  # of the lessons of servers, in `spamnb model log`


class Taught(NamedTuple):
    """A change of a model: by `learn`, `forget` or `undo`, of these messages."""

    action: str
    path: str
    messages: Sequence[Message]  # none for `undo`: the journal has no messages
    label: str  # as the model spells it; empty if it was looked up
    outcome: LearnResult
    lesson: int | None = None  # its number in `spamnb model log`; None if nothing changed
    undone: Sequence[int] = ()  # the lessons that `undo` took back


class NothingToUndoError(DataError):
    """There is no lesson of this server that could be taken back."""


class Lessons:
    """Changes the model that learns; the next request sees the change. Lessons wait for each other."""

    def __init__(self, models: LiveModels, option: str | None = None) -> None:
        self._models, self._option = models, option
        self._turn = Lock()

    def learn(self, messages: Sequence[Message], label: str) -> Taught:
        """Learns messages with this label: `spam`, `ham` or a class of the model."""
        return self._change(LEARN, messages, label)

    def forget(self, messages: Sequence[Message], label: str = "") -> Taught:
        """Forgets messages as this label, or as the one that they were learned with."""
        return self._change(FORGET, messages, label)

    def undo(self, lesson: int | None = None, model: str | None = None) -> Taught:
        """Takes a lesson of a model back: this one, or else the last of a server that is not undone yet."""
        with self._turn:
            paths = [path for path in self._paths() if model in (None, path)]
            if not paths:
                raise NothingToUndoError(f"no model in use is {model}", "GET /healthz names the models")
            path, number = _last_lesson(paths) if lesson is None else _lesson_of(paths, lesson)
            result = undo(path, lesson=number, source=SOURCE)
            self._models.check()
            entry = result.lesson
            return Taught(
                UNDO, path, [], "", _outcome(entry), None if entry is None else entry.id, result.undone
            )

    def _paths(self) -> list[str]:
        """Returns the models that learn; an error if there is none."""
        paths: dict[str, None] = {}
        for kind in MESSAGE_KINDS:
            with suppress(ModelError):
                paths[model_to_change(self._option, lambda kind=kind: kind)] = None  # type: ignore[misc]
        return [*paths] or [model_to_change(self._option)]

    def _change(self, action: str, messages: Sequence[Message], label: str) -> Taught:
        def kind() -> str:
            return messages[0].kind

        starts = own_model_started(self._option, kind) if action == LEARN else nullcontext()
        with self._turn, starts:
            path = model_to_change(self._option, kind)
            learner = Learner(path, source=SOURCE)
            name = label_of(learner.load(), label) if label else ""
            with learner:
                for message in messages:
                    _apply(learner, message, action, name)
            self._models.check()
            entry = learner.lesson
            return Taught(action, path, messages, name, learner.outcome, None if entry is None else entry.id)


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
        learner.learn(texts, [label], *columns)


def _missing_columns(model: SpamModel, texts: Texts) -> tuple[dict[str, list[str]], dict[str, FloatArray]]:
    features, count = model.features, len(texts)
    numbers = {name: np.full(count, np.nan) for name in features.numeric}
    return {name: [""] * count for name in features.categorical}, numbers


def _last_lesson(paths: Sequence[str]) -> tuple[str, int]:
    """Returns model and number of the last lesson of a server that is in force and no undo itself."""
    lessons = (
        (lesson.entry.time, path, lesson.entry.id)
        for path in paths
        for lesson in history(path)
        if lesson.undoable and lesson.entry.source == SOURCE and not lesson.entry.undoes
    )
    if (last := max(lessons, default=None)) is None:
        raise NothingToUndoError("there is no lesson to undo", "teach one with POST /learn")
    return last[1:]


def _lesson_of(paths: Sequence[str], number: int) -> tuple[str, int]:
    """Returns the model with a lesson of this number; refuses a number that lessons of two models have."""
    having = [path for path in paths if any(lesson.entry.id == number for lesson in history(path))]
    if len(having) > 1:
        raise DataError(f"two models have a lesson {number}", f"add &model= and one of {', '.join(having)}")
    return (having or paths)[0], number


def _outcome(undone: LessonEntry | None) -> LearnResult:
    """Returns the numbers of messages that an undo has added to classes and removed from them."""
    counts = {} if undone is None else undone.labels
    return LearnResult(
        learned={label: n for label, n in counts.items() if n > 0},
        forgotten={label: -n for label, n in counts.items() if n < 0},
    )

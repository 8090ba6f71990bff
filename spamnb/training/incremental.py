"""Learns messages into a model file and forgets them again: exactly, each once, all or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import NamedTuple

from spamnb.core import FloatArray, files
from spamnb.errors import ConfigError, ModelError
from spamnb.messages import Messages, as_texts
from spamnb.model import (
    Change,
    ChangeHistory,
    LessonEntry,
    LessonMark,
    Ranges,
    SpamModel,
    merge_weights,
    own_file_of,
    sum_changes,
)
from spamnb.readers import ReadLabels, check_lengths, class_names, columns_of_values, usable_rows
from spamnb.storage import HISTORY_DAYS, WAIT, Lock, model_file
from spamnb.training.journal_history import describe_lesson
from spamnb.training.lesson_writer import LessonWriter
from spamnb.training.own_model import remove_unchanged, start_from
from spamnb.training.stored_model import StoredModel
from spamnb.training.update_batch import (
    UpdateBatch,
    apply_plan,
    removed_weights,
    score_before_learning,
    verdicts_on,
)
from spamnb.training.update_plan import (
    MOST_LESSONS,
    LearnResult,
    Lesson,
    UpdatePlan,
    plan_forgetting,
    plan_learning,
)

MODES = ("all", "on-error")


class _Options(NamedTuple):
    base: SpamModel | str | os.PathLike[str] | None
    first_label_wins: bool
    source: str
    history_days: int


@dataclass
class _Session:
    """What was done so far inside one `with`."""

    changes: list[Change] = field(default_factory=list)
    first_labels: dict[int, str] = field(default_factory=dict)  # of messages, by digest
    copies_left: dict[int, int] = field(default_factory=dict)  # of forgotten messages, by digest
    source: str = ""  # of the lesson, if the caller names none
    undoes: Ranges = ()
    compact: bool = False
    started: os.stat_result | None = None  # the model file, if it was started here


class Learner:
    """Changes a model file inside `with`: all changes are written at the end, or none if anything fails.

    `path` may be the name of a model in the data folder. If there is none yet, `base` starts it: "sms" or
    "mail", or another model, by name or path or as a SpamModel. A file that was started so is removed again
    if nothing is learned. Each thread needs a Learner of its own.
    Other learners wait meanwhile, `wait` seconds at most; readers never wait. With `first_label_wins`, a
    message that comes with two labels inside one `with` keeps the first; otherwise the last label counts.
    All changes of one `with` are one lesson, which `spamnb.undo` can take back for `history_days` days;
    `source` names where it came from in `spamnb.history`.

    >>> import os, tempfile
    >>> from spamnb.training.trainer import train
    >>> path = os.path.join(tempfile.mkdtemp(), "my.spamnb")
    >>> size = train(["win a prize", "see you"], ["spam", "ham"]).save(path)
    >>> with Learner(path) as learner:
    ...     learner.learn(["free prize", "see you"], ["spam", "ham"])
    >>> learner.outcome.learned, learner.outcome.known
    ({'spam': 1}, {'ham': 1})
    >>> SpamModel.load(path).predict(["free"])
    ['spam']
    >>> own = os.path.join(tempfile.mkdtemp(), "own.spamnb")
    >>> with Learner(own, base="sms") as learner:
    ...     learner.learn(["the fee for the choir is due"], ["ham"])
    >>> SpamModel.load(own).predict(["the fee for the choir is due"])
    ['ham']
    """

    model: SpamModel

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        base: SpamModel | str | os.PathLike[str] | None = None,
        wait: float = WAIT,
        first_label_wins: bool = False,
        source: str = "",
        history_days: int = HISTORY_DAYS,
    ) -> None:
        self.path = own_file_of(path, may_be_new=base is not None)
        self.outcome = LearnResult()
        self.lesson: LessonEntry | None = None  # what was written; None if nothing was changed
        self._options = _Options(base, first_label_wins, source, history_days)
        self._stored = StoredModel(self.path)
        self._lock = Lock(self.path, wait)
        self._session: _Session | None = None  # None outside `with`

    def load(self) -> SpamModel:
        """Reads the model before it is locked; what is learned meanwhile is added inside `with`."""
        self.model = self._stored.load()
        return self.model

    def __enter__(self) -> Learner:
        if self._session is not None:
            raise ConfigError("this Learner is in use", "make one for each thread, and for each `with`")
        self._session = _Session()
        try:
            self._open()
        except BaseException:
            self._end()
            raise
        return self

    def _open(self) -> None:
        """Locks the model and reads it; starts it from the base model if there is none."""
        files.refuse_link(self.path, ModelError)
        if self._options.base is not None:
            self._inside().started = start_from(self.path, self._options.base)
        model_file.check_file(self.path)  # before a lock file is created beside something that is no model
        if self._stored.model is None:
            self.load()
        self._lock.__enter__()
        try:
            self.model = self._stored.refresh()
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        self.outcome, self.lesson = LearnResult(), None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._commit(self._inside())
        finally:
            self._stored = StoredModel(self.path)
            self._lock.__exit__(kind, error, trace)
            self._end()

    def _end(self) -> None:
        """Removes a file that was started here if nothing was learned."""
        started, self._session = self._inside().started, None
        if started is not None:
            remove_unchanged(self.path, started)

    def learn(
        self,
        messages: Messages,
        labels: Iterable[object],
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
        *,
        again: bool = False,
        mode: str = "all",
    ) -> None:
        """Learns new messages and relabels those that were learned with another label.

        Labels are read as by `SpamModel.learn`. With `again` every message is learned, new or not; with mode
        "on-error" only those that the model misclassifies or is unsure of.
        """
        if mode not in MODES:
            raise ConfigError(f"mode must be all or on-error, got {mode!r}")
        session, batch = self._inside(), self._batch(messages, labels, categories, numbers)
        session.source = "learn"
        first = session.first_labels if self._options.first_label_wins else None
        plan = plan_learning(
            self.model.seen_messages, batch.digests, batch.labels, again=again, first_labels=first
        )
        batch.tokenize(plan.rows)
        history, correct = score_before_learning(self.model, batch, plan.new)
        self.outcome.verdicts.classified += history.classified
        self.outcome.verdicts.misclassified += history.wrong
        if mode == "on-error":
            plan = plan.without(correct)
            self.outcome.already_correct += len(correct)
            history = ChangeHistory()  # correct ones are not remembered, and would count again each time
        self._apply_with_verdicts(batch, plan, history)

    def forget(
        self,
        messages: Messages,
        labels: Iterable[object] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> None:
        """Removes one copy of each message, from these labels or from the one that it was learned with."""
        session, batch = self._inside(), self._batch(messages, labels, categories, numbers)
        if labels is None and self.model.seen_messages is None:
            raise ModelError(
                "the model does not remember which messages it has learned",
                hint="pass the label that they were learned with (command line: --spam or --ham)",
            )
        session.source = session.source or "forget"
        plan = plan_forgetting(self.model.seen_messages, batch.digests, batch.labels)
        session.copies_left |= plan.copies_left
        self.outcome.still_learned = sum(session.copies_left.values())
        batch.tokenize(plan.rows)
        self._apply(batch, plan, ChangeHistory())

    def compact(self) -> None:
        """Writes the journal into the model file at the end."""
        self._inside().compact = self._stored.journal is not None

    def _batch(
        self,
        messages: Messages,
        labels: Iterable[object] | None,
        categories: Mapping[str, Sequence[str]] | None,
        numbers: Mapping[str, FloatArray] | None,
    ) -> UpdateBatch:
        texts = as_texts(messages)
        read = ReadLabels([""] * len(texts))
        if labels is not None:
            read = class_names(labels, self.model.labels, "use one of these classes")
        check_lengths(texts, read)
        columns = columns_of_values(self.model.features, len(texts), categories, numbers)
        chunk = usable_rows(texts, read, columns)
        self.outcome.skipped += len(texts) - len(chunk)
        return UpdateBatch(self.model, chunk.texts, chunk.labels or [], chunk.categories, chunk.numbers)

    def _inside(self) -> _Session:
        if self._session is None:
            raise ConfigError("a Learner changes its model inside `with`", "with Learner(path) as learner:")
        return self._session

    @property
    def stored(self) -> StoredModel:
        """The files as they are inside `with`."""
        self._inside()
        return self._stored

    def apply(self, change: Change, *, undoes: Ranges = ()) -> None:
        """Applies a change that takes back the lessons `undoes`; it has to be the only one inside `with`."""
        session = self._inside()
        change = change.replace(
            weights=merge_weights([change.weights, removed_weights(self.model, change.counts)])
        )
        self.model = self.model.changed(change)
        session.undoes = undoes
        session.changes.append(change)

    def _apply_with_verdicts(self, batch: UpdateBatch, plan: UpdatePlan, history: ChangeHistory) -> None:
        """Applies a plan; records the verdicts on what it learns, before and after, unless it is much."""
        labels_of = dict(plan.added)
        lessons = self.outcome.verdicts.lessons
        rows = sorted(labels_of) if len(lessons) + len(labels_of) <= MOST_LESSONS else []
        before = verdicts_on(self.model, batch, rows)[0] if rows else []
        self._apply(batch, plan, history)
        if rows:
            verdicts = before, *verdicts_on(self.model, batch, rows)
            lessons += map(Lesson, [labels_of[row] for row in rows], *verdicts)

    def _apply(self, batch: UpdateBatch, plan: UpdatePlan, history: ChangeHistory) -> None:
        plan.report(self.outcome)
        history = history.plus(plan.history)
        if not history.changed:
            return
        self.model, change, stale = apply_plan(self.model, batch, plan, history)
        self.outcome.stale += stale
        self._inside().changes.append(change)

    def _commit(self, session: _Session) -> None:
        if session.changes:
            change = self._as_lesson(sum_changes(session.changes).condensed(), session)
            self.model = replace(self.model, lesson_mark=change.mark)
            self._writer().write(change, session.compact)
            self.lesson = change.lesson
        elif session.compact:
            self._writer().rewrite()

    def _writer(self) -> LessonWriter:
        return LessonWriter(self._stored, self._options.history_days, self.model)

    def _as_lesson(self, change: Change, session: _Session) -> Change:
        """Returns the change as the next lesson of the model."""
        mark = self.model.lesson_mark or LessonMark(self._stored.checksum[:16].decode(), 0)
        mark = mark.replace(last=mark.last + 1)
        source = self._options.source or session.source or "learn"
        return change.replace(mark=mark, lesson=describe_lesson(change, mark.last, source, session.undoes))

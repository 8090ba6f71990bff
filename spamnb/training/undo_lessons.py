"""Lists the lessons of a model file, and takes lessons back: exactly, or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from spamnb.core import Record, StringArray
from spamnb.counts import CountStore
from spamnb.errors import ConfigError, DataError, ModelError
from spamnb.model import (
    Change,
    LessonBlock,
    LessonEntry,
    LessonMark,
    SpamModel,
    as_ranges,
    decode_each,
    join_blocks,
    own_file_of,
)
from spamnb.storage import HISTORY, HISTORY_DAYS, WAIT, history_file
from spamnb.training.incremental import Learner
from spamnb.training.journal_history import kept_lessons
from spamnb.training.stored_model import StoredModel

_TRIES = 5
_ADDED, _REMOVED = ("learned", "stale_added"), ("forgotten", "stale_removed")
_SEE = "`spamnb model log` lists the lessons since training; a copy of a model needs its journal too"


class LessonInfo(Record):
    """A lesson, the lesson that has undone it (None if none has), and whether it can still be undone."""

    entry: LessonEntry
    undone_by: int | None
    undoable: bool

    def __repr__(self) -> str:
        undone = "" if self.undone_by is None else f", undone by {self.undone_by}"
        return f"<LessonInfo: {self.entry!r}{undone}>"

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields by stable names, builtins only."""
        entry = self.entry
        return {
            "id": entry.id,
            "time": datetime.fromtimestamp(entry.time).astimezone().isoformat(),
            "source": entry.source,
            "messages": entry.messages,
            "labels": dict(entry.labels),
            "digest": entry.digest,
            "undoes": [list(pair) for pair in entry.undoes],
            "undone_by": self.undone_by,
            "undoable": self.undoable,
        }


class UndoResult(Record):
    """The lesson that an undo is, None if there was nothing to undo, and the lessons that it took back."""

    lesson: LessonEntry | None
    undone: Sequence[int]

    def __repr__(self) -> str:
        number = "none" if self.lesson is None else self.lesson.id
        return f"<UndoResult: undone {list(self.undone)}; lesson {number}>"


class LessonLog:
    """The lessons of a model as its files are now, in the order of their numbers."""

    def __init__(self, stored: StoredModel) -> None:
        assert stored.model is not None
        changes = decode_each(stored.path, [] if stored.journal is None else stored.journal.payloads)
        self._path, self._mark = stored.path, stored.model.lesson_mark or LessonMark("", 0)
        payloads = history_file.read(stored.path, self._mark.origin, kept_lessons(stored, changes))
        self._block = join_blocks(
            [*_decoded(payloads), LessonBlock.of([change for change in changes if change.lesson is not None])]
        )
        self.entries = {entry.id: entry for entry in self._block.entries}
        self.undone_by = _undone(list(self.entries.values()))

    def infos(self) -> list[LessonInfo]:
        """Returns all lessons, the newest first."""
        return [
            LessonInfo(entry, self.undone_by.get(number), self._is_undoable(number))
            for number, entry in reversed(self.entries.items())
        ]

    def _is_undoable(self, number: int) -> bool:
        return number > self._mark.fixed and number not in self.undone_by

    def since(self, moment: float) -> list[int]:
        """Returns the numbers of all lessons from the first one at or after this time on."""
        oldest = next(iter(self.entries.values()), None)
        if oldest is None and self._mark.last > self._mark.fixed:
            self._check_history(self._mark.last)
        if oldest is not None and oldest.id > 1 and moment < oldest.time:
            raise ModelError(
                f"the history of {self._path} begins on {_day(oldest.time)} with lesson {oldest.id:,}",
                hint=f"undo lessons since a later time, such as {_day(oldest.time)}",
            )
        first = next((n for n, entry in self.entries.items() if entry.time >= moment), None)
        if first is None:
            return []
        numbers = list(range(first, self._mark.last + 1))
        for number in numbers:
            self._check_kept(number)
        return numbers

    def alone(self, number: int | None) -> list[int]:
        """Returns this lesson, or else the last one in force that is no undo; none if there is none.

        Refuses a lesson that cannot be taken back without others.
        """
        if number is None:
            in_force = (
                n for n, entry in self.entries.items() if n not in self.undone_by and not entry.undoes
            )
            oldest = next(iter(self.entries), self._mark.last + 1)
            number = max(in_force, default=oldest - 1)  # which is not kept, and refused
            if not number:
                return []
        self._check_alone(number)
        return [number]

    def _check_alone(self, number: int) -> None:
        self._check_kept(number)
        if number in self.undone_by:
            by = self.undone_by[number]
            raise ModelError(
                f"lesson {number:,} was already undone by lesson {by:,}",
                hint=f"undo lesson {by} to bring it back",
            )
        later = self._dependent(number)
        if later is not None:
            raise ModelError(
                f"lesson {number:,} cannot be undone alone: lesson {later:,} changed a message of it",
                hint=f"undo lesson {later} first, or all lessons since a time",
            )

    def _check_kept(self, number: int) -> None:
        if not 1 <= number <= self._mark.last:
            last = f"the last is {self._mark.last:,}" if self._mark.last else "it has none"
            raise ModelError(f"{self._path} has no lesson {number:,}: {last}", _SEE)
        if number <= self._mark.fixed:
            raise ModelError(
                f"lesson {number:,} was learned before the model was aged, pruned or merged: "
                "what is left of its counts is unknown",
                hint="only lessons after that can be undone",
            )
        if number not in self.entries:
            self._check_history(number)
            raise ModelError(
                f"lesson {number:,} is no longer in the history of {self._path}",
                hint="`spamnb forget` removes its messages, if you still have them",
            )

    def _check_history(self, number: int) -> None:
        """Refuses a lesson of a model whose history is missing, as that of a copy often is."""
        if not os.path.exists(history_file.path_of(self._path)):
            what = f"there is no {os.fspath(self._path)}{HISTORY}, which keeps lesson {number:,}"
            hint = "if this is a copy of a model, copy that file too; or `spamnb forget` removes messages"
            raise ModelError(what, hint)

    def _dependent(self, number: int) -> int | None:
        """Finds the first later lesson, still in force, that changed a message of this one the other way."""
        block, only = self._block, {number}
        later = block.lessons_with(_REMOVED, block.digests(_ADDED, only))
        later |= block.lessons_with(_ADDED, block.digests(_REMOVED, only))
        return min((n for n in later if n > number and self._has_effect(n, number)), default=None)

    def _has_effect(self, later: int, number: int) -> bool:
        """Tells whether a lesson is in force, and no undo of lessons after `number` alone.

        Such an undo changes nothing, together with the lessons that it has undone.
        """
        undoes = self.entries[later].undoes
        return later not in self.undone_by and not (undoes and all(first > number for first, _ in undoes))

    def inverse(self, numbers: Sequence[int], model: SpamModel) -> Change:
        """Returns the change that takes these lessons back, with all spellings that the model has."""
        change = self._block.sum(set(numbers)).inverse()
        new = {c for c, n in zip(change.counts.labels, change.counts.message_totals, strict=True) if n > 0}
        if model.base is None and not new <= set(model.store.labels):
            raise ModelError(
                f"the model has lost the class {min(new - set(model.store.labels))} since: "
                "what was fitted for it cannot be brought back",
                hint="learn the messages again",
            )
        return change.replace(counts=_spelled(change.counts, model.store))


def _decoded(payloads: Sequence[bytes]) -> list[LessonBlock]:
    """Returns the blocks up to the first that makes no sense."""
    blocks = []
    for payload in payloads:
        try:
            blocks.append(LessonBlock.decode(payload))
        except Exception:  # the checksum matches: another program wrote this block
            break
    return blocks


def _undone(entries: Sequence[LessonEntry]) -> dict[int, int]:
    """Returns which lessons are undone, and by which: an undo that was itself undone has no effect."""
    undone: dict[int, int] = {}
    numbers = {entry.id for entry in entries}
    for entry in reversed(entries):
        if entry.id in undone:
            continue
        for first, last in entry.undoes:
            undone.update((n, entry.id) for n in range(first, last + 1) if n in numbers)
    return undone


def _spelled(counts: CountStore, store: CountStore) -> CountStore:
    """Spells tokens as the model does, where the lessons left that to the model file."""
    at = store.find(counts.keys)
    rows = np.flatnonzero((np.diff(counts.spellings.ends, prepend=0) == 0) & (at >= 0))
    if not len(rows):
        return counts
    both = [*counts.spellings, *store.spellings.take(at[rows])]
    order = list(range(counts.vocabulary))
    for place, row in enumerate(rows.tolist()):
        order[row] = counts.vocabulary + place
    return counts.replace(spellings=StringArray.of(both[i] for i in order))


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment).isoformat()


def history(path: str | os.PathLike[str]) -> list[LessonInfo]:
    """Returns the lessons of a model file, the newest first; none of them has any text of a message.

    >>> import tempfile
    >>> from spamnb.training.trainer import train
    >>> path = os.path.join(tempfile.mkdtemp(), "my.spamnb")
    >>> size = train(["win a prize", "see you"], ["spam", "ham"]).save(path)
    >>> with Learner(path) as learner:
    ...     learner.learn(["free prize"], ["spam"])
    >>> [(lesson.entry.id, lesson.entry.source, lesson.entry.labels) for lesson in history(path)]
    [(1, 'learn', {'spam': 1})]
    >>> undo(path, lesson=1).undone
    [1]
    """
    file = own_file_of(path)
    for left in reversed(range(_TRIES)):
        stored = StoredModel(file)
        stored.load()
        log = LessonLog(stored)
        if stored.is_newest() or not left:  # a learner may have moved lessons to the history meanwhile
            return log.infos()
    raise AssertionError


def undo(
    path: str | os.PathLike[str],
    *,
    lesson: int | None = None,
    since: float | None = None,
    source: str = "undo",
    wait: float = WAIT,
    history_days: int = HISTORY_DAYS,
) -> UndoResult:
    """Takes back one lesson (default: the last in force), or all since a time (seconds since 1970).

    The model is as if it had never had them. Refuses, and changes nothing, if that cannot be done exactly.

    >>> import tempfile
    >>> from spamnb.training.trainer import train
    >>> path = os.path.join(tempfile.mkdtemp(), "my.spamnb")
    >>> size = train(["win a prize", "see you"], ["spam", "ham"]).save(path)
    >>> for text in ("free prize", "free lunch"):
    ...     with Learner(path) as learner:
    ...         learner.learn([text], ["spam"])
    >>> undo(path).undone
    [2]
    """
    if lesson is not None and since is not None:
        raise ConfigError("lesson and since exclude each other", hint="pass one of them")
    learner = Learner(path, wait=wait, source=source, history_days=history_days)
    with learner:
        log = LessonLog(learner.stored)
        numbers = log.alone(lesson) if since is None else log.since(since)
        if numbers:
            try:
                learner.apply(log.inverse(numbers, learner.model), undoes=as_ranges(numbers))
            except DataError as error:
                raise ModelError(
                    f"the history does not fit {learner.path}: {error.message}",
                    hint="it may be that of a copy; nothing was changed",
                ) from None
    return UndoResult(learner.lesson, numbers)

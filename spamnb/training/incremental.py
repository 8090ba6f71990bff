"""Learning into a model file: exact, noticed when done twice, safe against crashes and other learners."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType

import numpy as np

from spamnb.core import FloatArray, IntArray, files
from spamnb.errors import ConfigError, DataError, ModelError
from spamnb.messages import Messages, as_texts
from spamnb.model import Change, ChangeHistory, SpamModel, decode_all, encode, sum_changes
from spamnb.storage import WAIT, Lock, model_file, update_journal
from spamnb.training.update_plan import (
    LearnResult,
    Plan,
    UpdateBatch,
    apply_plan,
    forgetting,
    learning,
    relabelling,
)

MODES = ("all", "on-error")
# When the journal has this many records they become one, and when it is this large, and this share of the
# model file, it is folded into that. So a reader spends about 3 ms on the records (0.1 ms for each), and a
# learner seldom rewrites the model file.
RECORDS, LARGE, SHARE = 32, 1 << 18, 16
LEAST = 1e-15  # a probability for the log loss of a certain mistake

Said = MutableMapping[int, str]


class Learner:
    """Changes a model file inside `with`: all of it at the end, or nothing if anything fails.

    While one learner is inside, others wait (`wait` seconds at most); who reads the model never does.

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
    """

    def __init__(self, path: str | os.PathLike[str], *, wait: float = WAIT) -> None:
        self.path = os.fspath(path)
        self.outcome = LearnResult()
        self._lock = Lock(self.path, wait)
        self._reset()

    def _reset(self) -> None:
        self._changes: list[Change] = []
        self._loaded = self._inside = self._compacting = False

    def load(self) -> SpamModel:
        """The model as it is now, read without the lock: entering only has to look whether it has changed."""
        state, self._seal, self._journal = update_journal.read_both(self.path)
        self.model = SpamModel.from_state(state)
        self._base = self.model.store
        self._take(self._journal.payloads if self._journal is not None else [])
        self._loaded = True
        return self.model

    def __enter__(self) -> Learner:
        files.refuse_link(self.path, ModelError)
        model_file.check_file(self.path)  # before a lock file is made beside something that is no model
        if not self._loaded:
            self.load()
        self._lock.__enter__()
        try:
            self._refresh()
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        self.outcome, self._inside = LearnResult(), True
        return self

    def _refresh(self) -> None:
        """Take in what others have done since the model was read."""
        features = self.model.features
        same = model_file.checksum_of(self.path) == self._seal
        had, now = self._journal, update_journal.read(self.path, self._seal) if same else None
        old, new = had.payloads if had is not None else [], now.payloads if now is not None else []
        if same and new[: len(old)] == old:
            self._journal = now
            self._take(new[len(old) :])
        else:
            self.load()
        if self.model.features != features:
            raise ModelError(f"{self.path} has become another model meanwhile", "start again")

    def _take(self, payloads: list[bytes]) -> None:
        if payloads:
            self.model = self.model.changed(decode_all(self.path, payloads))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and (self._changes or self._compacting):
                self._commit()
        finally:
            self._reset()
            self._lock.__exit__(kind, error, trace)

    def learn(
        self,
        messages: Messages,
        labels: Iterable[str],
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
        *,
        again: bool = False,
        mode: str = "all",
        said: Said | None = None,
    ) -> None:
        """Learn what is not known, and give another label to what is known with a wrong one.

        With `again` everything is learned, known or not; with mode "on-error" only what the model misjudges
        or is unsure of. `said` remembers over several calls what a message was called: what is then called
        something else is left alone.
        """
        if mode not in MODES:
            raise ConfigError(f"--mode must be all or on-error, got {mode!r}")
        given = self._given(messages, labels, categories, numbers)
        times = self._times(given)
        plan = learning(given.digests, given.labels, times, again, said)
        since, right = self._judged(
            given, plan.new, sum(times.values(), np.zeros(len(given.labels), np.int64))
        )
        if mode == "on-error":
            plan = plan.without(right)
            self.outcome.right += len(right)
            since = ChangeHistory()  # what it gets right is not remembered, and would count again each time
        self._apply(given, plan, since)

    def forget(
        self,
        messages: Messages,
        labels: Iterable[str] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> None:
        """Take messages out again, each once, from under these labels or from where they are known."""
        given = self._given(messages, labels, categories, numbers)
        if given.digests is None and labels is None:
            raise _forgetful("say with --spam or --ham how the messages were learned")
        self._apply(given, forgetting(given.digests, given.labels, self._times(given)), ChangeHistory())

    def relabel(
        self,
        messages: Messages,
        labels: Iterable[str],
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> None:
        """Give known messages, and all copies of them, this label."""
        given = self._given(messages, labels, categories, numbers)
        if given.digests is None:
            raise _forgetful("use `spamnb forget` with the old label and `spamnb learn` with the new one")
        self._apply(given, relabelling(given.digests, given.labels, self._times(given)), ChangeHistory())

    def _given(
        self,
        messages: Messages,
        labels: Iterable[str] | None,
        categories: Mapping[str, Sequence[str]] | None,
        numbers: Mapping[str, FloatArray] | None,
    ) -> UpdateBatch:
        self._check_inside()
        texts = as_texts(messages)
        names = [""] * len(texts) if labels is None else [str(label) for label in labels]
        if len(texts) != len(names):
            raise DataError(f"{len(texts)} messages but {len(names)} labels")
        if labels is not None:
            _check_labels(self.model.labels, set(names))
        return UpdateBatch(self.model, texts, names, categories or {}, numbers or {})

    def _check_inside(self) -> None:
        if not self._inside:
            raise ConfigError("a Learner changes its model inside `with`", "with Learner(path) as learner:")

    def _times(self, given: UpdateBatch) -> dict[str, IntArray]:
        """How often each message is known with each label."""
        if given.digests is None or self.model.seen_messages is None:
            return {}
        known = self.model.seen_messages
        return {label: known.times(label, given.digests) for label in known.every_label}

    def _judged(self, given: UpdateBatch, new: list[int], known: IntArray) -> tuple[ChangeHistory, list[int]]:
        """What the model thinks of the new messages before it learns them, and which it gets right.

        What is `known`, and learned once more, says nothing of how it judges new ones.
        """
        model = self.model
        rows = [i for i in new if given.labels[i] in model.labels]
        if not rows or len(model.labels) < 2:
            return ChangeHistory(), []
        some = given.rows(rows)
        found = model.score(some.texts, some.categories, some.numbers)
        truth = np.array([model.labels.index(label) for label in some.labels])
        p = model.proba(found)[np.arange(len(rows)), truth]
        unsure = found.codes == len(model.labels)
        right = found.codes == truth
        fresh = known[rows] == 0
        loss, wrong = -np.log(np.maximum(p[fresh], LEAST)).sum(), int((~right & ~unsure & fresh).sum())
        self.outcome.judged += int(fresh.sum())
        self.outcome.misjudged += wrong
        since = ChangeHistory(
            judged=int(fresh.sum()), wrong=wrong, unsure=int((unsure & fresh).sum()), loss=float(loss)
        )
        return since, [rows[i] for i in np.flatnonzero(right).tolist()]

    def _apply(self, given: UpdateBatch, plan: Plan, since: ChangeHistory) -> None:
        plan.report(self.outcome, given.labels)
        since = since.plus(plan.since)
        if not since.changed:
            return
        self.model, change, faded = apply_plan(self.model, given, plan, since)
        self.outcome.faded += faded
        self._changes.append(change)

    def compact(self) -> None:
        """Write what the journal holds into the model file at the end."""
        self._check_inside()
        self._compacting = self._journal is not None

    def _commit(self) -> None:
        if self._compacting:
            self._rewrite(self.model)
            return
        payload, size = self._encoded(sum_changes(self._changes)), os.path.getsize(self.path)
        most = max(LARGE, size // SHARE)
        if len(payload) > most:
            self._rewrite(self.model)
            return
        written = update_journal.append(self.path, self._seal, self._journal, payload)
        payloads = [*(self._journal.payloads if self._journal is not None else []), payload]
        with suppress(ModelError):  # it is learned; whoever comes next tries again to tidy up
            if written > most:
                self._rewrite(self.model)
            elif len(payloads) >= RECORDS:
                whole = self._encoded(decode_all(self.path, payloads))
                update_journal.append(self.path, self._seal, None, whole)

    def _encoded(self, change: Change) -> bytes:
        """As a record; the tokens that the model file does not have are spelled."""
        change = change.condensed()
        return encode(change, self._base.find(change.counts.keys) < 0)

    def _rewrite(self, model: SpamModel) -> None:
        # joblib looks for multiprocessing when it is imported, 80 ms that a save does not need.
        os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
        replace(model, generation=model.generation + 1).save(self.path)
        _sweep(os.path.dirname(os.path.realpath(self.path)))


def _sweep(folder: str) -> None:
    """Remove what writers that were killed have left; those that still write are not an hour old."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            left = entry.name.startswith(".spamnb-") and entry.name.endswith(".tmp")
            if left and entry.stat(follow_symlinks=False).st_mtime < time.time() - 3600:
                os.unlink(entry.path)


def _check_labels(known: tuple[str, ...], given: set[str]) -> None:
    """A word that is no class of the model is a slip, not a new class."""
    new = sorted(given - set(known))
    if new and len(known) > 1:
        raise DataError(
            f"the model knows {', '.join(known)}, got the label {new[0]!r}; nothing was changed",
            hint="check the label column (--label-column) and which label means spam (--spam-label)",
        )


def _forgetful(hint: str) -> ModelError:
    return ModelError("the model does not remember which messages it has learned", hint)

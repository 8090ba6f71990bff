"""Learning, forgetting, relabelling, merging, pruning, saving, in any order, equal training on what remains.

A model that was never pruned has the counts of one trained on what remains. Pruning is a rule about counts,
so it gives the same tokens as after training on what remains. What was learned later is counted on top: the
model and all that was ever pruned away from it, added up, have the counts of one trained on what remains.
A message that was learned before pruning cannot be removed exactly: that is reported, and its counts stay.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from spamnb.counts.count_store import CountStore, canonical
from spamnb.counts.store_merge import merge_stores
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import prune
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig
from spamnb.training import lesson_writer
from spamnb.training.incremental import Learner
from tests.helpers.count_stores import identical
from tests.helpers.small_models import trained

TEXTS = ["win a prize", "WIN a prize!", "a prize win", "see you", "?", "see you at 6", "é ü 100%", "x"]


BASE = [("keep spam", "spam"), ("keep ham", "ham")]  # so that both classes stay


FEATURES = FeatureConfig()


LIMITS = lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE


Rows = list[tuple[str, str]]


texts = st.sampled_from(TEXTS)


labels = st.sampled_from(["ham", "spam"])


pairs = st.lists(st.tuples(texts, labels), min_size=1, max_size=4)


def columns(rows: Rows) -> tuple[list[str], list[str]]:
    return [text for text, _ in rows], [label for _, label in rows]


def without(store: CountStore, kept: CountStore) -> CountStore:
    """The tokens that were not kept, of no messages."""
    gone = store.rows(np.flatnonzero(~np.isin(store.keys, kept.keys)))
    return CountStore(
        gone.labels,
        gone.message_totals * 0,
        gone.keys,
        gone.kinds,
        gone.tokens,
        gone.messages,
        gone.spellings,
    )


def moved(rows: Rows, text: str, label: str) -> Rows:
    return [(t, label if t == text else old) for t, old in rows]


class Machine(RuleBasedStateMachine):
    """The model file beside a plain list of what it should have learned."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "m.spamnb"
        self.rows = list(BASE)
        self.pruned = without(trained(BASE).store, trained(BASE).store)
        trained(self.rows).save(self.path)

    def teardown(self) -> None:
        lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = LIMITS
        shutil.rmtree(self.folder)

    def change(self, work: Callable[[Learner], None], after: Rows) -> Learner:
        """Let a learner do something; what should remain is `after` if no counts for it have been pruned."""
        learner = Learner(self.path)
        with learner:
            work(learner)
        self.rows = after
        if learner.outcome.stale:  # counts that it took for gone stay: from here on it is another model
            assert self.pruned.vocabulary
            trained(after).save(self.path)
            self.pruned = without(trained(after).store, trained(after).store)
        return learner

    @rule(batch=pairs)
    def learn(self, batch: Rows) -> None:
        after = self.rows
        for text, label in batch:
            if text not in {known for known, _ in after}:
                after = [*after, (text, label)]
            after = moved(after, text, label)
        self.change(lambda learner: learner.learn(*columns(batch)), after)

    @rule(batch=pairs)
    def learn_again(self, batch: Rows) -> None:
        done = self.change(lambda learner: learner.learn(*columns(batch), again=True), self.rows + batch)
        assert sum(done.outcome.learned.values()) == len(batch)

    @rule(messages=st.lists(texts, min_size=1, max_size=4))
    def forget(self, messages: list[str]) -> None:
        after, conflicting, not_found = list(self.rows), 0, 0
        for text in messages:
            kinds = {label for known, label in after if known == text}
            conflicting += len(kinds) > 1
            not_found += not kinds
            if len(kinds) == 1:
                after.remove((text, *kinds))
        done = self.change(lambda learner: learner.forget(messages), after)
        assert (done.outcome.conflicting_labels, done.outcome.not_found) == (conflicting, not_found)

    @rule(batch=pairs)
    def forget_with_labels(self, batch: Rows) -> None:
        after = list(self.rows)
        for row in batch:
            if row in after:
                after.remove(row)
        self.change(lambda learner: learner.forget(*columns(batch)), after)

    @rule(batch=pairs)
    def relabel(self, batch: Rows) -> None:
        """Learning known messages gives them, and all their copies, the new label."""
        known, after = {text for text, _ in self.rows}, self.rows
        batch = [row for row in batch if row[0] in known]
        for text, label in batch:
            after = moved(after, text, label)
        done = self.change(lambda learner: learner.learn(*columns(batch)), after)
        assert done.outcome.learned == {}

    @rule(batch=pairs)
    def merge(self, batch: Rows) -> None:
        merge_models([SpamModel.load(self.path), trained(BASE + batch)]).save(self.path)
        self.rows = self.rows + BASE + batch

    @rule(how=st.sampled_from([{"min_count": 2}, {"min_count": 3}, {"max_tokens": 20}, {"max_tokens": 0}]))
    def prune(self, how: dict[str, int]) -> None:
        model = SpamModel.load(self.path)
        small = prune(model, **how)
        if not self.pruned.vocabulary:
            identical(small.store, prune(trained(self.rows), **how).store)
        self.pruned = merge_stores([self.pruned, without(model.store, small.store)])
        small.save(self.path)

    @rule()
    def save_and_load(self) -> None:
        SpamModel.load(self.path).save(self.path)

    @rule()
    def compact(self) -> None:
        with Learner(self.path) as learner:
            learner.compact()
        assert not (self.folder / "m.spamnb.journal").exists()

    @rule(batch=pairs)
    def fail_midway(self, batch: Rows) -> None:
        try:
            with Learner(self.path) as learner:
                learner.learn([t for t, _ in batch], [label for _, label in batch], again=True)
                raise KeyError
        except KeyError:
            pass

    @rule(records=st.integers(1, 6), large=st.sampled_from([0, 1500, 1 << 18]))
    def change_when_to_tidy_up(self, records: int, large: int) -> None:
        lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = records, large, 1 << 30

    @invariant()
    def is_as_if_trained_on_what_remains(self) -> None:
        model, fresh = SpamModel.load(self.path), trained(self.rows)
        identical(canonical(merge_stores([model.store, self.pruned])), fresh.store)
        assert model.seen_messages is not None
        assert fresh.seen_messages is not None
        if not self.pruned.vocabulary:
            assert model.seen_messages.stale == {}
        assert model.seen_messages.labels == fresh.seen_messages.labels
        for label, digests in fresh.seen_messages.exact.items():
            parts = [
                each[label]
                for each in (model.seen_messages.exact, model.seen_messages.stale)
                if label in each
            ]
            np.testing.assert_array_equal(np.sort(np.concatenate(parts)), digests)


TestMachine = Machine.TestCase


TestMachine.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)

"""Any sequence of learning, forgetting, relabelling, merging and saving equals training on what remains."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from spamnb import learning
from spamnb.config import FeatureConfig, ScorerConfig
from spamnb.learning import Learner
from spamnb.message import Texts
from spamnb.model import SpamModel
from spamnb.training import Trainer
from tests.stores import identical

TEXTS = ["win a prize", "WIN a prize!", "a prize win", "see you", "", "see you at 6", "é ü 100%", "x"]
BASE = [("keep spam", "spam"), ("keep ham", "ham")]  # so that both classes stay
FEATURES = FeatureConfig()
LIMITS = learning.RECORDS, learning.LARGE, learning.SHARE
texts = st.sampled_from(TEXTS)
labels = st.sampled_from(["ham", "spam"])
pairs = st.lists(st.tuples(texts, labels), min_size=1, max_size=4)


def trained(rows: list[tuple[str, str]]) -> SpamModel:
    trainer = Trainer(FEATURES, ScorerConfig(), folds=0)
    trainer.add(Texts.of([t for t, _ in rows]), [label for _, label in rows])
    return trainer.finish()


class Machine(RuleBasedStateMachine):
    """The model file beside a plain list of what it should have learned."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "m.spamnb"
        self.rows = list(BASE)
        trained(self.rows).save(self.path)

    def teardown(self) -> None:
        learning.RECORDS, learning.LARGE, learning.SHARE = LIMITS
        shutil.rmtree(self.folder)

    def have(self, text: str) -> list[tuple[str, str]]:
        return [row for row in self.rows if row[0] == text]

    @rule(batch=pairs)
    def learn(self, batch: list[tuple[str, str]]) -> None:
        with Learner(self.path) as learner:
            learner.learn([t for t, _ in batch], [label for _, label in batch])
        for text, label in batch:
            if not self.have(text):
                self.rows.append((text, label))
            self.move(text, label)

    @rule(batch=pairs)
    def learn_again(self, batch: list[tuple[str, str]]) -> None:
        with Learner(self.path) as learner:
            learner.learn([t for t, _ in batch], [label for _, label in batch], again=True)
        self.rows += batch
        assert sum(learner.outcome.learned.values()) == len(batch)

    @rule(given=st.lists(texts, min_size=1, max_size=4))
    def forget(self, given: list[str]) -> None:
        with Learner(self.path) as learner:
            learner.forget(given)
        unclear = unknown = 0
        for text in given:
            kinds = {label for _, label in self.have(text)}
            unclear += len(kinds) > 1
            unknown += not kinds
            if len(kinds) == 1:
                self.rows.remove((text, *kinds))
        assert (learner.outcome.unclear, learner.outcome.unknown) == (unclear, unknown)

    @rule(batch=pairs)
    def forget_with_labels(self, batch: list[tuple[str, str]]) -> None:
        with Learner(self.path) as learner:
            learner.forget([t for t, _ in batch], [label for _, label in batch])
        for row in batch:
            if row in self.rows:
                self.rows.remove(row)

    @rule(batch=pairs)
    def relabel(self, batch: list[tuple[str, str]]) -> None:
        with Learner(self.path) as learner:
            learner.relabel([t for t, _ in batch], [label for _, label in batch])
        for text, label in batch:
            self.move(text, label)

    def move(self, text: str, label: str) -> None:
        self.rows = [(t, label if t == text else old) for t, old in self.rows]

    @rule(batch=pairs)
    def merge(self, batch: list[tuple[str, str]]) -> None:
        SpamModel.load(self.path).merge(trained(BASE + batch)).save(self.path)
        self.rows += BASE + batch

    @rule()
    def save_and_load(self) -> None:
        SpamModel.load(self.path).save(self.path)

    @rule()
    def compact(self) -> None:
        with Learner(self.path) as learner:
            learner.compact()
        assert not (self.folder / "m.spamnb.journal").exists()

    @rule(batch=pairs)
    def fail_midway(self, batch: list[tuple[str, str]]) -> None:
        try:
            with Learner(self.path) as learner:
                learner.learn([t for t, _ in batch], [label for _, label in batch], again=True)
                raise KeyError
        except KeyError:
            pass

    @rule(records=st.integers(1, 6), large=st.sampled_from([0, 1500, 1 << 18]))
    def change_when_to_tidy_up(self, records: int, large: int) -> None:
        learning.RECORDS, learning.LARGE, learning.SHARE = records, large, 1 << 30

    @invariant()
    def is_as_if_trained_on_what_remains(self) -> None:
        model, fresh = SpamModel.load(self.path), trained(self.rows)
        identical(model.store, fresh.store)
        assert model.known is not None
        assert fresh.known is not None
        assert list(model.known.labels) == list(fresh.known.labels)
        for label, digests in fresh.known.labels.items():
            np.testing.assert_array_equal(model.known.labels[label], digests)


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)

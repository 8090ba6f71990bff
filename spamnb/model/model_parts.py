"""Holds the parts of a model, from settings to change history, and selects those that take effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray
from spamnb.counts import CountStore
from spamnb.errors import ModelError
from spamnb.messages import Categories, Numbers
from spamnb.model.base_model import BaseModel
from spamnb.model.calibration import Calibration, Platt, is_fitted
from spamnb.model.change_history import ChangeHistory
from spamnb.model.decision import Decision
from spamnb.model.lesson_record import LessonMark
from spamnb.model.scoring_engine import Engine
from spamnb.model.seen_messages import SeenMessages
from spamnb.model.spam_class import Classes, check_labels, spam_classes
from spamnb.model.weight_correction import Correction
from spamnb.scorers import check_scorer
from spamnb.settings import FeatureConfig, ScorerConfig


@dataclass(frozen=True, eq=False, repr=False)
class ModelParts:
    """The parts of a model, one for each key of a model file (`model_state`)."""

    features: FeatureConfig = field(default_factory=FeatureConfig)
    scoring: ScorerConfig = field(default_factory=ScorerConfig)
    store: CountStore = field(default_factory=CountStore.empty)
    decision: Decision = field(default_factory=Decision)
    calibration: Calibration = field(default_factory=Platt)
    positive: str = "spam"
    metrics: Mapping[str, Any] | None = None  # out-of-fold metrics, from training
    # None: the model does not remember its messages.
    seen_messages: SeenMessages | None = field(default_factory=lambda: SeenMessages({}))
    change_history: ChangeHistory = field(default_factory=ChangeHistory)  # since the metrics were measured
    generation: int = 0  # how often a learner has rewritten the model file
    correction: Correction | None = None  # of the weights of naive Bayes
    base: BaseModel | None = None  # another model whose log-odds are added
    min_known_words: float | None = None  # messages with a smaller share of known words are not called ham
    aged_until: str | None = None  # the day up to which the counts were halved, as 2026-01-31
    lesson_mark: LessonMark | None = None  # the last lesson in the counts; None if there was none

    def __post_init__(self) -> None:
        # A limit that training has not decided is none.
        object.__setattr__(self, "scoring", self.scoring.with_max_evidence(0))
        check_scorer(self.scoring, self.features)
        check_labels(self.labels)
        if self.features.patterns:
            from spamnb.features import compile_patterns

            compile_patterns(self.features.patterns)  # refuses bad ones now, not at the first message

    @property
    def labels(self) -> tuple[str, ...]:
        return self.scored_store.labels

    @property
    def scored_store(self) -> CountStore:
        """The counts that score: with a base model none, until there are messages of all its classes.

        Messages of one class tell nothing from anything, and would move the verdicts on all others.
        """
        if self.base is None or not self.base.supplies_classes(self.store):
            return self.store
        return CountStore.empty(self.base.model.labels)

    @property
    def classes(self) -> Classes:
        return Classes(self.labels, self.positive)

    @cached_property
    def engine(self) -> Engine:
        return Engine(self.scored_store, self.active_scoring, self.active_correction, self.positive)

    @property
    def active_scoring(self) -> ScorerConfig:
        """The scorer's settings as they take effect: without calibration nothing restores damped log-odds."""
        if is_fitted(self.calibration) or self.active_base is not None:
            base_classes = self.base is not None and self.base.supplies_classes(self.store)
            return replace(self.scoring, prior="uniform") if base_classes else self.scoring
        return replace(self.scoring, damping=0.0)

    @property
    def active_correction(self) -> Correction | None:
        """The correction, as long as the model has the two classes that it was fitted for."""
        fits = self.correction is not None and len(self.labels) == 2 and self.correction.label in self.labels
        return self.correction if fits else None

    @property
    def active_base(self) -> BaseModel | None:
        """The base model, as long as this model has the same two classes."""
        return self.base if self.base is not None and self.labels == self.base.model.labels else None

    @cached_property
    def pair(self) -> tuple[int, int] | None:
        """The columns of the positive and the other class, None unless there are two classes."""
        if len(self.labels) < 2:
            learned = f"only {self.labels[0]!r} messages" if self.labels else "no messages"
            raise ModelError(
                f"the model has learned {learned}; it needs at least two classes",
                hint="train on data with messages of both classes",
            )
        if len(self.labels) > 2:
            return None
        plus = self.labels.index(self.positive) if self.positive in self.labels else 1
        return plus, 1 - plus

    def lacks_evidence(self, known: IntArray) -> BoolArray:
        """Returns whether nothing in a message is known; in textbooks the prior then decides."""
        return np.zeros(len(known), bool) if self.scoring.is_textbook else known == 0

    def choose(self, proba: FloatArray) -> IntArray:
        """Chooses a class for each row of probabilities (n, K), by likelihood or cost.

        Of equal classes the one with the greater prior is chosen, of those one that is not spam.
        """
        spam, prior = spam_classes(self.labels), self.engine.prior.round(12).tolist()
        preference = sorted(range(len(prior)), key=lambda c: (-prior[c], self.labels[c] in spam))
        return self.decision.choose(proba, self.labels, preference)

    def own_columns(self, categories: Categories, numbers: Numbers) -> tuple[Categories, Numbers]:
        """Drops the columns that the model was not trained with."""
        cats = {k: v for k, v in (categories or {}).items() if k in self.features.categorical}
        nums = {k: v for k, v in (numbers or {}).items() if k in self.features.numeric}
        return cats, nums

"""Combines settings, counts, scorer, calibration and decision: SpamModel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray
from spamnb.counts import CountStore
from spamnb.errors import DataError, JournalError, ModelError
from spamnb.features import Batch, KeyArray, extract
from spamnb.messages import Messages, Texts, as_texts, check_columns
from spamnb.model import model_state
from spamnb.model.base_model import FOLLOWS, BaseModel
from spamnb.model.calibration import LIMIT, Calibration, Platt, is_fitted
from spamnb.model.change_history import ChangeHistory
from spamnb.model.decision import Decision
from spamnb.model.lesson_record import LessonMark
from spamnb.model.message_digest import message_digests
from spamnb.model.predictions import (
    Predictions,
    all_probabilities,
    predict_classes,
    predict_pair,
    remember,
)
from spamnb.model.raw_scores import RawScores
from spamnb.model.scoring_engine import Engine, log_odds_of
from spamnb.model.seen_messages import SeenMessages, by_label
from spamnb.model.spam_class import Classes, check_labels, spam_classes
from spamnb.model.verdicts import Verdicts, decide
from spamnb.model.weight_correction import Correction
from spamnb.scorers import check_scorer
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.storage import model_file

if TYPE_CHECKING:
    from spamnb.metrics import MultiScores, Scores
    from spamnb.model.explanation import Explanation
    from spamnb.model.model_delta import Change
    from spamnb.model.pseudo_messages import PseudoMessage

Labels = Iterable[object]  # texts; 1, 0, True and False mean spam and ham
Categories = Mapping[str, Sequence[str]] | None
Numbers = Mapping[str, FloatArray] | None


@dataclass(frozen=True, eq=False, repr=False)
class SpamModel:
    """A spam filter. It is immutable: learning and forgetting return a new one.

    >>> model = SpamModel().learn(["win a prize", "free prize", "see you"], ["spam", "spam", "ham"])
    >>> model
    <SpamModel: classes ham, spam; 3 messages, 21 tokens; scorer multinomial>
    >>> model.predict(["free prize now", "see you soon"])
    ['spam', 'ham']
    """

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
        if self.base is None or not self.base.lends_classes(self.store):
            return self.store
        return CountStore.empty(self.base.model.labels)

    @property
    def classes(self) -> Classes:
        return Classes(self.labels, self.positive)

    def __repr__(self) -> str:
        messages, classes = int(self.store.message_totals.sum()), ", ".join(self.labels) or "none"
        size = f"{messages:,} messages, {self.store.vocabulary:,} tokens"
        return f"<SpamModel: classes {classes}; {size}; scorer {self.scoring.name}>"

    def learn(
        self, messages: Messages, labels: Labels, categories: Categories = None, numbers: Numbers = None
    ) -> SpamModel:
        """Returns this model with these messages added."""
        from spamnb.model.model_delta import Change

        counts, digests = self._count(messages, labels, categories, numbers)
        history = ChangeHistory(learned=int(counts.message_totals.sum()))
        return self.changed(Change(counts, learned=digests, change_history=history))

    def forget(
        self, messages: Messages, labels: Labels, categories: Categories = None, numbers: Numbers = None
    ) -> SpamModel:
        """Returns this model as if it had never learned these messages; refuses messages it never learned."""
        from spamnb.counts import merge_stores
        from spamnb.model.model_delta import Change

        counts, digests = self._count(messages, labels, categories, numbers)
        untaught: Mapping[str, KeyArray] = {}
        if self.seen_messages is not None:
            _ = self.seen_messages.minus(digests).exact  # refuses unknown digests
            untaught = self.seen_messages.lessons_among(digests)
        history = ChangeHistory(forgotten=int(counts.message_totals.sum()))
        negative = merge_stores([counts], [-1])
        change = Change(negative, forgotten=digests, change_history=history, untaught=untaught)
        return self.changed(change)

    def changed(self, change: Change) -> SpamModel:
        """Returns this model with a change applied."""
        from spamnb.counts import add_delta

        seen, correction = self.seen_messages, self.correction
        if seen is not None:
            seen = seen.plus(change.learned).plus(change.stale_added, "stale").plus(change.taught, "lessons")
            seen = seen.minus(change.forgotten).minus(change.stale_removed, "stale")
            seen = seen.minus(change.untaught, "lessons")
        if correction is not None and len(change.weights[0]):
            correction = correction.with_weights(*change.weights)
        store, base, calibration = add_delta(self.store, change.counts), self.base, self.calibration
        if base is not None and calibration.note == FOLLOWS and len(store.labels) <= 2:
            base, calibration = base.usual(store)
        return replace(
            self,
            store=store,
            base=base,
            calibration=calibration,
            seen_messages=seen,
            change_history=self.change_history.plus(change.change_history),
            correction=correction,
            lesson_mark=self.lesson_mark if change.mark is None else change.mark.after(self.lesson_mark),
        )

    def _count(
        self, messages: Messages, labels: Labels, categories: Categories, numbers: Numbers
    ) -> tuple[CountStore, dict[str, KeyArray]]:
        """Returns the counts of some messages, and their digests by label."""
        from spamnb.counts import PairColumns, count
        from spamnb.readers import class_name

        texts, names = as_texts(messages), [class_name(label, self.labels) for label in labels]
        if len(texts) != len(names):
            raise DataError(f"{len(texts):,} messages but {len(names):,} labels")
        check_columns(len(texts), categories, numbers)
        digests = by_label(message_digests(texts, categories, numbers), names)
        pairs = PairColumns.needed(self.features, self.scoring)
        return count(extract(texts, self.features), names, categories, numbers, pairs), digests

    @cached_property
    def engine(self) -> Engine:
        return Engine(self.scored_store, self.active_scoring, self.active_correction, self.positive)

    @property
    def active_scoring(self) -> ScorerConfig:
        """The scorer's settings as they take effect: without calibration nothing restores damped log-odds."""
        if is_fitted(self.calibration) or self.active_base is not None:
            lent = self.base is not None and self.base.lends_classes(self.store)
            return replace(self.scoring, prior="uniform") if lent else self.scoring
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

    def score(
        self,
        messages: Messages,
        categories: Categories = None,
        numbers: Numbers = None,
        *,
        memory: bool = True,
    ) -> Predictions:
        """Returns verdicts, probabilities and raw scores of these messages.

        A message that a learner has taught word for word gets the label that it was taught with; without
        `memory` only the evidence counts.
        """
        texts, _ = as_texts(messages), self.pair
        check_columns(len(texts), categories, numbers)
        predictions = self.score_batch(extract(texts, self.features), categories, numbers)
        taught_as = self.taught_as(texts, categories, numbers) if memory else None
        return predictions if taught_as is None else remember(self, predictions, taught_as)

    def taught_as(
        self, texts: Texts, categories: Categories = None, numbers: Numbers = None
    ) -> IntArray | None:
        """(n,): the class that a learner has taught each message with, -1 for none or several.

        None if the model does not remember any lesson.
        """
        if self.seen_messages is None or not self.seen_messages.has_lessons:
            return None
        digests = message_digests(texts, *self._checked(categories, numbers))
        return self.seen_messages.taught_labels(self.labels, digests)

    def score_batch(
        self, batch: Batch, categories: Categories = None, numbers: Numbers = None
    ) -> Predictions:
        """Scores messages that were tokenised with this model's features, by their evidence alone."""
        pair, scored = self.pair, self._scored(batch, *self._checked(categories, numbers))
        if pair is None:
            return predict_classes(self, scored)
        log_odds = self.pair_log_odds(scored)
        verdicts = self.decide(log_odds, scored.known, None if scored.words is None else scored.words.share)
        return predict_pair(self, verdicts, log_odds, scored)

    def decide(
        self, log_odds: FloatArray, known: IntArray, known_share: FloatArray | None = None
    ) -> Verdicts:
        """Verdicts on messages of a model with two classes, from their calibrated log-odds.

        `known` is how many of a message's tokens and columns are known, `known_share` the share of its words.
        """
        assert self.pair is not None
        limit, prior = self.min_known_words, float(self.engine.prior[self.pair[0]])
        too_few = None if limit is None or known_share is None else known_share < limit
        decision = self.decision.for_classes(self.labels, self.positive)
        return decide(decision, prior, log_odds, self.lacks_evidence(known), too_few)

    def lacks_evidence(self, known: IntArray) -> BoolArray:
        """Whether nothing in a message is known; in textbooks the prior then decides."""
        return np.zeros(len(known), bool) if self.scoring.is_textbook else known == 0

    def choose(self, proba: FloatArray) -> IntArray:
        """Chooses a class for each row of probabilities (n, K), by likelihood or cost.

        Of equal classes the one with the greater prior is chosen, of those one that is not spam.
        """
        spam, prior = spam_classes(self.labels), self.engine.prior.round(12).tolist()
        preference = sorted(range(len(prior)), key=lambda c: (-prior[c], self.labels[c] in spam))
        return self.decision.choose(proba, self.labels, preference)

    def _checked(self, categories: Categories, numbers: Numbers) -> tuple[Categories, Numbers]:
        """Drops the columns that the model was not trained with."""
        cats = {k: v for k, v in (categories or {}).items() if k in self.features.categorical}
        nums = {k: v for k, v in (numbers or {}).items() if k in self.features.numeric}
        return cats, nums

    def _scored(self, batch: Batch, categories: Categories, numbers: Numbers) -> RawScores:
        scored = self.engine.score(batch, categories, numbers, self.min_known_words is not None)
        return scored if self.active_base is None else self.active_base.add_to(scored, batch)

    def pair_log_odds(self, scored: RawScores) -> FloatArray:
        """Returns the calibrated log-odds of the positive class of two."""
        return np.clip(self.calibration.apply(self.raw(scored)), -LIMIT, LIMIT)

    def raw(self, scored: RawScores) -> FloatArray:
        """Returns the log-odds of the positive class before calibration."""
        assert self.pair is not None
        raw = log_odds_of(scored.comparable, self.pair[0]) * scored.scale
        if scored.correction is not None:
            raw = raw + scored.correction
        return raw if scored.base_log_odds is None else raw + scored.base_log_odds

    def proba(self, predictions: Predictions) -> FloatArray:
        """(n, K): the probability of every class, in the order of `labels`."""
        return all_probabilities(self, predictions)

    def expected_costs(self, predictions: Predictions) -> FloatArray | None:
        """(n, K): the expected cost of each verdict; None if the decision states no cost."""
        table = self.decision.cost_table_of(self.labels, self.positive)
        return None if table is None else np.einsum("nt,tv->nv", self.proba(predictions), table)

    def predict(
        self, messages: Messages, categories: Categories = None, numbers: Numbers = None
    ) -> list[str]:
        """Returns a label for each message, or "unsure"."""
        return self.score(messages, categories, numbers).labels

    def predict_proba(
        self, messages: Messages, categories: Categories = None, numbers: Numbers = None
    ) -> FloatArray:
        """(n, K): the probability of every class, in the order of `labels`."""
        return self.proba(self.score(messages, categories, numbers))

    def log_odds(
        self, messages: Messages, categories: Categories = None, numbers: Numbers = None
    ) -> FloatArray:
        """(n,): log P(positive) - log P(not positive) of each message."""
        return self.score(messages, categories, numbers).log_odds

    def evaluate(
        self, messages: Messages, labels: Labels, categories: Categories = None, numbers: Numbers = None
    ) -> Scores | MultiScores:
        """Computes accuracy, recall, ROC AUC and all other metrics of `spamnb evaluate`.

        >>> model = SpamModel().learn(["win a prize", "free prize", "see you"], ["spam", "spam", "ham"])
        >>> model.evaluate(["prize", "you"], [1, 0]).accuracy
        1.0
        """
        from spamnb.model.model_metrics import evaluate

        return evaluate(self, messages, labels, categories, numbers)

    def explain(
        self,
        message: str | bytes | Texts,
        categories: Categories = None,
        numbers: Numbers = None,
        *,
        memory: bool = True,
    ) -> Explanation:
        """Explains the prediction for a message (a text, or Texts of one message with its tags).

        The evidence and the bias sum to the log-odds. `memory` is that of `score`.
        """
        from spamnb.model.explanation import explain_batch

        texts = message if isinstance(message, Texts) else Texts.of([message])
        check_columns(1, categories, numbers)
        batch, columns = extract(texts, self.features), self._checked(categories, numbers)
        return explain_batch(self, batch, *columns, self.taught_as(texts, *columns) if memory else None)

    def sample(self, label: str, n: int = 1, seed: int = 0) -> list[PseudoMessage]:
        """Draws n pseudo messages of a class: what the model thinks that they look like."""
        from spamnb.model.pseudo_messages import draw_messages

        return draw_messages(self, label, n, seed)

    def save(
        self, path: str | os.PathLike[str], *, backup: str | None = None, mode: int | None = None
    ) -> int:
        """Writes the model file as a whole or not at all; returns its size in bytes.

        `backup` is a second name for the file that is replaced, `mode` the permissions, such as 0o640.
        """
        from spamnb.storage import model_writer

        return model_writer.write(self.to_state(), path, backup=backup, mode=mode)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, warn: Callable[[JournalError], None] | None = None
    ) -> SpamModel:
        """Reads a model file and its journal, without executing anything in them.

        A journal that cannot be used is an error. With `warn`, that gets the error, and the model is as it
        was when its file was written.
        """
        if not os.path.lexists(os.path.realpath(path) + model_file.JOURNAL):
            return cls.from_state(model_file.read(path))
        from spamnb.model.model_delta import load_with_journal

        return load_with_journal(cls, path, warn)

    def to_state(self) -> dict[str, Any]:
        """Returns the model as builtins and plain arrays."""
        return model_state.to_state(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SpamModel:
        """Returns the model of a state; refuses a damaged one."""
        return model_state.from_state(state, cls)

"""SpamModel: the one place where settings, counts, scorer, calibration and decision meet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray
from spamnb.counts import CountStore
from spamnb.errors import ConfigError, DataError, ModelError
from spamnb.features import Batch, KeyArray, extract
from spamnb.messages import Messages, Texts, as_texts, check_columns
from spamnb.model import calibration as calibrations, model_state
from spamnb.model.base_model import BaseModel, check_same
from spamnb.model.calibration import LIMIT, Calibration, Platt
from spamnb.model.change_history import ChangeHistory
from spamnb.model.decision import Decision
from spamnb.model.message_digest import message_digests
from spamnb.model.predictions import UNSURE_LABEL, Predictions
from spamnb.model.scoring_engine import Engine, RawScores
from spamnb.model.seen_messages import SeenMessages, by_label, merge_seen
from spamnb.model.weight_correction import Correction
from spamnb.scorers import make
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.storage import model_file

if TYPE_CHECKING:
    from spamnb.model.explanation import Explanation
    from spamnb.model.model_delta import Change

Categories = Mapping[str, Sequence[str]] | None
Numbers = Mapping[str, FloatArray] | None


@dataclass(frozen=True, eq=False, repr=False)
class SpamModel:
    """A spam filter. It never changes: learning and forgetting give a new one.

    >>> labels = ["spam", "spam", "ham", "ham"]
    >>> model = SpamModel().learn(["win a prize", "free prize", "see you", "ok see"], labels)
    >>> model.predict(["free prize now", "see you soon"])
    ['spam', 'ham']
    """

    features: FeatureConfig = field(default_factory=FeatureConfig)
    scoring: ScorerConfig = field(default_factory=ScorerConfig)
    store: CountStore = field(default_factory=CountStore.empty)
    decision: Decision = field(default_factory=Decision)
    calibration: Calibration = field(default_factory=Platt)
    positive: str = "spam"
    metrics: Mapping[str, Any] | None = None  # out-of-fold figures, from training
    seen_messages: SeenMessages | None = field(
        default_factory=lambda: SeenMessages({})
    )  # None: it does not remember messages
    change_history: ChangeHistory = field(
        default_factory=ChangeHistory
    )  # what has changed since the figures were made
    generation: int = 0  # how often a learner has written the model file anew
    correction: Correction | None = None  # what refinement adds to the weights of naive Bayes
    base: BaseModel | None = None  # the model that this one starts from
    min_known_words: float | None = None  # no message is called ham of whose words a smaller share is known
    aged_until: str | None = None  # the day up to which its counts were halved, as 2026-01-31

    def __post_init__(self) -> None:
        order = make(self.scoring).order
        if order and self.features.ngrams <= order:
            raise ConfigError(
                f"less-naive of order {order} needs --ngrams {order + 1}, got {self.features.ngrams}",
                hint=f"use --ngrams {order + 1}",
            )
        limited = self.scoring.max_evidence or self.scoring.max_token_weight
        if limited and not make(self.scoring).supports_limits:
            raise ConfigError(
                "--max-evidence and --max-token-weight go with scorers that add up weights, "
                f"got {self.scoring.name}",
                hint="use multinomial, categorical or binary",
            )
        if self.features.patterns:
            from spamnb.features import compile_patterns

            compile_patterns(self.features.patterns)  # refuses bad ones now, not at the first message

    @property
    def labels(self) -> tuple[str, ...]:
        return self.store.labels

    def learn(
        self,
        messages: Messages,
        labels: Iterable[str],
        categories: Categories = None,
        numbers: Numbers = None,
    ) -> SpamModel:
        """Returns this model with these messages added."""
        from spamnb.model.model_delta import Change

        counts, digests = self._count(messages, labels, categories, numbers)
        history = ChangeHistory(learned=int(counts.message_totals.sum()))
        return self.changed(Change(counts, learned=digests, change_history=history))

    def forget(
        self,
        messages: Messages,
        labels: Iterable[str],
        categories: Categories = None,
        numbers: Numbers = None,
    ) -> SpamModel:
        """Returns this model as if it had never learned these messages; refuses messages it never learned."""
        from spamnb.counts import merge_stores
        from spamnb.model.model_delta import Change

        counts, digests = self._count(messages, labels, categories, numbers)
        if self.seen_messages is not None:
            _ = self.seen_messages.minus(digests).exact  # refuses unknown digests
        history = ChangeHistory(forgotten=int(counts.message_totals.sum()))
        return self.changed(Change(merge_stores([counts], [-1]), forgotten=digests, change_history=history))

    def merge(self, other: SpamModel) -> SpamModel:
        """This model, having seen all that the other has seen; both must read messages the same way."""
        from spamnb.counts import merge_stores

        if self.features != other.features:
            raise ModelError(f"models read messages differently: {self.features} and {other.features}")
        check_same(self, other, "this model", "the other one")
        both = self.seen_messages is not None and other.seen_messages is not None
        known = merge_seen([self.seen_messages, other.seen_messages]) if both else None
        since = self.change_history.plus(ChangeHistory(learned=int(other.store.message_totals.sum())))
        return replace(
            self, store=merge_stores([self.store, other.store]), seen_messages=known, change_history=since
        )

    def changed(self, change: Change) -> SpamModel:
        """Returns this model with a change applied."""
        from spamnb.counts import add_delta

        seen = self.seen_messages
        if seen is not None:
            seen = seen.plus(change.learned).minus(change.forgotten).minus_stale(change.stale_removed)
        return replace(
            self,
            store=add_delta(self.store, change.counts),
            seen_messages=seen,
            change_history=self.change_history.plus(change.change_history),
        )

    def _count(
        self, messages: Messages, labels: Iterable[str], categories: Categories, numbers: Numbers
    ) -> tuple[CountStore, dict[str, KeyArray]]:
        """The counts of some messages, and their digests by label."""
        from spamnb.counts import count

        texts, given = as_texts(messages), [str(label) for label in labels]
        if len(texts) != len(given):
            raise DataError(f"{len(texts)} messages but {len(given)} labels")
        check_columns(len(texts), categories, numbers)
        digests = message_digests(texts, categories, numbers)
        counts = count(extract(texts, self.features), given, categories, numbers)
        return counts, by_label(digests, given)

    @cached_property
    def engine(self) -> Engine:
        return Engine(self.store, self.scoring, self.active_correction)

    @property
    def active_correction(self) -> Correction | None:
        """The correction, as long as the model has the two classes that it was fitted for."""
        fits = self.correction is not None and len(self.labels) == 2 and self.correction.label in self.labels
        return self.correction if fits else None

    @property
    def active_base(self) -> BaseModel | None:
        """The start, as long as this model has the same two classes."""
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
        self, messages: Messages, categories: Categories = None, numbers: Numbers = None
    ) -> Predictions:
        """Everything about these messages at once."""
        texts, _ = as_texts(messages), self.pair
        check_columns(len(texts), categories, numbers)
        return self.score_batch(extract(texts, self.features), categories, numbers)

    def score_batch(
        self, batch: Batch, categories: Categories = None, numbers: Numbers = None
    ) -> Predictions:
        """Scores messages that were tokenised with this model's features."""
        pair, scored = self.pair, self._scored(batch, *self._checked(categories, numbers))
        if pair is None:
            return self._many(scored)
        log_odds = self.pair_log_odds(scored)
        probability = calibrations.probability(log_odds)
        known_share = None if scored.words is None else scored.words.share
        plus, minus = pair
        codes = np.array([minus, plus, 2])[self.decide(log_odds, scored.known, known_share)]
        names, too_few = (*self.labels, UNSURE_LABEL), self.too_few_known_words(known_share)
        return Predictions(names, codes, probability, log_odds, scored.known, scored, too_few)

    def decide(
        self, log_odds: FloatArray, known: IntArray, known_share: FloatArray | None = None
    ) -> NDArray[np.int8]:
        """HAM, SPAM or UNSURE for messages of a model with two classes, from their calibrated log-odds.

        `known` is how many of a message's tokens and columns are known, `known_share` the share of its words.
        """
        too_few = self.too_few_known_words(known_share)
        return self.decision.verdicts(calibrations.probability(log_odds), known, log_odds, too_few)

    def too_few_known_words(self, known_share: FloatArray | None) -> NDArray[np.bool_] | None:
        """Whether each message has too few known words to be called ham; None if that is not looked at."""
        if self.min_known_words is None or known_share is None:
            return None
        return known_share < self.min_known_words

    def _checked(self, categories: Categories, numbers: Numbers) -> tuple[Categories, Numbers]:
        """Only the columns that the model was trained with."""
        cats = {k: v for k, v in (categories or {}).items() if k in self.features.categorical}
        nums = {k: v for k, v in (numbers or {}).items() if k in self.features.numeric}
        return cats, nums

    def _scored(self, batch: Batch, categories: Categories, numbers: Numbers) -> RawScores:
        scored = self.engine.score(batch, categories, numbers, self.min_known_words is not None)
        return scored if self.active_base is None else self.active_base.added(scored, batch)

    def pair_log_odds(self, scored: RawScores) -> FloatArray:
        """Calibrated log-odds of the positive class of two."""
        return np.clip(self.calibration.apply(self.raw(scored)), -LIMIT, LIMIT)

    def raw(self, scored: RawScores) -> FloatArray:
        """Log-odds of the positive class before calibration."""
        assert self.pair is not None
        plus, minus = self.pair
        joint = scored.joint
        with np.errstate(invalid="ignore"):
            raw = (joint[:, plus] - joint[:, minus]) * scored.scale
        raw = np.where(np.isnan(raw), 0.0, raw)  # impossible in both classes: nothing is known
        if scored.correction is not None:
            raw = raw + self.sign * scored.correction
        return raw if scored.base_log_odds is None else raw + scored.base_log_odds

    @property
    def sign(self) -> float:
        """Does the correction speak for the positive class or for the other one?"""
        assert self.correction is not None
        assert self.pair is not None
        return 1.0 if self.correction.label == self.labels[self.pair[0]] else -1.0

    def _many(self, scored: RawScores) -> Predictions:
        log_scores = self.calibration.apply(scored.damped)
        proba = np.nan_to_num(calibrations.probabilities(log_scores), nan=1 / len(self.labels))
        codes = np.where(scored.known > 0, proba.argmax(axis=1), len(self.labels))
        p = proba.max(axis=1)  # of more than two classes it is the one said that matters
        with np.errstate(divide="ignore"):
            log_odds = np.clip(np.log(p) - np.log1p(-p), -LIMIT, LIMIT)
        return Predictions((*self.labels, UNSURE_LABEL), codes, p, log_odds, scored.known, scored)

    def proba(self, predictions: Predictions) -> FloatArray:
        """(n, K): the probability of every class, in the order of `labels`."""
        if self.pair is None:
            log_scores = self.calibration.apply(predictions.scored.damped)
            return np.nan_to_num(calibrations.probabilities(log_scores), nan=1 / len(self.labels))
        out = np.empty((len(predictions.codes), 2))
        plus, minus = self.pair
        out[:, plus] = predictions.probability
        out[:, minus] = calibrations.probability(-predictions.log_odds)
        return out

    def predict(
        self, messages: Messages, categories: Categories = None, numbers: Numbers = None
    ) -> list[str]:
        """A label for each message, or "unsure"."""
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

    def explain(
        self, message: str | bytes | Texts, categories: Categories = None, numbers: Numbers = None
    ) -> Explanation:
        """Explains the prediction for a message (a text, or Texts of one message with its tags).

        The evidence and the bias sum to the log-odds.
        """
        from spamnb.model.explanation import explain_batch

        texts = message if isinstance(message, Texts) else Texts.of([message])
        check_columns(1, categories, numbers)
        return explain_batch(self, extract(texts, self.features), *self._checked(categories, numbers))

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write the model file in one step; gives its size in bytes."""
        from spamnb.storage import model_writer

        return model_writer.write(self.to_state(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SpamModel:
        """Read a model file and what was learned into it since it was written; nothing in it is executed."""
        if not os.path.exists(os.path.realpath(path) + model_file.JOURNAL):
            return cls.from_state(model_file.read(path))
        from spamnb.model.model_delta import read_model

        state, changes = read_model(path)
        model = cls.from_state(state)
        return model.changed(changes) if changes is not None else model

    def to_state(self) -> dict[str, Any]:
        """Returns the model as builtins and plain arrays."""
        return model_state.to_state(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SpamModel:
        """Returns the model of a state; refuses a damaged one."""
        return model_state.from_state(state, cls)

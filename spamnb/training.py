"""Training: count every message once, keep a sample for honest figures, calibrate on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spamnb import calibration as calibrations
from spamnb.config import FeatureConfig, ScorerConfig
from spamnb.counting import Tally
from spamnb.counts import CountStore
from spamnb.crossval import Digests, Sample, out_of_fold
from spamnb.decision import SPAM, UNSURE, Decision
from spamnb.errors import ConfigError, DataError
from spamnb.features import extract
from spamnb.features.hashing import mix
from spamnb.message import FloatArray, IntArray, Texts, as_texts
from spamnb.metrics import MultiScores, Scores, evaluate_binary, evaluate_multi
from spamnb.model import LIMIT, SpamModel
from spamnb.samples import Order, Part, Partial, Row, pick, renumbered, row_digest, shrunk, together
from spamnb.scorers import make
from spamnb.sparse import Batch, Entries, changes

FOLDS = 5
SAMPLE = 10_000
FEWEST = 10  # messages a class must have for folds to mean anything


@dataclass
class Trainer:
    """Feed it batches with `add`, then take the model with `finish`.

    >>> trainer = Trainer()
    >>> trainer.add(Texts.of(["win a prize", "see you"]), ["spam", "ham"])
    >>> trainer.finish().labels
    ('ham', 'spam')
    """

    features: FeatureConfig = field(default_factory=FeatureConfig)
    scoring: ScorerConfig = field(default_factory=ScorerConfig)
    decision: Decision = field(default_factory=Decision)
    positive: str = "spam"
    folds: int = FOLDS  # 0: no cross-validation, no calibration
    keep: Mapping[str, float] | None = None  # under-sampling: the share of each label's messages to keep
    partial: bool = False  # it counts a part of the data only: take `result`, not `finish`

    def __post_init__(self) -> None:
        SpamModel(self.features, self.scoring)  # refuses settings that do not go together now, not at the end
        if self.folds == 1 or self.folds < 0:
            raise ConfigError(f"--folds must be 0 or at least 2, got {self.folds}")
        self._scorer = make(self.scoring)
        self._tally = Tally()
        self._parts: list[Part] = []
        self._absorbed: list[Partial] = []
        self._rows: Counter[Row] = Counter()
        self._limit = (1 << 64) - 1
        self.messages = 0

    def add(
        self,
        texts: Texts,
        labels: Sequence[str],
        categories: Mapping[str, list[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
        order: Order | None = None,
    ) -> None:
        """Count some labelled messages; `order` is their place in the data if they come in another one."""
        batch, cats, nums = extract(texts, self.features), dict(categories or {}), dict(numbers or {})
        digests = message_digests(batch)
        waiting = self._digest_wordless(texts, digests, labels, cats, nums)
        if self.keep is not None:
            batch, labels, digests, cats, nums = self._thinned(texts, labels, digests, cats, nums)
        ids = self._tally.add(batch, labels, cats, nums)
        self.messages += batch.size
        if self.folds:
            rows = np.flatnonzero(digests < np.uint64(self._limit))
            some = {c: pick(v, rows) for c, v in cats.items()}, {c: v[rows] for c, v in nums.items()}
            place = order or (0, len(self._parts)), waiting
            self._parts.append(
                Part(self._entries(batch, ids, rows), pick(labels, rows), digests[rows], *some, *place)
            )
            self._shrink()

    def _entries(self, batch: Batch, ids: list[IntArray], rows: IntArray) -> Entries:
        if len(rows) < batch.size:
            batch, ids = batch.select(rows, ids)
        return Entries.of(batch, ids, self._scorer.order, self._scorer.lengths)

    def _digest_wordless(
        self,
        texts: Texts,
        digests: Digests,
        labels: Sequence[str],
        categories: dict[str, list[str]],
        numbers: dict[str, FloatArray],
    ) -> list[Row]:
        """Messages without a word are told apart by their bytes; rows of a table are never copies.

        Which of equal rows it is, only who sees all the data can tell: a part leaves them waiting.
        """
        waiting: list[Row] = []
        for i in np.flatnonzero(digests == 0).tolist():
            row: Row = (
                texts[i],
                *(v[i] for v in categories.values()),
                *(float(v[i]) for v in numbers.values()),
            )
            if len(row) > 1:
                row = (labels[i], *row)
                if self.partial:
                    waiting.append(row)
                    continue
                self._rows[row] += 1
            digests[i] = row_digest(row, self._rows[row])
        return waiting

    def _thinned(
        self,
        texts: Texts,
        labels: Sequence[str],
        digests: Digests,
        categories: dict[str, list[str]],
        numbers: dict[str, FloatArray],
    ) -> tuple[Batch, list[str], Digests, dict[str, list[str]], dict[str, FloatArray]]:
        """Leave out messages of large classes, chosen by digest: the same ones in any order of the data."""
        assert self.keep is not None
        share = np.array([self.keep.get(label, 1.0) for label in labels])
        rows = np.flatnonzero(digests.astype(np.float64) * 2.0**-64 < share)
        batch = extract(texts.select(rows), self.features)
        cats = {c: pick(v, rows) for c, v in categories.items()}
        return batch, pick(labels, rows), digests[rows], cats, {c: v[rows] for c, v in numbers.items()}

    def _shrink(self) -> None:
        self._parts, self._limit = shrunk(self._parts, self._limit, SAMPLE)

    def result(self) -> Partial:
        """What a part of the data gave, for `absorb`."""
        store, rows = self._tally.finish()
        return Partial(store, [renumbered(p, rows) for p in self._parts if p.entries.size], self._limit)

    def absorb(self, partials: Sequence[Partial]) -> None:
        """Take over what others have counted: the model is the same as if it had been counted here."""
        self._absorbed += partials

    def finish(self) -> SpamModel:
        """The trained model, with figures and calibration where there was enough to fold."""
        model, sample = self.counted()
        return model if sample is None else calibrated(model, sample, self.folds)[0]

    def counted(self) -> tuple[SpamModel, Sample | None]:
        """The model before calibration, and the sample to calibrate on if there is one."""
        counted = together([self.result(), *self._absorbed], SAMPLE)
        store, self._parts, self._limit = counted.store, counted.parts, counted.limit
        for part in self._parts:
            part.settle(self._rows)
        self._shrink()
        if len(store.labels) < 2:
            _refuse(store)
        positive = self.positive
        if len(store.labels) == 2 and positive not in store.labels:
            positive = store.labels[1]
        model = SpamModel(self.features, self.scoring, store, self.decision, _identity(store), positive)
        return model, self._sample(store)

    def _sample(self, store: CountStore) -> Sample | None:
        parts = [p for p in self._parts if p.entries.size]
        self._parts = []
        if not parts:
            return None
        index = {label: i for i, label in enumerate(store.labels)}
        labels = np.array([index[label] for p in parts for label in p.labels], np.int64)
        if np.bincount(labels, minlength=len(index)).min() < FEWEST:
            return None
        columns = {c: [v for p in parts for v in p.categories[c]] for c in parts[0].categories}
        numbers = {c: np.concatenate([p.numbers[c] for p in parts]) for c in parts[0].numbers}
        entries = Entries.concat([p.entries for p in parts])
        return Sample(entries, labels, np.concatenate([p.digests for p in parts]), columns, numbers)


@dataclass(frozen=True, slots=True)
class Held:
    """Out-of-fold results: true class indices, calibrated log-odds of the positive class (empty for K > 2),
    class probabilities (n, K), and how much of each message was known."""

    truth: IntArray
    log_odds: FloatArray
    proba: FloatArray
    known: IntArray


def calibrated(model: SpamModel, sample: Sample, k: int) -> tuple[SpamModel, Held]:
    """Fit the calibration on out-of-fold scores and keep the figures they give."""
    scores = out_of_fold(model.store, model.scoring, sample, k)
    width = len(model.labels)
    if width > 2:
        fitted = calibrations.fit(scores.damped, sample.labels, width)
        proba = np.nan_to_num(calibrations.probabilities(fitted.apply(scores.damped)), nan=1 / width)
        held = Held(sample.labels, np.zeros(0), proba, scores.known)
    else:
        plus = model.labels.index(model.positive)
        with np.errstate(invalid="ignore"):
            raw = scores.damped[:, plus] - scores.damped[:, 1 - plus]
        raw = np.where(np.isnan(raw), 0.0, raw)
        fitted = calibrations.fit(raw, (sample.labels == plus).astype(np.int64), 2)
        log_odds = np.clip(fitted.apply(raw), -LIMIT, LIMIT)
        proba = np.empty((len(raw), 2))
        proba[:, plus], proba[:, 1 - plus] = (
            calibrations.probability(log_odds),
            calibrations.probability(-log_odds),
        )
        held = Held(sample.labels, log_odds, proba, scores.known)
    figures = figures_of(model, held)
    meta: dict[str, Any] = {"folds": k, "sample": len(sample), "of": int(model.store.message_totals.sum())}
    return replace(model, calibration=fitted, figures=meta | figures.to_dict()), held


def figures_of(model: SpamModel, held: Held) -> Scores | MultiScores:
    """All measures of some predictions under the model's decision rule."""
    if len(model.labels) > 2:
        unsure = held.known == 0
        return evaluate_multi(held.truth, held.proba.argmax(axis=1), held.proba, model.labels, unsure)
    plus = model.labels.index(model.positive)
    p, decision = held.proba[:, plus], model.decision
    codes = decision.verdicts(p, held.known)
    costs = decision.cost_fp or 1.0, decision.cost_fn or 1.0
    return evaluate_binary(held.truth == plus, p, codes == SPAM, codes == UNSURE, *costs, held.log_odds)


def message_digests(batch: Batch) -> Digests:
    """A number for the words of each message: equal for equal words in any order, case or punctuation.

    It is 0 for a message without words.
    """
    sums = np.zeros(batch.size, np.uint64)
    for stream in batch.streams[:1]:
        if len(stream.rows):
            begin = changes(stream.rows)
            # Squares, because plain sums of keys that are letters agree for "a d" and "b c".
            sums[stream.rows[begin]] = np.add.reduceat(stream.keys * (stream.keys + np.uint64(1)), begin)
    return mix(sums)


def train(
    messages: Iterable[str | bytes],
    labels: Iterable[str],
    *,
    features: FeatureConfig | None = None,
    scoring: ScorerConfig | None = None,
    decision: Decision | None = None,
    positive: str = "spam",
    folds: int = FOLDS,
) -> SpamModel:
    """A model trained on these messages, calibrated by cross-validation like `spamnb train`.

    >>> model = train(["win a prize", "free prize", "see you", "ok see"], ["spam", "spam", "ham", "ham"])
    >>> model.predict(["a free prize"])
    ['spam']
    """
    texts, given = as_texts(messages), [str(label) for label in labels]
    if len(texts) != len(given):
        raise DataError(f"{len(texts)} messages but {len(given)} labels")
    trainer = Trainer(
        features or FeatureConfig(), scoring or ScorerConfig(), decision or Decision(), positive, folds
    )
    trainer.add(texts, given)
    return trainer.finish()


def _identity(store: CountStore) -> calibrations.Calibration:
    return calibrations.identity(len(store.labels))


def _refuse(store: CountStore) -> None:
    only = (
        f"all {int(store.message_totals.sum())} are {store.labels[0]!r}" if store.labels else "there are none"
    )
    raise DataError(
        f"training needs messages of at least two classes, but {only}",
        hint="check the label column (--label-column) and which label means spam (--spam-label)",
    )

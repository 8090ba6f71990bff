"""Fits a correction of naive Bayes weights: a penalised logistic regression on top of its log-odds.

    log-odds_j = slope raw_j + offset + sum_i n_ij v_i |w_i| / m_j^d + v_0         penalty |v|^2 / (2 C)

raw_j is the naive Bayes score of message j by counts without j, w_i the naive Bayes weight of token i (Wang
and Manning, ACL 2012, scale by it too), m^d the damping. A token with much evidence in the counts may be
corrected much. The fitted values are divided by the slope and kept as a Correction of the weights.

Chosen on folds of training parts of SMS Spam Collection and of the SpamAssassin mails, among some 60
settings: fitting what naive Bayes leaves over took (1-AUC)% on mail from 0.049 to 0.027 (0.022 to 0.034 over
all C, scalings and row lengths tried with it), a weighted mean with a linear model of its own to 0.033 at
best. C of 30, 100 and 300 differ little. Leaving out the tokens of single messages made SMS worse (0.171 to
0.184).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from spamnb.core import BoolArray, FloatArray, IntArray, Record, can_fork, ordered_map, row_sums
from spamnb.counts import CountStore, Entries
from spamnb.features import LACKING_KEYS, SHAPE
from spamnb.model import Correction, Platt, SpamModel, damping_scale, log_odds_of, weighted
from spamnb.scorers import Scorer, Stats, make
from spamnb.settings import TrainingConfig
from spamnb.training.cross_validation import FoldCorrections, FoldScores, score_fold
from spamnb.training.default_evidence_limit import are_short
from spamnb.training.fit_calibration import FEW, fit_linear
from spamnb.training.fold_counts import FoldCounts
from spamnb.training.logistic_regression import TOLERANCE, Pattern, SparseRows, fit
from spamnb.training.sampling import WHOLE, Sample

_LARGEST_WEIGHT = 1e30  # larger ones do not fit into 32 bits
STRENGTH = 100.0  # C, with rows whose mean squared length is 1
# Entries of the sample, some 300 SMS or 40 mails: with fewer and a base model, `auto` fits nothing. Set after
# a look at draws of three corpora with a ready-made base; of those that kept a correction, it lowered the log
# loss in 1 of 59 (20 to 160 SMS of the smishing set), in 67 of 73 (40 to 640 texts of Enron), and in 16 of 32
# (40 to 160 mails of SpamAssassin, a run that was not completed). Without a base: 52 of 95, 59 of 72 and 28
# of 38.
FEWEST = 10_000
# In short messages with bigrams the scale of a shape is so many times |w|; it raised the log loss of Enron's
# long ones by a tenth.
SHAPES = 4.0
# The most that a shape may say after the correction, for or against, if it states what a message lacks (no
# link, no number, few letters): such evidence must not decide alone. Without it a model of the sample (178
# ham and no spam have 40 to 59 letters) gave this length a weight of -86 and a typed prize P = 0.000002, and
# now 0.4. Chosen on splits of training parts of SMS Spam Collection (docs/internals/quality.md).
LARGEST_LACKING = 3.0
LOOSE = 0.1  # the tolerance with freer shapes: 0.01 took twice as many steps for the same metrics on splits
SHARES = (0.25, 0.5, 0.75)  # of the correction that may be kept, besides all and nothing
Weights = NDArray[np.float32]


class Refined(Record):
    """The correction (None: not worth it), out-of-fold log-odds before calibration, and a note.

    `by_fold` has the corrections fitted without each fold, of which the log-odds come.
    """

    correction: Correction | None
    raw: FloatArray
    note: str
    by_fold: FoldCorrections


def refused(model: SpamModel, mode: str) -> str:
    """Returns why no correction can be fitted, or nothing."""
    if len(model.labels) != 2:
        return f"needs two classes, got {len(model.labels):,}"
    if not make(model.scoring).linear:
        return f"needs a scorer that adds up weights, got {model.scoring.name}"
    if mode == "auto" and int(model.store.message_totals.sum()) > WHOLE:
        return f"left out with more than {WHOLE:,} messages (--set refine=yes does it)"
    return ""


def too_few(sample: Sample, base: bool) -> str:
    """Returns why few messages, or a few more with a base model, get no correction; or nothing."""
    if len(sample) < FEW:
        return f"no: left out with fewer than {FEW} messages (--set refine=yes does it)"
    if not base or len(sample.entries.ids) >= FEWEST:
        return ""
    few = f"with a base model and fewer than {FEWEST:,} tokens in all messages"
    return f"no: left out {few} (--set refine=yes does it)"


def fit_correction(model: SpamModel, sample: Sample, scores: FoldScores, training: TrainingConfig) -> Refined:
    """Fits a correction and keeps the share of it with the least out-of-fold log loss; `auto` may keep none.

    Chosen on splits of training parts of SMS Spam Collection (6 times 4, seeds 300 to 305): (1-AUC)% 0.207
    and log loss .0260; all or nothing 0.219 and .0264, always all 0.218 and .0266. Of mail all is kept.
    """
    store, plus, mode = model.store, model.labels.index(model.positive), training.refine
    positive, raw = sample.labels == plus, log_odds_of(scores.damped, plus)
    if reason := refused(model, mode):
        return Refined(None, raw, f"no: {reason}", {})
    # Spawned workers would need a copy of the whole sample.
    fitted = _Folds.of(model, sample, scores).fit(training.jobs if can_fork() else 1)
    if fitted is None:
        return Refined(
            None, raw, "no: scores of naive Bayes are infinite or do not rise with the right class", {}
        )
    corrected, by_fold, (added, bias) = fitted
    losses = {s: float(log_losses(raw + s * (corrected - raw), positive).mean()) for s in (0.0, *SHARES, 1.0)}
    choices = [s for s in losses if s or mode != "yes"]
    share = min(choices, key=lambda s: (losses[s], s))
    loss = f"out-of-fold log loss {losses[0.0]:.4f} without"
    if not share:
        return Refined(None, raw, f"no: {loss}, {losses[1.0]:.4f} with", {})
    correction = Correction(store.keys, added, bias, model.positive, int(store.message_totals.sum()))
    answer = "yes" if share == 1.0 else f"yes, at {share:.0%} strength"
    raw = raw + share * (corrected - raw)
    shares = {f: (share * v, share * v_0) for f, (v, v_0) in by_fold.items()}
    return Refined(correction.times(share), raw, f"{answer}: {loss}, {losses[share]:.4f} with", shares)


def scale_factors(store: CountStore) -> FloatArray:
    """Returns how many times |w| the scale of each token is: shapes are few, and every message has them."""
    if not store.gram_vocabulary or not are_short(store):
        return np.ones(store.vocabulary)
    return np.where(store.kinds == SHAPE, SHAPES, 1.0)


def bounds(store: CountStore) -> FloatArray:
    """Returns the largest weight of each token after the correction, for and against."""
    bounded = np.isin(store.keys, LACKING_KEYS) & (scale_factors(store) > 1.0)
    return np.where(bounded, LARGEST_LACKING, np.inf)


def log_losses(raw: FloatArray, positive: BoolArray) -> FloatArray:
    """Computes the log loss of each message after calibration."""
    z = fit_linear(raw, positive.astype(np.int64), 2).apply(raw)
    return np.asarray(np.logaddexp(0.0, np.where(positive, -z, z)))


class _Regression:
    """Fits to the same messages, each time with some of them left out; their pattern is computed once."""

    def __init__(self, scorer: Scorer, entries: Entries, store: CountStore, positive: BoolArray) -> None:
        self._factors, self._bounds, self._positive = scale_factors(store), bounds(store), positive
        times = None if scorer.once else entries.counts.astype(np.float64)
        self._pattern = Pattern.of(entries.size, store.vocabulary, entries.rows, entries.ids, times)
        self._damping = damping_scale(np.bincount(entries.rows, minlength=entries.size), scorer.config)
        self._tolerance = LOOSE if self._factors.max(initial=1.0) > 1.0 else TOLERANCE

    def fit(self, rows: IntArray, raw: FloatArray, weights: FloatArray) -> tuple[Weights, float] | None:
        """Returns what to add to the weight of each token, and to each score.

        `raw` are the scores of the messages `rows`, which are fitted. None: naive Bayes is of no use.
        """
        if not (np.isfinite(raw).all() and np.isfinite(weights).all()):
            return None
        line = fit_linear(raw, self._positive[rows].astype(np.int64), 2)
        if not isinstance(line, Platt) or line.note:
            return None
        fitted, offset = np.zeros(len(self._positive)), np.zeros(len(self._positive))
        fitted[rows], offset[rows] = 1.0, line.apply(raw)
        row_scale, scale = self._damping * fitted, np.abs(weights) * self._factors
        mean = float(np.sum(self._pattern.lengths(scale) * row_scale**2)) / max(len(rows), 1)
        scale = scale / max(np.sqrt(mean), 1e-100)
        x, target = SparseRows.of(self._pattern, row_scale, scale), np.where(self._positive, 1.0, -1.0)
        v, bias = fit(x, target, offset, STRENGTH * fitted, self._tolerance)
        added = np.clip(v * scale / line.slope, -self._bounds - weights, self._bounds - weights)
        if not np.all(np.abs(added) < _LARGEST_WEIGHT):  # beside a column of 1e20 and the like
            return None
        return added.astype(np.float32), bias / line.slope


class _Folds(Record):
    """A sample in folds, for fits without one of them or with all."""

    store: CountStore
    scorer: Scorer
    sample: Sample
    scores: FoldScores
    counts: FoldCounts
    regression: _Regression
    plus: int

    @classmethod
    def of(cls, model: SpamModel, sample: Sample, scores: FoldScores) -> _Folds:
        assert scores.counts is not None
        scorer, plus = make(model.scoring), model.labels.index(model.positive)
        regression = _Regression(scorer, sample.entries, model.store, sample.labels == plus)
        return cls(model.store, scorer, sample, scores, scores.counts, regression, plus)

    def fit(self, jobs: int) -> tuple[FloatArray, FoldCorrections, tuple[Weights, float]] | None:
        """Returns corrected scores of each fold by a fit without it, those fits, and the fit to all."""
        before, corrected = self._scores_without_pairs(), log_odds_of(self.scores.damped, self.plus)
        filled = [f for f, rows in enumerate(self.counts.rows) if len(rows)]

        def fit_without(f: int | None) -> tuple[Weights, float] | None:
            return self._fit_all() if f is None else self._fit_without(f, before[f])

        *fits, correction = ordered_map(fit_without, [*filled, None], jobs)
        by_fold = {f: fitted for f, fitted in zip(filled, fits, strict=True) if fitted is not None}
        for f, (added, bias) in by_fold.items():
            corrected[self.counts.rows[f]] += self._added_to(f, added) + bias
        if correction is None or len(by_fold) < len(filled) or not np.isfinite(corrected).all():
            return None
        return corrected, by_fold, correction

    def _fit_all(self) -> tuple[Weights, float] | None:
        raw = log_odds_of(self.scores.damped, self.plus)
        return self.regression.fit(np.arange(len(raw)), raw, self._weights(Stats.of(self.store)))

    def _fit_without(self, f: int, before: FloatArray) -> tuple[Weights, float] | None:
        """Returns the correction fitted without fold f; `before` are scores without f."""
        outside = np.flatnonzero(self.counts.fold != f)
        stats, present = self.counts.stats([f], every=True)
        return self.regression.fit(outside, before[outside], np.where(present, self._weights(stats), 0.0))

    def _added_to(self, f: int, added: Weights) -> FloatArray:
        """Returns what a correction of weights adds to the scores of fold f."""
        inside = self.counts.rows[f]
        sums = correction_sums(self.scorer, self.sample.entries.select(inside), added)
        return sums * self.scores.scale[inside]

    def _weights(self, stats: Stats) -> FloatArray:
        return log_odds_of(self.scorer.estimate(weighted(stats, self.scorer.config)), self.plus)

    def _scores_without_pairs(self) -> FloatArray:
        """Computes (k, n): the score of message j by counts without fold f and without the fold of j.

        Two processes took half as long again as one: forked ones have all their memory yet to touch.
        """
        rows, out = self.counts.rows, np.zeros((len(self.counts.rows), len(self.sample)))
        for f, g in combinations(range(len(rows)), 2):
            damped = score_fold(self.store, self.scorer, self.sample, self.counts.take_out((f, g)))[0]
            out[g, rows[f]], out[f, rows[g]] = np.split(log_odds_of(damped, self.plus), [len(rows[f])])
        return out


def correction_sums(scorer: Scorer, entries: Entries, added: Weights) -> FloatArray:
    """Computes what a correction adds to each message before damping."""
    values = added[entries.ids].astype(np.float64)
    return row_sums(entries.rows, values if scorer.once else values * entries.counts, entries.size)

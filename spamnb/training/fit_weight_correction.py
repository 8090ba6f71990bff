"""Learns what naive Bayes gets wrong: a penalised logistic regression that starts from its log-odds.

    log-odds_j = slope raw_j + offset + sum_i n_ij v_i |w_i| / m_j^d + v_0         penalty |v|^2 / (2 C)

raw_j is the score of message j by naive Bayes that has not seen j, w_i the weight that naive Bayes gives to
token i (Wang and Manning, ACL 2012, scale by it too), m^d the damping. A token about which the counts say
much may be corrected much. What is found is divided by the slope and kept as a Correction of the weights.

Chosen on folds of training parts of SMS Spam Collection and of the SpamAssassin mails, among some 60
settings: fitting what naive Bayes leaves over took (1-AUC)% on mail from 0.049 to 0.027 (0.022 to 0.034 over
all C, scalings and row lengths tried with it), a weighted mean with a linear model of its own to 0.033 at
best. C of 30, 100 and 300 differ little. Leaving out the tokens of single messages made SMS worse (0.171 to
0.184).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray, Record, can_fork, ordered_map, row_sums
from spamnb.counts import CountStore, Entries
from spamnb.features import SHAPE
from spamnb.model import Correction, Platt, calibration as calibrations, damping_scale, log_odds_of, weighted
from spamnb.scorers import Scorer, Stats, make
from spamnb.settings import ScorerConfig
from spamnb.training.cross_validation import FoldScores, Sample, score_fold
from spamnb.training.fold_counts import FoldCounts
from spamnb.training.logistic_regression import TOLERANCE, Pattern, SparseRows, fit

_LARGEST_WEIGHT = 1e30  # more is not said with 32 bits
STRENGTH = 100.0  # C, with rows whose mean squared length is 1
LARGEST = 50_000  # messages; with more, `auto` leaves the streaming speed alone
# Entries of the sample, some 300 SMS or 40 mails: with fewer beside a start, `auto` fits nothing. Set after a
# look at draws of three corpora with a ready-made start; of those that kept a correction, it lowered the log
# loss in 1 of 59 (20 to 160 SMS of the smishing set), in 67 of 73 (40 to 640 texts of Enron), and in 16 of 32
# (40 to 160 mails of SpamAssassin, a run that was not taken to its end). Alone: 52 of 95, 59 of 72, 28 of 38.
FEWEST = 10_000
MODES = ("auto", "yes", "no")
SHAPES = 4.0  # of short messages read with pairs: a shape's scale in place of |w| is so many times that
SHORT = (
    100  # tokens of the mean message; Enron's have 342, and with freer shapes their log loss rose by a tenth
)
LOOSE = 0.1  # TOLERANCE with them: 0.01 took twice as many steps for the same figures on splits
PARTS = (0.25, 0.5, 0.75)  # of the correction that may be kept, beside all and nothing


class Refined(Record):
    """The correction (None: not worth it), out-of-fold log-odds before calibration, and what happened."""

    correction: Correction | None
    raw: FloatArray
    note: str


def refused(store: CountStore, config: ScorerConfig, mode: str) -> str:
    """Why no correction is fitted, or nothing."""
    if len(store.labels) != 2:
        return f"needs two classes, got {len(store.labels)}"
    if not make(config).linear:
        return f"needs a scorer that adds up weights, got {config.name}"
    if config.max_evidence:
        return "needs every token of a message, got --max-evidence"
    messages = int(store.message_totals.sum())
    if mode == "auto" and messages > LARGEST:
        return f"left out with more than {LARGEST:,} messages (--refine yes does it)"
    return ""


def too_few(sample: Sample) -> str:
    """Why nothing is corrected beside a start, or nothing: the start is better than what so few can say."""
    if len(sample.entries.ids) >= FEWEST:
        return ""
    return (
        f"no: left out with a start and fewer than {FEWEST:,} tokens in all messages (--refine yes does it)"
    )


def refine(
    store: CountStore,
    config: ScorerConfig,
    sample: Sample,
    scores: FoldScores,
    label: str,
    mode: str,
    jobs: int = 1,
) -> Refined:
    """Fit a correction and keep the part of it that gives the least out-of-fold log loss, `auto` maybe none.

    Chosen on splits of training parts of SMS Spam Collection (6 times 4, seeds 300 to 305): (1-AUC)% 0.207
    and log loss .0260; all or nothing 0.219 and .0264, always all 0.218 and .0266. Of mail all is kept.
    """
    plus = store.labels.index(label)
    positive, raw = sample.labels == plus, log_odds_of(scores.damped, plus)
    if reason := refused(store, config, mode):
        return Refined(None, raw, f"no: {reason}")
    fitted = _Folds.of(store, config, sample, scores, plus).fitted(jobs if can_fork() else 1)
    if fitted is None:
        return Refined(
            None, raw, "no: scores of naive Bayes are infinite or do not rise with the right class"
        )
    better, found = fitted[0], Correction(store.keys, *fitted[1], label, int(store.message_totals.sum()))
    before, after = losses(raw, positive).mean(), losses(better, positive).mean()
    shares = {share: losses(raw + share * (better - raw), positive).mean() for share in PARTS}
    shares |= {1.0: after} if mode == "yes" else {0.0: before, 1.0: after}
    share = min(shares, key=lambda share: (shares[share], share))
    if not share:
        return Refined(None, raw, f"no: out-of-fold log loss {before:.4f} without, {after:.4f} with")
    kept = "yes" if share == 1.0 else f"yes, {share:.0%} of it"
    told = f"{kept}: out-of-fold log loss {before:.4f} without, {shares[share]:.4f} with"
    return Refined(found.times(share), raw + share * (better - raw), told)


def freedom(store: CountStore) -> FloatArray:
    """How many times |w| the scale of each token is: there are few shapes, and every message has them."""
    short = store.presence_totals.sum() < SHORT * store.message_totals.sum()
    shapes = SHAPES if store.gram_vocabulary and short else 1.0
    return np.where(store.kinds == SHAPE, shapes, 1.0)


def losses(raw: FloatArray, positive: NDArray[np.bool_]) -> FloatArray:
    """Log loss of each message once the scores are calibrated."""
    z = calibrations.fit(raw, positive.astype(np.int64), 2).apply(raw)
    return np.asarray(np.logaddexp(0.0, np.where(positive, -z, z)))


class _Fits:
    """Fits to the same messages, each with some of them left out; what they share is worked out once."""

    def __init__(
        self, scorer: Scorer, entries: Entries, freedom: FloatArray, positive: NDArray[np.bool_]
    ) -> None:
        times = None if scorer.once else entries.counts.astype(np.float64)
        self._pattern = Pattern.of(entries.size, len(freedom), entries.rows, entries.ids, times)
        self._damping = damping_scale(np.bincount(entries.rows, minlength=entries.size), scorer.config)
        self._positive, self._freedom = positive, freedom
        self._tolerance = LOOSE if freedom.max(initial=1.0) > 1.0 else TOLERANCE

    def fit(
        self, rows: IntArray, raw: FloatArray, weights: FloatArray
    ) -> tuple[NDArray[np.float32], float] | None:
        """What to add to the weight of each token, and to each score; None where naive Bayes has no use.

        `raw` are the scores of the messages `rows`, which are fitted.
        """
        there, offset = np.zeros(len(self._positive)), np.zeros(len(self._positive))
        there[rows] = 1.0
        positive, row_scale = self._positive, self._damping * there
        if not (np.isfinite(raw).all() and np.isfinite(weights).all()):
            return None
        line = calibrations.fit(raw, positive[rows].astype(np.int64), 2)
        if not isinstance(line, Platt) or line.note:
            return None
        offset[rows] = line.apply(raw)
        scale = np.abs(weights) * self._freedom
        mean = float(np.sum(self._pattern.lengths(scale) * row_scale**2)) / max(len(rows), 1)
        scale = scale / max(np.sqrt(mean), 1e-100)
        x = SparseRows.of(self._pattern, row_scale, scale)
        v, bias = fit(x, np.where(positive, 1.0, -1.0), offset, STRENGTH * there, self._tolerance)
        found = v * scale / line.slope
        if not np.all(np.abs(found) < _LARGEST_WEIGHT):  # beside a column of 1e20 and the like
            return None
        return found.astype(np.float32), bias / line.slope


class _Folds(Record):
    """All that fitting without one fold, or with all of them, needs."""

    store: CountStore
    scorer: Scorer
    sample: Sample
    scores: FoldScores
    counts: FoldCounts
    fits: _Fits
    plus: int

    @classmethod
    def of(
        cls, store: CountStore, config: ScorerConfig, sample: Sample, scores: FoldScores, plus: int
    ) -> _Folds:
        assert scores.counts is not None
        scorer = make(config)
        fits = _Fits(scorer, sample.entries, freedom(store), sample.labels == plus)
        return cls(store, scorer, sample, scores, scores.counts, fits, plus)

    def weights(self, stats: Stats) -> FloatArray:
        return log_odds_of(self.scorer.weights(weighted(stats, self.scorer.config)), self.plus)

    def whole(self) -> tuple[NDArray[np.float32], float] | None:
        """What to add to the weights and to each score, fitted to the whole sample."""
        raw = log_odds_of(self.scores.damped, self.plus)
        return self.fits.fit(np.arange(len(raw)), raw, self.weights(Stats.of(self.store)))

    def held(self, f: int, before: FloatArray) -> FloatArray | None:
        """What a correction that never saw fold f adds to its scores; `before` are scores without f."""
        held, rest = self.counts.rows[f], np.flatnonzero(self.counts.fold != f)
        stats, there = self.counts.stats([f], every=True)
        found = self.fits.fit(rest, before[rest], np.where(there, self.weights(stats), 0.0))
        if found is None:
            return None
        added, bias = found
        return sums(self.scorer, self.sample.entries.select(held), added) * self.scores.scale[held] + bias

    def pair(self, pair: tuple[int, int]) -> FloatArray:
        """The scores of the messages of two folds by counts without both."""
        return log_odds_of(
            score_fold(self.store, self.scorer, self.sample, self.counts.take_out(pair))[0], self.plus
        )

    def pairwise(self) -> FloatArray:
        """(k, n): the score of message j by counts without fold f and without the fold of j.

        Two processes took half as long again as one: copies of this one have all their memory yet to touch.
        """
        rows = self.counts.rows
        out, pairs = np.zeros((len(rows), len(self.sample))), list(combinations(range(len(rows)), 2))
        for (f, g), raw in zip(pairs, map(self.pair, pairs), strict=True):
            out[g, rows[f]], out[f, rows[g]] = np.split(raw, [len(rows[f])])
        return out

    def fitted(self, jobs: int) -> tuple[FloatArray, tuple[NDArray[np.float32], float]] | None:
        """Corrected scores of each fold by counts and a correction that never saw it; and fitted to all."""
        before, out = self.pairwise(), log_odds_of(self.scores.damped, self.plus)
        filled = [f for f, rows in enumerate(self.counts.rows) if len(rows)]

        def work(f: int | None) -> Any:
            return self.whole() if f is None else self.held(f, before[f])

        *added, correction = ordered_map(work, [*filled, None], jobs)
        for f, found in zip(filled, added, strict=True):
            if found is None:
                return None
            out[self.counts.rows[f]] += found
        return (out, correction) if correction is not None and np.isfinite(out).all() else None


def sums(scorer: Scorer, entries: Entries, added: NDArray[np.float32]) -> FloatArray:
    """What a correction adds to each message before damping."""
    values = added[entries.ids].astype(np.float64)
    return row_sums(entries.rows, values if scorer.once else values * entries.counts, entries.size)

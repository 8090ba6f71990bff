"""Classifies mails in the order they came and learns each at once, as a filter with an eager owner does.

`SpamModel.learn` makes a new model, which is the wrong tool for 10,000 single steps. Here the counts grow in
place; the scorer, its statistics and the damping are those of the model. A test compares the two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spamnb.core.arrays import FloatArray
from spamnb.counts.entries import Entries
from spamnb.counts.key_table import KeyTable
from spamnb.features import extract
from spamnb.features.batch import Batch
from spamnb.messages import Texts
from spamnb.model import calibration
from spamnb.model.scoring_engine import damping_scale
from spamnb.scorers import make
from spamnb.scorers.base import ClassTotals, Stats
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training import fit_linear
from spamnb.training.threshold import MAIL_MAX_FPR, cautious_cutoff

_REFIT = 100  # messages after which slope, offset and line are fitted again to the scores so far


class Online:
    """Counts of ham (0) and spam (1) that grow by one message at a time."""

    def __init__(self, features: FeatureConfig | None = None, scoring: ScorerConfig | None = None) -> None:
        self.features = features or FeatureConfig.usual(mail=True)
        self.scorer = make(scoring or ScorerConfig())
        self.table = KeyTable()
        self.counts = np.zeros((2, 1 << 16, 2))  # N_ic and D_ic
        self.totals = np.zeros(2)
        self.sums = np.zeros((2, 2))  # N_c and the sum over tokens of D_ic

    def extract(self, message: Texts) -> Batch:
        return extract(message, self.features)

    def score(self, batch: Batch) -> float:
        """Damped log-odds of spam, not calibrated; 0 as long as a class is missing."""
        if not self.totals.all():
            return 0.0
        entries = self._entries(batch)
        rows = entries.ids
        seen = Entries(1, entries.rows, np.arange(len(rows)), entries.counts)
        joint = self.scorer.joint(seen, self._stats(rows)) * damping_scale(
            np.array([len(rows)]), self.scorer.config
        )
        return float(joint[0, 1] - joint[0, 0])

    def learn(self, batch: Batch, spam: bool) -> None:
        for stream in batch.streams:
            new = np.unique(stream.keys[self.table.find(stream.keys) < 0])
            self.table.add(new)
        while self.table.size > self.counts.shape[1]:
            self.counts = np.concatenate((self.counts, np.zeros_like(self.counts)), axis=1)
        entries = self._entries(batch)
        self.counts[0, entries.ids, int(spam)] += entries.counts
        self.counts[1, entries.ids, int(spam)] += 1
        self.totals[int(spam)] += 1
        self.sums[:, int(spam)] += entries.counts.sum(), len(entries.ids)

    def _entries(self, batch: Batch) -> Entries:
        return Entries.of(batch, [self.table.find(stream.keys) for stream in batch.streams])

    def _stats(self, rows: NDArray[np.int64]) -> Stats:
        tokens, messages = self.counts[:, rows]
        (all_tokens, all_messages), size = self.sums, self.table.size
        grams = np.zeros(len(rows), bool)  # mail is read by single words
        totals = ClassTotals(all_tokens, all_messages, self.totals, all_tokens)
        return Stats(tokens, messages, totals, grams, size, size, 0)


def prequential(texts: list[Texts], spam: NDArray[np.bool_]) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Log-odds of each mail before it was learned, and whether it was called spam.

    Slope, offset and line come from the scores of the mails before it, as `spamnb train` takes them from
    out-of-fold scores.
    """
    filter, raw = Online(), np.zeros(len(texts))
    log_odds, called = np.zeros(len(texts)), np.zeros(len(texts), bool)
    fit: calibration.Calibration = calibration.Platt()
    line = 0.0
    for i, message in enumerate(texts):
        if i and i % _REFIT == 0:
            fit = fit_linear(raw[:i], spam[:i].astype(np.int64), 2)
            line = cautious_cutoff(fit.apply(raw[:i][~spam[:i]]), MAIL_MAX_FPR)
        batch = filter.extract(message)
        raw[i] = filter.score(batch)
        log_odds[i] = float(fit.apply(raw[i]))
        called[i] = log_odds[i] >= line and i >= _REFIT
        filter.learn(batch, bool(spam[i]))
    return log_odds, called

"""Scores batches of tokenised messages: calibrated log-odds, verdicts and probabilities."""

from __future__ import annotations

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.features import Batch
from spamnb.messages import Categories, Numbers
from spamnb.model.base_model import FOLLOWS
from spamnb.model.calibration import LIMIT
from spamnb.model.model_parts import ModelParts
from spamnb.model.predictions import Predictions, all_probabilities, predict_classes, predict_pair
from spamnb.model.raw_scores import RawScores
from spamnb.model.scoring_engine import log_odds_of
from spamnb.model.unsure_verdicts import Verdicts, decide


class BatchScorer(ModelParts):
    """A model that scores messages by their evidence alone, once they are tokenised."""

    def score_batch(
        self, batch: Batch, categories: Categories = None, numbers: Numbers = None
    ) -> Predictions:
        """Scores messages that were tokenised with this model's features, by their evidence alone."""
        pair, scored = self.pair, self._scored(batch, *self.own_columns(categories, numbers))
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

    def _scored(self, batch: Batch, categories: Categories, numbers: Numbers) -> RawScores:
        scored = self.engine.score(batch, categories, numbers, self.min_known_words is not None)
        by_share = self.calibration.note == FOLLOWS
        return scored if self.active_base is None else self.active_base.add_to(scored, batch, by_share)

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
        """Returns (n, K): the probability of every class, in the order of `labels`."""
        return all_probabilities(self, predictions)

    def expected_costs(self, predictions: Predictions) -> FloatArray | None:
        """Returns (n, K): the expected cost of each verdict; None if the decision states no cost."""
        table = self.decision.cost_table_of(self.labels, self.positive)
        return None if table is None else np.einsum("nt,tv->nv", self.proba(predictions), table)

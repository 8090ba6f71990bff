"""Decides how many tokens of a message count as evidence against spam, unless that is stated.

Good words appended to spam make a filter call it ham; a limit on the number of tokens against spam
(`scorers.evidence_limits`) keeps most of it. In a long message a few such tokens are too few: of Enron's
mails 2.2% were wrong with the limit, 0.6% without.

Chosen on splits of training parts of SMS Spam Collection (16, seeds 200 to 215): recall with 30 good words
and (1-AUC)% were 33% and .165 without a limit, 88% and .213 with 7 tokens, 86% and .207 with 8. With a limit
of 5 on the weight of one token, 10 tokens gave 88% and .223. On the first 6 of them 10 tokens gave 82% and
.190, and 8 gave 86% and .193. Fitting the correction to the tokens that count made all of it worse.
"""

from __future__ import annotations

from spamnb.counts import CountStore
from spamnb.settings import FeatureConfig, ScorerConfig

MAX_EVIDENCE = 8  # tokens
SHORT = 100  # tokens of the mean message; Enron has 342, SMS have 40


def are_short(store: CountStore) -> bool:
    """Returns whether the mean message is short."""
    return bool(store.presence_totals.sum() < SHORT * store.message_totals.sum())


def with_usual_limit(scoring: ScorerConfig, features: FeatureConfig, store: CountStore) -> ScorerConfig:
    """Returns settings with a limit on evidence, if short messages are read and scored as is usual."""
    default = ScorerConfig()
    tuned = (scoring.name, scoring.textbook) == (default.name, default.textbook) and features.shapes
    usual = tuned and len(store.labels) == 2 and are_short(store)
    return scoring.with_max_evidence(MAX_EVIDENCE if usual else 0)

"""Decides how much the tokens of a message may count against spam, unless that is stated.

Good words appended to spam make a filter call it ham; a limit on the evidence against spam
(`scorers.evidence_limits`) keeps most of it. In a long message it leaves too little of such evidence: of
Enron's mails 3.0% were wrong with the limit, 0.7% without.

Chosen on splits of training parts of SMS Spam Collection (60, seeds 200 to 219): recall with 30 good words
and (1-AUC)% were 34% and .125 without a limit, 90% and .135 with 7 times the strongest token, 89% and .132
with 8, 84% and .133 with 10. docs/internals/decisions.md has the other rules that were tried.
"""

from __future__ import annotations

from spamnb.counts import CountStore
from spamnb.settings import FeatureConfig, ScorerConfig

MAX_EVIDENCE = 8  # tokens like the strongest one against spam
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

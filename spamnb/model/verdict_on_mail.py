"""Writes the verdict of a model into the header of a mail."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from spamnb._version import __version__
from spamnb.core import Record
from spamnb.mail import Limits, annotate, mail_texts, parse_mail
from spamnb.model.calibration import LIMIT
from spamnb.model.spam_class import require_spam
from spamnb.model.spamassassin_score import REQUIRED, spam_level, spam_score

if TYPE_CHECKING:
    from spamnb.model.explanation import Explanation
    from spamnb.model.predictions import Predictions
    from spamnb.model.spam_model import SpamModel


class MailVerdict(Record):
    """The verdict on one mail: `score` is on SpamAssassin's scale, `probability` and `log_odds` of spam."""

    label: str
    is_spam: bool
    probability: float
    log_odds: float
    score: float
    listed: str = ""


def with_verdict(
    raw: bytes, model: SpamModel, limits: Limits, explain: Callable[[Explanation], str]
) -> bytes:
    """Writes the verdict of the model into the header of a mail; `explain` adds an explanation as one line.

    A model without a class for spam is refused: X-Spam-Flag would claim what no one has labelled.
    """
    require_spam(model.labels, "X-Spam-Flag")
    mail = parse_mail(raw, limits)
    texts = mail_texts([mail])
    verdict = mail_verdict(model, model.score(texts))
    return annotate(raw, verdict_fields(verdict, [explain(model.explain(texts)), *mail.notes]))


def mail_verdict(model: SpamModel, predictions: Predictions, row: int = 0) -> MailVerdict:
    """Returns the verdict on one of the mails; the predictions may be about another class than spam."""
    spam = require_spam(model.labels, "a verdict on mail")
    label = predictions.names[predictions.codes[row]]
    if _has_threshold(model, spam):
        p, log_odds = float(predictions.probability[row]), float(predictions.log_odds[row])
        threshold = _threshold_log_odds(model)
        evidence = log_odds if _follows_log_odds(predictions, row) else _log_odds(p, 1 - p)
    else:
        p, log_odds = _class_odds(model, predictions, spam, row)
        threshold, evidence = 0.0, log_odds
    is_spam = label in spam
    score = spam_score(evidence, threshold, is_spam)
    return MailVerdict(label, is_spam, p, log_odds, score, predictions.listed_entry(row))


def _has_threshold(model: SpamModel, spam: tuple[str, ...]) -> bool:
    """Tells whether the threshold is one for spam: among more classes the likeliest is the verdict."""
    return len(model.labels) == 2 and spam == (model.positive,)


def _threshold_log_odds(model: SpamModel) -> float:
    decision = model.decision.for_classes(model.labels, model.positive)
    if decision.log_odds_threshold is not None:
        return decision.log_odds_threshold
    return _log_odds(decision.threshold, 1 - decision.threshold)


def _follows_log_odds(predictions: Predictions, row: int) -> bool:
    """Tells whether nothing but the evidence decides the probability: no lesson, no list, no lack of it."""
    return not (
        predictions.lacks_evidence[row] or predictions.taught_label(row) or predictions.listed_entry(row)
    )


def _class_odds(
    model: SpamModel, predictions: Predictions, spam: tuple[str, ...], row: int
) -> tuple[float, float]:
    """Computes P(spam) and its log-odds from the probabilities of all classes."""
    proba = dict(zip(model.labels, model.proba(predictions)[row].tolist(), strict=True))
    p, other = sum(proba[name] for name in spam), sum(q for name, q in proba.items() if name not in spam)
    return min(p, 1.0), _log_odds(p, other)


def _log_odds(p: float, other: float) -> float:
    return math.log(p / other) if p and other else math.copysign(LIMIT, p - other)


def verdict_fields(verdict: MailVerdict, remarks: list[str]) -> list[tuple[str, str]]:
    """Returns the header fields, in the words that mail programs and sieve scripts look for."""
    status = f"{'Yes' if verdict.is_spam else 'No'}, score={verdict.score:.1f} required={REQUIRED:.1f}"
    listed = [f"listed: {verdict.listed}"] if verdict.listed else []
    if any(remark.startswith("listed: ") for remark in remarks):
        listed = []  # the explanation begins with it
    p = f"p={verdict.probability:.4f}, log_odds={verdict.log_odds:.2f}"
    return [
        ("X-Spam-Flag", "YES" if verdict.is_spam else "NO"),
        ("X-Spam-Status", f"{status} tests=spamnb version={__version__}"),
        ("X-Spam-Score", f"{verdict.score:.1f}"),
        ("X-Spam-Level", spam_level(verdict.score)),
        (
            "X-Spamnb",
            "; ".join([f"{verdict.label}, {p}, version={__version__}", *listed, *filter(None, remarks)]),
        ),
    ]

"""Writes the verdict of a model into the header of a mail."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from spamnb._version import __version__
from spamnb.mail import Limits, annotate, mail_texts, parse_mail
from spamnb.model.calibration import LIMIT
from spamnb.model.decision import probability_text
from spamnb.model.spam_class import require_spam

if TYPE_CHECKING:
    from spamnb.model.explanation import Explanation
    from spamnb.model.predictions import Predictions
    from spamnb.model.spam_model import SpamModel


def with_verdict(
    raw: bytes, model: SpamModel, limits: Limits, explain: Callable[[Explanation], str] | None = None
) -> bytes:
    """The mail with the verdict of the model in its header; `explain` writes an explanation as one line.

    A model without a class for spam is refused: X-Spam-Flag would claim what no one has labelled.
    """
    spam = require_spam(model.labels, "X-Spam-Flag")
    mail = parse_mail(raw, limits)
    texts = mail_texts([mail])
    predictions = model.score(texts)
    remarks = [*mail.notes, *([] if explain is None else [explain(model.explain(texts))])]
    label, (p, log_odds) = predictions.labels[0], _spam_score(model, predictions, spam)
    required = model.decision.threshold if _has_threshold(model, spam) else None
    detail = f"{label}, p={p:.4f}, log_odds={log_odds:.2f}, version={__version__}"
    return annotate(raw, _fields(label in spam, p, required, "; ".join([detail, *remarks])))


def _has_threshold(model: SpamModel, spam: tuple[str, ...]) -> bool:
    """Whether the threshold of the model is one for spam: among more classes the likeliest is the verdict."""
    return len(model.labels) == 2 and spam == (model.positive,)


def _spam_score(model: SpamModel, predictions: Predictions, spam: tuple[str, ...]) -> tuple[float, float]:
    """P(spam) and its log-odds, also where the predictions are about another class."""
    if _has_threshold(model, spam):
        return float(predictions.probability[0]), float(predictions.log_odds[0])
    proba = dict(zip(model.labels, model.proba(predictions)[0].tolist(), strict=True))
    p, other = sum(proba[name] for name in spam), sum(q for name, q in proba.items() if name not in spam)
    log_odds = math.log(p / other) if p and other else math.copysign(LIMIT, p - other)
    return min(p, 1.0), log_odds


def _fields(spam: bool, p: float, required: float | None, detail: str) -> list[tuple[str, str]]:
    """The header fields, in the words that mail programs and sieve scripts look for."""
    threshold, digits = "", 3
    if required is not None:
        digits = max(3, len(probability_text(required)) - 2)  # a threshold close to 1 needs more of them
        threshold = f" required={required:.{digits}f}"
    status = f"{'Yes' if spam else 'No'}, score={p:.{digits}f}{threshold}"
    return [
        ("X-Spam-Flag", "YES" if spam else "NO"),
        ("X-Spam-Status", f"{status} tests=spamnb version={__version__}"),
        ("X-Spam-Score", f"{p:.4f}"),
        ("X-Spamnb", detail),
    ]

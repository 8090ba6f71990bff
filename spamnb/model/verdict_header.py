"""Writes the verdict of a model into the header of a mail."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spamnb._version import __version__
from spamnb.mail import Limits, annotate, as_texts, parse_mail
from spamnb.model.decision import probability_text

if TYPE_CHECKING:
    from spamnb.model.explanation import Explanation
    from spamnb.model.spam_model import SpamModel


def with_verdict(
    raw: bytes, model: SpamModel, limits: Limits, explain: Callable[[Explanation], str] | None = None
) -> bytes:
    """The mail with the verdict of the model in its header; `explain` writes an explanation as one line."""
    mail = parse_mail(raw, limits)
    texts = as_texts([mail])
    predictions = model.score(texts)
    remarks = [*mail.notes, *([] if explain is None else [explain(model.explain(texts))])]
    log_odds, p = float(predictions.log_odds[0]), float(predictions.probability[0])
    return annotate(raw, _fields(model, predictions.labels[0], p, log_odds, remarks))


def _fields(
    model: SpamModel, label: str, p: float, log_odds: float, remarks: list[str]
) -> list[tuple[str, str]]:
    """The header fields, in the words that mail programs and sieve scripts look for."""
    spam, required = label == model.positive, model.decision.threshold
    digits = max(3, len(probability_text(required)) - 2)  # a threshold close to 1 needs more of them
    status = f"{'Yes' if spam else 'No'}, score={p:.{digits}f} required={required:.{digits}f}"
    detail = f"{label}, p={p:.4f}, log_odds={log_odds:.2f}, version={__version__}"
    return [
        ("X-Spam-Flag", "YES" if spam else "NO"),
        ("X-Spam-Status", f"{status} tests=spamnb version={__version__}"),
        ("X-Spam-Score", f"{p:.4f}"),
        ("X-Spamnb", "; ".join([detail, *remarks])),
    ]

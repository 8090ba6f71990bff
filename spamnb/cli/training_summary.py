"""Words the metrics of a new model, for `train` and for a training from the folders of a mailbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spamnb.model import SpamModel


def metrics_text(model: SpamModel) -> str:
    """Returns what cross-validation has measured, or why there was none."""
    metrics = model.metrics
    if metrics is None:
        scale = (
            "probabilities are not calibrated"
            if model.base is None
            else f"probabilities are scaled like those of the {model.base.name}"
        )
        return f"no metrics: {_why_no_folds(model)}; {scale}"
    folds = f"{metrics['folds']} folds, {metrics['sample']:,} messages"
    if "recall" not in metrics:
        return f"accuracy {metrics['accuracy']:.1%}, macro F1 {metrics['macro_f1']:.3f} ({folds})"
    ham = f"{metrics['ham']:,} {model.classes.negative}"
    mistakes = f"{metrics['false_positives']:,} of {ham} misclassified"
    caught = f"{metrics['recall'] or 0:.1%} of {model.positive} caught"
    if metrics["unsure"]:
        mistakes = f"{mistakes}, {metrics['unsure']:,} unsure"
    if model.decision.max_fpr is not None:
        return f"{caught}, {mistakes} ({folds})"
    return f"{caught}, {mistakes}, accuracy {metrics['accuracy']:.2%} ({folds})"


def _why_no_folds(model: SpamModel) -> str:
    from spamnb.core import excerpt
    from spamnb.training import FEWEST

    store = model.store
    least, label = min(zip(store.message_totals.tolist(), store.labels, strict=True))
    few = f"folds need {FEWEST} messages of a class, got {least:,} {excerpt(label)}"
    return few if least < FEWEST else "there was no cross-validation"

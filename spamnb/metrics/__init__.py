"""Computes the measures of a filter from arrays: confusion, curves, losses, intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.metrics.all_measures import (
        ClassScores as ClassScores,
        MultiScores as MultiScores,
        Scores as Scores,
        evaluate_binary as evaluate_binary,
        evaluate_multi as evaluate_multi,
        largest_class as largest_class,
        stored_scores as stored_scores,
    )
    from spamnb.metrics.measures import (
        Confusion as Confusion,
        Floats as Floats,
        Ints as Ints,
        average_precision as average_precision,
        brier as brier,
        confusion_matrix as confusion_matrix,
        ece as ece,
        expected_cost as expected_cost,
        f_score as f_score,
        log_loss as log_loss,
        precision_recall_curve as precision_recall_curve,
        recall_at_fpr as recall_at_fpr,
        roc_auc as roc_auc,
        roc_curve as roc_curve,
        wilson_interval as wilson_interval,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "measures": [
                "Confusion",
                "Floats",
                "Ints",
                "average_precision",
                "brier",
                "confusion_matrix",
                "ece",
                "expected_cost",
                "f_score",
                "log_loss",
                "precision_recall_curve",
                "recall_at_fpr",
                "roc_auc",
                "roc_curve",
                "wilson_interval",
            ],
            "all_measures": [
                "ClassScores",
                "MultiScores",
                "Scores",
                "evaluate_binary",
                "evaluate_multi",
                "largest_class",
                "stored_scores",
            ],
        },
    )

"""Measures a model on data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.evaluation.mistakes import (
        Collector as Collector,
        Mistake as Mistake,
        out_of_fold as out_of_fold,
    )
    from spamnb.evaluation.on_data import (
        Evaluation as Evaluation,
        cross_validated as cross_validated,
        on_chunks as on_chunks,
    )
    from spamnb.evaluation.other_filter import (
        ExternalEvaluation as ExternalEvaluation,
        ExternalPredictions as ExternalPredictions,
        collect_predictions as collect_predictions,
        evaluate_predictions as evaluate_predictions,
    )
    from spamnb.evaluation.protocols import (
        Gathered as Gathered,
        holdout as holdout,
        learning_curve as learning_curve,
        online as online,
    )
    from spamnb.evaluation.report_data import (
        Panels as Panels,
        Sweep as Sweep,
        logit as logit,
        panels as panels,
    )
    from spamnb.evaluation.summary import (
        EvaluationSummary as EvaluationSummary,
        Facts as Facts,
        data_facts as data_facts,
        of_evaluation as of_evaluation,
        of_stored as of_stored,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "mistakes": ["Collector", "Mistake", "out_of_fold"],
            "on_data": ["Evaluation", "cross_validated", "on_chunks"],
            "other_filter": [
                "ExternalEvaluation",
                "ExternalPredictions",
                "collect_predictions",
                "evaluate_predictions",
            ],
            "protocols": ["Gathered", "holdout", "learning_curve", "online"],
            "report_data": ["Panels", "Sweep", "logit", "panels"],
            "summary": ["EvaluationSummary", "Facts", "data_facts", "of_evaluation", "of_stored"],
        },
    )

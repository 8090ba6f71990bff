"""Measures a model on data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.evaluation.mistakes import (
        WORST_MISTAKES as WORST_MISTAKES,
        Mistake as Mistake,
        MistakeCollector as MistakeCollector,
        out_of_fold_mistakes as out_of_fold_mistakes,
    )
    from spamnb.evaluation.on_data import (
        Evaluation as Evaluation,
        Observer as Observer,
        cross_validate as cross_validate,
        evaluate_chunks as evaluate_chunks,
        observe_all as observe_all,
    )
    from spamnb.evaluation.other_filter import (
        ExternalEvaluation as ExternalEvaluation,
        ExternalPredictions as ExternalPredictions,
        collect_predictions as collect_predictions,
        evaluate_predictions as evaluate_predictions,
    )
    from spamnb.evaluation.protocols import (
        LabelledData as LabelledData,
        TrainerMaker as TrainerMaker,
        evaluate_holdout as evaluate_holdout,
        evaluate_online as evaluate_online,
        learning_curve as learning_curve,
    )
    from spamnb.evaluation.report_data import (
        Panels as Panels,
        Sweep as Sweep,
        logit as logit,
        make_panels as make_panels,
    )
    from spamnb.evaluation.summary import (
        EvaluationSummary as EvaluationSummary,
        Facts as Facts,
        data_facts as data_facts,
        summarize as summarize,
        summarize_stored as summarize_stored,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "mistakes": ["Mistake", "WORST_MISTAKES", "MistakeCollector", "out_of_fold_mistakes"],
            "on_data": ["Evaluation", "Observer", "cross_validate", "evaluate_chunks", "observe_all"],
            "other_filter": [
                "ExternalEvaluation",
                "ExternalPredictions",
                "collect_predictions",
                "evaluate_predictions",
            ],
            "protocols": [
                "LabelledData",
                "TrainerMaker",
                "evaluate_holdout",
                "evaluate_online",
                "learning_curve",
            ],
            "report_data": ["Panels", "Sweep", "logit", "make_panels"],
            "summary": ["EvaluationSummary", "Facts", "data_facts", "summarize", "summarize_stored"],
        },
    )

"""Turns labelled messages into a model, and later messages into a changed model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.training.base_choice import (
        base_model as base_model,
        ready_made_base as ready_made_base,
        suits_ready_made as suits_ready_made,
    )
    from spamnb.training.cross_validation import (
        FoldScores as FoldScores,
        count_duplicates as count_duplicates,
        duplicates_note as duplicates_note,
        folds as folds,
        score_fold as score_fold,
    )
    from spamnb.training.default_evidence_limit import with_usual_limit as with_usual_limit
    from spamnb.training.fit_base_weight import start_model as start_model
    from spamnb.training.fit_calibration import fit_linear as fit_linear
    from spamnb.training.fit_out_of_fold import (
        HeldOutScores as HeldOutScores,
        apply_calibration as apply_calibration,
        calibrate_model as calibrate_model,
        max_fpr_decision as max_fpr_decision,
        metrics_of as metrics_of,
        verdicts_of as verdicts_of,
    )
    from spamnb.training.fold_counts import Fold as Fold, FoldCounts as FoldCounts
    from spamnb.training.incremental import Learner as Learner
    from spamnb.training.journal_history import keep_journal as keep_journal
    from spamnb.training.own_model import (
        common_base as common_base,
        own_model_started as own_model_started,
        start_own_model as start_own_model,
    )
    from spamnb.training.parallel_training import (
        BlockCounter as BlockCounter,
        CountInWorker as CountInWorker,
        ScoreInWorker as ScoreInWorker,
    )
    from spamnb.training.review_queue import ReviewQueue as ReviewQueue
    from spamnb.training.sampling import (
        Digester as Digester,
        Digests as Digests,
        Sample as Sample,
    )
    from spamnb.training.sklearn_inputs import (
        Labels as Labels,
        all_labels as all_labels,
        apply_sample_weight as apply_sample_weight,
        checked_inputs as checked_inputs,
        distinct_labels as distinct_labels,
        label_texts as label_texts,
        stated_class_weights as stated_class_weights,
        to_labels as to_labels,
        to_texts as to_texts,
    )
    from spamnb.training.stored_model import StoredModel as StoredModel
    from spamnb.training.threshold import (
        CAUTIOUS as CAUTIOUS,
        MAIL_MAX_FPR as MAIL_MAX_FPR,
        OperatingPoint as OperatingPoint,
        operating_point as operating_point,
    )
    from spamnb.training.trainer import (
        FEWEST as FEWEST,
        Trainer as Trainer,
        too_few_messages as too_few_messages,
    )
    from spamnb.training.under_sampling import UnderSampling as UnderSampling
    from spamnb.training.undo_lessons import (
        LessonInfo as LessonInfo,
        UndoResult as UndoResult,
        history as history,
        undo as undo,
    )
    from spamnb.training.update_batch import read_ahead as read_ahead
    from spamnb.training.update_plan import (
        LearnResult as LearnResult,
        Lesson as Lesson,
        check_can_sync as check_can_sync,
        class_label as class_label,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "cross_validation": [
                "FoldScores",
                "count_duplicates",
                "duplicates_note",
                "folds",
                "score_fold",
            ],
            "base_choice": ["base_model", "ready_made_base", "suits_ready_made"],
            "fit_base_weight": ["start_model"],
            "fit_calibration": ["fit_linear"],
            "fit_out_of_fold": [
                "HeldOutScores",
                "apply_calibration",
                "calibrate_model",
                "max_fpr_decision",
                "metrics_of",
                "verdicts_of",
            ],
            "fold_counts": ["Fold", "FoldCounts"],
            "incremental": ["Learner"],
            "update_batch": ["read_ahead"],
            "journal_history": ["keep_journal"],
            "undo_lessons": ["LessonInfo", "UndoResult", "history", "undo"],
            "own_model": ["common_base", "own_model_started", "start_own_model"],
            "parallel_training": ["BlockCounter", "CountInWorker", "ScoreInWorker"],
            "review_queue": ["ReviewQueue"],
            "sampling": ["Digester", "Digests", "Sample"],
            "sklearn_inputs": [
                "Labels",
                "all_labels",
                "apply_sample_weight",
                "checked_inputs",
                "distinct_labels",
                "label_texts",
                "stated_class_weights",
                "to_labels",
                "to_texts",
            ],
            "stored_model": ["StoredModel"],
            "threshold": ["CAUTIOUS", "MAIL_MAX_FPR", "OperatingPoint", "operating_point"],
            "trainer": ["FEWEST", "Trainer", "too_few_messages"],
            "under_sampling": ["UnderSampling"],
            "update_plan": ["LearnResult", "Lesson", "check_can_sync", "class_label"],
            "default_evidence_limit": ["with_usual_limit"],
        },
        modules=["dask_cluster"],
    )

"""Turns labelled messages into a model, and later messages into a changed model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.training.cross_validation import (
        Digests as Digests,
        FoldScores as FoldScores,
        Sample as Sample,
        copies as copies,
        copies_note as copies_note,
        folds as folds,
        score_fold as score_fold,
    )
    from spamnb.training.fit_calibration import (
        HeldOutScores as HeldOutScores,
        apply_calibration as apply_calibration,
        calibrate_model as calibrate_model,
        metrics_of as metrics_of,
    )
    from spamnb.training.fold_counts import Fold as Fold, FoldCounts as FoldCounts
    from spamnb.training.incremental import Learner as Learner, read_ahead as read_ahead
    from spamnb.training.parallel_training import (
        Counting as Counting,
        Pool as Pool,
        Scoring as Scoring,
        with_work as with_work,
    )
    from spamnb.training.threshold import (
        MAIL_MAX_FPR as MAIL_MAX_FPR,
        OperatingPoint as OperatingPoint,
        operating_point as operating_point,
    )
    from spamnb.training.trainer import FEWEST as FEWEST, FOLDS as FOLDS, Trainer as Trainer
    from spamnb.training.update_plan import (
        LearnResult as LearnResult,
        check_can_sync as check_can_sync,
        class_label as class_label,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "cross_validation": [
                "Digests",
                "FoldScores",
                "Sample",
                "copies",
                "copies_note",
                "folds",
                "score_fold",
            ],
            "fit_calibration": ["HeldOutScores", "apply_calibration", "calibrate_model", "metrics_of"],
            "fold_counts": ["Fold", "FoldCounts"],
            "incremental": ["Learner", "read_ahead"],
            "parallel_training": ["Counting", "Pool", "Scoring", "with_work"],
            "threshold": ["MAIL_MAX_FPR", "OperatingPoint", "operating_point"],
            "trainer": ["FEWEST", "FOLDS", "Trainer"],
            "update_plan": ["LearnResult", "check_can_sync", "class_label"],
        },
        modules=["backends", "dask_cluster"],
    )

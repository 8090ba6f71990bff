"""Tries many settings on the same folds: compares them, and searches the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.tuning.comparison import (
        DRAWS as DRAWS,
        CandidateResult as CandidateResult,
        Row as Row,
        evaluate_candidate as evaluate_candidate,
        rank as rank,
    )
    from spamnb.tuning.objectives import (
        Objective as Objective,
        objective as objective,
        objective_for as objective_for,
    )
    from spamnb.tuning.setting_grid import (
        Candidate as Candidate,
        SettingGrid as SettingGrid,
        SharedCounts as SharedCounts,
    )
    from spamnb.tuning.setting_search import (
        Trial as Trial,
        Tuned as Tuned,
        start_candidates as start_candidates,
        tune as tune,
        widest_candidates as widest_candidates,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "comparison": ["CandidateResult", "DRAWS", "Row", "evaluate_candidate", "rank"],
            "objectives": ["Objective", "objective", "objective_for"],
            "setting_grid": ["Candidate", "SettingGrid", "SharedCounts"],
            "setting_search": ["Trial", "Tuned", "start_candidates", "tune", "widest_candidates"],
        },
    )

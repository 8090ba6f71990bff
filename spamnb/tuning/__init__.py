"""Tries many settings on the same folds: compare and search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.tuning.comparison import (
        DRAWS as DRAWS,
        CandidateResult as CandidateResult,
        Row as Row,
        evaluate_setting as evaluate_setting,
        ranked as ranked,
    )
    from spamnb.tuning.objectives import (
        Objective as Objective,
        objective as objective,
        objective_for as objective_for,
    )
    from spamnb.tuning.peers import Peers as Peers
    from spamnb.tuning.setting_grid import (
        Passes as Passes,
        Setting as Setting,
        SettingGrid as SettingGrid,
    )
    from spamnb.tuning.setting_search import (
        Trial as Trial,
        Tuned as Tuned,
        beginnings as beginnings,
        everything as everything,
        tune as tune,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "comparison": ["CandidateResult", "DRAWS", "Row", "evaluate_setting", "ranked"],
            "objectives": ["Objective", "objective", "objective_for"],
            "peers": ["Peers"],
            "setting_grid": ["Passes", "Setting", "SettingGrid"],
            "setting_search": ["Trial", "Tuned", "beginnings", "everything", "tune"],
        },
    )

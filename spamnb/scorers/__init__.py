"""Holds one naive Bayes formula a module: counts -> log P(c) + log P(x|c)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.scorers.base import (
        ClassTotals as ClassTotals,
        Form as Form,
        Scorer as Scorer,
        Stats as Stats,
        class_weights as class_weights,
        log_prior as log_prior,
        pair_sums as pair_sums,
        safe_log as safe_log,
    )
    from spamnb.scorers.bernoulli import HUGE as HUGE
    from spamnb.scorers.column_scores import ColumnScores as ColumnScores
    from spamnb.scorers.evidence_limits import (
        NEUTRAL as NEUTRAL,
        EvidenceLimits as EvidenceLimits,
        Shares as Shares,
        limited_scores as limited_scores,
    )
    from spamnb.scorers.less_naive import BACK_OFF as BACK_OFF
    from spamnb.scorers.registry import REGISTRY as REGISTRY, check_scorer as check_scorer, make as make
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "registry": ["REGISTRY", "check_scorer", "make"],
            "base": [
                "ClassTotals",
                "Form",
                "Scorer",
                "Stats",
                "class_weights",
                "log_prior",
                "pair_sums",
                "safe_log",
            ],
            "bernoulli": ["HUGE"],
            "column_scores": ["ColumnScores"],
            "evidence_limits": ["NEUTRAL", "EvidenceLimits", "Shares", "limited_scores"],
            "less_naive": ["BACK_OFF"],
        },
    )

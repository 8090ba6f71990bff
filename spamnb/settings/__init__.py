"""Declares every setting once: as a field of a frozen dataclass with its flag, values, default and help.

Options, `compare --with`, checks, "is a setting for training" and printed commands derive from these fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.settings.feature_config import (
        MAX_NGRAM as MAX_NGRAM,
        PAIR_SEPARATOR as PAIR_SEPARATOR,
        FeatureConfig as FeatureConfig,
    )
    from spamnb.settings.history_config import HistoryConfig as HistoryConfig, history_days as history_days
    from spamnb.settings.mail_config import MailConfig as MailConfig, parse_size as parse_size
    from spamnb.settings.scorer_config import ScorerConfig as ScorerConfig
    from spamnb.settings.setting_field import (
        Setting as Setting,
        is_stated as is_stated,
        settings_of as settings_of,
    )
    from spamnb.settings.setting_flags import (
        check_used as check_used,
        field_names as field_names,
        flags as flags,
        named_in_python as named_in_python,
        training_settings as training_settings,
    )
    from spamnb.settings.training_config import (
        FEW_MESSAGES as FEW_MESSAGES,
        NO_BASE as NO_BASE,
        READY_MADE as READY_MADE,
        DecisionConfig as DecisionConfig,
        TrainingConfig as TrainingConfig,
        parse_share as parse_share,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "feature_config": ["FeatureConfig", "MAX_NGRAM", "PAIR_SEPARATOR"],
            "history_config": ["HistoryConfig", "history_days"],
            "mail_config": ["MailConfig", "parse_size"],
            "scorer_config": ["ScorerConfig"],
            "setting_field": ["Setting", "is_stated", "settings_of"],
            "setting_flags": ["check_used", "field_names", "flags", "named_in_python", "training_settings"],
            "training_config": [
                "DecisionConfig",
                "FEW_MESSAGES",
                "NO_BASE",
                "READY_MADE",
                "TrainingConfig",
                "parse_share",
            ],
        },
    )

"""Declares how long the lessons of a model are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spamnb.settings.setting_field import NOT_NEGATIVE, check_settings, setting, stated_fields


@dataclass(frozen=True, slots=True)
class HistoryConfig:
    """How long lessons can be listed and undone. Training does not fix it."""

    history_days: int = setting(
        90,
        "--set history-days",
        "Keep lessons for N days, so that they can be undone; 0 keeps none. [default: 90]",
        metavar="N",
        rule=NOT_NEGATIVE,
        training=False,
        group="Model",
    )

    def __post_init__(self) -> None:
        check_settings(self)


def history_days(options: Mapping[str, Any]) -> int:
    """Returns the number of days that options ask for."""
    return HistoryConfig(**stated_fields(HistoryConfig, options)).history_days

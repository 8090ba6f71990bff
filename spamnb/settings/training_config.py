"""Declares the settings of training and of the decision rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from spamnb.errors import ConfigError
from spamnb.settings.setting_field import (
    AT_LEAST_1,
    TextForm,
    ValueRule,
    check_settings,
    setting,
    stated_fields,
)
from spamnb.settings.textbook import with_textbook

READY_MADE = "ready-made"  # the value of --base that stands for a built-in model
NO_BASE = "none"  # the value of --base that stands for no model
FEW_MESSAGES = 200  # below, `train` starts from the ready-made model unless --base says otherwise
REFINE_MODES = ("auto", "yes", "no")


def parse_share(text: str, flag: str, example: str) -> float:
    """Parses a share above 0 and below 1, as `0.1%` or `0.001`.

    >>> parse_share("30%", "--holdout", "30% or 0.3")
    0.3
    """
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise ConfigError(
            f"{flag} must be a share above 0 and below 1, got {text!r}", f"for example {example}"
        )
    return share


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """How a model is trained.

    `folds` 0: no metrics, no calibration. `max_fpr` is the false positive rate that sets the threshold; if it
    is only a default, a cautious threshold serves while ham is scarce. `remember` keeps a digest of each
    message, 8 bytes. `base` names the model to start from.

    >>> TrainingConfig(folds=1)
    Traceback (most recent call last):
    spamnb.errors.ConfigError: folds must be 0 or at least 2, got 1
    Hint: the default is 5
    """

    folds: int = setting(
        5,
        "--folds",
        "Number of cross-validation folds. [default: 5]",
        metavar="K",
        rule=ValueRule("0 or at least 2", lambda k: k == 0 or k >= 2),
        advanced=False,
    )
    refine: str = setting(
        "auto",
        "--set refine",
        "Correct token weights by logistic regression; auto: if cross-validation shows that it helps.",
        choices=REFINE_MODES,
    )
    max_fpr: float | None = setting(
        None,
        "--max-fpr",
        "Set the threshold for at most this false positive rate, for example 0.1%. Messages between 50% and "
        "the threshold are unsure.",
        metavar="RATE",
        type=str,
        rule=ValueRule("above 0 and below 1", lambda rate: 0 < rate < 1, hint="for example 0.001"),
        text_form=TextForm(lambda text: parse_share(text, "--max-fpr", "0.1% or 0.001")),
        training=False,
        group="Decision",
        advanced=False,
    )
    base_weight: float | None = setting(
        None,
        "--set base-weight",
        "Weight of the model of --base; your messages have 1. [default: chosen by cross-validation]",
        metavar="W",
        type=float,
        rule=ValueRule(
            "a number above 0", lambda w: 0 < w < inf, hint="leave it out: cross-validation chooses it"
        ),
    )
    remember: bool = setting(
        True,
        "--set digests",
        "Remember which messages were learned, by a digest of each.",
        choices=("no", "yes"),
    )
    jobs: int = setting(
        1,
        "--jobs",
        "Number of worker processes, at most one per core (N! forces N). "
        "[default: auto, several if the input is large]",
        metavar="N",
        rule=AT_LEAST_1,
        training=False,
        group="Input",
    )
    base: str | None = setting(
        None,
        "--base",
        "Start from this model: ready-made, a name or a file; none for your messages alone. "
        f"[default: none, ready-made for fewer than {FEW_MESSAGES} messages]",
        metavar="MODEL",
        type=str,
        advanced=False,
    )
    max_fpr_is_default: bool = False

    def __post_init__(self) -> None:
        check_settings(self)
        if self.refine == "yes" and not self.folds:
            raise ConfigError(
                "refine='yes' needs cross-validation, got folds=0", hint="leave out folds=0 or refine='yes'"
            )

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> TrainingConfig:
        """Returns the settings of training that options ask for; refuses two that contradict each other.

        >>> TrainingConfig.from_options({"folds": 10, "max_fpr": "1%", "digests": "no"}).max_fpr
        0.01
        """
        stated = stated_fields(cls, with_textbook(options))
        if stated.get("refine") == "yes" and stated.get("folds") == 0:
            raise ConfigError(
                "--set refine=yes needs cross-validation, got --folds 0",
                hint="leave out --folds 0 or --set refine=yes",
            )
        config = cls(**stated)
        if config.base_weight is not None and config.base in (None, NO_BASE):
            raise ConfigError(
                "--set base-weight is the weight of the model of --base, got none",
                hint="add --base ready-made, or leave out --set base-weight",
            )
        if config.max_fpr is not None and not config.folds:
            raise ConfigError(
                "--max-fpr needs cross-validation to find the threshold, got --folds 0",
                hint="leave out --folds 0, or give a --threshold yourself",
            )
        return config


@dataclass(frozen=True, slots=True)
class DecisionConfig:
    """The decision rule that options ask for; `Decision.from_options` makes a threshold of it."""

    threshold: float | None = setting(
        None,
        "--threshold",
        "Spam above this probability. The model's unsure range stays. [default: the model's own]",
        metavar="P",
        type=float,
        training=False,
        group="Decision",
        advanced=False,
    )
    unsure: tuple[float, float] | None = setting(
        None,
        "--unsure",
        "Between these probabilities the verdict is unsure.",
        metavar="LOW HIGH",
        type=(float, float),
        training=False,
        group="Decision",
    )
    cost: tuple[str, ...] = setting(
        (),
        "--cost",
        "Cost of a mistake, for example ham:spam=9: flagging ham as spam costs 9, other mistakes cost 1. "
        "Repeatable.",
        metavar="TRUTH:VERDICT=X",
        training=False,
        group="Decision",
    )

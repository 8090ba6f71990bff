"""Reads the decision rule from options: a threshold, a band, costs or a false positive rate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spamnb.cli.options import DECISIONS, Params
from spamnb.errors import ConfigError, DataError
from spamnb.settings import TrainingConfig, is_stated

if TYPE_CHECKING:
    from spamnb.model import Decision, SpamModel

_MORE_CLASSES = "with more than two classes the most probable one is the verdict"


def decision(params: Params, default: Decision | None = None) -> Decision:
    """Returns the decision rule that the options ask for; the default if they ask for none."""
    from spamnb.model import Decision

    if default is not None and _stated_flag(params) is None:
        return default
    return Decision.from_options(**{name: params[name] for name in DECISIONS})


def _stated_flag(params: Params) -> str | None:
    return next((flag for name, flag in DECISIONS.items() if is_stated(params[name])), None)


def check_decision(params: Params, labels: tuple[str, ...]) -> None:
    """Refuses a threshold for more than two classes."""
    flag = _stated_flag(params)
    if flag not in (None, "--cost") and len(labels) > 2:
        raise ConfigError(
            f"{flag} needs a model of two classes, got {len(labels):,}: {', '.join(labels)}",
            hint=f"leave out {flag}: {_MORE_CLASSES}",
        )


def apply_decision_options(model: SpamModel, params: Params) -> SpamModel:
    """Applies the decision rule of the options, if they state one that goes with the model's classes."""
    check_decision(params, model.labels)
    rule = decision(params, model.decision).for_classes(model.labels, model.positive)
    unsure_from = model.decision.unsure_from
    if is_stated(params["threshold"]) and unsure_from is not None and unsure_from < rule.threshold:
        rule = replace(rule, unsure_from=unsure_from)  # another threshold for spam is none for ham
    return replace(model, decision=rule)


def stated_max_fpr(params: Params) -> float | None:
    """Returns the rate of --max-fpr, None without it; refuses another way to set the threshold beside it."""
    flag = _stated_flag(params)
    if params["max_fpr"] is not None and flag is not None:
        raise ConfigError(
            f"--max-fpr and {flag} cannot be combined: each of them sets the threshold",
            hint=f"leave out --max-fpr or {flag}",
        )
    return TrainingConfig.from_options({"max_fpr": params["max_fpr"]}).max_fpr


def default_max_fpr(params: Params, mail: bool) -> float | None:
    """Returns the rate if options set no threshold: a low one for mail, of which none should get lost."""
    from spamnb.training import MAIL_MAX_FPR

    stated = _stated_flag(params) is not None or is_stated(params.get("textbook"))
    return MAIL_MAX_FPR if mail and not stated else None


def check_max_fpr(rate: float | None, labels: tuple[str, ...]) -> None:
    """Refuses --max-fpr for more than two classes."""
    if rate is not None and len(labels) > 2:
        raise ConfigError(
            f"--max-fpr needs a model of two classes, got {len(labels):,}: {', '.join(labels)}",
            hint=f"leave out --max-fpr: {_MORE_CLASSES}",
        )


def check_threshold_set(rate: float | None, decision: Decision) -> None:
    """Refuses a model in which --max-fpr set no threshold, because a class has too few messages."""
    if rate is not None and decision.max_fpr is None:
        raise DataError(
            "too few messages to find a threshold for --max-fpr: every class needs at least 10",
            hint="give more labelled messages, or set a --threshold yourself",
        )

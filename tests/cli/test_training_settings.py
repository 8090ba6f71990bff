"""Tests that no setting for training is ignored when a trained model is evaluated."""

from __future__ import annotations

import pytest

from spamnb.settings import Setting, training_settings
from tests.helpers.command_line import Cli, Sms

IN_EVALUATE = [one for one in training_settings() if one.name not in ("folds", "digests")]


def stated(setting: Setting) -> list[str]:
    """The words that state some value of the setting."""
    values = {"scorer": "binary", "pattern": "a=b", "class_prior": "uniform", "base": "ready-made"}
    value = setting.choices[0] if setting.choices else values.get(setting.name, "1")
    return [setting.flag, value] if setting.has_own_flag else ["--set", f"{setting.key}={value}"]


@pytest.mark.parametrize("setting", IN_EVALUATE, ids=lambda one: one.name)
def test_a_setting_for_training_is_refused_with_a_trained_model(cli: Cli, sms: Sms, setting: Setting) -> None:
    for inputs in ([sms.test], [sms.test, "-m", sms.model], ["-m", sms.model]):
        errors = cli.fails("evaluate", *inputs, *stated(setting), code=2)
        assert errors[-1].startswith(
            f"Error: {setting.flag} is a setting for training: use it with --folds K"
        )


def test_limits_take_effect_in_cross_validation(cli: Cli, sms: Sms) -> None:
    def log_loss(*flags: str) -> float:
        return float(cli("evaluate", sms.train, "--folds", "3", "--json", "-", "-q", *flags).json["log_loss"])

    usual = log_loss()
    assert log_loss("--set", "max-token-weight=0.01") != usual
    assert log_loss("--max-evidence", "3") != usual

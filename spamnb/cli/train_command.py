"""Writes the call of `spamnb train` that trains with the settings of a candidate."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from spamnb.cli.set_option import SettingOption
from spamnb.settings import FeatureConfig, flags, settings_of

if TYPE_CHECKING:
    from spamnb.tuning import Candidate


def train_command(ctx: click.Context, choice: Candidate, target: str | None = None) -> str:
    """Returns the command: data and how it is read as in `ctx`, the settings of the choice."""
    settings = flags(choice.features, choice.scoring, choice.mail)
    of_choice = [setting.name for _, setting in settings_of(FeatureConfig)]  # and so not copied
    reading = _stated_words(ctx, leave_out=("output", *of_choice))
    where = ["-o", target] if target else []
    return shlex.join(["spamnb", "train", *ctx.params["data"], *reading, *settings, *where])


def _stated_words(ctx: click.Context, leave_out: Sequence[str] = ()) -> list[str]:
    """Returns the stated options that `spamnb train` has too, as they would be written there."""
    from spamnb.cli.commands.train import train

    known = {one.name for one in train.params if isinstance(one, click.Option)}
    words: list[str] = []
    for one in ctx.command.params:
        name = one.name or ""
        copied = name in known and name in ctx.params and name not in leave_out  # --set itself has no value
        if not isinstance(one, click.Option) or not copied:
            continue
        if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            words += _written(one, ctx.params[name])
    return [word for word in words if word not in ("-q", "--quiet")]


def _written(option: click.Option, value: object) -> list[str]:
    each = value if option.multiple and isinstance(value, tuple) else (value,)
    if isinstance(option, SettingOption):
        return [word for v in each for word in ("--set", f"{option.key}={_word(v)}")]
    flag = max(option.opts, key=len)
    if option.is_flag:
        return [flag]
    return [w for v in each for w in (flag, *(map(_word, v) if isinstance(v, tuple) else (_word(v),)))]


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)

"""What stands on a command line, as words for another command."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.core import ParameterSource


def stated(ctx: click.Context, leave_out: Sequence[str] = ()) -> list[str]:
    """The options given that `spamnb train` has too, as they would be written there."""
    from spamnb.cli.train import train

    known = {p.name for p in train.params if isinstance(p, click.Option)}
    words: list[str] = []
    for p in ctx.command.params:
        if not isinstance(p, click.Option) or p.name not in known or p.name in leave_out:
            continue
        if ctx.get_parameter_source(p.name or "") == ParameterSource.COMMANDLINE:
            words += _written(p, ctx.params[p.name or ""])
    return [word for word in words if word not in ("-q", "--quiet")]


def _written(option: click.Option, value: object) -> list[str]:
    flag = max(option.opts, key=len)
    if option.is_flag:
        return [flag]
    each = value if option.multiple and isinstance(value, tuple) else (value,)
    return [w for v in each for w in (flag, *(map(_word, v) if isinstance(v, tuple) else (_word(v),)))]


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)

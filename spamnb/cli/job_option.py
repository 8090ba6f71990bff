"""Reads the option --jobs: a number, `auto`, or a number that may exceed the cores."""

from __future__ import annotations

import click

from spamnb.errors import ConfigError

_MOST = 10_000


def job_count(ctx: click.Context, _: click.Parameter, text: str) -> int | None:
    """Converts `auto` to None, 4 to at most the number of cores, and `4!` to 4."""
    from spamnb.core import available_cores

    digits = text.removesuffix("!")
    if text == "auto" or ctx.resilient_parsing:
        return None
    if not (digits.isascii() and digits.isdecimal() and 0 < int(digits) < _MOST):
        raise ConfigError(
            f"--jobs must be auto or a number of processes, got {text!r}", hint="for example --jobs 2"
        )
    return int(digits) if text.endswith("!") else min(int(digits), available_cores())

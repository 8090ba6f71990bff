"""Finds variables SPAMNB_* that no command reads: a typing error in one would be ignored silently."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import click

_OWN = ("MODEL", "CONFIG", "TRACEBACK")  # variables that stand for no option of a command
_NEAR = 0.75


def unread_options(ctx: click.Context, keys: Iterable[str]) -> Iterator[str]:
    """Yields a warning for each variable of the command that stands for none of its options."""
    prefix, keys = f"{ctx.auto_envvar_prefix}_", [_in_capitals(key) for key in keys]
    command = ctx.command_path
    for word in _words("SPAMNB_"):
        if word in keys and word not in _OWN:
            yield f"SPAMNB_{word} is ignored; did you mean {prefix}{word}?"
    for word in _words(prefix):
        if word not in keys:
            near = _nearest(word, keys)
            inner = command.partition(" ")[2]
            hint = f"did you mean {prefix}{near}?" if near else f"see `spamnb config {inner}`"
            yield f"{prefix}{word} is ignored: `{command}` has no such option; {hint}"


def unread_commands(ctx: click.Context | None) -> Iterator[str]:
    """Yields a warning for each variable with a name near that of an option, such as SPAMNB_TRIAN_ALPHA.

    Others are left alone: programs that use spamnb have variables of their own, SPAMNB_SERVER_URL say.
    """
    while ctx is not None:
        assert isinstance(ctx.command, click.Group)
        prefix, commands = f"{ctx.auto_envvar_prefix}_", map(_in_capitals, ctx.command.list_commands(ctx))
        names = [*commands, *([] if ctx.parent else _OWN)]
        for word in _words(prefix):
            first, rest, option = word.partition("_")
            near = "" if first in names else _nearest(first, names)
            if near and _has(ctx, near, option):
                yield f"{prefix}{word} is ignored; did you mean {prefix}{near}{rest}{option}?"
        ctx = ctx.parent


def _has(ctx: click.Context, name: str, option: str) -> bool:
    """Tells whether a command has an option, as in the name of a variable; a group may have any."""
    if name in _OWN or not option:
        return name in _OWN and not option
    assert isinstance(ctx.command, click.Group)
    command = ctx.command.get_command(ctx, name.lower().replace("_", "-"))
    if command is None or isinstance(command, click.Group):
        return command is not None
    keys = [_in_capitals(key) for key in getattr(command, "keys", ())]
    return option in keys or bool(_nearest(option, keys))


def _in_capitals(name: str) -> str:
    return name.upper().replace("-", "_")


def _words(prefix: str) -> list[str]:
    """Returns the variables that begin with the prefix, without it."""
    return [name.removeprefix(prefix) for name in os.environ if name.startswith(prefix)]


def _nearest(word: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(names), 1, _NEAR)), "")

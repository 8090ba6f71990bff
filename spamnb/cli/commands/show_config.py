"""`spamnb config`: shows the settings of configuration files and of the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import click
from click.core import ParameterSource

from spamnb.cli.command_base import Command, command
from spamnb.cli.command_group import LazyGroup
from spamnb.cli.option_groups import Option
from spamnb.cli.options import DECISIONS

_SET = (ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)


def _complete_command(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Completes the next word of a command's name."""
    root, words = ctx.find_root().command, ctx.params.get("words") or ()
    assert isinstance(root, LazyGroup)
    names = [name.split() for name in root.command_names()]
    following = [name[len(words)] for name in names if name[: len(words)] == [*words] != name]
    return [word for word in dict.fromkeys(following) if word.startswith(incomplete)]


@command("config")
@click.argument("words", nargs=-1, metavar="[COMMAND]", shell_complete=_complete_command)
@click.pass_context
def show_config(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show the settings of config.toml and the environment.

    Prints the values that are set for any command, and where each comes from; with COMMAND all its keys,
    with their defaults. The output is TOML itself.

    config.toml has a table for each command, such as [predict] or [model.prune]; a key is an option without
    its dashes, and holds for this command only: a threshold in [predict] does not hold for filter or explain.
    config.toml is read from /etc/spamnb, then from your configuration folder (see the output), or only from
    `spamnb --config FILE`. Variables come before files (SPAMNB_PREDICT_FORMAT for `predict --format`; a
    repeatable option is split at blanks), and the command line before both.

    \b
    Examples:
      spamnb config
      spamnb config predict
      SPAMNB_PREDICT_FORMAT=jsonl spamnb config
    """
    from spamnb.cli.configuration import files, loaded
    from spamnb.core import visible

    root = ctx.find_root()
    assert isinstance(root.command, LazyGroup)
    names = list(root.command.command_names())
    wanted = " ".join(words)
    if words and wanted not in names:
        raise click.BadParameter(f"{wanted!r} is not one of {', '.join(names)}", param_hint="COMMAND")
    loaded(ctx)  # refuses unknown tables
    for file in files(root.params.get("config")):
        click.echo(visible(f"# {file}{'' if os.path.exists(file) else ' (not there)'}"))
    for name in names:
        if not words or name == wanted:
            ctx = _context(root, name)
            for line in _lines(ctx, name, everything=bool(words)):
                click.echo(visible(line))
            _warn(ctx)


def _context(root: click.Context, name: str) -> click.Context:
    """Returns the context of a command, as if it ran."""
    ctx = root
    for word in name.split():
        assert isinstance(ctx.command, click.Group)
        inner = ctx.command.get_command(ctx, word)
        assert inner is not None
        ctx = click.Context(inner, info_name=word, parent=ctx)
    return ctx


def _warn(ctx: click.Context) -> None:
    """Warns of variables that stand for no option; of those for this command itself it was done before."""
    from spamnb.cli.environment import unread_options
    from spamnb.cli.output import print_status

    assert isinstance(ctx.command, Command)
    for text in () if ctx.command is show_config else unread_options(ctx, ctx.command.keys):
        print_status(f"warning: {text}")


def _lines(ctx: click.Context, name: str, everything: bool) -> Iterator[str]:
    """Returns the table of a command with its values; without any value none, unless everything is wanted."""
    assert isinstance(ctx.command, Command)
    keys = ctx.command.keys
    values = {key: one.consume_value(ctx, {}) for key, one in keys.items()}
    overridden = ctx.command.overridden({key: source for key, (_, source) in values.items()})
    shown = []
    for key, (value, source) in values.items():
        row = _row(ctx, keys[key], value, source)
        if by := overridden.get(keys[key]):
            row = f"# {row}, not used: {_origin(ctx, by, values[by.key][1])} sets {by.key}"
        if everything or source in _SET:
            shown.append(row)
    if shown:
        yield f"[{name.replace(' ', '.')}]"
        yield from shown


def _row(ctx: click.Context, option: Option, value: Any, source: ParameterSource) -> str:
    """Returns `key = value  # origin`, as a comment if it is not set."""
    if source in _SET:
        return f"{option.key} = {_toml(value)}  # {_origin(ctx, option, source)}"
    default = option.to_info_dict()["default"]
    if default not in (None, ()):
        return f"# {option.key} = {_toml(default)}  # default"
    assert isinstance(ctx.command, Command)
    of_model = option.name in DECISIONS and "model" in ctx.command.keys
    return f"# {option.key}" + ": the model's own, see `spamnb inspect`" * of_model


def _origin(ctx: click.Context, option: Option, source: ParameterSource) -> str:
    """Returns the variable or the file that sets an option."""
    from spamnb.cli.configuration import origin

    return option.variable(ctx) if source is ParameterSource.ENVIRONMENT else origin(ctx, option.key)


def _toml(value: Any) -> str:
    """Writes a value as TOML; text, numbers, truth values and lists of them are the same in JSON."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)

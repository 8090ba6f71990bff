"""Declares `--set NAME=VALUE` and the settings that it states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from spamnb.cli.option_groups import ConfiguredCommand, Option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_SET_VALUES = "set_values"


class SettingOption(Option):
    """A setting without a flag of its own: `--set NAME=VALUE`, a variable or config.toml state it."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, hidden=True, **attributes)
        self.opts = [f"--set {self.key}"]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Leaves the command line to --set."""

    def consume_value(self, ctx: click.Context, opts: Any) -> Any:
        pairs = (text.partition("=") for text in opts.get(_SET_VALUES) or ())
        values = [value for key, _, value in pairs if key == self.key]
        if values:
            return (values if self.multiple else values[-1]), ParameterSource.COMMANDLINE
        return super().consume_value(ctx, opts)

    def record(self, ctx: click.Context) -> tuple[str, str]:
        """Returns the row of the help."""
        return f"{self.key}={self.make_metavar(ctx)}", self.help or ""


class SetOption(Option):
    """`--set NAME=VALUE`; its values go to the settings of the command."""

    def __init__(self, advanced: bool) -> None:
        super().__init__(
            ["--set", _SET_VALUES],
            multiple=True,
            metavar="NAME=VALUE",
            group="Model",
            advanced=advanced,
            expose_value=False,
            callback=_check_settings,
            help="Change a setting that --help-all lists. Repeatable.",
        )

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completes the names of the command's settings."""
        from click.shell_completion import CompletionItem

        names = [f"{one.key}=" for one in ctx.command.params if isinstance(one, SettingOption)]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]

    def resolve_envvar_value(self, ctx: click.Context) -> None:
        """Looks up the variable of a setting: each has one of its own."""


def _check_settings(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    """Refuses names that no setting of the command has."""
    assert isinstance(ctx.command, ConfiguredCommand)
    keys = ctx.command.keys
    settings = [key for key, one in keys.items() if isinstance(one, SettingOption)]
    for text in texts:
        name, equals, value = text.partition("=")
        if name in settings and equals:
            continue
        from spamnb.errors import ConfigError

        if not equals:
            raise ConfigError(f"--set must be NAME=VALUE, got {text!r}", f"names: {', '.join(settings)}")
        if name in keys:
            raise ConfigError(f"--set {name}: {name} has a flag of its own", f"write --{name} {value}")
        raise ConfigError(f"--set {name}: no setting is called {name!r}", near_name(name, settings))


def near_name(name: str, names: list[str]) -> str:
    """Returns a hint: the name that is meant, or all names."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, 1)
    return f"did you mean {near[0]}?" if near else f"names: {', '.join(names)}"

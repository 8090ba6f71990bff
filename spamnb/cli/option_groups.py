"""Declares options with a group and an `advanced` flag, whose values may be configured."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

F = TypeVar("F", bound=Callable[..., Any])
GROUPS = ("Input", "Output", "Model", "Decision")


class Option(click.Option):
    """An option in a group; --help leaves an advanced one out."""

    def __init__(self, *args: Any, group: str = "Output", advanced: bool = False, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.group, self.advanced = group, advanced
        self.key = max(self.opts, key=len).lstrip("-")  # in a configuration file

    def variable(self, ctx: click.Context) -> str:
        """Returns the environment variable with its value, such as SPAMNB_PREDICT_INPUT_FORMAT."""
        return f"{ctx.auto_envvar_prefix}_{self.key}".upper().replace("-", "_")

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        return os.environ.get(self.variable(ctx)) or None if ctx.auto_envvar_prefix else None

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Collects all values of an option that takes one: a second one must not replace it silently."""
        if self.is_flag or self.multiple:
            super().add_to_parser(parser, ctx)
        else:
            parser.add_option(self, self.opts, self.name, action="append", nargs=self.nargs)

    def consume_value(self, ctx: click.Context, opts: Any) -> Any:
        """Takes the value of the command line, the environment or the configuration, in this order.

        The configuration is read when the first option asks for it: --help never does.
        """
        values = opts.get(self.name)
        if isinstance(values, list) and not self.multiple:
            self._check_single(ctx, values)
            opts = {**opts, self.name: values[-1]}
        command, is_read = ctx.command, ctx.default_map is not None
        if isinstance(command, ConfiguredCommand) and not is_read and not ctx.resilient_parsing:
            ctx.default_map = command.configured(ctx)
        return super().consume_value(ctx, opts)

    def _check_single(self, ctx: click.Context, values: list[Any]) -> None:
        """Refuses an option with two values."""
        other = next((value for value in values if value != values[0]), None)
        if other is not None and not ctx.resilient_parsing:
            raise click.UsageError(
                f"--{self.key} was given twice, with {_shown(values[0])} and {_shown(other)}; give it once.",
                ctx,
            )

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Converts a value; click reads flags and paths from words only, config.toml has numbers too."""
        each = [*map(_as_word, value)] if isinstance(value, list) else _as_word(value)
        return super().type_cast_value(ctx, each)

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        try:
            return super().process_value(ctx, value)
        except click.BadParameter as error:
            near = _near_choice(self.type, value)
            if not (origin := self.origin(ctx)) and not near:
                raise
            message = " ".join(filter(None, [error.message.rstrip("."), origin]))
            raise click.BadParameter(f"{message}.{near}", ctx, self) from None

    def origin(self, ctx: click.Context) -> str:
        """Returns where a wrong value comes from, if not from the command line."""
        source = ctx.get_parameter_source(self.name or "")
        if source is ParameterSource.ENVIRONMENT:
            return f"(set by {self.variable(ctx)})"
        if source is ParameterSource.DEFAULT_MAP:
            from spamnb.cli.configuration import origin

            return f"(set in {origin(ctx, self.key)})"
        return ""


def _near_choice(choices: object, value: Any) -> str:
    """Returns ` Did you mean jsonl?` after `json`, "" if no choice is near the value."""
    from difflib import get_close_matches

    if not isinstance(choices, click.Choice) or not isinstance(value, str):
        return ""
    near = get_close_matches(value, map(str, choices.choices), 1, cutoff=0.7)
    return f" Did you mean {near[0]}?" if near else ""


def _as_word(value: Any) -> Any:
    """Returns a number as it stands on the command line, other values as they are."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _shown(value: Any) -> str:
    return " ".join(map(repr, value)) if isinstance(value, tuple) else repr(value)


class ConfiguredCommand(click.Command):
    """A command whose options take values from configuration files too."""

    @property
    def keys(self) -> dict[str, Option]:
        """The options by their keys in a configuration file; --set has no value of its own."""
        options = [one for one in self.params if isinstance(one, Option)]
        return {one.key: one for one in options if one.expose_value}

    def configured(self, ctx: click.Context) -> dict[str, Any]:
        """Returns the values of options in configuration files; none for a command that is run by itself."""
        if ctx.parent is None:
            return {}
        from spamnb.cli.configuration import defaults

        return defaults(ctx, self.keys)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command, after a warning of each variable SPAMNB_* that looks like a typing error."""
        if ctx.parent is not None and any(name.startswith("SPAMNB_") for name in os.environ):
            from spamnb.cli.environment import unread_commands, unread_options
            from spamnb.cli.output import print_status

            for text in (*unread_options(ctx, self.keys), *unread_commands(ctx.parent)):
                print_status(f"warning: {text}", bool(ctx.params.get("quiet")))
        return super().invoke(ctx)


def option(*names: str, group: str = "Output", advanced: bool = False, **attributes: Any) -> Callable[[F], F]:
    """Declares an option of a command, as click.option does."""
    return click.option(*names, **{"cls": Option, "group": group, "advanced": advanced, **attributes})


def all_of(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Combines several decorators into one."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


def advanced(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Marks options as advanced, for commands where few users need them."""

    def apply(function: F) -> F:
        known = len(getattr(function, "__click_params__", ()))
        function = all_of(*decorators)(function)
        for parameter in function.__click_params__[known:]:  # type: ignore[attr-defined]
            parameter.advanced = True
        return function

    return apply

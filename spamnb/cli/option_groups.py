"""Declares options with a group and an `advanced` flag, and renders help by them.

`--help` shows the options that most users need, under the headings of their groups; `--help-all` shows all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])
GROUPS = ("Input", "Output", "Model", "Decision")
_HELP_FLAGS = ("--help", "--help-all")  # never what a wrong option means
_HELP = "Help"  # the group of --help and --help-all, always the last one
_ALL = "spamnb.help_all"  # key in the context: --help-all was asked for
_SET_VALUES = "set_values"
_RANKS = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)


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
        if ctx.default_map is None and isinstance(ctx.command, Command) and not ctx.resilient_parsing:
            ctx.default_map = ctx.command.configured(ctx)
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
    near = get_close_matches(value, map(str, choices.choices), 1)
    return f" Did you mean {near[0]}?" if near else ""


def _as_word(value: Any) -> Any:
    """Returns a number as it stands on the command line, other values as they are."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _shown(value: Any) -> str:
    return " ".join(map(repr, value)) if isinstance(value, tuple) else repr(value)


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


class _SetOption(Option):
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

        assert isinstance(ctx.command, Command)
        names = [f"{one.key}=" for one in ctx.command.params if isinstance(one, SettingOption)]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]

    def resolve_envvar_value(self, ctx: click.Context) -> None:
        """Looks up the variable of a setting: each has one of its own."""


def _check_settings(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    """Refuses names that no setting of the command has."""
    assert isinstance(ctx.command, Command)
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


def _sets_scorer(flag: str) -> bool:
    from spamnb.settings import ScorerConfig, settings_of

    return any(flag == setting.flag for _, setting in settings_of(ScorerConfig))


class Command(click.Command):
    """A command whose help shows its options in groups; with `show_set` --set is among those of --help."""

    def __init__(self, *args: Any, show_set: bool = False, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        if any(isinstance(one, SettingOption) for one in self.params):
            self.params.append(_SetOption(advanced=not show_set))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not (advice := self._advice(ctx, error.option_name)):
                meant = [flag for flag in error.possibilities or () if flag not in _HELP_FLAGS]
                raise click.NoSuchOption(error.option_name, possibilities=meant, ctx=ctx) from None
            raise click.UsageError(f"No such option '{error.option_name}'. {advice}", ctx) from None
        self._drop_other_decisions(ctx)
        return rest

    def _drop_other_decisions(self, ctx: click.Context) -> None:
        """Lets a decision rule replace one of another kind that comes after it: they cannot be combined."""
        rules = [one for one in self.keys.values() if one.group == "Decision"]
        sources = [ctx.get_parameter_source(one.name or "") for one in rules]
        first = next((source for source in _RANKS if source in sources), None)
        for one, source in zip(rules, sources, strict=True):
            if source in _RANKS and source is not first:
                ctx.params[one.name or ""] = () if one.multiple else None

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; an error in the value of an option names where that value was set."""
        from spamnb.errors import ConfigError

        try:
            return super().invoke(ctx)
        except ConfigError as error:
            flag = re.match(r"--(?:set )?([a-z-]+) ", error.message)
            option = self.keys.get(flag[1]) if flag else None
            if option is None or not (origin := option.origin(ctx)):
                raise
            raise ConfigError(f"{error.message} {origin}", error.hint) from None

    def _advice(self, ctx: click.Context, flag: str) -> str:
        """Returns what to write in place of an option that the command lacks, "" if that is unknown."""
        setting, output = self.keys.get(flag.lstrip("-")), self.keys.get("output")
        if isinstance(setting, SettingOption):
            return f"Write {setting.opts[0]}={setting.make_metavar(ctx)}."
        if flag == "--name" and output is not None and output.metavar == "MODEL":
            return "Name the model with -o NAME."
        if "with" in self.keys and _sets_scorer(flag):
            return f"Write --with {flag.lstrip('-')}=VALUE."
        if flag == "-t" and ctx.info_name == "explain":
            return "Write spamnb explain TEXT."
        if flag != "--max-fpr":
            return ""
        one_run = "; --threshold P sets the threshold for one run" if "threshold" in self.keys else ""
        return f"It belongs to `spamnb train`{one_run}."

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _HELP_ALL]

    @property
    def keys(self) -> dict[str, Option]:
        """The options by their keys in a configuration file."""
        options = [one for one in self.params if isinstance(one, Option)]
        return {one.key: one for one in options if not isinstance(one, _SetOption)}

    def configured(self, ctx: click.Context) -> dict[str, Any]:
        """Returns the values of options in configuration files; none for a command that is run by itself."""
        if ctx.parent is None:
            return {}
        from spamnb.cli.configuration import defaults

        return defaults(ctx, self.keys)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, records in self.option_records(ctx, everything=_ALL in ctx.meta):
            with formatter.section(group):
                formatter.write_dl(records)

    def option_records(
        self, ctx: click.Context, everything: bool
    ) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yields each group with the names and the help of its options."""
        shown = list(self.shown_options(ctx, everything))
        for group in (*GROUPS, _HELP):
            records = [option.get_help_record(ctx) for option in shown if _group_of(option) == group]
            if rows := [record for record in records if record is not None]:
                yield group, rows
            if group == "Decision" and everything:
                yield from self._setting_records(ctx)

    def _setting_records(self, ctx: click.Context) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yields the settings that have no flags of their own, as a group."""
        if records := [one.record(ctx) for one in self.params if isinstance(one, SettingOption)]:
            yield "Settings, each with --set NAME=VALUE", records

    def shown_options(self, ctx: click.Context, everything: bool) -> Iterator[click.Option]:
        """Yields the options of the help; --help-all only where it shows more."""
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        has_more = any(map(_is_advanced, options))
        for option in options:
            if option.hidden or (option is _HELP_ALL and not has_more):
                continue
            if everything or not _is_advanced(option):
                yield option


def _group_of(option: click.Option) -> str:
    return option.group if isinstance(option, Option) else _HELP


def _is_advanced(option: click.Option) -> bool:
    return isinstance(option, Option) and option.advanced


def full_help(ctx: click.Context) -> str:
    """Returns the help of a command with every option."""
    ctx.meta[_ALL] = True
    return ctx.get_help()


def _show_all(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(full_help(ctx), color=ctx.color)
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    allow_from_autoenv=False,
    help="Show every option and setting and exit.",
)
command = partial(click.command, cls=Command)


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

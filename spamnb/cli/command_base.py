"""Provides the class of all commands: help in groups, and advice on wrong options.

`--help` shows the options that most users need, under the headings of their groups; `--help-all` shows all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from spamnb.cli.option_groups import GROUPS, ConfiguredCommand, Option
from spamnb.cli.set_option import SetOption, SettingOption

_HELP_FLAGS = ("--help", "--help-all")  # never what a wrong option means
_HELP = "Help"  # the group of --help and --help-all, always the last one
_ALL = "spamnb.help_all"  # key in the context: --help-all was asked for
_RANKS = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)


def _sets_scorer(flag: str) -> bool:
    from spamnb.settings import ScorerConfig, settings_of

    return any(flag == setting.flag for _, setting in settings_of(ScorerConfig))


class Command(ConfiguredCommand):
    """A command whose help shows its options in groups; with `show_set` --set is among those of --help."""

    def __init__(self, *args: Any, show_set: bool = False, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        if any(isinstance(one, SettingOption) for one in self.params):
            self.params.append(SetOption(advanced=not show_set))

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
        for one in self.overridden(
            {key: ctx.get_parameter_source(o.name or "") for key, o in self.keys.items()}
        ):
            ctx.params[one.name or ""] = () if one.multiple else None

    def overridden(self, sources: Mapping[str, ParameterSource | None]) -> dict[Option, Option]:
        """Maps each decision rule that is not in effect to one that replaces it, by the sources of keys."""
        rules = [one for key, one in self.keys.items() if one.group == "Decision" and sources[key] in _RANKS]
        rules.sort(key=lambda one: _RANKS.index(sources[one.key]))
        return {one: rules[0] for one in rules if sources[one.key] is not sources[rules[0].key]}

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
        if of_group := _group_advice(ctx, flag):
            return of_group
        setting, output = self.keys.get(flag.lstrip("-")), self.keys.get("output")
        if isinstance(setting, SettingOption):
            return f"Write {setting.opts[0]}={setting.make_metavar(ctx)}."
        if flag == "--name" and output is not None and output.metavar == "MODEL":
            return "Name the model with -o NAME."
        if "with" in self.keys and _sets_scorer(flag):
            return f"Write --with {flag.lstrip('-')}=VALUE."
        if ctx.info_name == "explain" and flag in ("-t", "--format"):
            return "Write spamnb explain TEXT." if flag == "-t" else "Write --json -."
        if flag != "--max-fpr":
            return ""
        one_run = "; --threshold P sets the threshold for one run" if "threshold" in self.keys else ""
        return f"It belongs to `spamnb train`{one_run}."

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _HELP_ALL]

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


def _group_advice(ctx: click.Context, flag: str) -> str:
    """Returns where to write an option of `spamnb` itself, "" if it has no such option."""
    root = ctx.find_root()
    option = next((one for one in root.command.params if flag in one.opts), None)
    if option is None:
        return ""
    if not option.expose_value:  # --version: it needs no command
        return f"Write spamnb {flag}."
    return f"Write spamnb {flag} {option.make_metavar(root)} {ctx.command_path.partition(' ')[2]}."


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

"""Groups commands under headings, and imports a command only when it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import click

_MANY_WORDS = 2  # `spamnb help model prune` has a group and a command

_NOT_OF_TEXTS = ("", "model check")  # unknown commands after which a quoted argument is a text
_DESTRUCTIVE, _VERY_NEAR = ("remove", "forget", "prune"), 0.8


class LazyGroup(click.Group):
    """Lists its commands without importing them, so that `--help` loads only click.

    `sections` maps a heading to its commands and their one-line help, `modules` a command to its module where
    that has another name, `other_words` a word that users try to the command that they mean. `inner_groups`
    are those of its commands that are groups, `data_tables` tables of config.toml that are no commands.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Mapping[str, str]],
        modules: Mapping[str, str] | None = None,
        other_words: Mapping[str, str] | None = None,
        inner_groups: Sequence[str] = (),
        data_tables: Sequence[str] = (),
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.sections, self.inner_groups, self.data_tables = sections, inner_groups, data_tables
        self.summaries = {name: text for section in sections.values() for name, text in section.items()}
        self._modules, self._other_words = modules or {}, other_words or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes `help` and `help COMMAND` for --help."""
        wanted = [*args[1 : 1 + _MANY_WORDS], "--help"] if args[:1] == ["help"] else args
        return super().parse_args(ctx, wanted)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self.summaries:
            return None
        name = self._modules.get(cmd_name, cmd_name)
        command: click.Command = getattr(import_module(f"spamnb.cli.commands.{name}"), name)
        return command

    def inner(self, name: str) -> LazyGroup:
        """Returns an inner group by its name."""
        group = self.get_command(click.Context(self), name)
        assert isinstance(group, LazyGroup)
        return group

    def command_names(self) -> Iterator[str]:
        """Yields all commands, those of inner groups as in `model prune`."""
        for name in self.summaries:
            if name in self.inner_groups:
                yield from (f"{name} {inner}" for inner in self.inner(name).command_names())
            else:
                yield name

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if not (advice := self._advice(ctx, *args)):
                raise
            raise click.UsageError(f"{error.message.rstrip('.')}. {advice}", ctx) from None

    def _advice(self, ctx: click.Context, word: str, *others: str) -> str:
        """Returns what to write in place of a wrong word, "" if that is unknown."""
        near = self._nearest(word)
        command = self._other_words.get(near, near)
        texts = [one for one in (word, *others[:1]) if len(one.split()) > 1]
        if texts and not ctx.parent and (texts[0] == word or command in _NOT_OF_TEXTS):
            from spamnb.cli.text_messages import shell_quote

            return f"To classify a text: spamnb predict -t {shell_quote(texts[0])}"
        return f"Did you mean {command}?" if near and word not in texts else ""

    def _nearest(self, word: str) -> str:
        """Returns the command that a wrong word stands for; a destructive one only if it is very near."""
        from difflib import get_close_matches

        words = [*self.summaries, *self._other_words]
        destructive = [one for one in words if one in _DESTRUCTIVE]
        others = [one for one in words if one not in _DESTRUCTIVE]
        near = get_close_matches(word, destructive, 1, _VERY_NEAR) or get_close_matches(word, others, 1)
        return near[0] if near else ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        widest = max(map(len, self.summaries))
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{widest}}", text) for name, text in commands.items()])

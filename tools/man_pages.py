"""Writes the manual pages of all commands from their help: docs/man/spamnb.1, spamnb-train.1 and so on.

`make docs` runs it. The wheel installs the pages into share/man/man1.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from spamnb._version import __version__
from spamnb.cli import SECTIONS, cli
from spamnb.cli.command_base import Command

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "man"
_UNWRAPPED = "\b"  # click's mark of a paragraph whose lines stay as they are


def main() -> None:
    """Writes the pages that have changed and removes those of commands that are gone."""
    FOLDER.mkdir(exist_ok=True)
    pages = man_pages()
    for path in set(FOLDER.iterdir()) - {FOLDER / name for name in pages}:
        path.unlink()
    for name, text in pages.items():
        path = FOLDER / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(f"wrote {path.relative_to(ROOT)}")


def man_pages() -> dict[str, str]:
    """Returns the text of each page by its file name."""
    top = click.Context(cli, info_name="spamnb", **cli.context_settings)
    commands = {name: _command(cli, name, top) for section in SECTIONS.values() for name in section}
    pages = {"spamnb.1": "\n".join(_overview(top)) + "\n"}
    for name, command in commands.items():
        context = click.Context(command, info_name=name, parent=top)
        pages[f"spamnb-{name}.1"] = "\n".join(_page(command, context)) + "\n"
    return pages


def _command(group: click.Group, name: str, context: click.Context) -> click.Command:
    command = group.get_command(context, name)
    assert command is not None
    return command


def _overview(top: click.Context) -> Iterator[str]:
    yield from _head("spamnb", cli.help or "")
    yield from _synopsis(top)
    yield ".SH DESCRIPTION"
    yield from _paragraphs(cli.help or "")
    for heading, commands in SECTIONS.items():
        yield f".SH {heading.upper()}"
        for name, help_text in commands.items():
            yield from (".TP", f"\\fBspamnb\\-{name}\\fR(1)", _escape(help_text))
    yield from (
        ".SH EXIT STATUS",
        "0 for success, 1 for a problem with data or a model, 2 for a wrong option,",
    )
    yield "130 after Ctrl\\-C."


def _page(command: click.Command, context: click.Context) -> Iterator[str]:
    yield from _head(context.command_path.replace(" ", "-"), command.help or "")
    yield from _synopsis(context)
    yield ".SH DESCRIPTION"
    yield from _paragraphs(command.help or "")
    yield from _options(command, context, ".SH")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = _command(command, name, context)
            yield from _subcommand(inner, click.Context(inner, info_name=name, parent=context))
    yield from (".SH SEE ALSO", "\\fBspamnb\\fR(1)")


def _subcommand(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f".SH {_escape(context.command_path.upper())}"
    yield _usage(context)
    yield from _paragraphs(command.help or "")
    yield from _options(command, context, ".SS")


def _head(title: str, help_text: str) -> Iterator[str]:
    """The title and the section NAME, whose form `man -k` relies on."""
    summary = inspect.cleandoc(help_text).partition("\n")[0].rstrip(".")
    yield f'.TH "{title.upper()}" "1" "" "spamnb {__version__}" "spamnb"'
    yield from (".SH NAME", f"{_escape(title)} \\- {_escape(summary)}")


def _synopsis(context: click.Context) -> Iterator[str]:
    yield from (".SH SYNOPSIS", _usage(context))


def _usage(context: click.Context) -> str:
    arguments = " ".join(context.command.collect_usage_pieces(context))
    return f"\\fB{_escape(context.command_path)}\\fR {_escape(arguments)}"


def _paragraphs(help_text: str) -> Iterator[str]:
    """Yields help as paragraphs; those marked as unwrapped keep their lines."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(help_text).strip()):
        lines = [line for line in paragraph.splitlines() if line.strip() != _UNWRAPPED]
        yield ".PP"
        if len(lines) == len(paragraph.splitlines()):
            yield _escape(" ".join(line.strip() for line in lines))
        else:
            yield from (".nf", *map(_escape, lines), ".fi")


def _options(command: click.Command, context: click.Context, heading: str) -> Iterator[str]:
    """Yields the options in the groups of --help-all."""
    if not isinstance(command, Command):
        return
    for group, records in command.option_records(context, everything=True):
        yield f"{heading} {group.upper()}"
        for names, help_text in records:
            yield from (".TP", f"\\fB{_escape(names)}\\fR", _escape(" ".join(help_text.split())))


def _escape(text: str) -> str:
    r"""Escapes a text for roff, also a line that begins like a request.

    >>> print(_escape(".dot -x \\ 'quoted'"))
    \&.dot \-x \e \(aqquoted\(aq
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + escaped if escaped.startswith((".", "\\(aq")) else escaped


if __name__ == "__main__":
    main()

"""`make docs`: writes the page of commands from their help and runs the console examples of all documents.

A console example is a fenced block of kind `console`. A line that starts with `$ ` is a command, lines right
below it that start with `> ` continue it, and what then follows, up to the next command, is its real output.
A page is one session: its commands run in order in a fresh folder that holds only `data`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from spamnb.cli import COMMANDS, cli
from spamnb.cli.command_base import full_help

ROOT = Path(__file__).resolve().parents[1]
COMMANDS_PAGE = ROOT / "docs" / "reference" / "commands.md"
WIDTH = 100
HOME = "home/me"

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ .*\n(?:> .*\n)*", re.MULTILINE)
_SECONDS = re.compile(r"\bin \d+\.\d\d s\b")  # differs from run to run
_HEADER = """# The command line

`make docs` writes this page from the `--help-all` of every command. Do not edit it by hand. The
[quick start](../quickstart.md) shows the main commands with their output.

MODEL is the name of a model or a file: see [names](model-file.md#names-and-the-default).
[Exit codes](exit-codes.md) are the same for all commands.

| variable | what it does |
|---|---|
| `SPAMNB_MODEL` | the model to use without `-m`, and to write without `-o` |
| `SPAMNB_COMMAND_OPTION` | any option: `SPAMNB_PREDICT_FORMAT`; see [configuration](configuration.md) |
| `SPAMNB_CONFIG` | a file to read instead of `config.toml` |
| `SPAMNB_TRACEBACK` | shows the traceback of an internal error |
| `NO_COLOR`, `FORCE_COLOR`, `COLUMNS` | no colours, colours also in a pipe, the width of tables |
"""


def pages() -> list[Path]:
    """The documents whose examples are run."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def commands_page() -> str:
    """docs/reference/commands.md: the help of every command, at one width whatever the terminal."""
    top = click.Context(cli, info_name="spamnb", terminal_width=WIDTH, **cli.context_settings)
    parts = [_HEADER, _section("spamnb", cli.get_help(top))]
    for name in COMMANDS:
        command = cli.get_command(top, name)
        assert command is not None
        parts += _command_sections(command, name, top)
    return "\n".join(parts)


def _command_sections(command: click.Command, name: str, parent: click.Context) -> list[str]:
    """The section of a command, and those of its subcommands."""
    context = click.Context(command, info_name=name, parent=parent)
    parts = [_section(context.command_path, full_help(context))]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            subcommand = command.get_command(context, inner)
            assert subcommand is not None
            parts += _command_sections(subcommand, inner, context)
    return parts


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{text.strip()}\n```\n"


def commands_of(page: str) -> list[str]:
    r"""The commands of the console examples of a page.

    >>> commands_of("```console\n$ spamnb model list\nnone\n```\n")
    ['spamnb model list']
    >>> commands_of("```console\n$ cat > x <<END\n> text\n> END\n```\n")
    ['cat > x <<END\ntext\nEND']
    """
    commands = [command for block in _BLOCK.findall(page) for command in _COMMAND.findall(block)]
    return [command.removesuffix("\n")[2:].replace("\n> ", "\n") for command in commands]


def refreshed(page: str) -> str:
    """A page with the output of its examples as it is today; text that differs only in seconds stays."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / HOME).mkdir(parents=True)
        (folder / "data").symlink_to(ROOT / "data", target_is_directory=True)
        return _BLOCK.sub(lambda block: _rerun(block[0], folder), page)


def _rerun(block: str, folder: Path) -> str:
    parts = []
    for command in commands_of(block):
        shown = command.replace("\n", "\n> ")
        parts.append(f"$ {shown}\n{output(command, folder)}")
    new = "```console\n" + "".join(parts) + "```"
    return block if _SECONDS.sub("", new) == _SECONDS.sub("", block) else new


def output(command: str, folder: Path) -> str:
    """What a shell command prints on stdout and stderr, without trailing blanks and names of this machine."""
    home = folder / HOME
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "COLUMNS": str(WIDTH),
    }
    script = f'spamnb() {{ "{sys.executable}" -m spamnb "$@"; }}\n{command}'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode().replace(str(folder), "").replace(str(ROOT), f"/{HOME}/spamnb")
    return "".join(line.rstrip(" ") + "\n" for line in text.splitlines())


def main() -> None:
    """Write what has changed and say so."""
    COMMANDS_PAGE.touch()
    for path in pages():
        old = path.read_text("utf-8")
        new = commands_page() if path == COMMANDS_PAGE else refreshed(old)
        if new != old:
            path.write_text(new, "utf-8")
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

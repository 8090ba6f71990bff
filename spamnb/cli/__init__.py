"""The command line: the only part that knows click. Commands import what they need when they run."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from spamnb._version import __version__
from spamnb.errors import SpamnbError

# command -> (module, one-line help); the module is imported only when its command runs
COMMANDS = {
    "train": "Learn from labelled messages and write a model.",
    "predict": "Say spam, ham or unsure for each message.",
    "evaluate": "Measure a model: precision, recall, F1 and more.",
    "inspect": "Look inside a model, look a word up, explain a message.",
    "models": "Show which model would be used and why.",
    "completion": "Print the completion script for a shell.",
}


class LazyGroup(click.Group):
    """Lists its commands without importing them: `--help` costs nothing but click."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"spamnb.cli.{cmd_name}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Help for a command: spamnb COMMAND --help",
)
@click.version_option(__version__, "-V", "--version", prog_name="spamnb", message="%(prog)s %(version)s")
def cli() -> None:
    """A naive Bayes spam filter for SMS and e-mail.

    \b
    Examples:
      spamnb train data.csv
      echo "WIN a FREE prize" | spamnb predict
      spamnb evaluate test.csv
      spamnb inspect prize
    """


def main() -> None:
    """Run the command line; every error becomes one sentence and an exit code, never a traceback."""
    code = _run()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or _pipe_closed()
    os._exit(code)  # everything is written: tearing numpy down would take another 13 ms


def _run() -> int:
    try:
        result = cli.main(prog_name="spamnb", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except SpamnbError as error:
        from spamnb.cli.output import show_error

        show_error(error)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted.", err=True)
        return 130
    except BrokenPipeError:
        return _pipe_closed()
    except OSError as error:
        click.echo(f"Error: {error.strerror or error}", err=True)
        return 1


def _pipe_closed() -> int:
    """The reader of our output has gone: stop without a word, as any filter does (128 + SIGPIPE)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141

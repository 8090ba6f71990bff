"""Runs the command line: commands are imported when they run, and every error becomes a sentence."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from importlib import import_module

try:
    import click

    from spamnb._version import __version__
    from spamnb.core import cpu_and_memory
    from spamnb.errors import SpamnbError
except KeyboardInterrupt:  # while modules are loaded nothing else would catch it
    os._exit(130)

_LIMITS = errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM

TRACEBACK = "SPAMNB_TRACEBACK"  # if set, an internal error is shown with its traceback

# command -> one-line help; its module is imported only when it runs
COMMANDS = {
    "train": "Learn from labelled messages and write a model.",
    "predict": "Classify each message as spam, ham or unsure.",
    "evaluate": "Measure a model: precision, recall, F1 and more.",
    "compare": "Try all scorers and other settings on the same folds.",
    "tune": "Search settings that suit the data, and say what they are worth.",
    "inspect": "Look inside a model, look a word up, explain a message.",
    "merge": "Add models together, exactly.",
    "prune": "Make a model smaller: drop the least informative tokens.",
    "age": "Let old evidence fade: halve every count.",
    "export": "Write a model as JSON lines.",
    "import": "Restore a model from an export.",
    "filter": "Pass one mail through, with its verdict in the header.",
    "learn": "Add messages to an existing model.",
    "forget": "Remove learned messages from a model.",
    "models": "Show which model would be used and why.",
    "model": "Look after a model file: check who can use it.",
    "completion": "Print the completion script for a shell.",
}
_MODULES = {"import": "import_", "model": "model_group"}  # where a module cannot be named like its command


class LazyGroup(click.Group):
    """Lists its commands without importing them, so that `--help` loads only click."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes `spamnb help` and `spamnb help COMMAND` for --help."""
        return super().parse_args(ctx, [*args[1:2], "--help"] if args[:1] == ["help"] else args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        name = _MODULES.get(cmd_name, cmd_name)
        command: click.Command = getattr(import_module(f"spamnb.cli.commands.{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            if not (near := get_close_matches(args[0], COMMANDS, 1)):
                raise
            message = f"{error.message.rstrip('.')}. Did you mean {near[0]}?"
            raise click.UsageError(message, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Help for a command: spamnb COMMAND --help",
)
@click.version_option(__version__, "-V", "--version", prog_name="spamnb", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A naive Bayes spam filter for SMS and e-mail.

    \b
    Examples:
      spamnb train data.csv
      echo "WIN a FREE prize" | spamnb predict
      spamnb evaluate test.csv
      spamnb inspect prize
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Runs the command line; every error becomes one sentence and an exit code, never a traceback."""
    if hasattr(signal, "SIGPIPE"):  # if the reader of the output has gone: end at once, as any filter does
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.unraisablehook = _unraisable
    cpu_and_memory.prepare_numpy()
    gc.set_threshold(50_000)  # there are few reference cycles; looking for them took 4% of a training
    code = _run()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done: only buffers are written
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            code = code or _exit_code(1)
    os._exit(code)  # everything is written; the normal exit of numpy would take another 13 ms


def _run() -> int:
    try:
        result = cli.main(prog_name="spamnb", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        _show_usage(error)
        return _exit_code(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        from spamnb.cli.output import print_status

        print_status("Interrupted.")
        return 130
    except SpamnbError as error:
        return _exit_code(_shown(error))
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        return _exit_code(_shown(_described(error)))


def _unraisable(what: sys.UnraisableHookArgs) -> None:
    """Sends a Ctrl-C once more that came while Python ran a callback of its own, where it is lost."""
    if what.exc_type is KeyboardInterrupt and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.005)  # later: now it would be lost again
    else:
        sys.__unraisablehook__(what)


def _exit_code(code: int) -> int:
    """The exit code of an error in the style of --exit-code."""
    from spamnb.cli.exit_codes import of_error

    return of_error(sys.argv[1:], code)


def _show_usage(error: click.ClickException) -> None:
    """Prints click's message on a wrong command line; only the list of a missing choice has several lines."""
    from io import StringIO

    from spamnb.cli.output import print_status
    from spamnb.core import visible

    if not isinstance(error, click.MissingParameter):
        error = click.UsageError(visible(error.format_message()), getattr(error, "ctx", None))
    text = StringIO()
    error.show(text)
    for line in text.getvalue().removesuffix("\n").split("\n"):
        print_status(line)


def _shown(error: SpamnbError) -> int:
    from spamnb.cli.output import show_error

    show_error(error)
    return error.exit_code


def _described(error: Exception) -> SpamnbError:
    """A sentence and the next step for an exception that no other part of the program has handled."""
    if isinstance(error, MemoryError):
        return SpamnbError("there is not enough memory", "give the data in several smaller files")
    written = hasattr(error, "characters_written")  # EAGAIN of a non-blocking pipe is no limit
    if isinstance(error, OSError) and error.errno in _LIMITS and not written:
        return SpamnbError(
            f"the system refuses: {error.strerror}",
            "use fewer processes (--jobs), or raise its limits (ulimit)",
        )
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return SpamnbError(
            f"{where}{error.strerror or error}", "check the path, its permissions and the disk"
        )
    return SpamnbError(
        f"spamnb has a fault: {type(error).__name__}: {error}",
        f"please report it, with what `{TRACEBACK}=1` set before the command shows",
    )

"""The command line: the only part that knows click. Commands import what they need when they run."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from importlib import import_module
from keyword import iskeyword

try:
    import click

    from spamnb._version import __version__
    from spamnb.core import cpu_and_memory
    from spamnb.errors import SpamnbError
except KeyboardInterrupt:  # while all this is loaded nobody else would catch it
    os._exit(130)

_LIMITS = errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM

TRACEBACK = "SPAMNB_TRACEBACK"  # set, a fault of the program itself is shown in full

# command -> one-line help; its module, named like it, is imported only when it runs
COMMANDS = {
    "train": "Learn from labelled messages and write a model.",
    "predict": "Say spam, ham or unsure for each message.",
    "evaluate": "Measure a model: precision, recall, F1 and more.",
    "compare": "Try all scorers and other settings on the same folds.",
    "tune": "Search settings that suit the data, and say what they are worth.",
    "inspect": "Look inside a model, look a word up, explain a message.",
    "merge": "Add models together, exactly.",
    "prune": "Make a model smaller: drop the tokens that say least.",
    "age": "Let old evidence fade: halve every count.",
    "export": "Write a model as text: TSV or JSON lines.",
    "import": "Make a model of an exported text.",
    "filter": "Pass one mail through, with its verdict in the header.",
    "learn": "Learn messages into a model that is there.",
    "forget": "Take learned messages out of a model again.",
    "relabel": "Correct the label of messages that a model has learned.",
    "models": "Show which model would be used and why.",
    "completion": "Print the completion script for a shell.",
}


class LazyGroup(click.Group):
    """Lists its commands without importing them: `--help` costs nothing but click."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`spamnb help` and `spamnb help COMMAND` are other words for --help."""
        return super().parse_args(ctx, [*args[1:2], "--help"] if args[:1] == ["help"] else args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
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
            told = f"{error.message.rstrip('.')}. Did you mean {near[0]}?"
            raise click.UsageError(told, ctx) from None

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
    """Run the command line; every error becomes one sentence and an exit code, never a traceback."""
    if hasattr(signal, "SIGPIPE"):  # nobody reads our output any more: end at once, as any filter does
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.unraisablehook = _unraisable
    cpu_and_memory.prepare_numpy()
    gc.set_threshold(50_000)  # little here is garbage in circles; looking for it took 4% of a training
    code = _run()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is to write what is done
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            code = code or _as_asked(1)
    os._exit(code)  # everything is written: tearing numpy down would take another 13 ms


def _run() -> int:
    try:
        result = cli.main(prog_name="spamnb", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        _show_usage(error)
        return _as_asked(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        from spamnb.cli.output import print_status

        print_status("Interrupted.")
        return 130
    except SpamnbError as error:
        return _as_asked(_shown(error))
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        return _as_asked(_shown(_in_words(error)))


def _unraisable(what: sys.UnraisableHookArgs) -> None:
    """Python tells of a Ctrl-C that meets one of its own callbacks, and goes on: it is sent once more."""
    if what.exc_type is KeyboardInterrupt and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.005)  # when this is over: here it would be lost again
    else:
        sys.__unraisablehook__(what)


def _as_asked(code: int) -> int:
    """The exit code of an error in the style of --exit-code."""
    from spamnb.cli.exit_codes import of_error

    return of_error(sys.argv[1:], code)


def _show_usage(error: click.ClickException) -> None:
    """What click says of a wrong command line, which may hold anything, by way of `say`."""
    from io import StringIO

    from spamnb.cli.output import print_status

    text = StringIO()
    error.show(text)
    print_status(text.getvalue().removesuffix("\n"))


def _shown(error: SpamnbError) -> int:
    from spamnb.cli.output import show_error

    show_error(error)
    return error.exit_code


def _in_words(error: Exception) -> SpamnbError:
    """What no part of the program has put into words."""
    if isinstance(error, MemoryError):
        return SpamnbError("there is not enough memory", "give the data in several smaller files")
    written = hasattr(error, "characters_written")  # EAGAIN of a pipe that does not wait is no limit
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

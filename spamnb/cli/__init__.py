"""Runs the command line: commands are imported when they run, and every error becomes a sentence."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys

try:
    import click

    from spamnb._version import __version__
    from spamnb.cli.command_group import LazyGroup
    from spamnb.core import cpu_and_memory
    from spamnb.errors import SpamnbError
except KeyboardInterrupt:  # while modules are loaded nothing else would catch it
    os._exit(130)

_LIMITS = errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM

TRACEBACK = "SPAMNB_TRACEBACK"  # if set, an internal error is shown with its traceback

# heading -> command -> one-line help; its module is imported only when it runs
SECTIONS = {
    "Start": {
        "train": "Learn from labelled messages and write a model.",
        "predict": "Classify each message as spam, ham or unsure.",
        "explain": "Show the evidence for and against one verdict.",
        "evaluate": "Measure a model: precision, recall, F1 and more.",
        "inspect": "Show what a model contains, look up words.",
    },
    "Teach": {
        "learn": "Add messages to an existing model.",
        "forget": "Remove learned messages from a model.",
        "review": "Label the messages that teach a model most.",
    },
    "Improve": {
        "compare": "Try all scorers and other settings on the same folds.",
        "tune": "Search for better settings and measure the gain.",
    },
    "Mail and service": {
        "filter": "Pass one email through, with its verdict in the header.",
        "imap": "Filter a mailbox on a mail server, and learn from moves.",
        "serve": "Answer clients over HTTP, spamd and milter protocols.",
        "lists": "Allow or block senders.",
    },
    "Models and settings": {
        "model": "List, choose, merge, shrink or check models.",
        "config": "Show the settings of config.toml and the environment.",
        "completion": "Print the completion script for a shell.",
    },
}
COMMANDS = {name: text for section in SECTIONS.values() for name, text in section.items()}
_OTHER_WORDS = {  # what users of other programs try
    "why": "explain",
    "classify": "predict",
    "score": "predict",
    "eval": "evaluate",
    "test": "evaluate",
    "models": "model list",
    "server": "serve",
    "spamd": "serve",
    **{name: f"model {name}" for name in ("list", "use", "remove", "merge", "prune", "age", "export")},
    **{name: f"model {name}" for name in ("import", "check", "log", "undo")},
}


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    modules={"model": "model_group", "imap": "imap_group", "lists": "lists_group", "config": "show_config"},
    other_words=_OTHER_WORDS,
    inner_groups=["model", "imap", "lists"],
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 80,
        "auto_envvar_prefix": "SPAMNB",
    },
)
@click.option(
    "--config", type=click.Path(readable=False), metavar="FILE", help="Read settings only from FILE (TOML)."
)
@click.version_option(
    __version__,
    "-V",
    "--version",
    prog_name="spamnb",
    message="%(prog)s %(version)s",
    allow_from_autoenv=False,
)
@click.pass_context
def cli(ctx: click.Context, config: str | None) -> None:  # noqa: ARG001
    """A naive Bayes spam filter for SMS and email.

    \b
    Examples:
      echo "WIN a FREE prize" | spamnb predict
      spamnb explain "WIN a FREE prize"
      spamnb train data.csv
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
    """Returns the exit code of an error in the style of --exit-code."""
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
    """Describes an exception that no other part of the program has handled, and the next step."""
    if isinstance(error, MemoryError):
        return SpamnbError("there is not enough memory", "split the data into smaller files")
    written = hasattr(error, "characters_written")  # EAGAIN of a non-blocking pipe is no limit
    if isinstance(error, OSError) and error.errno in _LIMITS and not written:
        return SpamnbError(
            f"the system refuses: {error.strerror}",
            "use fewer processes (--jobs), or raise its limits (ulimit)",
        )
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        hint = "check the path, its permissions and the disk" if where else "check where the output goes"
        return SpamnbError(f"{where}{error.strerror or error}", hint)
    return SpamnbError(
        f"spamnb has a bug: {type(error).__name__}: {error}",
        f"please report it with the traceback: set `{TRACEBACK}=1` and run the command again",
    )

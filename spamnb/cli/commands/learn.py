"""`spamnb learn`: adds messages to an existing model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.moved_mail import is_maildir_argument, learn_moved
from spamnb.cli.option_groups import option
from spamnb.cli.text_messages import refuse_texts
from spamnb.cli.update_model import class_options, print_undo, update_model, update_options
from spamnb.errors import DataError, NoLabelsError

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.training import Learner


@command()
@click.argument("messages", nargs=-1, type=options.PATH, metavar="[MESSAGES]...")
@option(
    "--sync",
    is_flag=True,
    group="Input",
    help="MESSAGES is a Maildir: learn what is new in its Junk as spam, what left it (not to Trash) as ham. "
    "Or they are LABEL=FOLDER: learn what is new or has moved there.",
)
@option(
    "--mode",
    type=click.Choice(["new", "on-error", "again", "drain"]),
    default="new",
    show_default=True,
    group="Model",
    advanced=True,
    help="new: learn messages that were not learned before. on-error: of these, only those that the model "
    "misclassifies or is unsure of. again: learn all, also a second time. drain: learn and "
    "remove the emails in .spam and .ham of a folder, the queue of a mail server.",
)
@option(
    "--compact",
    is_flag=True,
    group="Model",
    advanced=True,
    help="Only write the journal into the model file.",
)
@class_options("Label all messages as spam.", "Label all messages as ham.")
@update_options
@click.pass_context
def learn(ctx: click.Context, /, messages: tuple[str, ...], sync: bool, compact: bool, **flags: Any) -> None:
    """Add messages to an existing model.

    MESSAGES are files or mailboxes, or come from -t or stdin (one per line, or an email). --spam or --ham
    labels all; otherwise they are a labelled table as for `spamnb train`. Messages that were learned
    before are skipped. Those that were learned with another label are relabelled. A learned message gets
    its label when the same text comes again. Without -m, lessons go into your own model for texts or for
    mail. The first lesson starts it from the ready-made one.

    \b
    Examples:
      spamnb learn --spam -t "WIN a FREE prize"
      spamnb learn --spam < mail.eml
      spamnb learn --ham Maildir/.Archive
      spamnb learn new.csv --mode on-error
      spamnb learn --sync Maildir
      spamnb learn --sync spam=Maildir/.Junk ham=Maildir/.Archive
    """
    if compact:
        _compact(messages, sync, flags)
        return
    if flags["mode"] == "drain" or (sync and is_maildir_argument(messages)):
        learn_moved(ctx, messages, flags)
        return
    if sync:
        _check_sync(messages, flags)
        messages, flags["labelled"], flags["sync"] = (), (*flags["labelled"], *messages), True
    _check_label(messages, flags)
    try:
        labelled, learn_chunk = flags["positive"] is None, partial(_learn_chunk, flags["mode"])
        learner = update_model(messages, flags, learn_chunk, labelled, may_start=True)
    except NoLabelsError as error:
        hint = f"say what they are with --spam or --ham, or {error.hint}"
        raise DataError(error.message, hint) from None
    print_undo(learner, flags)


def _check_label(messages: tuple[str, ...], flags: dict[str, Any]) -> None:
    """Refuses texts without a label, and labels that contradict each other."""
    if flags["labelled"] and flags["positive"] is not None:
        raise click.UsageError(
            "--spam and --ham cannot be combined with --label or --sync: leave out one of them."
        )
    if flags["texts"] and flags["positive"] is None:
        raise click.UsageError("-t needs --spam or --ham: say what the text is.")
    label = "ham" if flags["positive"] is False else "spam"
    if not all(text.strip() for text in flags["texts"]):
        raise DataError("a message is empty", f'give a text: spamnb learn --{label} -t "WIN a FREE prize"')
    refuse_texts(messages, f"learn a text as {label}", f"spamnb learn --{label}", flags["model"])


def _learn_chunk(option: str, learner: Learner, chunk: Chunk, labels: list[str] | None) -> None:
    """Learns a chunk as `option`, the value of --mode, says."""
    assert labels is not None
    columns, mode = (chunk.categories, chunk.numbers), "on-error" if option == "on-error" else "all"
    learner.learn(chunk.texts, labels, *columns, again=option == "again", mode=mode)


def _check_sync(messages: tuple[str, ...], flags: dict[str, Any]) -> None:
    from spamnb.errors import ConfigError

    if flags["mode"] == "again":
        raise click.UsageError("--sync cannot be combined with --mode again.")
    if not messages:
        raise click.UsageError("--sync needs a Maildir, or folders with their labels: spam=Maildir/.Junk")
    wrong = next((text for text in messages if "=" not in text), None)
    if wrong is not None:
        raise ConfigError(
            f"with --sync a folder that is no Maildir needs its label, got {wrong!r}",
            hint="for example spam=Maildir/.Junk, or a Maildir alone",
        )


def _compact(messages: tuple[str, ...], sync: bool, flags: dict[str, Any]) -> None:
    """Writes the journal into the model file; refuses messages."""
    inputs = messages or sync or flags["texts"] or flags["labelled"] or flags["files_from"]
    if inputs or flags["positive"] is not None:
        raise click.UsageError("--compact takes no messages: leave them out.")

    import os

    from spamnb.cli.model_option import model_to_change
    from spamnb.cli.output import print_status
    from spamnb.settings import history_days
    from spamnb.training import Learner

    path, days = model_to_change(flags["model"]), history_days(flags)
    with Learner(path, history_days=days) as learner:
        learner.compact()
    print_status(f"saved      {learner.path} ({os.path.getsize(learner.path) / 1e3:,.0f} kB)", flags["quiet"])

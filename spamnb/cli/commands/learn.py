"""`spamnb learn`: messages into a model that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.update_model import update, update_options
from spamnb.errors import DataError, NoLabelsError

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.training import Learner


@click.command(short_help="Learn messages into a model that is there.")
@click.argument("messages", nargs=-1, type=options.PATH, metavar="[MESSAGES]...")
@click.option("--sync", is_flag=True, help="MESSAGES are LABEL=FOLDER; learn what has come or moved there.")
@click.option(
    "--mode",
    type=click.Choice(["all", "on-error"]),
    default="all",
    show_default=True,
    help="on-error: learn only what the model misjudges or is unsure of.",
)
@click.option("--again", is_flag=True, help="Learn also what is known already, once more.")
@click.option("--compact", is_flag=True, help="Write the journal into the model file, and nothing else.")
@update_options
def learn(messages: tuple[str, ...], sync: bool, compact: bool, **given: Any) -> None:
    """Learn messages into a model that is there.

    MESSAGES are files or mailboxes, or come from stdin, one a line or one mail. With --spam or --ham all of
    them are that; without, they are a labelled table as for `spamnb train`. What is known already is left
    alone. What is known with another label gets the new one.

    \b
    Examples:
      spamnb learn --spam < mail.eml
      spamnb learn --ham Maildir/.Archive
      spamnb learn new.csv --mode on-error
      spamnb learn --sync spam=Maildir/.Junk ham=Maildir/.Archive
    """
    if compact:
        if messages or sync or given["labelled"] or given["files_from"] or given["positive"] is not None:
            raise click.UsageError("--compact does nothing else: leave out the messages.")
        _compact(given)
        return
    if sync:
        _check_sync(messages, given)
        messages, given["labelled"], given["sync"] = (), (*given["labelled"], *messages), True
    if given["labelled"] and given["positive"] is not None:
        raise click.UsageError("--spam and --ham do not go with --label or --sync: leave out one of them.")
    said: dict[int, str] | None = None if given["again"] else {}

    def change(learner: Learner, chunk: Chunk, labels: list[str] | None) -> None:
        assert labels is not None
        columns = dict(chunk.categories), dict(chunk.numbers)
        learner.learn(chunk.texts, labels, *columns, again=given["again"], mode=given["mode"], said=said)

    try:
        update(messages, given, change, labelled=given["positive"] is None)
    except NoLabelsError as error:
        hint = f"say what they are with --spam or --ham, or {error.hint}"
        raise DataError(error.message, hint) from None


def _check_sync(messages: tuple[str, ...], given: dict[str, Any]) -> None:
    from spamnb.errors import ConfigError

    if given["again"]:
        raise click.UsageError("--sync does not go with --again.")
    if not messages:
        raise click.UsageError("--sync needs folders with their labels: spam=Maildir/.Junk")
    wrong = next((text for text in messages if "=" not in text), None)
    if wrong is not None:
        raise ConfigError(
            f"with --sync a folder needs its label, got {wrong!r}", hint="for example spam=Maildir/.Junk"
        )


def _compact(given: dict[str, Any]) -> None:
    import os

    from spamnb.cli.model_choice import model_to_change
    from spamnb.cli.output import print_status
    from spamnb.training import Learner

    with Learner(model_to_change(given["model"]), wait=given["wait"]) as learner:
        learner.compact()
    print_status(f"saved      {learner.path} ({os.path.getsize(learner.path) / 1e3:,.0f} kB)", given["quiet"])

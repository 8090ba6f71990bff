"""`spamnb relabel`: another label for messages that a model has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.update_model import update, update_options

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.training import Learner


@click.command(short_help="Correct the label of messages that a model has learned.")
@click.argument("messages", nargs=-1, type=options.PATH, metavar="[MESSAGES]...")
@update_options
def relabel(messages: tuple[str, ...], **given: Any) -> None:
    """Correct the label of messages that a model has learned.

    As if they had been learned with the new label from the start. MESSAGES are files or mailboxes, or come
    from stdin. With --spam or --ham all of them are that; without, they are a labelled table. What the model
    has never learned stays out of it; `spamnb learn` corrects and learns at once.

    \b
    Examples:
      spamnb relabel --ham < mail.eml
      spamnb relabel corrected.csv
    """

    def change(learner: Learner, chunk: Chunk, labels: list[str] | None) -> None:
        assert labels is not None
        learner.relabel(chunk.texts, labels, dict(chunk.categories), dict(chunk.numbers))

    update(messages, given, change, labelled=given["positive"] is None)

"""`spamnb forget`: learned messages out of a model again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.update_model import update, update_options

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.training import Learner


@click.command(short_help="Take learned messages out of a model again.")
@click.argument("messages", nargs=-1, type=options.PATH, metavar="[MESSAGES]...")
@update_options
def forget(messages: tuple[str, ...], **given: Any) -> None:
    """Take learned messages out of a model again.

    Afterwards the model is exactly as if it had never learned them. MESSAGES are files or mailboxes, or come
    from stdin. The model knows what it learned them as; --spam or --ham restricts that, or --label-column for
    a table. Each message given takes out one.

    \b
    Examples:
      spamnb forget < mail.eml
      spamnb forget --spam wrong.txt
    """

    def change(learner: Learner, chunk: Chunk, labels: list[str] | None) -> None:
        learner.forget(chunk.texts, labels, dict(chunk.categories), dict(chunk.numbers))

    update(messages, given, change, labelled=bool(given["label_column"]))

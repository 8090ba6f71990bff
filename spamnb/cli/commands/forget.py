"""`spamnb forget`: removes learned messages from a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.text_messages import refuse_texts
from spamnb.cli.update_model import class_options, print_undo, update_model, update_options

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.training import Learner


@command()
@click.argument("messages", nargs=-1, type=options.PATH, metavar="[MESSAGES]...")
@class_options("Remove only what was learned as spam.", "Remove only what was learned as ham.")
@update_options
def forget(messages: tuple[str, ...], **flags: Any) -> None:
    """Remove learned messages from a model.

    Afterwards the model is exactly as if it had never learned these messages. MESSAGES are files or
    mailboxes, or come from -t or stdin. Labels are looked up automatically; --spam/--ham limits removal to
    one class, and --label-column to the labels of a table. Removes one copy per message.

    \b
    Examples:
      spamnb forget -t "WIN a FREE prize"
      spamnb forget < mail.eml
      spamnb forget --spam wrong.txt
    """

    limit = {True: " --spam", False: " --ham", None: ""}[flags["positive"]]
    refuse_texts(messages, "forget a text", f"spamnb forget{limit}", flags["model"])

    def forget_chunk(learner: Learner, chunk: Chunk, labels: list[str] | None) -> None:
        learner.forget(chunk.texts, labels, chunk.categories, chunk.numbers)

    print_undo(update_model(messages, flags, forget_chunk, labelled=bool(flags["label_column"])), flags)

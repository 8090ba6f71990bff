"""`spamnb model undo`: takes lessons of a model back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.update_model import history_option, undo_command
from spamnb.settings import history_days


@command("undo")
@click.argument("lesson", metavar="ID|DATE")
@options.model_option
@history_option
@options.json_option
@options.quiet_option
def model_undo(lesson: str, model: str | None, **flags: Any) -> None:
    """Take back one lesson, or all since a date.

    Afterwards the model is exactly as if it had never learned these messages. ID is a number of
    `spamnb model log`. DATE is a day or a time, such as 2026-01-31 or 2026-01-31T18:30, and means all lessons
    since. An undo is a lesson too: undo it to bring lessons back. What cannot be undone exactly is refused:
    lessons from before the model was aged, pruned, merged or trained, and a lesson whose messages a later one
    has changed.

    \b
    Examples:
      spamnb model undo 17
      spamnb model undo 2026-01-31
    """
    from spamnb.cli.model_option import model_to_change
    from spamnb.cli.output import print_step, write_json
    from spamnb.training import undo

    which = _chosen(lesson)
    path = model_to_change(model)
    result = undo(path, **which, history_days=history_days(flags))
    entry = result.lesson
    if flags["json_file"]:
        document = {"model": path, "undone": list(result.undone), "lesson": entry and entry.id}
        write_json(document, flags["json_file"])
    if entry is None:
        print_step("undone", f"nothing: no lesson since {lesson}", flags["quiet"])
        return
    number, first = len(result.undone), result.undone[0]
    lessons = f"lesson {first}" if number == 1 else f"{number:,} lessons, {first} to {result.undone[-1]}"
    print_step("undone", f"{lessons}: {_changes_text(entry.labels)}", flags["quiet"])
    print_step("redo", undo_command(entry.id, model, path), flags["quiet"])


def _changes_text(labels: Mapping[str, int]) -> str:
    """Words how many messages of each class were taken back and learned again.

    >>> _changes_text({"ham": -1}), _changes_text({"ham": -2, "spam": 2})
    ('1 ham message taken back', '2 ham messages taken back, 2 spam messages learned again')
    """
    changes = (
        f"{abs(n):,} {label} message{'s' * (abs(n) > 1)} {'learned again' if n > 0 else 'taken back'}"
        for label, n in labels.items()
    )
    return ", ".join(changes) or "no change"


def _chosen(text: str) -> dict[str, Any]:
    """Reads a number or a date.

    >>> _chosen("17")
    {'lesson': 17}
    """
    from spamnb.errors import ConfigError

    if text.isascii() and text.isdigit() and len(text) < 8:
        return {"lesson": int(text)}
    try:
        return {"since": datetime.fromisoformat(text).timestamp()}
    except (ValueError, OverflowError, OSError):
        raise ConfigError(
            f"expected the number of a lesson or a date, got {text!r}",
            hint="for example 17, 2026-01-31 or 2026-01-31T18:30; `spamnb model log` lists the lessons",
        ) from None

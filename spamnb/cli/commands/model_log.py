"""`spamnb model log`: lists what a model has learned, lesson by lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.option_groups import option

if TYPE_CHECKING:
    from spamnb.training import LessonInfo

_HEAD = ("id", "time", "source", "messages", "change", "digest", "")
_NUMBERS = (0, 3)  # columns of numbers


@command("log")
@options.model_option
@option(
    "--format",
    "output_format",
    type=click.Choice(["table", "jsonl"]),
    default="table",
    show_default=True,
    group="Output",
    help="Format of the output.",
)
def model_log(model: str | None, output_format: str) -> None:
    """List the lessons of a model, newest first.

    A lesson is what one `learn`, `forget` or `review` has changed: its number, time and source, how many
    messages it changed in each class, and a digest of the message. The text of messages is not kept.
    `spamnb model undo` takes lessons back. Lessons are kept for 90 days, 20,000 at most, in a file beside the
    model; `model export` leaves them behind.

    \b
    Examples:
      spamnb model log
      spamnb model log -m office --format jsonl
    """
    from spamnb.cli.model_option import find_model_to_show
    from spamnb.cli.output import print_status, print_table
    from spamnb.report import dumps
    from spamnb.training import history

    path = find_model_to_show(model)
    lessons = history(path)
    if output_format == "jsonl":
        for lesson in lessons:
            click.echo(dumps(lesson.to_dict(), indent=None), nl=False)
        return
    if not lessons:
        print_status(_no_lessons(path))
        return
    print_table([_HEAD, *map(_cells, lessons)], _NUMBERS)


def _no_lessons(path: str) -> str:
    """Says why a model has no lessons to list; a copy often lacks the file that keeps them."""
    from spamnb.cli.model_saving import has_lessons
    from spamnb.model import SpamModel
    from spamnb.storage import HISTORY

    model = SpamModel.load(path)
    mark = model.lesson_mark
    if not has_lessons(model):
        return "The model has no lessons: nothing was learned since it was trained."
    if mark is None or mark.last <= mark.fixed:
        return "The model has learned since it was trained, but has no list of lessons that can be undone."
    listed = f"{path}{HISTORY}, which lists the lessons,"
    return f"{listed} is missing or unusable. It is copied with the model, not exported."


def _cells(lesson: LessonInfo) -> tuple[str, ...]:
    entry = lesson.entry
    change = ", ".join(f"{n:+,} {label}" for label, n in entry.labels.items())
    moment = lesson.to_dict()["time"][:19].replace("T", " ")
    return str(entry.id), moment, entry.source, f"{entry.messages:,}", change, entry.digest, _note(lesson)


def _note(lesson: LessonInfo) -> str:
    """Returns `undone by 7`, `undoes 3-5` or `final`, as far as it applies."""
    ranges = (f"{a}" if a == b else f"{a}-{b}" for a, b in lesson.entry.undoes)
    notes = [f"undoes {', '.join(ranges)}"] if lesson.entry.undoes else []
    if lesson.undone_by is not None:
        notes.append(f"undone by {lesson.undone_by}")
    elif not lesson.undoable:
        notes.append("final")
    return "; ".join(notes)

"""Runs `learn` and `forget`: reads messages, changes the model in one step, prints what was done."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, partial, wraps
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.option_groups import all_of, option
from spamnb.cli.output import print_prompt, print_status, report_skipped, write_json
from spamnb.cli.text_messages import check_alone, model_flag, text_chunk
from spamnb.core import visible
from spamnb.settings import HistoryConfig, history_days

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.model import SpamModel
    from spamnb.readers import Source
    from spamnb.training import Learner, LearnResult, Lesson

_ONE_CLASS = (
    "note: words count once there are lessons of both spam and ham; "
    "until then a lesson changes only the verdict on the same text "
    "(capitals and punctuation matter, white space does not)"
)
# What a command does with a chunk and its labels (None: none were given).
Update = Callable[["Learner", "Chunk", "list[str] | None"], None]


def _positive(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turns the flags into `positive`: True, False, or None where neither is set."""

    @wraps(command)
    def with_class(*args: Any, spam: bool, ham: bool, **flags: Any) -> Any:
        if spam and ham:
            raise click.UsageError("--spam and --ham cannot be combined: leave out one of them.")
        return command(*args, positive=True if spam else False if ham else None, **flags)

    return with_class


def class_options(spam: str, ham: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns the flags --spam and --ham with their help."""
    return all_of(
        option("--spam", is_flag=True, group="Input", help=spam),
        option("--ham", is_flag=True, group="Input", help=ham),
        _positive,
    )


history_option = options.setting_options(HistoryConfig)
update_options = all_of(
    options.text_option,
    options.model_option,
    options.data_options,
    history_option,
    options.json_option,
    options.quiet_option,
)


def update_model(
    paths: tuple[str, ...], flags: dict[str, Any], update: Update, labelled: bool, may_start: bool = False
) -> Learner:
    """Reads messages, changes the model by them in one step, prints what was done.

    With `may_start` the user's own model is made from the ready-made one if there is none.
    """
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    check_alone(flags["texts"], paths or flags["files_from"] or flags["labelled"])
    with model_changed(paths, flags, may_start) as path:
        learner = _update(path, paths, flags, update, labelled)
    print_result(learner.outcome, _has_one_class(learner.model), flags["quiet"])
    return learner


def print_undo(learner: Learner, flags: dict[str, Any]) -> None:
    """Prints the command that takes the lesson back, if there is one and the history keeps it."""
    if learner.lesson is not None and history_days(flags):
        print_status(
            f"{'undo':<10} {undo_command(learner.lesson.id, flags['model'], learner.path)}", flags["quiet"]
        )


def undo_command(lesson: int, option: str | None, path: str) -> str:
    """Returns the command that takes a lesson back; `option` is the value of -m, `path` the model."""
    return f"spamnb model undo {lesson}{flag_of_changed(option, path)}"


def flag_of_changed(option: str | None, path: str) -> str:
    """Returns the option -m for the model that was changed; it names a default model: there are two."""
    from spamnb.model import MODEL_VARIABLE, name_of

    stated = option or os.environ.get(MODEL_VARIABLE)
    return model_flag(option if stated else name_of(path))


def _has_one_class(model: SpamModel) -> bool:
    """Tells whether a model on top of a base model has messages of one class only."""
    return model.base is not None and int((model.store.message_totals > 0).sum()) == 1


@contextmanager
def model_changed(paths: tuple[str, ...], flags: dict[str, Any], may_start: bool = True) -> Iterator[str]:
    """Yields the path of the model for the messages of a command.

    With `may_start` the user's own model is started if there is none, which is printed. It is removed if
    nothing is learned.
    """
    from spamnb.cli.message_kind import kind_of_inputs
    from spamnb.cli.model_option import model_to_change
    from spamnb.training import own_model_started

    kind = cache(partial(kind_of_inputs, paths, flags))
    with own_model_started(flags["model"], kind) if may_start else nullcontext() as own:
        if own is not None:
            print_status(own.text, flags["quiet"])
        yield model_to_change(flags["model"], kind)


def _update(
    path: str, paths: tuple[str, ...], flags: dict[str, Any], update: Update, labelled: bool
) -> Learner:
    from spamnb.training import Learner, check_can_sync, class_label, read_ahead

    days = history_days(flags)
    learner = Learner(path, first_label_wins=True, history_days=days)
    model = learner.load()
    if flags.get("sync"):
        check_can_sync(model)
    label = "" if flags["positive"] is None else class_label(model, flags["positive"])
    labelled = labelled or bool(flags.get("labelled"))
    skipped: list[int] = []
    chunks = read_ahead(_read_chunks(paths, model, flags, label, labelled, skipped))
    with learner:
        for chunk in chunks:
            update(learner, chunk, [label] * len(chunk) if label else chunk.labels)
        learner.outcome.skipped += sum(skipped)
        if flags["json_file"]:  # inside: if it cannot be written, nothing is learned
            write_json({"model": learner.path, **learner.outcome.to_dict()}, flags["json_file"])
    return learner


def _read_chunks(
    paths: tuple[str, ...],
    model: SpamModel,
    flags: dict[str, Any],
    label: str,
    labelled: bool,
    skipped: list[int],
) -> Iterator[Chunk]:
    """Yields the messages of all inputs; `skipped` gets how many each input has that cannot be used."""
    from dataclasses import replace

    from spamnb.readers import open_source

    if flags["texts"]:
        yield text_chunk(flags["texts"], model.features)
        return
    columns = {"categorical": model.features.categorical, "numeric": model.features.numeric}
    empty = {"may_be_empty": bool(flags.get("sync"))}
    reading = read_options(flags, classes=model.labels, default_format="csv", **columns, **empty)
    if not (paths or flags["files_from"] or flags.get("labelled")):
        paths = ("-",)
    if "-" in paths:
        print_prompt("Type messages, one a line; Ctrl-D ends.", flags["quiet"])
    for path, path_options in inputs(paths, flags, reading):
        if label:
            path_options = replace(path_options, label=label)
        elif not labelled:
            # The label is dropped again: with it, no label column is needed.
            path_options = replace(path_options, label=path_options.label or "ham")
        with open_source(path, path_options, labelled=True) as source:
            print_status(
                source.description if label or labelled else _unlabelled(source.description), flags["quiet"]
            )
            for chunk in source:
                yield chunk if label or labelled else _without_labels(chunk)
            skipped.append(source.skipped.count)
            _report_left_out(source, flags["quiet"])


def _report_left_out(source: Source, quiet: bool) -> None:
    """Prints which messages were skipped, and how many rows of a table have no label, mostly on purpose."""
    from spamnb.readers import NO_LABEL

    rows = 0 if source.mail else source.skipped.take(NO_LABEL)
    if rows:
        text = f"{rows:,} row{'s' * (rows > 1)} without a label skipped"
        print_status(f"{source.name}: {text}", quiet)
    report_skipped(source, quiet)


def _unlabelled(description: str) -> str:
    return description.replace(", all ham", "")


def _without_labels(chunk: Chunk) -> Chunk:
    from spamnb.messages import Chunk

    return Chunk(chunk.texts, chunk.lines, None, chunk.categories, chunk.numbers)


def print_result(result: LearnResult, one_class: bool, quiet: bool) -> None:
    """Prints a line for each thing that was done; `one_class`: the other class has no lessons yet."""
    repeated = " or repeated in this data" if result.learned else ""  # what was learned just now comes again
    moved = {f"{old} to {new}": n for (old, new), n in result.relabelled.items()}
    for name, counts, note in (
        ("learned", result.learned, ""),
        ("relabelled", moved, ""),
        ("forgot", result.forgotten, ""),
        ("known", result.known, f": already learned{repeated}, skipped"),
    ):
        if counts:
            each = ", ".join(f"{n:,} {label}" for label, n in sorted(counts.items()))
            print_status(f"{name:<10} {_messages(sum(counts.values()))} ({each}){note}", quiet)
    for name, number, note in (
        ("not found", result.not_found, "never learned (with this label); skipped"),
        ("conflicting labels", result.conflicting_labels, "given or learned with two labels; skipped"),
        ("not exactly removable", result.stale, "learned before ageing or pruning; the counts stay"),
        ("already correct", result.already_correct, "classified correctly; not learned"),
    ):
        if number:
            print_status(f"{name:<9}  {_messages(number)} {'was' if number == 1 else 'were'} {note}", quiet)
    if result.still_learned:
        print_status(f"still learned  {_still_learned(result.still_learned)}", quiet)
    for line in lesson_lines(result.verdicts.lessons, one_class):
        print_status(line, quiet)
    if result.verdicts.classified:
        wrong = f"{result.verdicts.misclassified:,} of {_messages(result.verdicts.classified, 'new message')}"
        print_status(f"{'mistakes':<10} {wrong}, before learning", quiet)
    if one_class and result.learned:
        print_status(_ONE_CLASS, quiet)
    if not result.changes:
        print_status("Nothing was learned." if result.verdicts.classified else "Nothing was changed.", quiet)


def _still_learned(copies: int) -> str:
    number = f"{copies:,} {'copy' if copies == 1 else 'copies'}"
    return f"{number}: `spamnb forget` again removes one, `spamnb model undo` the lesson that added it"


def lesson_lines(lessons: Sequence[Lesson], one_class: bool = False) -> Iterator[str]:
    """Words what the learned messages were called before and are called now, and what to do if not enough."""
    if not lessons:
        return
    before, now = (_verdicts(getattr(lesson, name) for lesson in lessons) for name in ("before", "now"))
    yield f"verdict    {before} before, {now} now"
    wrong = [lesson for lesson in lessons if lesson.now != lesson.label]
    weak = [lesson for lesson in lessons if lesson.now == lesson.label != lesson.evidence]
    if wrong:
        why = "copies have several labels, or the model keeps no digests"
        yield f"not as taught  {_messages(len(wrong))}: {why}"
        yield "Hint: `spamnb forget` removes a copy; without digests, learn more messages like it"
    if weak:
        words = _verdicts(lesson.evidence for lesson in weak)
        yield f"remembered {_messages(len(weak))}, word for word; its words alone say: {words}"
        if not one_class:
            yield "Hint: learn more messages like it, so that similar ones are recognized too"


def _verdicts(verdicts: Iterable[str]) -> str:
    """Returns `spam`, or `2 ham, 1 spam`."""
    counts = Counter(verdicts)
    if sum(counts.values()) == 1:
        return visible(next(iter(counts)))
    return ", ".join(f"{n:,} {visible(verdict)}" for verdict, n in sorted(counts.items()))


def _messages(n: int, word: str = "message") -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"

"""What `learn`, `forget` and `relabel` share: reading messages, choosing a label, telling what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.output import print_prompt, print_status, report_skipped, write_json
from spamnb.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.model import SpamModel
    from spamnb.training import Learner, LearnResult

AHEAD = 32 << 20  # bytes of messages that are read before the model is locked
Change = Callable[["Learner", "Chunk", "list[str] | None"], None]


def _one_class(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn the flags into `positive`: True, False, or None where there is none."""

    @wraps(command)
    def chosen(*args: Any, spam: bool, ham: bool, **given: Any) -> Any:
        if spam and ham:
            raise click.UsageError("--spam and --ham do not go together: leave out one of them.")
        return command(*args, positive=True if spam else False if ham else None, **given)

    return chosen


class_options = options.all_of(
    click.option("--spam", is_flag=True, help="They are spam."),
    click.option("--ham", is_flag=True, help="They are ham."),
    _one_class,
)
wait_option = click.option(
    "--wait",
    type=click.FloatRange(0),
    default=30.0,
    metavar="SECONDS",
    show_default=True,
    help="How long to wait while others change the model.",
)

update_options = options.all_of(
    options.model_option,
    class_options,
    options.data_options,
    wait_option,
    options.json_option,
    options.quiet_option,
)


def update(paths: tuple[str, ...], given: dict[str, Any], change: Change, labelled: bool) -> Learner:
    """Read messages, change the model by them in one step, tell what was done."""
    from spamnb.cli.model_choice import model_to_change
    from spamnb.core import keep_freed_memory
    from spamnb.training import Learner

    keep_freed_memory()
    learner = Learner(model_to_change(given["model"]), wait=given["wait"])
    model = learner.load()
    if given.get("sync") and model.seen_messages is None:
        raise ModelError(
            "the model does not remember which messages it has learned, so all would be learned each time",
            hint="--sync needs a model that was trained without --no-digests",
        )
    label = _label(model, given["positive"])
    chunks = _ahead(_chunks(paths, model, given, label, labelled or bool(given.get("labelled"))))
    with learner:
        for chunk in chunks:
            stated = [label] * len(chunk) if label else chunk.labels
            change(learner, chunk, stated)
        if given["json_file"]:  # inside: what cannot be told is not done
            write_json({"model": learner.path, **learner.outcome.to_dict()}, given["json_file"])
    tell(learner.outcome, given["quiet"])
    return learner


def _label(model: SpamModel, positive: bool | None) -> str:
    """The model's word for what the flag says; "" if it says nothing."""
    if positive is None:
        return ""
    if positive:
        return model.positive
    others = [label for label in model.labels if label != model.positive]
    if len(others) == 1 or "ham" in others:
        return others[0] if len(others) == 1 else "ham"
    raise ConfigError(
        f"--ham needs a model with a class ham, got {', '.join(model.labels)}",
        hint=f"name the class: --label {model.labels[0]}=PATH",
    )


def _chunks(
    paths: tuple[str, ...], model: SpamModel, given: dict[str, Any], label: str, labelled: bool
) -> Iterator[Chunk]:
    from dataclasses import replace

    from spamnb.readers import open_source

    columns = {"categorical": model.features.categorical, "numeric": model.features.numeric}
    empty = {"may_be_empty": bool(given.get("sync"))}
    reading = read_options(given, classes=model.labels, default_format="csv", **columns, **empty)
    if not (paths or given["files_from"] or given.get("labelled")):
        paths = ("-",)
    if "-" in paths:
        print_prompt("Type messages, one a line; Ctrl-D ends.", given["quiet"])
    for path, how in inputs(paths, given, reading):
        if label:
            how = replace(how, label=label)
        elif not labelled:
            how = replace(how, label=how.label or "ham")  # a word that is not used: just no label is needed
        with open_source(path, how, labelled=True) as source:
            print_status(
                source.description if label or labelled else _unlabelled(source.description), given["quiet"]
            )
            for chunk in source:
                yield chunk if label or labelled else chunk_without_labels(chunk)
            report_skipped(source, given["quiet"])


def _unlabelled(description: str) -> str:
    return description.replace(", all ham", "")


def chunk_without_labels(chunk: Chunk) -> Chunk:
    from spamnb.messages import Chunk

    return Chunk(chunk.texts, chunk.lines, None, chunk.categories, chunk.numbers)


def _ahead(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """The same chunks, the first ones read already: a slow pipe must not keep the model locked."""
    ready, size = [], 0
    for chunk in chunks:
        ready.append(chunk)
        size += len(chunk.texts.data)
        if size > AHEAD:
            break
    return chain(ready, chunks)


def tell(outcome: LearnResult, quiet: bool) -> None:
    """One line for each thing that was done."""
    moved = {f"{old} to {new}": n for (old, new), n in outcome.relabelled.items()}
    lines = [
        ("learned", outcome.learned, ""),
        ("relabelled", moved, ""),
        ("forgot", outcome.forgotten, ""),
        ("known", outcome.known, ": learned before, left alone"),
    ]
    for word, found, more in lines:
        if found:
            each = ", ".join(f"{n:,} {name}" for name, n in sorted(found.items()))
            print_status(f"{word:<10} {_messages(sum(found.values()))} ({each}){more}", quiet)
    if outcome.unknown:
        print_status(f"{'unknown':<10} {_messages(outcome.unknown)}: never learned so, left alone", quiet)
    if outcome.unclear:
        print_status(f"{'unclear':<10} {_messages(outcome.unclear)}: under two labels, left alone", quiet)
    if outcome.faded:
        left = "learned before the model was aged or pruned, what is left of them stays"
        print_status(f"{'faded':<10} {_messages(outcome.faded)} of these: {left}", quiet)
    if outcome.right:
        print_status(f"{'right':<10} {_messages(outcome.right)}: judged right, not learned", quiet)
    if outcome.judged:
        wrong = f"{outcome.misjudged:,} of {_messages(outcome.judged, 'new message')}"
        print_status(f"{'misjudged':<10} {wrong}, before learning", quiet)
    if not outcome.changes:
        print_status("Nothing was learned." if outcome.judged else "Nothing was changed.", quiet)


def _messages(n: int, word: str = "message") -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"

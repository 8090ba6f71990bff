"""Merges models: `spamnb model merge`."""

from __future__ import annotations

import re
from shlex import quote
from typing import TYPE_CHECKING

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.message_kind import classes_text
from spamnb.cli.output import print_status, print_step
from spamnb.errors import ConfigError

if TYPE_CHECKING:
    from spamnb.model import SpamModel

_WEIGHTED = re.compile(r"(.+):([-+.\d][^:/\\]*)", re.DOTALL)
_MOST_DIGITS = 19  # of a weight: counts are below 2^63


@command()
@click.argument("models", nargs=-1, required=True, type=options.MODEL, metavar="MODEL[:WEIGHT]...")
@options.merged_model_option
@options.force_option
@options.quiet_option
def merge(models: tuple[str, ...], output: str, force: bool, quiet: bool) -> None:
    """Add the counts of models, exactly.

    The result has the counts of one model that was trained on all their messages. With a weight, a model
    counts as if it had learned its messages so many times; weights are whole numbers. The models must have
    been trained with the same options.

    Counts are added exactly. Weight correction, calibration and threshold are those of the model with most
    messages, and its metrics are marked as outdated: measure the result with `spamnb evaluate DATA`.

    \b
    Examples:
      spamnb model merge jan feb -o both
      spamnb model merge everyone mine:3 -o office
    """
    from spamnb.cli.model_saving import changing, check_target, print_saved
    from spamnb.model import SpamModel, existing_path_of, largest_model, merge_models, name_of, new_path_of

    stated, weights = zip(*(parse_weight(text) for text in models), strict=True)
    paths = [existing_path_of(text) for text in stated]
    target = new_path_of(output)
    check_target(target, force)
    with changing(target, *paths) as save:
        loaded = [SpamModel.load(path) for path in paths]
        merged = merge_models(loaded, weights, paths)
        size = save(merged, quiet)
    if merged.seen_messages is None and any(model.seen_messages is not None for model in loaded):
        path = next(path for path, model in zip(paths, loaded, strict=True) if model.seen_messages is None)
        print_status(f"note: {path} does not remember its messages, and so {target} remembers none", quiet)
    many = f"{len(loaded)} model{'' if len(loaded) == 1 else 's'}"
    print_step("merged", f"{many}: {classes_text(merged.store)}", quiet)
    print_step("vocabulary", f"{merged.store.vocabulary:,} tokens", quiet)
    _print_fitted(merged, paths[largest_model(loaded, weights)], quiet)
    print_saved(target, size, quiet)
    print_step("try", f"spamnb evaluate DATA -m {quote(name_of(target))}", quiet)


def _print_fitted(merged: SpamModel, source: str, quiet: bool) -> None:
    """Prints what could not be added, and from which model it is."""
    from spamnb.model import fitted_parts

    if parts := fitted_parts(merged):
        print_step("taken over", f"{', '.join(parts)} of {source}: not fitted to the sum", quiet)


def parse_weight(text: str) -> tuple[str, int]:
    """Returns a path and the weight behind it.

    >>> parse_weight("a.spamnb"), parse_weight("a.spamnb:3")
    (('a.spamnb', 1), ('a.spamnb', 3))
    """
    import os

    parts = _WEIGHTED.fullmatch(text)
    if parts is None or os.path.exists(text):
        return text, 1
    if len(parts[2]) > _MOST_DIGITS:
        raise ConfigError(f"the weight of {parts[1]} is larger than 2^63", hint="give smaller weights")
    if not parts[2].isdecimal() or not int(parts[2]):
        raise ConfigError(
            f"the weight of {parts[1]} must be a whole number from 1 on, got {parts[2]}",
            hint="counts stay whole: instead of a:0.5 b:1 write a:1 b:2",
        )
    return parts[1], int(parts[2])

"""`spamnb merge`: several models become one."""

from __future__ import annotations

import re

import click

from spamnb.cli import options
from spamnb.cli.output import print_status, print_step
from spamnb.errors import ConfigError

_WEIGHTED = re.compile(r"(.+):([-+.\d][^:/\\]*)", re.DOTALL)


@click.command(short_help="Add models together, exactly.")
@click.argument("models", nargs=-1, required=True, type=options.PATH, metavar="MODEL[:WEIGHT]...")
@options.new_model_option
@options.force_option
@options.quiet_option
def merge(models: tuple[str, ...], output: str | None, force: bool, quiet: bool) -> None:
    """Add models together, exactly.

    The result has the counts of one model that was trained on all their messages. With a weight, a model
    counts as if it had seen its messages so many times; weights are whole numbers. The models must have been
    trained with the same options.

    Calibration and figures are those of the model with most messages, marked as from before the merge.

    \b
    Examples:
      spamnb merge jan.spamnb feb.spamnb -o both.spamnb
      spamnb merge everyone.spamnb mine.spamnb:3 -o office.spamnb
    """
    from spamnb.cli.model_choice import output_path
    from spamnb.cli.model_saving import changing, check_target
    from spamnb.model import SpamModel, merge_models

    target = output_path(output)
    check_target(target, force)
    chosen = [weighted(text) for text in models]
    paths, weights = [path for path, _ in chosen], [times for _, times in chosen]
    with changing(target, *paths) as save:
        loaded = [SpamModel.load(path) for path in paths]
        merged = merge_models(loaded, weights, paths)
        size = save(merged, quiet)
    if merged.seen_messages is None and any(model.seen_messages is not None for model in loaded):
        path = next(path for path, model in zip(paths, loaded, strict=True) if model.seen_messages is None)
        print_status(f"note: {path} does not remember its messages, and so {target} remembers none", quiet)
    store = merged.store
    each = zip(store.labels, store.message_totals.tolist(), strict=True)
    many = f"{len(loaded)} model{'' if len(loaded) == 1 else 's'}"
    print_step("merged", f"{many}: {', '.join(f'{n:,} {label}' for label, n in each)}", quiet)
    print_step("vocabulary", f"{store.vocabulary:,} tokens", quiet)
    print_step("saved", f"{target} ({size / 1e3:,.0f} kB)", quiet)


def weighted(text: str) -> tuple[str, int]:
    """A path and how often its model counts.

    >>> weighted("a.spamnb"), weighted("a.spamnb:3")
    (('a.spamnb', 1), ('a.spamnb', 3))
    """
    import os

    found = _WEIGHTED.fullmatch(text)
    if found is None or os.path.exists(text):
        return text, 1
    if not found[2].isdecimal() or not int(found[2]):
        raise ConfigError(
            f"the weight of {found[1]} must be a whole number from 1 on, got {found[2]}",
            hint="counts stay whole: instead of a:0.5 b:1 write a:1 b:2",
        )
    return found[1], int(found[2])

"""`spamnb prune`: a smaller model that judges nearly the same."""

from __future__ import annotations

import click

from spamnb.cli import options
from spamnb.cli.data_inputs import size_of
from spamnb.cli.output import print_step


@click.command(short_help="Make a model smaller: drop the tokens that say least.")
@click.argument("model", type=options.PATH, metavar="MODEL")
@click.option(
    "--min-count", type=click.IntRange(1), metavar="N", help="Drop tokens of fewer than N messages."
)
@click.option("--max-tokens", type=click.IntRange(0), metavar="N", help="Keep at most N tokens.")
@click.option(
    "--max-size",
    "--max-bytes",
    "max_bytes",
    metavar="SIZE",
    help="Keep what fits a file of SIZE, for example 500K or 2M.",
)
@options.changed_model_option
@options.force_option
@options.quiet_option
def prune(
    model: str,
    min_count: int | None,
    max_tokens: int | None,
    max_bytes: str | None,
    output: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Make a model smaller: drop the tokens that say least.

    The rarest tokens go first; of those in equally many messages the ones that tell the classes apart least.
    Calibration and figures stay, marked as from before. A message can no longer be forgotten exactly.

    \b
    Examples:
      spamnb prune office.spamnb --min-count 2
      spamnb prune office.spamnb --max-size 1M -o small.spamnb
    """
    from spamnb.cli.model_saving import changing, check_target
    from spamnb.model import SpamModel, prune as pruned

    if min_count is None and max_tokens is None and max_bytes is None:
        raise click.UsageError("Give --min-count, --max-tokens or --max-size.")
    size = None if max_bytes is None else size_of(max_bytes, "--max-size")
    target = output or model
    check_target(target, force)
    with changing(target, model) as save:
        loaded = SpamModel.load(model)
        small = pruned(loaded, min_count=min_count or 0, max_tokens=max_tokens, max_bytes=size)
        written = save(small, quiet)
    print_step("kept", f"{small.store.vocabulary:,} of {loaded.store.vocabulary:,} tokens", quiet)
    print_step("saved", f"{target} ({written / 1e3:,.0f} kB)", quiet)

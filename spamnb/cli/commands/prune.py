"""Makes a model smaller: `spamnb model prune`."""

from __future__ import annotations

from typing import Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.option_groups import option
from spamnb.cli.output import print_step
from spamnb.settings import parse_size


@command()
@click.argument("model", type=options.MODEL, metavar="MODEL")
@option(
    "--min-count",
    type=click.IntRange(1),
    metavar="N",
    group="Model",
    help="Drop tokens of fewer than N messages.",
)
@option(
    "--max-bytes",
    metavar="SIZE",
    group="Model",
    help="Keep what fits a file of SIZE, for example 500K or 2M.",
)
@options.changed_model_option
@options.force_option
@options.quiet_option
def prune(model: str, output: str | None, force: bool, quiet: bool, **limits: Any) -> None:
    """Make a model smaller: drop the least informative tokens.

    The rarest tokens go first; of those in equally many messages the ones that separate the classes least.
    Calibration and metrics are kept but marked as outdated. Messages can no longer be forgotten exactly.

    \b
    Examples:
      spamnb model prune office --min-count 2
      spamnb model prune office --max-bytes 1M -o small
    """
    from spamnb.cli.model_saving import changing, check_target
    from spamnb.model import SpamModel, existing_path_of, new_path_of, prune as drop_tokens

    if all(limit is None for limit in limits.values()):
        raise click.UsageError("Give --min-count or --max-bytes.")
    max_bytes = None if limits["max_bytes"] is None else parse_size(limits["max_bytes"], "--max-bytes")
    source = existing_path_of(model)
    target = new_path_of(output) if output else source
    check_target(target, force)
    with changing(target, source) as save:
        loaded = SpamModel.load(source)
        small = drop_tokens(loaded, min_count=limits["min_count"] or 0, max_bytes=max_bytes)
        size = save(small, quiet)
    print_step("kept", f"{small.store.vocabulary:,} of {loaded.store.vocabulary:,} tokens", quiet)
    print_step("saved", f"{target} ({size / 1e3:,.0f} kB)", quiet)

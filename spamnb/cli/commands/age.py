"""Lets old evidence fade: `spamnb model age`."""

from __future__ import annotations

import re
from datetime import date

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.message_kind import classes_text
from spamnb.cli.option_groups import option
from spamnb.cli.output import print_step
from spamnb.errors import ConfigError

_LONGEST = 36_500  # days
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


@command()
@click.argument("model", type=options.MODEL, metavar="MODEL")
@option(
    "--half-life",
    metavar="TIME",
    group="Model",
    help="Halve once for each TIME that has passed since the model was last aged: 90d, 12w or 1y.",
)
@options.changed_model_option
@options.force_option
@options.quiet_option
def age(model: str, half_life: str | None, output: str | None, force: bool, quiet: bool) -> None:
    """Let old evidence fade: halve every count.

    Run it regularly, say every three months: then what was learned a year ago counts a sixteenth, and the
    model stays of bounded size. Odd counts are rounded up for one half of the tokens and down for the other,
    depending on their keys, so the same model always ages alike. Tokens whose count drops to zero are
    removed. Calibration and metrics are kept but marked as outdated. Messages learned earlier can no longer
    be forgotten exactly.

    With --half-life the model remembers the day up to which it was aged. So the same line in a crontab, run
    as often as you like, halves the counts once for each TIME. The first run only sets that day.

    \b
    Examples:
      spamnb model age office
      spamnb model age office --half-life 90d
    """
    from spamnb.cli.model_saving import changing, check_target
    from spamnb.model import SpamModel, age as halve, age_by_half_life, existing_path_of, new_path_of

    days = None if half_life is None else days_of(half_life)
    source = existing_path_of(model)
    target = new_path_of(output) if output else source
    check_target(target, force)
    with changing(target, source) as save:
        loaded = SpamModel.load(source)
        older = halve(loaded) if days is None else age_by_half_life(loaded, days, date.today())
        if days is not None:
            print_step("aged", _aged_text(str(older.aged_until), days), quiet)
            if older.aged_until == loaded.aged_until and target == source:
                print_step("changed", "nothing: no whole half-life has passed", quiet)
                return
        size = save(older, quiet)
    print_step("counts", classes_text(older.store), quiet)
    print_step("kept", f"{older.store.vocabulary:,} of {loaded.store.vocabulary:,} tokens", quiet)
    print_step("saved", f"{target} ({size / 1e3:,.0f} kB)", quiet)


def _aged_text(until: str, days: int) -> str:
    following = min(date.fromisoformat(until).toordinal() + days, date.max.toordinal())
    return f"to {until}, the next time on {date.fromordinal(following)}"


def days_of(half_life: str) -> int:
    """Parses a half-life.

    >>> days_of("12w")
    84
    """
    parts = re.fullmatch(r"(\d{1,5})([dwmy])", half_life)
    if not parts or not 0 < int(parts[1]) * _DAYS[parts[2]] <= _LONGEST:
        raise ConfigError(
            f"--half-life must be a number of days, weeks, months or years, got {half_life!r}",
            hint="for example 90d, 12w, 3m (of 30 days) or 1y (of 365), up to 100y",
        )
    return int(parts[1]) * _DAYS[parts[2]]

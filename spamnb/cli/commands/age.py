"""`spamnb age`: what was learned long ago counts less than what was learned lately."""

from __future__ import annotations

import re
from datetime import date, timedelta

import click

from spamnb.cli import options
from spamnb.cli.output import print_status, print_step
from spamnb.errors import ConfigError

_LONGEST = 36_500  # days
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


@click.command(short_help="Let old evidence fade: halve every count.")
@click.argument("model", type=options.PATH, metavar="MODEL")
@click.option("--times", type=click.IntRange(1, 62), metavar="N", help="Halve N times (default 1).")
@click.option(
    "--half-life",
    metavar="TIME",
    help="Halve once for each TIME that has passed since the model was last aged: 90d, 12w or 1y.",
)
@click.option(
    "--since", metavar="DATE", help="The day from which on --half-life counts the first time, as 2026-01-31."
)
@options.changed_model_option
@options.force_option
@options.quiet_option
def age(
    model: str,
    times: int | None,
    half_life: str | None,
    since: str | None,
    output: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Let old evidence fade: halve every count.

    Run it at regular times, say every three months: then what was learned a year ago counts a sixteenth, and
    the model stays of bounded size. Odd counts are rounded up for one half of the tokens and down for the
    other, as their keys say, so the same model always ages alike. Tokens that no message is left of are
    dropped. Calibration and figures stay, marked as from before; older messages can no longer be forgotten
    exactly.

    With --half-life the model remembers the day up to which it was aged. So the same line in a crontab, run
    as often as you like, halves the counts once for each TIME. The first run, unless --since names an earlier
    day, only sets that day.

    \b
    Examples:
      spamnb age office.spamnb
      spamnb age office.spamnb --half-life 90d
      spamnb age office.spamnb --half-life 90d --since 2026-01-31
    """
    from dataclasses import replace

    from spamnb.cli.model_saving import changing, check_target
    from spamnb.model import SpamModel, age as aged

    if (since is not None and half_life is None) or (times is not None and half_life is not None):
        raise click.UsageError("Give --half-life, with or without --since, or --times alone.")
    days = None if half_life is None else days_of(half_life)
    first = None if since is None else day_of(since)
    target = output or model
    check_target(target, force)
    with changing(target, model) as save:
        loaded = SpamModel.load(model)
        until = loaded.aged_until
        if days is not None:
            times, until = due(days, first, until, date.today())
            _tell(until, days, first, loaded.aged_until, quiet)
            if not times and until == loaded.aged_until and target == model:
                print_step("changed", "nothing: no whole half-life has passed", quiet)
                return
        older = replace(aged(loaded, 1 if times is None else times), aged_until=until)
        size = save(older, quiet)
    store = older.store
    each = zip(store.labels, store.message_totals.tolist(), strict=True)
    print_step("counts", ", ".join(f"{n:,} {label}" for label, n in each), quiet)
    print_step("kept", f"{store.vocabulary:,} of {loaded.store.vocabulary:,} tokens", quiet)
    print_step("saved", f"{target} ({size / 1e3:,.0f} kB)", quiet)


def _tell(until: str, days: int, since: date | None, aged: str | None, quiet: bool) -> None:
    """The day up to which the model is aged now, and the next one; what was asked for and is not done."""
    if since is not None and aged is not None and str(since) != aged:
        print_status(f"note: --since is left aside: the model was aged to {aged} already", quiet)
    following = min(date.fromisoformat(until).toordinal() + days, date.max.toordinal())
    print_step("aged", f"to {until}, the next time on {date.fromordinal(following)}", quiet)


def due(days: int, since: date | None, aged: str | None, today: date) -> tuple[int, str]:
    """How many whole half-lives have passed, and the day up to which they reach.

    They count from the day up to which the model was `aged`, else from `since`, else from today.

    >>> due(90, date(2026, 1, 1), None, date(2026, 7, 10))
    (2, '2026-06-30')
    >>> due(90, date(2026, 1, 1), "2026-06-30", date(2026, 7, 10))
    (0, '2026-06-30')
    """
    start = date.fromisoformat(aged) if aged else since or today
    count = min(62, max(0, (today - start).days // days))
    return count, (start + timedelta(count * days)).isoformat()


def days_of(half_life: str) -> int:
    """`12w` as days.

    >>> days_of("12w")
    84
    """
    found = re.fullmatch(r"(\d{1,5})([dwmy])", half_life)
    if not found or not 0 < int(found[1]) * _DAYS[found[2]] <= _LONGEST:
        raise ConfigError(
            f"--half-life must be a number of days, weeks, months or years, got {half_life!r}",
            hint="for example 90d, 12w, 3m (of 30 days) or 1y (of 365), up to 100y",
        )
    return int(found[1]) * _DAYS[found[2]]


def day_of(since: str) -> date:
    try:
        found = date.fromisoformat(since)
    except ValueError:
        raise ConfigError(f"--since must be a day, got {since!r}", hint="for example 2026-01-31") from None
    if found > date.today():
        raise ConfigError(f"--since must not lie in the future, got {since}", hint="for example 2026-01-31")
    return found

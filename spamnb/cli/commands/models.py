"""`spamnb models`: shows which model would be used and why."""

from __future__ import annotations

import os

import click

from spamnb.cli import options
from spamnb.cli.output import print_status


@click.command(short_help="Show which model would be used and why.")
@options.model_option
def models(model: str | None) -> None:
    """Show which model would be used and why.

    The first that applies is taken: -m, the variable SPAMNB_MODEL, your own model (what `spamnb train`
    writes by default), the ready-made one for the kind of messages that come (sms or mail).

    \b
    Example:
      spamnb models
    """
    from spamnb.core import visible
    from spamnb.model import choose_model, possible_models

    chosen = choose_model(model)
    for place in possible_models(model):
        mark = "->" if place == chosen else "  "
        click.echo(f"{mark} {place.reason:<17} {visible(_state(place.path))}")
    if chosen is None:
        print_status("No model yet: train one with `spamnb train DATA`.")


def _state(path: str | None) -> str:
    if path is None:
        return "(not set)"
    if not os.path.exists(path):
        return f"{path} (not there)"
    return f"{path} ({os.path.getsize(path) / 1e3:,.0f} kB)"

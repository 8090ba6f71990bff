"""Options of commands that write a model, in one form or another."""

from __future__ import annotations

import click

from spamnb.cli.options import PATH

force_option = click.option("--force", is_flag=True, help="Overwrite a file of another kind.")
new_model_option = click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="MODEL",
    help="Where to write the model (default: $SPAMNB_MODEL, else your own model).",
)
changed_model_option = click.option(
    "-o", "--output", type=PATH, metavar="MODEL", help="Where to write the model (default: in its place)."
)

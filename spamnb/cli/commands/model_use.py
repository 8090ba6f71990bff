"""`spamnb model use`: makes a model the default."""

from __future__ import annotations

import os

import click

from spamnb.cli import options
from spamnb.cli.option_groups import command
from spamnb.cli.output import print_status, print_step


@command("use")
@click.argument("model", type=options.MODEL, metavar="MODEL")
@options.quiet_option
def model_use(model: str, quiet: bool) -> None:
    """Make a model the default.

    MODEL is a name or a file; all commands without -m use it from now on. `auto` takes the choice back: your
    own model if there is one, else the ready-made one for the kind of messages.

    \b
    Examples:
      spamnb model use office
      spamnb model use sms
      spamnb model use auto
    """
    from spamnb.cli.model_choice import check_name, require_model
    from spamnb.model import AUTO, MODEL_VARIABLE, existing_path_of, is_name, use_model

    if model in (AUTO, "ready-made", "default"):
        use_model(None)
        print_step("default", "your own model if there is one, else a ready-made one", quiet)
    else:
        check_name(model)
        path = existing_path_of(model)
        require_model(path)
        use_model(model if is_name(model) else os.path.abspath(path))
        print_step("default", f"{model} ({path})" if is_name(model) else path, quiet)
    if os.environ.get(MODEL_VARIABLE):
        print_status(f"note: {MODEL_VARIABLE} is set and comes first", quiet)

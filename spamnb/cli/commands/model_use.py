"""`spamnb model use`: makes a model the default."""

from __future__ import annotations

import os

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.output import print_status, print_step


@command("use")
@click.argument("model", type=options.MODEL, metavar="MODEL")
@options.quiet_option
def model_use(model: str, quiet: bool) -> None:
    """Make a model the default for text or for mail.

    MODEL is a name or a file. If it has learned mail, commands without -m use it for mail from now on, else
    for text. `ready-made` makes sms the default for text and mail for mail. `auto` undoes both choices:
    your own models are the defaults, else the ready-made ones.

    \b
    Examples:
      spamnb model use office
      spamnb model use ready-made
      spamnb model use auto
    """
    from spamnb.cli.model_option import check_name, load_model, require_model
    from spamnb.model import (
        AUTO,
        BOTH_READY_MADE,
        MODEL_VARIABLE,
        OWN_MODELS,
        existing_path_of,
        is_name,
        kind_of_model,
        use_model,
    )

    if model in (AUTO, BOTH_READY_MADE):
        for kind in OWN_MODELS:
            use_model(None if model == AUTO else model, kind)
        own = "your own models, else the ready-made ones"
        print_step("default", own if model == AUTO else "sms for text, mail for mail", quiet)
    else:
        check_name(model)
        path = existing_path_of(model)
        require_model(path)
        kind = kind_of_model(load_model(path))
        use_model(model if is_name(model) else os.path.abspath(path), kind)
        print_step("default", f"for {kind}: {f'{model} ({path})' if is_name(model) else path}", quiet)
    if os.environ.get(MODEL_VARIABLE):
        print_status(f"note: {MODEL_VARIABLE} is set and comes first", quiet)

"""`spamnb model`: groups the commands about model files."""

from __future__ import annotations

import click

from spamnb.cli.command_group import LazyGroup

SECTIONS = {
    "Choose": {
        "list": "List all models, and which ones are used by default.",
        "use": "Make a model the default for text or for mail.",
        "remove": "Remove a model, its journal and its backup.",
    },
    "Change": {
        "merge": "Add the counts of models, exactly.",
        "prune": "Make a model smaller: drop the least informative tokens.",
        "age": "Let old evidence fade: halve every count.",
    },
    "Take back": {
        "log": "List the lessons of a model, newest first.",
        "undo": "Take back one lesson, or all since a date.",
    },
    "Move": {
        "export": "Write a model as JSON lines.",
        "import": "Restore a model from an export.",
        "check": "Check whether a user can classify mail with a model.",
    },
}
_MODULES = {
    "list": "model_list",
    "use": "model_use",
    "remove": "model_remove",
    "log": "model_log",
    "undo": "model_undo",
    "import": "import_",
    "check": "model_check",
}


_OTHER_WORDS = {"delete": "remove", "rm": "remove", "ls": "list", "show": "list"}


@click.group(
    "model",
    cls=LazyGroup,
    sections=SECTIONS,
    modules=_MODULES,
    other_words=_OTHER_WORDS,
    invoke_without_command=True,
)
@click.pass_context
def model_group(ctx: click.Context) -> None:
    """List, choose, merge, shrink or check models.

    MODEL is the name of a model (sms and mail are ready-made) or a file. A word without a slash and without a
    dot is a name; NAME.spamnb in your data folder holds that model. Recent lessons may be in a journal
    file next to the model. To move a model, export it, or run `spamnb learn --compact -m MODEL` and copy the
    file.

    \b
    Examples:
      spamnb model list
      spamnb model use office
      spamnb model merge jan feb -o both
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())

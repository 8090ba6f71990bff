"""`spamnb model remove`: removes a model with its journal and its backup."""

from __future__ import annotations

import os
import sys

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.option_groups import option
from spamnb.cli.output import print_step
from spamnb.errors import ConfigError, ModelError


@command("remove")
@click.argument("model", type=options.MODEL, metavar="MODEL")
@option("-f", "--force", is_flag=True, help="Do not ask.")
@options.quiet_option
def model_remove(model: str, force: bool, quiet: bool) -> None:
    """Remove a model, its journal and its backup.

    The files are listed first. On a terminal you are asked; elsewhere --force is needed.

    \b
    Examples:
      spamnb model remove demo
      spamnb model remove demo --force
    """
    from spamnb.cli.model_option import refuse_shipped, require_model
    from spamnb.core import files
    from spamnb.model import existing_path_of
    from spamnb.storage import Lock

    path = existing_path_of(model)
    refuse_shipped(path, "remove spamnb itself to remove it")
    files.refuse_link(path, ModelError)
    require_model(path)
    for file in _files(path):
        print_step("to remove", f"{file} ({os.path.getsize(file) / 1e3:,.0f} kB)", quiet)
    if not force and not _confirmed():
        print_step("removed", "nothing", quiet)
        return
    with Lock(path):  # not while another process changes it
        for file in _files(path):
            _remove(file)
    _forget_choice(path, quiet)
    print_step("removed", model, quiet)


def _files(path: str) -> list[str]:
    """Returns the model, its journal, history and lock, and those of its backup, as far as they exist."""
    from spamnb.storage import HISTORY, JOURNAL, SUFFIX

    endings = ("", JOURNAL, HISTORY, SUFFIX)
    parts = [f"{model}{ending}" for model in (path, f"{path}.bak") for ending in endings]
    return [file for file in parts if os.path.lexists(file)]


def _confirmed() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        raise ConfigError(
            "nothing was removed: there is no terminal to ask whether to remove these files",
            hint="add --force to remove them without a question",
        )
    return click.confirm("Remove them?", err=True)


def _remove(file: str) -> None:
    try:
        os.remove(file)
    except OSError as error:
        raise ModelError(
            f"cannot remove {file}: {error.strerror}", hint="check the permissions of its folder"
        ) from None


def _forget_choice(path: str, quiet: bool) -> None:
    """Takes the default back if it was the removed model."""
    from spamnb.model import OWN_MODELS, model_path, use_model, used_model

    for kind in OWN_MODELS:
        used = used_model(kind)
        if used is not None and os.path.realpath(model_path(used)) == os.path.realpath(path):
            use_model(None, kind)
            print_step("default", f"for {kind}: your own model if there is one, else a ready-made one", quiet)

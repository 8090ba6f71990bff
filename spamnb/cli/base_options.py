"""Loads the model of `--base`: a new model starts from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spamnb.cli.message_kind import kind_of_messages
from spamnb.cli.output import print_status
from spamnb.errors import ConfigError
from spamnb.settings import NO_BASE

if TYPE_CHECKING:
    from spamnb.model import BaseModel

Sources = Callable[[], list[Any]]  # gives the inputs of the command


def refuse_base(params: dict[str, Any], flag: str, hint: str) -> None:
    """Refuses --base where no model can start from another one."""
    if params["base"] not in (None, NO_BASE):
        raise ConfigError(f"--base {params['base']} cannot be combined with {flag}", hint=hint)


def load_base(params: dict[str, Any], sources: Sources, quiet: bool) -> BaseModel | None:
    """Loads the model that --base names; prints which one if it is ready-made."""
    from spamnb.model import READY_MADE_NAMES
    from spamnb.training import base_model

    base = base_model(params["base"], lambda: kind_of_messages(sources()))
    if base is not None and base.name in READY_MADE_NAMES.values():
        print_status(f"starting from the {base.name}", quiet)
    return base

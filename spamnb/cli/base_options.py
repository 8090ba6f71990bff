"""Loads the model of `--base`: a new model starts from it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spamnb.cli.message_kind import kind_of_messages
from spamnb.cli.output import print_status
from spamnb.errors import ConfigError
from spamnb.settings import NO_BASE, READY_MADE

if TYPE_CHECKING:
    from spamnb.model import BaseModel

Sources = Callable[[], list[Any]]  # gives the inputs of the command


def refuse_base(params: dict[str, Any], flag: str, hint: str) -> None:
    """Refuses --base where no model can start from another one."""
    if params["base"] not in (None, NO_BASE):
        raise ConfigError(f"--base {params['base']} cannot be combined with {flag}", hint=hint)


def load_base(params: dict[str, Any], sources: Sources, quiet: bool) -> BaseModel | None:
    """The model that --base names, None without it and for `none`."""
    from spamnb.model import MESSAGE_KINDS, READY_MADE_NAMES, BaseModel, SpamModel, shipped_model

    base = params["base"]
    if base in (None, NO_BASE):
        return None
    if base not in (READY_MADE, *MESSAGE_KINDS):
        path = _path(base)
        return BaseModel.of(f"model {os.path.basename(path)}", SpamModel.load(path))
    kind = kind_of_messages(sources()) if base == READY_MADE else base
    print_status(f"starting from the {READY_MADE_NAMES[kind]}", quiet)
    return BaseModel.of(READY_MADE_NAMES[kind], SpamModel.load(shipped_model(kind)))


def _path(base: str) -> str:
    from spamnb.model import existing_path_of

    path = existing_path_of(base)
    if not os.path.isfile(path):
        raise ConfigError(
            f"--base must be {READY_MADE}, {NO_BASE}, the name of a model or a file, got {base!r}",
            hint=f"for example --base {READY_MADE}, or check the path",
        )
    return path

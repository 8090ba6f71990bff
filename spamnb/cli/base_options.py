"""Loads the model of `--base`: a new model starts from it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spamnb.cli.message_kind import kind_of_messages
from spamnb.cli.output import print_status
from spamnb.errors import ConfigError
from spamnb.settings import READY_MADE

if TYPE_CHECKING:
    from spamnb.model import BaseModel

Sources = Callable[[], list[Any]]  # gives the inputs of the command


def refuse_base(params: dict[str, Any], flag: str, hint: str) -> None:
    """Refuses --base where no model can start from another one."""
    if params["base"] is not None:
        raise ConfigError(f"--base {params['base']} does not go together with {flag}", hint=hint)


def load_base(params: dict[str, Any], sources: Sources, quiet: bool) -> BaseModel | None:
    """The model that --base names, None without it."""
    from spamnb.model import READY_MADE_NAMES, BaseModel, SpamModel, shipped_model

    path = params["base"]
    if path is None:
        return None
    if path != READY_MADE:
        _check_file(path)
        return BaseModel.of(f"model {os.path.basename(path)}", SpamModel.load(path))
    kind = kind_of_messages(sources())
    print_status(f"starting from the {READY_MADE_NAMES[kind]}", quiet)
    return BaseModel.of(READY_MADE_NAMES[kind], SpamModel.load(shipped_model(kind)))


def _check_file(path: str) -> None:
    if not os.path.isfile(path):
        raise ConfigError(
            f"--base must be {READY_MADE} or the file of a model, got {path!r}",
            hint=f"for example --base {READY_MADE}, or check the path",
        )

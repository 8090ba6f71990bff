"""Starts the user's own model, for the first lesson after installation, and prints that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.message_kind import kind_of_messages
from spamnb.cli.output import print_status
from spamnb.model import READY_MADE_NAMES, choose_model, is_shipped, own_model


def start_for_messages(paths: tuple[str, ...], flags: dict[str, Any]) -> None:
    """Starts a model for the kind of messages that come in, if there is no model to learn into yet."""

    def kind() -> str:
        default = () if flags["files_from"] or flags.get("labelled") else ("-",)
        return kind_of_messages(inputs(paths or default, flags, read_options(flags)))

    start_for_kind(flags["model"], kind, flags["wait"], flags["quiet"])


def start_for_kind(stated: str | None, kind: Callable[[], str], wait: float, quiet: bool) -> None:
    """Starts a model for mail or SMS, if there is no model to learn into yet."""
    if not lacks_own_model(stated):
        return
    from spamnb.training import start_own_model

    chosen = kind()
    path = start_own_model(chosen, wait)
    print_status(f"no model of your own yet: starting {path} from the {READY_MADE_NAMES[chosen]}", quiet)


def lacks_own_model(stated: str | None = None) -> bool:
    """Whether only a ready-made model would be used, which does not learn."""
    chosen = choose_model(stated)
    if chosen is None or chosen.stated is not None or chosen.path is None or own_model() is None:
        return False
    return is_shipped(chosen.path)

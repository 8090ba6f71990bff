"""Starts the user's own model for the first lesson after installation, and prints that."""

from __future__ import annotations

from typing import Any

from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.message_kind import kind_of_messages
from spamnb.cli.output import print_status


def start_own_model(paths: tuple[str, ...], flags: dict[str, Any]) -> None:
    """Writes a model that says what the ready-made one says, if there is no model to learn into yet."""
    from spamnb.training import start_own_model as start

    def kind() -> str:
        default = () if flags["files_from"] or flags.get("labelled") else ("-",)
        return kind_of_messages(inputs(paths or default, flags, read_options(flags)))

    path, name = start(flags["model"], kind, flags["wait"])
    if path:
        print_status(f"no model of your own yet: starting {path} from the {name}", flags["quiet"])

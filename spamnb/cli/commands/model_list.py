"""`spamnb model list`: lists all models, and tells which one is used by default and why."""

from __future__ import annotations

import os
from typing import Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.output import print_table, write_json

_HEAD = ("default", "name", "messages", "accuracy", "size", "date", "file")
_NUMBERS = (2, 3, 4, 5)  # columns of numbers
Defaults = dict[str, dict[str, Any]]  # of text and of mail


@command("list")
@options.json_option
def model_list(json_file: str | None) -> None:
    """List all models, and which ones are used by default.

    These are the models in your data folder, the ready-made ones sms and mail, and a default that is
    elsewhere. The accuracy is that of cross-validation in training, or `outdated` where the counts have
    changed much since, as by `spamnb model merge`. Text and mail have a default each, the first that
    applies: the variable SPAMNB_MODEL, the choice of `spamnb model use`, your own model (my-text or my-mail,
    which `spamnb train` and `spamnb learn` write), the ready-made one.

    \b
    Example:
      spamnb model list
    """
    from spamnb.core import visible
    from spamnb.model import OWN_MODELS

    defaults = {kind: _default(kind) for kind in OWN_MODELS}
    rows = [_facts(path, defaults) for path in _paths(defaults)]
    if json_file:
        write_json({"default": defaults, "models": rows}, json_file)
    if json_file == "-":
        return
    print_table([_HEAD, *map(_cells, rows)], _NUMBERS)
    for kind, default in defaults.items():
        click.echo(visible(f"default for {kind}: {default['text']}"))


def _default(kind: str) -> dict[str, Any]:
    """Returns the model that is used for text or mail without -m, and the reason."""
    from spamnb.model import LONG_TEXT, READY_MADE, TEXT, choose_model, common_model, name_of

    chosen = choose_model(None, lambda: kind)
    if chosen is None or chosen.path is None:
        return {"path": None, "reason": "", "text": "none: train one with `spamnb train DATA`"}
    reason, name = chosen.reason, name_of(chosen.path)
    if chosen.is_fallback:
        reason = f"{chosen.reason}, as you have no model of your own"
        long = name_of(common_model(READY_MADE[LONG_TEXT]))
        name += f"; {long} for texts as long as emails" if kind == TEXT else ""
    missing = "" if os.path.exists(chosen.path) else "; it does not exist"
    return {"path": chosen.path, "reason": reason, "text": f"{name} ({reason}{missing})"}


def _paths(defaults: Defaults) -> list[str]:
    from spamnb.model import READY_MADE_NAMES, common_model, named_models, shipped_model

    common = *map(common_model, READY_MADE_NAMES), *map(shipped_model, READY_MADE_NAMES)
    paths = [*named_models(), *dict.fromkeys(common)]
    known = {os.path.realpath(path) for path in paths}
    chosen = dict.fromkeys(default["path"] for default in defaults.values() if default["path"])
    return [
        *(path for path in chosen if os.path.realpath(path) not in known and os.path.exists(path)),
        *paths,
    ]


def _facts(path: str, defaults: Defaults) -> dict[str, Any]:
    from datetime import date

    from spamnb.errors import SpamnbError
    from spamnb.model import SpamModel, name_of

    kinds = [
        kind
        for kind, default in defaults.items()
        if default["path"] and os.path.realpath(path) == os.path.realpath(default["path"])
    ]
    facts: dict[str, Any] = {"name": name_of(path), "path": path, "default_for": kinds}
    try:
        model = SpamModel.load(path)
        status = os.stat(path)
    except SpamnbError as error:
        return facts | {"error": error.message}
    outdated = model.change_history.outdated_because(model.metrics)
    return facts | {
        "messages": int(model.store.message_totals.sum()),
        "accuracy": None if outdated else (model.metrics or {}).get("accuracy"),
        "outdated": outdated,
        "bytes": status.st_size,
        "date": date.fromtimestamp(status.st_mtime).isoformat(),
        "classes": list(model.labels),
    }


def _cells(facts: dict[str, Any]) -> tuple[str, ...]:
    mark = ", ".join(facts["default_for"])
    name = "" if facts["name"] == facts["path"] else facts["name"]
    if "error" in facts:
        return mark, name, "", "", "", "", facts["error"]
    accuracy = "-" if facts["accuracy"] is None else f"{facts['accuracy']:.2%}"
    accuracy = "outdated" if facts["outdated"] else accuracy
    size = f"{facts['bytes'] / 1e3:,.0f} kB"
    return mark, name, f"{facts['messages']:,}", accuracy, size, facts["date"], _place(facts["path"])


def _place(path: str) -> str:
    """Returns where a model is: a path from the home folder on, and none for what spamnb brings along."""
    from spamnb.model import is_shipped

    if is_shipped(path):
        return "ready-made"
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if len(home) > 1 and path.startswith(f"{home}{os.sep}") else path

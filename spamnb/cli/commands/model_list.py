"""`spamnb model list`: lists all models, and tells which one is used by default and why."""

from __future__ import annotations

import os
from typing import Any

import click

from spamnb.cli import options
from spamnb.cli.option_groups import command
from spamnb.cli.output import write_json

_HEAD = ("", "name", "messages", "accuracy", "size", "date", "file")
_LEFT = (0, 1, 6)  # columns of text; the others are numbers


@command("list")
@options.json_option
def model_list(json_file: str | None) -> None:
    """List all models, and which one is used by default.

    These are the models in your data folder, the ready-made ones sms and mail, and the default if it is
    elsewhere. The accuracy is that of cross-validation in training. The first that applies is the default:
    the variable SPAMNB_MODEL, the choice of `spamnb model use`, your own model (what `spamnb train` writes
    without -o), the ready-made one for the kind of messages.

    \b
    Example:
      spamnb model list
    """
    from spamnb.core import visible

    default = _default()
    rows = [_facts(path, default["path"]) for path in _paths(default["path"])]
    if json_file:
        write_json({"default": default, "models": rows}, json_file)
    if json_file == "-":
        return
    for line in _aligned([_HEAD, *map(_cells, rows)]):
        click.echo(visible(line))
    click.echo(visible(f"default: {default['text']}"))


def _default() -> dict[str, Any]:
    """Returns the model that is used without -m, and the reason; no path if the kind of messages decides."""
    from spamnb.model import MESSAGE_KINDS, choose_model, common_model, is_common, name_of

    chosen = choose_model()
    if chosen is None or chosen.path is None:
        return {"path": None, "reason": "", "text": "none: train one with `spamnb train DATA`"}
    if is_common(chosen.path) and not chosen.stated:
        names = " or ".join(name_of(common_model(kind)) for kind in MESSAGE_KINDS)
        reason = "there is no model of your own yet: the kind of messages decides"
        return {"path": None, "reason": reason, "text": f"{names} ({reason})"}
    missing = "" if os.path.exists(chosen.path) else "; it does not exist"
    text = f"{name_of(chosen.path)} ({chosen.reason}{missing})"
    return {"path": chosen.path, "reason": chosen.reason, "text": text}


def _paths(default: str | None) -> list[str]:
    from spamnb.model import MESSAGE_KINDS, named_models, shipped_model, site_model

    site = filter(os.path.exists, map(site_model, MESSAGE_KINDS))
    paths = [*named_models(), *site, *map(shipped_model, MESSAGE_KINDS)]
    known = {os.path.realpath(path) for path in paths}
    elsewhere = default is not None and os.path.realpath(default) not in known and os.path.exists(default)
    return [*([default] if elsewhere and default else []), *paths]


def _facts(path: str, default: str | None) -> dict[str, Any]:
    from datetime import date

    from spamnb.errors import SpamnbError
    from spamnb.model import SpamModel, name_of

    is_default = default is not None and os.path.realpath(path) == os.path.realpath(default)
    facts: dict[str, Any] = {"name": name_of(path), "path": path, "default": is_default}
    try:
        model = SpamModel.load(path)
        status = os.stat(path)
    except SpamnbError as error:
        return facts | {"error": error.message}
    return facts | {
        "messages": int(model.store.message_totals.sum()),
        "accuracy": (model.metrics or {}).get("accuracy"),
        "bytes": status.st_size,
        "date": date.fromtimestamp(status.st_mtime).isoformat(),
        "classes": list(model.labels),
    }


def _cells(facts: dict[str, Any]) -> tuple[str, ...]:
    mark = "*" if facts["default"] else ""
    name = "" if facts["name"] == facts["path"] else facts["name"]
    if "error" in facts:
        return mark, name, "", "", "", "", facts["error"]
    accuracy = "-" if facts["accuracy"] is None else f"{facts['accuracy']:.2%}"
    size = f"{facts['bytes'] / 1e3:,.0f} kB"
    return mark, name, f"{facts['messages']:,}", accuracy, size, facts["date"], facts["path"]


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    return [
        "  ".join(
            cell.ljust(width) if i in _LEFT else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]

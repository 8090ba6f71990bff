"""Turns -m and -o into the path of the model to use, to change or to write, and loads it to read it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from shlex import quote
from typing import TYPE_CHECKING

from spamnb.errors import JournalError, ModelError, TornJournalError
from spamnb.model import (
    MAIL,
    MODEL_VARIABLE,
    OWN_MODELS,
    READY_MADE_NAMES,
    TEXT,
    choose_existing,
    choose_model,
    chosen_names,
    find_model as find_file,
    is_name,
    model_path,
    model_to_change as find_file_to_change,
    name_of,
    named_models,
    new_path_of,
    own_model,
    refuse_shipped as refuse_shipped,
    text_or_mail,
)

if TYPE_CHECKING:
    from spamnb.model import SpamModel

Kind = Callable[[], str]


def find_model(option: str | None, kind: Kind | None = None) -> str:
    """Returns the path of the model to use; a wrong name gets the nearest one as a hint.

    `kind` tells the kind of the messages, None where there are none.
    """
    check_name(option)
    return find_file(option) if kind is None else find_file(option, kind)


def find_model_to_show(option: str | None, quiet: bool = False) -> str:
    """Returns the model that a command without messages only reads; prints which one if there are two."""
    from spamnb.cli.output import print_status

    names = chosen_names() if option is None else {}
    path = find_model(option, lambda: next(iter(names), TEXT))
    if len(set(names.values())) > 1:
        print_status(f"note: this is {names[TEXT]}, for text; -m {quote(names[MAIL])} is for mail", quiet)
    return path


def find_model_aloud(option: str | None, kind: Kind, quiet: bool) -> str:
    """Returns the path of the model to use; prints which ready-made one is used for want of another."""
    from spamnb.cli.output import print_status

    check_name(option)
    chosen, path = choose_existing(option, kind := cache(kind))
    if chosen.is_fallback:
        own = f"no model of your own for {text_or_mail(kind())} yet"
        print_status(f"{own}: using the {READY_MADE_NAMES.get(name_of(path), chosen.reason[4:])}", quiet)
    return path


def model_to_change(option: str | None, kind: Kind | None = None) -> str:
    """Returns the path of the model that learns; a wrong name gets the nearest one as a hint."""
    check_name(option)
    return find_file_to_change(option) if kind is None else find_file_to_change(option, kind)


def default_kinds(path: str) -> list[str]:
    """Returns the kinds of messages, text and mail, for which commands without -m use a model."""
    defaults = {kind: choose_model(None, lambda kind=kind: kind) for kind in OWN_MODELS}  # type: ignore[misc]
    return [kind for kind, model in defaults.items() if model is not None and _same(model.path, path)]


def default_text(path: str) -> str:
    """Words for which messages a model is used from now on, without -m; "" for none."""
    kinds = default_kinds(path)
    return f"for {' and '.join(kinds)}: commands without -m use it" if kinds else ""


def _same(path: str | None, other: str) -> bool:
    return path is not None and os.path.realpath(path) == os.path.realpath(other)


def check_name(text: str | None) -> None:
    """Refuses the name of no model, if that of a model is near."""
    if text is None or not is_name(text) or os.path.isfile(text) or os.path.exists(model_path(text)):
        return
    from difflib import get_close_matches

    if near := get_close_matches(text, model_names(), 1):
        raise ModelError(f"there is no model named {text!r}", hint=f"did you mean {near[0]}?")


def model_names() -> list[str]:
    """Returns the names of all models, the ready-made ones last."""
    return [*map(name_of, named_models()), *READY_MADE_NAMES]


def load_model(path: str) -> SpamModel:
    """Loads a model for a command that only reads it; a journal that cannot be used does not stop it.

    The warning is printed also with --quiet, as an error would be.
    """
    from spamnb.model import SpamModel

    return SpamModel.load(path, warn=_print_warning)


def _print_warning(error: JournalError) -> None:
    from spamnb.cli.output import print_status

    used = (
        "with all records before it"
        if isinstance(error, TornJournalError)
        else "without what it learned last"
    )
    print_status(f"warning: {error.message}; the model is used {used}")
    print_status(f"Hint: {error.hint}")


def require_model(path: str) -> None:
    """Refuses a file that does not begin like a model."""
    from spamnb.storage import model_file

    model_file.check_file(path)
    if not model_file.is_model_file(path):
        raise ModelError(f"{path} is not a spamnb model", hint="`spamnb model list` lists all models")


def output_path(option: str | None, kind: Kind) -> str:
    """Returns where a new model is written: the stated name or path, else your own for these messages."""
    stated = option or os.environ.get(MODEL_VARIABLE)
    if stated:
        return new_path_of(stated)
    path = own_model(TEXT) and own_model(kind())  # `kind` reads data: not where there is no folder
    if path is None:
        raise ModelError(
            "there is no home folder for a model of your own: HOME is not set",
            hint=f"say where to write: -o FILE, or set {MODEL_VARIABLE}=FILE",
        )
    return path

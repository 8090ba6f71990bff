"""Which model a command uses: -m, then $SPAMNB_MODEL, then the user's own, then the one that is shipped."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spamnb.errors import ModelError

VARIABLE = "SPAMNB_MODEL"
FILE_NAME = "model.spamnb"
READY_MADE = ("sms", "mail")  # the kinds of messages that there is a shipped model for


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place where a model may be, and why it would be taken."""

    why: str
    path: str | None  # None: this way of choosing was not used

    @property
    def exists(self) -> bool:
        return self.path is not None and os.path.exists(self.path)


def own_model() -> str:
    """The user's own model in the platform's data directory: what `spamnb train` writes by default."""
    from platformdirs import user_data_dir

    return os.path.join(user_data_dir("spamnb", appauthor=False), FILE_NAME)


def shipped_model(kind: str) -> str:
    """The ready-made model for this kind of messages."""
    return str(Path(__file__).resolve().parent.parent / "model" / "ready_made" / f"{kind}.spamnb")


def candidates(option: str | None) -> list[Candidate]:
    """In the order in which they are considered."""
    return [
        Candidate("given with -m", option),
        Candidate(f"${VARIABLE}", os.environ.get(VARIABLE) or None),
        Candidate("your own model", own_model()),
        *(Candidate(f"ready-made, {kind}", shipped_model(kind)) for kind in READY_MADE),
    ]


def find_model(option: str | None, kind: Callable[[], str] = lambda: READY_MADE[0]) -> str:
    """The path of the model to use; what was asked for by name must exist, the others are tried in turn.

    `kind` tells, if nothing else is there, which ready-made model fits the messages.
    """
    named = option or os.environ.get(VARIABLE)
    if named:
        return named
    if os.path.exists(own_model()):
        return own_model()
    shipped = shipped_model(kind())
    if os.path.exists(shipped):
        return shipped
    raise ModelError(
        "there is no model yet",
        hint="train one with `spamnb train DATA`, or name one with -m MODEL",
    )


def model_to_change(option: str | None) -> str:
    """The path of the model that learns; a ready-made one never does."""
    found = find_model(option)
    if option or os.environ.get(VARIABLE):
        refuse_shipped(
            found, "start your own with `spamnb train few.csv --prior ready-made`, or change a copy"
        )
    elif _is_shipped(found):
        raise ModelError(
            "there is no model of your own yet, and the ready-made ones do not learn",
            hint="train one with `spamnb train DATA`, or name one with -m MODEL",
        )
    return found


def refuse_shipped(path: str, hint: str) -> None:
    """What belongs to the program stays as it is, by whatever path it is named."""
    if _is_shipped(path):
        raise ModelError(f"{path} is a ready-made model: it is part of the program and is not changed", hint)


def _is_shipped(path: str) -> bool:
    return os.path.realpath(path) in (os.path.realpath(shipped_model(kind)) for kind in READY_MADE)


def output_path(option: str | None) -> str:
    """Where `train` writes."""
    return option or os.environ.get(VARIABLE) or own_model()

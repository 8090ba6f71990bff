"""Which model a command uses: -m, then $SPAMNB_MODEL, then the user's own, then the one that is shipped."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from spamnb.errors import ModelError

VARIABLE = "SPAMNB_MODEL"
FILE_NAME = "model.spamnb"


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


def shipped_model() -> str:
    return str(Path(__file__).resolve().parent.parent / "models" / FILE_NAME)


def candidates(option: str | None) -> list[Candidate]:
    """In the order in which they are considered."""
    return [
        Candidate("given with -m", option),
        Candidate(f"${VARIABLE}", os.environ.get(VARIABLE) or None),
        Candidate("your own model", own_model()),
        Candidate("ready-made model", shipped_model()),
    ]


def find_model(option: str | None) -> str:
    """The path of the model to use; what was asked for by name must exist, the others are tried in turn."""
    named = option or os.environ.get(VARIABLE)
    if named:
        return named
    for place in (own_model(), shipped_model()):
        if os.path.exists(place):
            return place
    raise ModelError(
        "there is no model yet",
        hint="train one with `spamnb train DATA`, or name one with -m MODEL",
    )


def output_path(option: str | None) -> str:
    """Where `train` writes."""
    return option or os.environ.get(VARIABLE) or own_model()

"""Defines errors and warnings in the user's words: what happened, and the next step."""

from __future__ import annotations

import sys
import warnings
from typing import Any


class SpamnbError(Exception):
    """The base of every error that spamnb raises on purpose; `exit_code` is that of the command line.

    >>> str(DataError("no rows in x.csv", hint="check the file"))
    'no rows in x.csv'
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(f"Hint: {hint}")  # the end of a traceback

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets every error travel between processes, whatever its class asks for."""
        return _restored, (type(self), self.message, self.hint)


def _restored(kind: type[SpamnbError], message: str, hint: str) -> SpamnbError:
    error = kind.__new__(kind)
    SpamnbError.__init__(error, message, hint)
    return error


class SpamnbWarning(UserWarning):
    """A call in Python works, but probably not as it was meant."""


def warn(message: str) -> None:
    """Issues a warning at the line outside the package that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("spamnb."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, SpamnbWarning, stacklevel=level)


def type_name(value: object) -> str:
    """Returns the name of a value's type with its article.

    >>> type_name(5), type_name([]), type_name(None)
    ('an int', 'a list', 'None')
    """
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun.

    >>> counted(1, "message"), counted(2000, "label")
    ('1 message', '2,000 labels')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class DataError(SpamnbError):
    """The messages, labels or columns cannot be used."""


class NoLabelsError(DataError):
    """The input has no labels."""


class InputError(DataError, ValueError):
    """An argument in Python is of the wrong type or shape; a ValueError too."""


class ModelError(SpamnbError):
    """A model file is missing, damaged, foreign, too new or does not fit the request."""


class JournalError(ModelError):
    """The journal beside a model file cannot be used; the model file itself can."""


class TornJournalError(JournalError):
    """A journal ends inside a record; all records before it are used."""


class ConfigError(SpamnbError):
    """A setting is out of range, or two settings contradict each other."""

    exit_code = 2


class MailboxError(SpamnbError):
    """A mailbox on a server cannot be used as asked: its login, a folder, the state that is kept of it."""


class ConnectionLost(MailboxError):
    """The connection to a mail server failed; another try may work."""


EXTRA_PACKAGES = {
    "parquet": "pyarrow",
    "xlsx": "python-calamine",
    "patterns": "google-re2",
    "dask": "distributed",
    "sklearn": "scikit-learn",
    "imap": "IMAPClient",
    "serve": "fastapi httptools prometheus-client uvicorn uvloop",
    "milter": "kilter.service",
}  # as in pyproject.toml


class MissingExtraError(SpamnbError):
    """A feature needs the package of an extra; the hint says how to install it.

    >>> MissingExtraError("reading Parquet", "parquet").hint
    'pip install pyarrow'
    """

    def __init__(self, what: str, extra: str) -> None:
        packages = EXTRA_PACKAGES[extra]
        several = "s" * (" " in packages)
        super().__init__(f"{what} needs the package{several} {packages}", hint=f"pip install {packages}")

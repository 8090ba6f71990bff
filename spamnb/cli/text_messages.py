"""Takes messages from the command line: those of -t, and arguments that are no files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

import click

from spamnb.errors import DataError

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.readers import Source
    from spamnb.settings import FeatureConfig

_NEEDS_QUOTES = re.compile(r"[^\w@%+=:,./-]", re.ASCII)
_ACTIVE_IN_QUOTES = re.compile(r'["$`\\!\x00-\x1f\x7f]')  # what a shell changes inside of double quotes
_FILE_NAME = re.compile(r"\.[A-Za-z]\w{0,7}$|^[.~/]|^\S*/\S*$")  # a suffix, or a path without blanks


class _CommandLine:
    """The origin of messages that stand on the command line."""

    name, size = "-t", None

    def close(self) -> None:
        pass


def text_source(texts: Sequence[str], features: FeatureConfig) -> Source:
    """Makes a source of texts, each one message."""
    from spamnb.readers import Source

    return Source(_CommandLine(), "", iter([text_chunk(texts, features)]))


def text_chunk(texts: Sequence[str], features: FeatureConfig) -> Chunk:
    """Makes a chunk of texts; columns that the model has beside the text are missing."""
    import numpy as np

    from spamnb.messages import Chunk, Texts
    from spamnb.readers import as_utf8

    count = len(texts)
    categories = {name: [""] * count for name in features.categorical}
    numbers = {name: np.full(count, np.nan) for name in features.numeric}
    messages = Texts.of([as_utf8(os.fsencode(text)) for text in texts])
    return Chunk(messages, np.arange(1, count + 1), None, categories, numbers)


def check_alone(texts: Sequence[str], other_input: object) -> None:
    """Refuses texts beside files."""
    if texts and other_input:
        raise click.UsageError("-t cannot be combined with FILES: give texts or files.")


def refuse_texts(files: Sequence[str], task: str, command: str, model: str | None) -> None:
    """Refuses arguments that are messages, not files, with the command that takes them."""
    refuse_model_names(files)
    missing = _missing(files)
    if not missing or not all(map(looks_like_message, missing)):
        return
    texts = missing if any(" " in text for text in missing) else [" ".join(missing)]
    flags = "".join(f" -t {shell_quote(text)}" for text in texts)
    raise DataError(f"no such file: {missing[0]}", hint=f"to {task}: {command}{model_flag(model)}{flags}")


def refuse_model_names(files: Sequence[str]) -> None:
    """Refuses the name of a model in place of a file."""
    if not (missing := _missing(files)):
        return
    from spamnb.model import READY_MADE_NAMES, name_of, named_models

    names = {*map(name_of, named_models()), *READY_MADE_NAMES}
    if name := next((file for file in missing if file in names), ""):
        raise DataError(f"no such file: {name}", hint=f"for the model of this name write -m {name}")


def _missing(files: Sequence[str]) -> list[str]:
    return [file for file in files if file != "-" and not os.path.exists(file)]


def model_flag(model: str | None) -> str:
    """Returns the option -m of a command in a hint, with a blank before it; "" for the default model."""
    return f" -m {shell_quote(model)}" if model else ""


def looks_like_message(argument: str) -> bool:
    """Tells whether an argument that names no file is meant as a message.

    >>> [looks_like_message(a) for a in ("free money", "WIN!", "sms.csv", "new sms.csv", "in/box", "part-*")]
    [True, True, False, False, False, False]
    """
    if _FILE_NAME.search(argument.rstrip()) or not argument.strip():
        return False
    return bool(re.search(r"\s", argument)) or not re.search(r"[*?\[]", argument)


def looks_like_file(word: str) -> bool:
    """Tells whether a word has the suffix of a file, or begins like a path.

    >>> [looks_like_file(word) for word in ("missing.csv", "./new", "win.", "see you.txt", "http://a.example")]
    [True, True, False, False, False]
    """
    return bool(re.fullmatch(r"\S*\.[A-Za-z]\w{0,7}|(\.{0,2}|~)/\S*", word)) and "://" not in word


def shell_quote(text: str) -> str:
    """Quotes a text for a shell, in double quotes where that is enough.

    >>> print(shell_quote("free money"), shell_quote("win"), shell_quote("win $5"))
    "free money" win 'win $5'
    """
    if not text or not _NEEDS_QUOTES.search(text):
        return quote(text)
    return quote(text) if _ACTIVE_IN_QUOTES.search(text) else f'"{text}"'

"""Breaks long lines for a terminal at blanks, so that the terminal breaks no words."""

from __future__ import annotations

import os
import re
from typing import TextIO

_LABEL = re.compile(r"[a-z -]{1,16}? {2,}(?=\S)")  # vocabulary        6 tokens
_INDENT = 10
_PIECE = re.compile(r"\s*(?:`[^`]*`|\S)+")  # a word, or a command, which stays in one piece
_COMMAND = "try  "  # begins a line that is one command
_NARROWEST = 24  # columns; below that nothing helps


def columns(stream: TextIO | None) -> int:
    """Returns the width of the terminal that a stream goes to; 0 for a file, a pipe or none at all."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream is not None and stream.isatty() else 0
    except (OSError, ValueError):
        return 0


def wrapped(line: str, width: int) -> str:
    r"""Wraps a line; the lines after the first are indented like the text after a label.

    >>> print(wrapped("saved     a model with a name, and of 19 kB", 30))
    saved     a model with a name,
              and of 19 kB
    """
    if len(line) <= width or width < _NARROWEST or line.startswith(_COMMAND):
        return line
    match = _LABEL.match(line)
    label = match.group() if match else ""
    indent = " " * (len(label) or _INDENT)
    lines = [label]
    for piece in _PIECE.findall(line.rstrip(), len(label)):
        if lines[-1] != label and len(lines[-1] + piece) > width:
            lines.append(indent + piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(lines)

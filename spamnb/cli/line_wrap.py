"""Long lines for a person at a terminal: broken at blanks, so that the terminal breaks no words."""

from __future__ import annotations

import os
import re
from typing import TextIO

_LABEL = re.compile(r"[a-z ]{1,11}? {2,}(?=\S)")  # expect    74.6% of ...
_INDENT = 10
_PIECE = re.compile(r"\s*(?:`[^`]*`|\S)+")  # a word, or a command, which stays in one piece
_COMMAND = "next      "  # all of such a line is one
_NARROWEST = 24  # columns; below that nothing helps


def columns(stream: TextIO | None) -> int:
    """How wide the terminal is that a stream goes to; 0 for a file, a pipe or none at all."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream is not None and stream.isatty() else 0
    except (OSError, ValueError):
        return 0


def wrapped(line: str, width: int) -> str:
    r"""The line in several, those after the first indented as what follows a label.

    >>> print(wrapped("expect    74.6% of spam caught, 19 of 640 ham misjudged", 30))
    expect    74.6% of spam
              caught, 19 of 640
              ham misjudged
    """
    if len(line) <= width or width < _NARROWEST or line.startswith(_COMMAND):
        return line
    found = _LABEL.match(line)
    label = found.group() if found else ""
    indent = " " * (len(label) or _INDENT)
    lines = [label]
    for piece in _PIECE.findall(line.rstrip(), len(label)):
        if lines[-1] != label and len(lines[-1] + piece) > width:
            lines.append(indent + piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(lines)

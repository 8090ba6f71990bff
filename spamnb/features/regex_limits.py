"""How much a user's pattern may be and do, and what is raised if it is more."""

from __future__ import annotations

from typing import NamedTuple

REACH = 256  # characters that one try sees at most; matches of half as many are found as in the whole text
LONGEST_TEXT = 1 << 15  # characters of a message that are searched
LONGEST_PATTERN = 500
MOST_PATTERNS = 100
# A step takes up to 7 ns (measured). So all patterns together take 8 s for a message at the very worst.
MOST_STEPS = 1 << 14  # of one pattern, from each character of a text
ALL_STEPS = 1 << 15  # of all patterns together
WIDEST = 1 << 24  # characters in ranges: where case is ignored the engine looks at each of them beforehand

SLOW = "it can take very long: one repeat in it may stop at several places, and from each another one goes on"
HINT = r"let a repeat end at what it cannot take, as in [^@\s]+@, or limit it, as in .{0,40}"


class PatternError(Exception):
    """A pattern cannot be used; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Work(NamedTuple):
    """The steps that one try may take, and the characters in the ranges of a pattern."""

    steps: int
    width: int

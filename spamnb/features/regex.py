"""The user's regular expressions: refused if they could take too long, and run so that none does.

A bad pattern on a bad text takes Python's engine longer than anybody waits, and a model from elsewhere can
bring one along. So a pattern is looked at before it is used (`cost`), and one try of it never sees more than
REACH characters: the time is then in proportion to the length of the text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from functools import lru_cache

from spamnb.features.regex_limits import (
    ALL_STEPS,
    HINT,
    LONGEST_PATTERN,
    LONGEST_TEXT,
    MOST_PATTERNS,
    MOST_STEPS,
    REACH,
    SLOW,
    WIDEST,
    PatternError,
    Work,
)

__all__ = ["PatternError", "check", "count", "work"]


def check(patterns: Iterable[str]) -> None:
    """Refuse patterns that together may take too long.

    >>> check(["[0-9]{4,}", "[^@ ]+@[^@ ]+"])
    >>> check(["("])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    spamnb.features.regex_limits.PatternError: not a regular expression: missing ), ...
    """
    works = [work(pattern) for pattern in patterns]
    if len(works) > MOST_PATTERNS:
        raise PatternError(f"{len(works)} patterns are too many, at most {MOST_PATTERNS} can be used")
    if sum(w.steps for w in works) > ALL_STEPS or sum(w.width for w in works) > WIDEST:
        raise PatternError("all patterns together can take very long", "leave some of them out")


@lru_cache(256)
def work(pattern: str) -> Work:
    """What a pattern may take; a PatternError if it is too much, or if it is no pattern at all."""
    from spamnb.features.regex_cost import UnknownError, parse

    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(
            f"it has {len(pattern):,} characters, expected at most {LONGEST_PATTERN}", "make several of it"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about patterns that a later Python may read otherwise
            found = parse(pattern)
            if found.steps <= MOST_STEPS and found.width <= WIDEST:
                compiled(pattern)
    except UnknownError as error:
        raise PatternError(f"how long it takes cannot be told: {error}", "write it without that") from None
    except RecursionError:
        raise PatternError("it is nested too deep", "write it with fewer brackets") from None
    except (re.error, OverflowError, ValueError) as error:
        raise PatternError(f"not a regular expression: {error}") from None
    if found.width > WIDEST:
        raise PatternError("it has too many wide ranges", r"use \w or \W in their place")
    if found.steps > MOST_STEPS:
        raise PatternError(SLOW, HINT)
    return found


@lru_cache(256)
def compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern)


def count(pattern: str, text: str) -> int:
    """How many matches a pattern has in a text, none of them longer than REACH characters.

    >>> count("[0-9]+", "call 0800 123"), count("a+", "a" * 300)
    (2, 2)
    """
    regex, text = compiled(pattern), text[:LONGEST_TEXT]
    found = at = 0
    while at + REACH < len(text):
        half = at + REACH // 2
        for match in regex.finditer(text, at, at + REACH):
            if match.start() >= half:
                break
            found += 1
            at = match.end()
        at = max(at, half)
    return found + sum(1 for _ in regex.finditer(text, at))

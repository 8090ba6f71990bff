r"""Counts the matches of the user's regular expressions: each match in a message is one `re:NAME` token.

google-re2 runs them. It never backtracks, so no pattern, not even one in a model from elsewhere, can take
exponential time. In exchange it has no lookaround, no backreferences, no possessive repeats and no atomic
groups, and `\d`, `\w`, `\s` and `\b` are about ASCII alone (`\pL` is any letter, `\p{Nd}` any digit).

A search still costs up to (bytes of text) x (instructions of the pattern) steps of about 15 ns, and it is
repeated after every match. The limits below keep the worst message with the worst patterns under 10 s;
ordinary patterns take less than a thousandth of that.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from spamnb.core import StringArray
from spamnb.errors import ConfigError, MissingExtraError
from spamnb.features.batch import OTHER, Stream
from spamnb.features.token_keys import token_key
from spamnb.messages import Texts

MAX_PATTERNS = 100
MAX_LENGTH = 500  # characters of a pattern
MAX_INSTRUCTIONS = 10_000  # of all compiled patterns together
MAX_TEXT = 1 << 15  # bytes of a message that are searched
REACH = 512  # bytes that one search sees; matches of up to half as many bytes are found whole
MAX_SEARCHES = 256  # of one pattern in one message: half of them pass through MAX_TEXT, half can find matches

Pattern = tuple[str, str]  # its name and the regular expression


@lru_cache(16)
def compile_patterns(patterns: tuple[Pattern, ...]) -> list[Any]:
    """Compiles the patterns of a model or of the command line; a ConfigError names what cannot be used."""
    if len(patterns) > MAX_PATTERNS:
        raise ConfigError(f"--set pattern: {len(patterns)} patterns, expected at most {MAX_PATTERNS}")
    regexes = [_compile(name, pattern) for name, pattern in patterns]
    if sum(regex.programsize for regex in regexes) > MAX_INSTRUCTIONS:
        raise ConfigError(
            f"--set pattern: all patterns together compile to more than {MAX_INSTRUCTIONS:,} instructions",
            hint="make repeats shorter, as in .{0,40}, or leave out a pattern",
        )
    return regexes


def _compile(name: str, pattern: str) -> Any:
    re2 = _import_re2(name)
    if not re.fullmatch(r"[\w-]+", name):
        raise ConfigError(
            f"--set pattern: the name {name!r:.40} may hold only letters, digits, '_' and '-'",
            hint="write it as NAME=REGEX, for example --set 'pattern=phone=\\d{10}'",
        )
    if len(pattern) > MAX_LENGTH:
        raise ConfigError(
            f"--set pattern={name}: {len(pattern):,} characters, expected at most {MAX_LENGTH}",
            hint="split it into several patterns",
        )
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0].decode("utf-8", "replace") if isinstance(error, re2.error) else str(error)
        raise ConfigError(
            f"--set pattern={name}: not a regular expression of RE2: {reason}",
            hint="RE2 has no lookaround and no backreferences: https://github.com/google/re2/wiki/Syntax",
        ) from None


def _import_re2(name: str) -> Any:
    try:
        import re2
    except ImportError:
        raise MissingExtraError(f"the pattern {name!r:.40}", "patterns") from None
    return re2


def pattern_streams(texts: Texts, patterns: tuple[Pattern, ...]) -> list[Stream]:
    r"""Counts the matches of each pattern in every message, as it was written (not lower-cased).

    >>> [stream] = pattern_streams(Texts.of(["call 0800 123", "hi"]), (("digits", r"\d+"),))
    >>> stream.rows.tolist(), stream.spell(np.arange(1)).tolist()
    ([0, 0], ['re:digits'])
    """
    messages = [_valid_utf8(message) for message in texts.tolist()]
    regexes = compile_patterns(patterns)
    return [
        _stream(name, [count_matches(regex, message) for message in messages])
        for (name, _), regex in zip(patterns, regexes, strict=True)
    ]


def _valid_utf8(message: bytes) -> bytes:
    message = message[:MAX_TEXT]
    return message if message.isascii() else message.decode("utf-8", "replace").encode()


def _stream(name: str, counts: list[int]) -> Stream:
    rows = np.repeat(np.arange(len(counts)), counts)
    token = f"re:{name}"
    keys = np.full(len(rows), token_key(token), np.uint64)
    return Stream(OTHER, rows, keys, lambda where: StringArray.of([token.encode()] * len(where)))


def count_matches(regex: Any, text: bytes) -> int:
    r"""Counts the matches that do not overlap and are not empty.

    Every search sees a window of REACH bytes, which begins in the middle of the one before or behind the last
    match. So the time is proportional to the length of the text; with searches to its end it would be
    quadratic. A longer match is cut and counts several times.

    >>> [regex] = compile_patterns((("digits", r"\d+"),))
    >>> count_matches(regex, b"call 0800 123"), count_matches(regex, b"0" * 2 * REACH)
    (2, 2)
    """
    matches = at = 0
    for _ in range(MAX_SEARCHES):
        if at >= len(text):
            break
        end = min(at + REACH, len(text))
        match = regex.search(text, at, end)
        if match is not None and (match.start() < at + REACH // 2 or end == len(text)):
            matches += match.end() > match.start()
            at = max(match.end(), at + 1)
        else:
            at = at + REACH // 2 if end < len(text) else end
    return matches

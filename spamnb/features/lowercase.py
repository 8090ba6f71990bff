"""Lower-casing and word characters of a whole batch at once; only runs of non-ASCII bytes are decoded."""

from __future__ import annotations

import re
from collections.abc import Callable

from spamnb.messages import Texts

_NON_WORD = re.compile(r"[^\w]")
_MEMO_LIMIT = 1 << 16


class Fix(dict[bytes, bytes]):
    """Run of non-ASCII bytes -> what it becomes; worked out when first met, and the memory is bounded."""

    def __init__(self, convert: Callable[[str], str]) -> None:
        super().__init__()
        self._convert = convert

    def __missing__(self, run: bytes) -> bytes:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        text = run.decode("utf-8", "surrogateescape")
        fixed = self._convert(text).encode("utf-8", "surrogateescape")
        self[run] = b"" if "Σ" in text else fixed  # its lower case depends on its neighbours: see `_lowered`
        return self[run]


def _blank(char: re.Match[str]) -> str:
    return " " * len(char[0].encode("utf-8", "surrogateescape"))


_lower = Fix(str.lower)
_lower_words = Fix(lambda run: _NON_WORD.sub(_blank, run.lower()))


def lowered_words(texts: Texts) -> Texts:
    """The texts in lower case, every non-ASCII character that is no word character turned to spaces.

    >>> lowered_words(Texts.of(["Café – £5!"])).tolist()[0].decode().split()
    ['café', '5!']
    """
    return _lowered(texts, _lower_words)


def lowered(texts: Texts) -> Texts:
    """The texts in lower case, nothing else changed (invalid bytes stay as they are)."""
    return _lowered(texts, _lower)


def _lowered(texts: Texts, fix: Fix) -> Texts:
    data = texts.data
    if data.isascii():
        return Texts(data.lower(), texts.starts, texts.ends)
    new = fix_in_place(data.lower(), texts.runs, fix)
    return _one_by_one(texts, fix) if new is None else Texts(new, texts.starts, texts.ends)


def _one_by_one(texts: Texts, fix: Fix) -> Texts:
    """The rare case where lower-casing changes a message's length in bytes, as with a Turkish capital I."""
    return Texts.of(fix_runs(Texts.of([_str_lower(message)]), fix) for message in texts.tolist())


def _str_lower(message: bytes) -> bytes:
    return message.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


def fix_in_place(data: bytes, runs: list[tuple[int, bytes]], fix: Fix) -> bytes | None:
    """Replace every run of non-ASCII bytes by one of the same length; None if that cannot be."""
    new = bytearray(data)
    for start, run in runs:
        fixed = fix[run]
        if fixed != run:
            if len(fixed) != len(run):
                return None
            new[start : start + len(run)] = fixed
    return bytes(new)


def fix_runs(text: Texts, fix: Fix) -> bytes:
    """Replace every run of non-ASCII bytes, whatever its length becomes."""
    data, done = text.data, 0
    parts: list[bytes] = []
    for start, run in text.runs:
        parts += (data[done:start], fix[run])
        done = start + len(run)
    parts.append(data[done:])
    return b"".join(parts)

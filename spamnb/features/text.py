"""Lower-casing and word characters of a whole batch at once; only runs of non-ASCII bytes are decoded."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from spamnb.message import Texts

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
    new = fix_in_place(data.lower(), fix)
    return _one_by_one(texts, fix) if new is None else Texts(new, texts.starts, texts.ends)


def _one_by_one(texts: Texts, fix: Fix) -> Texts:
    """The rare case where lower-casing changes a message's length in bytes, as with a Turkish capital I."""
    return Texts.of(fix_runs(_str_lower(message), fix) for message in texts.tolist())


def _str_lower(message: bytes) -> bytes:
    return message.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


def fix_in_place(data: bytes, fix: Fix) -> bytes | None:
    """Replace every run of non-ASCII bytes by one of the same length; None if that cannot be."""
    new = bytearray(data)
    for start, end in _runs(data):
        run = data[start:end]
        fixed = fix[run]
        if fixed != run:
            if len(fixed) != end - start:
                return None
            new[start:end] = fixed
    return bytes(new)


def fix_runs(data: bytes, fix: Fix) -> bytes:
    """Replace every run of non-ASCII bytes, whatever its length becomes."""
    parts: list[bytes] = []
    done = 0
    for start, end in _runs(data):
        parts += (data[done:start], fix[data[start:end]])
        done = end
    parts.append(data[done:])
    return b"".join(parts)


def _runs(data: bytes) -> zip[tuple[int, int]]:
    """Where runs of non-ASCII bytes begin and end."""
    positions = np.flatnonzero(np.frombuffer(data, np.uint8) >= 128)
    breaks = np.flatnonzero(np.diff(positions) > 1)
    starts = np.concatenate((positions[:1], positions[breaks + 1]))
    ends = np.concatenate((positions[breaks], positions[-1:])) + 1
    return zip(starts.tolist(), ends.tolist(), strict=True)

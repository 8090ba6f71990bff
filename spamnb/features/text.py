"""Lower-casing and word characters of a whole batch at once; only runs of non-ASCII bytes are decoded."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from spamnb.message import IntArray, Texts

_NON_WORD = re.compile(r"[^\w]")
_MEMO_LIMIT = 1 << 16
_FINAL_SIGMA = "Σ".encode()

Fix = Callable[[bytes], bytes]


def _memoised(convert: Callable[[str], str]) -> Fix:
    """Wrap a str conversion for a run of non-ASCII bytes; the memory of past runs is bounded."""
    memo: dict[bytes, bytes] = {}

    def fix(run: bytes) -> bytes:
        known = memo.get(run)
        if known is None:
            if len(memo) >= _MEMO_LIMIT:
                memo.clear()
            text = convert(run.decode("utf-8", "surrogateescape"))
            known = memo[run] = text.encode("utf-8", "surrogateescape")
        return known

    return fix


def _blank(char: re.Match[str]) -> str:
    return " " * len(char[0].encode("utf-8", "surrogateescape"))


_lower = _memoised(str.lower)
_lower_words = _memoised(lambda run: _NON_WORD.sub(_blank, run.lower()))


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
    if _FINAL_SIGMA in data:  # the lower case of a capital sigma depends on its neighbours
        data = data.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")
        if len(data) != len(texts.data):
            return _one_by_one(texts, lambda m: fix_runs(_str_lower(m), fix))
    data = data.lower()
    new = fix_runs(data, fix, same_length=True)
    if new is None:
        return _one_by_one(texts, lambda m: fix_runs(_str_lower(m), fix))
    return Texts(new, texts.starts, texts.ends)


def _str_lower(message: bytes) -> bytes:
    return message.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


def _one_by_one(texts: Texts, convert: Callable[[bytes], bytes | None]) -> Texts:
    """The rare case where lower-casing changes a message's length in bytes, as with a Turkish capital I."""
    return Texts.of(convert(m) or b"" for m in texts.tolist())


def fix_runs(data: bytes, fix: Fix, same_length: bool = False) -> bytes | None:
    """Replace every run of non-ASCII bytes; None if one changed its length and `same_length` is asked for."""
    starts, ends = _runs(np.flatnonzero(np.frombuffer(data, np.uint8) >= 128))
    parts: list[bytes] = []
    done = 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        new = fix(data[start:end])
        if same_length and len(new) != end - start:
            return None
        parts += (data[done:start], new)
        done = end
    parts.append(data[done:])
    return b"".join(parts)


def _runs(positions: IntArray) -> tuple[IntArray, IntArray]:
    """Where runs of neighbouring positions begin and end."""
    breaks = np.flatnonzero(np.diff(positions) > 1)
    starts = np.concatenate((positions[:1], positions[breaks + 1]))
    return starts, np.concatenate((positions[breaks], positions[-1:])) + 1

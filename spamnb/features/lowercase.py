"""Lower-cases a whole batch at once and blanks what is no word character; only non-ASCII runs are decoded."""

from __future__ import annotations

import re
from collections.abc import Callable

from spamnb.core import BoundedCache
from spamnb.messages import Texts

Converter = BoundedCache[bytes]  # a run of non-ASCII bytes -> its replacement

_NON_WORD = re.compile(r"[^\w]")


def _converter(convert: Callable[[str], str]) -> Converter:
    def replacement(run: bytes) -> bytes:
        text = run.decode("utf-8", "surrogateescape")
        if "Σ" in text:  # its lower case depends on its neighbours: another length makes `_one_by_one` do it
            return b""
        return convert(text).encode("utf-8", "surrogateescape")

    return BoundedCache(replacement, limit=1 << 24, longest=1 << 8)


def _blank(char: re.Match[str]) -> str:
    return " " * len(char[0].encode("utf-8", "surrogateescape"))


_lower = _converter(str.lower)
_lower_words = _converter(lambda run: _NON_WORD.sub(_blank, run.lower()))


def lowered_words(texts: Texts) -> Texts:
    """Lower-cases texts and writes spaces for every non-ASCII character that is no word character.

    >>> lowered_words(Texts.of(["Café – £5!"])).tolist()[0].decode().split()
    ['café', '5!']
    """
    return _lowered(texts, _lower_words)


def lowered(texts: Texts) -> Texts:
    """Lower-cases texts and changes nothing else (invalid bytes stay as they are)."""
    return _lowered(texts, _lower)


def _lowered(texts: Texts, converter: Converter) -> Texts:
    data = texts.data
    if data.isascii():
        return Texts(data.lower(), texts.starts, texts.ends)
    new = _convert_in_place(data.lower(), texts.runs, converter)
    return _one_by_one(texts, converter) if new is None else Texts(new, texts.starts, texts.ends)


def _one_by_one(texts: Texts, converter: Converter) -> Texts:
    """Handles the rare case where lower-casing changes a length in bytes, as with a Turkish capital I."""
    return Texts.of(_convert_runs(Texts.of([_str_lower(message)]), converter) for message in texts.tolist())


def _str_lower(message: bytes) -> bytes:
    return message.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


def _convert_in_place(data: bytes, runs: list[tuple[int, bytes]], converter: Converter) -> bytes | None:
    """Replaces every run of non-ASCII bytes by one of the same length; None if a length would change."""
    new = bytearray(data)
    for start, run in runs:
        replacement = converter[run]
        if replacement != run:
            if len(replacement) != len(run):
                return None
            new[start : start + len(run)] = replacement
    return bytes(new)


def _convert_runs(text: Texts, converter: Converter) -> bytes:
    """Replaces every run of non-ASCII bytes, also by one of another length."""
    data, done = text.data, 0
    pieces: list[bytes] = []
    for start, run in text.runs:
        pieces += (data[done:start], converter[run])
        done = start + len(run)
    pieces.append(data[done:])
    return b"".join(pieces)

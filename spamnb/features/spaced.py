r"""Words whose letters stand apart, f r e e or v-i-a-g-r-a, become one word again, in place.

Three letters or more with the same sign between them, or four with the same blank: "u r a" is three words. The signs
are undone first, so that of "w i n f-r-e-e" the f belongs to the second word.
"""

from __future__ import annotations

import re

import numpy as np

from spamnb.features.words import WORD_BYTES, ByteArray, find_words
from spamnb.message import Texts

_WORD = rb"a-z0-9_\x80-\xff"
_SIGNS = re.compile(rb"(?<![%s])[a-z]([^%s\s])[a-z](?:\1[a-z])+(?![%s])" % (_WORD, _WORD, _WORD))
_BLANKS = re.compile(rb"(?<![%s])[a-z](\s)[a-z](?:\1[a-z]){2,}(?![%s])" % (_WORD, _WORD))


class Joiner:
    """Joins spaced words in texts that went through `lowered_words`; `rows` are the messages that had any.

    >>> joiner = Joiner()
    >>> words = find_words(Texts.of(["get f r e e v-i-p", "u r a"]), joiner)
    >>> words.spell(np.arange(6)).tolist(), joiner.rows
    (['get', 'free', 'vip', 'u', 'r', 'a'], [0])
    """

    def __init__(self) -> None:
        self.rows: list[int] = []

    def __call__(self, texts: Texts, inside: ByteArray) -> tuple[bytes, ByteArray]:
        """The data with spaced words joined, and which bytes are in words (one more on both sides)."""
        rows = _suspects(texts, inside)
        if not rows:
            return texts.data, inside
        data, inside = bytearray(texts.data), inside.copy()
        for row in rows:
            message, start = texts[row], int(texts.starts[row])
            new = _BLANKS.sub(_join, _SIGNS.sub(_join, message))
            if new != message:
                data[start : start + len(new)] = new
                inside[start + 1 : start + 1 + len(new)] = np.frombuffer(new.translate(WORD_BYTES), np.uint8)
                self.rows.append(row)
        return bytes(data), inside


def _join(match: re.Match[bytes]) -> bytes:
    return match[0][::2].ljust(len(match[0]))


def _suspects(texts: Texts, inside: ByteArray) -> list[int]:
    """Messages where words of one byte end at every second byte: three, or four if blanks divide them."""
    end = inside[:-1] > inside[1:]
    twice = end[:-2] & end[2:]
    at = np.flatnonzero(twice[:-2] & twice[2:]) - 1  # `inside` has one byte more in front
    raw = np.frombuffer(texts.data, np.uint8)
    sign = raw[at + 1]
    at = at[(sign == raw[at + 3]) & ((sign > 32) | end[np.minimum(at + 7, len(end) - 1)])]
    at = at[inside[at] == 0]
    return sorted(set((np.searchsorted(texts.starts, at, side="right") - 1).tolist()))

"""Joins words with spaced letters, f r e e or v-i-a-g-r-a, in place.

Three letters or more with the same sign between them, or four with the same blank (no line end): "u r a" is
three words. A letter between a sign and a blank belongs to the sign: in "w i n f-r-e-e" the f begins free.
"""

from __future__ import annotations

import numpy as np

from spamnb.core import IntArray, distinct_values, run_starts
from spamnb.messages import Texts

FEWEST = 3
FEWEST_BLANKS = 4


class SpacedLetterJoiner:
    """Joins spaced words in texts that went through `lowered_words`; `rows` are the messages with any.

    >>> from spamnb.features.words import find_words
    >>> joiner = SpacedLetterJoiner()
    >>> words = find_words(Texts.of(["get f r e e v-i-p", "u r a"]), edit=joiner)
    >>> words.spell(np.arange(6)).tolist(), joiner.rows
    (['get', 'free', 'vip', 'u', 'r', 'a'], [0])
    """

    def __init__(self) -> None:
        self.rows: list[int] = []

    def __call__(self, texts: Texts, starts: IntArray, ends: IntArray) -> tuple[bytes, IntArray, IntArray]:
        """Moves the letters of spaced words together; returns the data and where words start and end."""
        spans = _spans(_runs(texts, starts, ends))
        if not spans:
            return texts.data, starts, ends
        data, slices = bytearray(texts.data), []
        done = 0
        for first, last in spans:
            start, end = int(starts[first]), int(ends[last])
            data[start:end] = data[start:end:2].ljust(end - start)
            ends[first] = start + last - first + 1
            slices.append(slice(done, first + 1))
            done = last + 1
        slices.append(slice(done, None))
        begin = starts[[first for first, _ in spans]]
        self.rows = distinct_values(np.searchsorted(texts.starts, begin, side="right") - 1).tolist()
        return (
            bytes(data),
            np.concatenate([starts[s] for s in slices]),
            np.concatenate([ends[s] for s in slices]),
        )


def _spans(runs: list[tuple[bool, int, int]]) -> list[tuple[int, int]]:
    """Returns first and last letter of each spaced word, ascending; no letter is in two of them."""
    spans, taken = [], set()
    for blank, first, last in sorted(runs):
        first, last = first + (first in taken), last - (last in taken)
        if last - first + 1 >= (FEWEST_BLANKS if blank else FEWEST):
            spans.append((first, last))
            taken |= {first, last}
    return sorted(spans)


def _runs(texts: Texts, starts: IntArray, ends: IntArray) -> list[tuple[bool, int, int]]:
    """Finds three or more one-letter words with the same byte between: is it a blank, first and last word."""
    word = (starts[2:] - starts[:-2] == 4).nonzero()[0]  # two words of one byte, and the next begins
    word = word[ends[word + 2] - starts[word + 2] == 1]
    if not len(word):
        return []
    raw, at = np.frombuffer(texts.data, np.uint8), starts[word]
    sign = raw[at + 1]
    letters = raw[at[:, None] + np.array([0, 2, 4])] - np.uint8(97) < 26
    good = (sign == raw[at + 3]) & (sign != 10) & (sign != 13) & letters.all(axis=1)
    word, sign = word[good], sign[good]
    begin = run_starts(word - np.arange(len(word)))  # neighbours have the same difference
    last = word[np.append(begin[1:] - 1, len(word) - 1)[: len(begin)]] + 2
    return list(zip((sign[begin] <= 32).tolist(), word[begin].tolist(), last.tolist(), strict=True))

r"""Splits a whole batch into words (`\w+` of the lower-cased text) and word n-grams, as keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, Record, StringArray, copy_spans, run_sizes
from spamnb.features.batch import Speller, Stream
from spamnb.features.token_keys import LONGEST, KeyArray, join, span_keys
from spamnb.messages import Texts

# 1 for bytes of words. Non-ASCII bytes count as word bytes: `lowered_words` has blanked the others.
_WORD_BYTES = bytes(byte >= 128 or chr(byte).isalnum() or byte == ord("_") for byte in range(256))

ByteArray = NDArray[np.uint8]
WordEdit = Callable[[Texts, IntArray, IntArray], tuple[bytes, IntArray, IntArray]]


class Words(Record):
    """The words of a batch in reading order: where they are, in which message, and their keys."""

    data: bytes
    starts: IntArray
    ends: IntArray
    rows: IntArray
    keys: KeyArray

    def spell(self, where: IntArray) -> StringArray:
        return spell_ngrams(self, where, 1)


def find_words(texts: Texts, inside: ByteArray | None = None, edit: WordEdit | None = None) -> Words:
    """Splits texts that went through `lowered_words`.

    `inside` is 1 for bytes of words, padded by one on both sides, where that is known already; `edit` may
    change words before their keys are computed.

    >>> words = find_words(Texts.of([b"free entry", b"ok"]))
    >>> words.spell(np.arange(3)).tolist(), words.rows.tolist()
    (['free', 'entry', 'ok'], [0, 0, 1])
    """
    if inside is None:
        # With a blank on both sides every word has two edges.
        inside = np.frombuffer((b" " + texts.data + b" ").translate(_WORD_BYTES), np.uint8)
    edges = (inside[1:] != inside[:-1]).nonzero()[0]
    # Contiguous copies: every search in a strided array would copy it.
    starts, ends = edges[0::2].copy(), edges[1::2].copy()
    data = texts.data
    if edit is not None:
        data, starts, ends = edit(texts, starts, ends)
    keys = span_keys(data, starts, ends - starts)
    return Words(data, starts, ends, rows_of(texts, starts), keys)


def rows_of(texts: Texts, positions: IntArray) -> IntArray:
    """Returns the message of each of some ascending positions (few messages, many positions)."""
    bounds = positions.searchsorted(texts.starts)
    return np.repeat(np.arange(len(texts)), run_sizes(bounds, len(positions)))


def word_streams(words: Words, ngrams: int) -> list[Stream]:
    """Returns one stream for each n from 1 to `ngrams`; neighbours must be in the same message."""
    streams = [Stream(1, words.rows, words.keys, words.spell)]
    keys = words.keys
    for n in range(2, ngrams + 1):
        keys = join(keys[:-1], words.keys[n - 1 :])  # also across message ends: cheaper than selecting first
        first = (words.rows[n - 1 :] == words.rows[: len(keys)]).nonzero()[0]
        streams.append(Stream(n, words.rows[first], keys[first], _ngram_speller(words, first, n)))
    return streams


def _ngram_speller(words: Words, first: IntArray, n: int) -> Speller:
    return lambda where: spell_ngrams(words, first[where], n)


def spell_ngrams(words: Words, first: IntArray, n: int) -> StringArray:
    """Spells the n words that begin with each word in `first`, with spaces between; a long word is cut."""
    data = np.frombuffer(words.data + b" ", np.uint8)
    starts = np.full((len(first), 2 * n - 1), len(words.data), np.int64)  # by default the space
    ends = starts + 1
    for i in range(n):
        starts[:, 2 * i] = words.starts[first + i]
        ends[:, 2 * i] = np.minimum(words.ends[first + i], starts[:, 2 * i] + LONGEST)
    pieces = copy_spans(data, starts.ravel(), ends.ravel())
    return StringArray(pieces.blob, pieces.ends[2 * n - 2 :: 2 * n - 1])

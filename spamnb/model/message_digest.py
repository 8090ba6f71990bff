"""Computes 64-bit digests of messages. FROZEN: the digests are part of the model file format.

A message's digest identifies it in `SeenMessages`. It depends on the message alone, never on the features:

    folded(text)    every run of bytes up to 32 (spaces, line ends, control characters) is one space, but
                    there is none at the ends
    h(text)         mix(n + sum_j mix(b_j + j * STEP)), where n is the length of the folded text in bytes and
                    b_0, b_1 ... are its 8-byte blocks, little-endian, the last one padded with zeros
    digest          h(text)
                    + mix(h(words) + token_key("tag:")) for each tag of a mail, unless h(words) is 0
                    + token_key("row:[(column, value), ...]") for a table with columns

Capitals and punctuation make a difference, because shapes count them: the counts of a message with the same
digest are the same, but for tokens that see white space (`shape:length`). tests/model/test_message_digest.py
holds golden values and tests/reference/digests.py a plain Python twin. A digest takes 0.3 us for an SMS, 4%
of counting it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray, run_starts
from spamnb.features import Batch, KeyArray, mix, token_key
from spamnb.messages import Texts

STEP = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd
BLANK = np.uint64(0)  # the digest of white space alone, and of no text
_BLOCK = 8  # bytes
_PADDING = b"\xff" * _BLOCK
_SPACE = 32
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(_BLOCK + 1)], np.uint64)

ByteArray = NDArray[np.uint8]


def message_digests(
    texts: Texts,
    categories: Mapping[str, Sequence[str]] | None = None,
    numbers: Mapping[str, FloatArray] | None = None,
) -> KeyArray:
    """Identifies each message by its text, its tagged words and its columns.

    >>> same, spaced, other = message_digests(Texts.of(["Win it", " Win   it", "win it"]))
    >>> bool(same == spaced), bool(same == other)
    (True, False)
    """
    digests = _mail_digests(texts) if texts.tags else _text_digests(texts)
    if categories or numbers:
        digests += _column_digests(len(texts), categories or {}, numbers or {})
    return digests


def _mail_digests(mails: Texts) -> KeyArray:
    """Computes h of each body, and of its tagged words; all texts are hashed at once."""
    bodies = Texts(mails.data, mails.starts, mails.ends)
    hashes = _text_digests(Texts.concat([bodies, *mails.tags.values()])).reshape(len(mails.tags) + 1, -1)
    tags = np.array([[token_key(f"{tag}:")] for tag in mails.tags], np.uint64)
    tagged = np.where(hashes[1:] == 0, np.uint64(0), mix(hashes[1:] + tags))
    total: KeyArray = hashes[0] + tagged.sum(axis=0, dtype=np.uint64)
    return total


def _text_digests(texts: Texts) -> KeyArray:
    """Computes h of each text."""
    data, starts, ends = _fold_spaces(texts)
    sizes = ends - starts
    blocks = (sizes + _BLOCK - 1) // _BLOCK  # of each text
    first = np.cumsum(blocks) - blocks
    place = np.arange(int(blocks.sum())) - np.repeat(first, blocks)  # of each block in its text
    # A stride-1 view of uint64 makes 8 bytes from anywhere one load.
    eight = np.ndarray((len(data) - _BLOCK + 1,), np.dtype("<u8"), data, strides=(1,))
    values: KeyArray = eight[np.repeat(starts, blocks) + _BLOCK * place]
    filled = np.flatnonzero(blocks)
    last = first[filled] + blocks[filled] - 1
    values[last] &= _MASKS[sizes[filled] - _BLOCK * (blocks[filled] - 1)]
    values += place.astype(np.uint64) * STEP
    sums = sizes.astype(np.uint64)
    if len(filled):
        sums[filled] += np.add.reduceat(mix(values), first[filled])
    return mix(sums)


def _fold_spaces(texts: Texts) -> tuple[ByteArray, IntArray, IntArray]:
    """Returns the folded texts in one array, with 8 bytes more at its end, and where each begins and ends."""
    raw = np.frombuffer(texts.data + _PADDING, np.uint8)
    blank = raw <= _SPACE
    raw = np.maximum(raw, np.uint8(_SPACE))
    repeated = np.zeros(len(raw), bool)  # a blank after a blank
    np.logical_and(blank[1:], blank[:-1], out=repeated[1:])
    gone = np.flatnonzero(repeated)
    starts, ends = texts.starts, texts.ends
    before, until = np.searchsorted(gone, starts), np.searchsorted(gone, ends)
    if (before < until).any():
        raw, starts, ends = raw[~repeated], starts - before, ends - until
    starts = starts + ((starts < ends) & (raw[starts] == _SPACE))
    ends = ends - ((starts < ends) & (raw[ends - 1] == _SPACE))
    return raw, starts, ends


def _column_digests(
    size: int, categories: Mapping[str, Sequence[str]], numbers: Mapping[str, FloatArray]
) -> KeyArray:
    columns: list[tuple[str, list[Any]]] = [(name, list(categories[name])) for name in sorted(categories)]
    columns += [(name, [float(x) for x in numbers[name]]) for name in sorted(numbers)]
    rows = (token_key(f"row:{[(name, values[i]) for name, values in columns]!r}") for i in range(size))
    return np.fromiter(rows, np.uint64, size)


def word_digests(batch: Batch) -> KeyArray:
    """Maps messages of the same words, in any order, case or punctuation, to the same number.

    Cross-validation keeps such duplicates in one fold. A message without words has 0.
    """
    sums = np.zeros(batch.size, np.uint64)
    for stream in batch.streams[:1]:
        if len(stream.rows):
            begin = run_starts(stream.rows)
            # Squares, because plain sums of keys that are letters agree for "a d" and "b c".
            sums[stream.rows[begin]] = np.add.reduceat(stream.keys * (stream.keys + np.uint64(1)), begin)
    return mix(sums)

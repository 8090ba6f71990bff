"""Counts every 2 to 8 neighbouring characters of a message as `char:` tokens."""

from __future__ import annotations

import numpy as np

from spamnb.core import IntArray, StringArray
from spamnb.features.batch import OTHER, Stream
from spamnb.features.lowercase import lowered
from spamnb.features.token_keys import join, key, span_keys
from spamnb.features.words import rows_of
from spamnb.messages import Texts

_TAG = b"char:"


def char_streams(texts: Texts, longest: int) -> list[Stream]:
    """Returns one stream for each length from 2 to `longest`.

    >>> stream = char_streams(Texts.of(["Hé!"]), 2)[0]
    >>> stream.spell(np.arange(2)).tolist()
    ['char:hé', 'char:é!']
    """
    texts = lowered(texts)
    raw = np.frombuffer(texts.data, np.uint8)
    first_bytes = np.flatnonzero((raw & 0xC0) != 0x80)  # every byte that does not continue a character
    rows, inside = _inside(texts, first_bytes)
    first_bytes = np.append(first_bytes[inside], 0)
    return [_stream(texts, first_bytes, rows, n) for n in range(2, longest + 1)]


def _inside(texts: Texts, first_bytes: IntArray) -> tuple[IntArray, IntArray]:
    """Returns the message of each character, and which characters are part of a message."""
    start = int(texts.starts[0]) if len(texts) else 0
    inside = np.flatnonzero(first_bytes >= start)
    rows = rows_of(texts, first_bytes[inside])
    keep = first_bytes[inside] < texts.ends[rows] if len(texts) else np.zeros(0, bool)
    return rows[keep], inside[keep]


def _stream(texts: Texts, first_bytes: IntArray, rows: IntArray, n: int) -> Stream:
    """Characters i .. i+n-1 of one message; they end where character i+n begins or the message ends."""
    count = max(0, len(rows) - n + 1)
    i = np.flatnonzero(rows[:count] == rows[n - 1 : n - 1 + count])
    after = i + n
    same = (after < len(rows)) & (rows[np.minimum(after, len(rows) - 1)] == rows[i])
    ends = np.where(same, first_bytes[after], texts.ends[rows[i]])
    starts = first_bytes[i]
    keys = join(key(_TAG), span_keys(texts.data, starts, ends - starts))

    def spell(where: IntArray) -> StringArray:
        spans = zip(starts[where].tolist(), ends[where].tolist(), strict=True)
        return StringArray.of(_TAG + texts.data[s:e] for s, e in spans)

    return Stream(OTHER, rows[i], keys, spell)

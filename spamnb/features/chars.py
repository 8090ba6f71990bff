"""Character n-grams: every 2 to n neighbouring characters of the lower-cased text, as `char:` tokens."""

from __future__ import annotations

import numpy as np

from spamnb.features.hashing import join, key, span_keys
from spamnb.features.text import lowered
from spamnb.features.words import rows_of
from spamnb.message import IntArray, Texts
from spamnb.sparse import OTHER, Stream
from spamnb.spellings import Spellings

_TAG = b"char:"


def char_streams(texts: Texts, longest: int) -> list[Stream]:
    """One stream for each length from 2 to `longest`.

    >>> stream = char_streams(Texts.of(["Hé!"]), 2)[0]
    >>> stream.spell(np.arange(2)).tolist()
    ['char:hé', 'char:é!']
    """
    texts = lowered(texts)
    raw = np.frombuffer(texts.data, np.uint8)
    heads = np.flatnonzero((raw & 0xC0) != 0x80)  # every byte that does not continue a character
    rows, inside = _inside(texts, heads)
    heads = np.append(heads[inside], 0)
    return [_stream(texts, heads, rows, n) for n in range(2, longest + 1)]


def _inside(texts: Texts, heads: IntArray) -> tuple[IntArray, IntArray]:
    """The message of each character, and which characters stand in a message at all (not between two)."""
    first = int(texts.starts[0]) if len(texts) else 0
    inside = np.flatnonzero(heads >= first)
    rows = rows_of(texts, heads[inside])
    keep = heads[inside] < texts.ends[rows] if len(texts) else np.zeros(0, bool)
    return rows[keep], inside[keep]


def _stream(texts: Texts, heads: IntArray, rows: IntArray, n: int) -> Stream:
    """Characters i .. i+n-1 of one message; they end where character i+n begins or the message ends."""
    count = max(0, len(rows) - n + 1)
    i = np.flatnonzero(rows[:count] == rows[n - 1 : n - 1 + count])
    after = i + n
    same = (after < len(rows)) & (rows[np.minimum(after, len(rows) - 1)] == rows[i])
    ends = np.where(same, heads[after], texts.ends[rows[i]])
    starts = heads[i]
    keys = join(key(_TAG), span_keys(texts.data, starts, ends - starts))

    def spell(where: IntArray) -> Spellings:
        pairs = zip(starts[where].tolist(), ends[where].tolist(), strict=True)
        return Spellings.of(_TAG + texts.data[s:e] for s, e in pairs)

    return Stream(OTHER, rows[i], keys, spell)

"""The user's regular expressions: each match in a message is one `re:name` token."""

from __future__ import annotations

import numpy as np

from spamnb.core import StringArray
from spamnb.features.batch import OTHER, Stream
from spamnb.features.regex import count
from spamnb.features.token_keys import token_key
from spamnb.messages import Texts


def pattern_stream(texts: Texts, name: str, pattern: str) -> Stream:
    r"""Count non-overlapping matches in every message, which is seen as text, not lower-cased.

    >>> stream = pattern_stream(Texts.of(["call 0800 123", "hi"]), "digits", r"\d+")
    >>> stream.rows.tolist(), stream.spell(np.arange(1)).tolist()
    ([0, 0], ['re:digits'])
    """
    counts = [count(pattern, m.decode("utf-8", "replace")) for m in texts.tolist()]
    rows = np.repeat(np.arange(len(texts)), counts)
    token = f"re:{name}"
    keys = np.full(len(rows), token_key(token), np.uint64)
    return Stream(OTHER, rows, keys, lambda where: StringArray.of([token.encode()] * len(where)))

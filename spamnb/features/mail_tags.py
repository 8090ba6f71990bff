"""Extracts the words of a mail's headers and links as tagged tokens: `subject:free`, `url:example_com`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from spamnb.core import IntArray, StringArray, copy_spans
from spamnb.features.batch import OTHER, Speller, Stream
from spamnb.features.lowercase import lowered_words
from spamnb.features.token_keys import LONGEST, join, key
from spamnb.features.words import Words, find_words
from spamnb.messages import Texts


def tagged_stream(tags: Mapping[str, Texts], reveal: bool = False) -> Stream:
    """Returns the words of all texts with their tags, by message; `reveal` reveals hidden letters first.

    One stream of all tags takes two thirds of the time of one stream each: most tags have a few words a
    message.

    >>> import numpy as np
    >>> stream = tagged_stream({"subject": Texts.of(["Free entry", ""]), "from": Texts.of(["ann", "bob"])})
    >>> stream.spell(np.arange(4)).tolist(), stream.rows.tolist()
    (['subject:free', 'subject:entry', 'from:ann', 'from:bob'], [0, 0, 0, 1])
    """
    size = len(next(iter(tags.values())))
    texts = Texts.concat(list(tags.values()))
    if reveal and not texts.data.isascii():
        from spamnb.features.hidden_letters import reveal_in_texts

        texts = reveal_in_texts(texts)[0]
    words = find_words(lowered_words(texts))
    which, rows = np.divmod(words.rows, max(size, 1))
    order = np.argsort(rows.astype(np.uint16) if size <= 1 << 16 else rows, kind="stable")  # by message
    prefixes = [f"{tag}:".encode() for tag in tags]
    keys = join(np.concatenate([key(prefix) for prefix in prefixes])[which], words.keys)
    return Stream(OTHER, rows[order], keys[order], _speller(prefixes, which, words, order))


def _speller(prefixes: list[bytes], which: IntArray, words: Words, order: IntArray) -> Speller:
    data = words.data + b"".join(prefixes)
    prefix = np.cumsum([len(words.data), *map(len, prefixes)])

    def spell(where: IntArray) -> StringArray:
        at = order[where]
        begin, end = words.starts[at], words.ends[at]
        starts = np.stack((prefix[which[at]], begin), axis=1)
        ends = np.stack((prefix[which[at] + 1], np.minimum(end, begin + LONGEST)), axis=1)
        pieces = copy_spans(np.frombuffer(data, np.uint8), starts.ravel(), ends.ravel())
        return StringArray(pieces.blob, pieces.ends[1::2])

    return spell

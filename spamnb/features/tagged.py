"""Words that a message says in a certain place, as tagged tokens: `subject:free`, `url:example_com`."""

from __future__ import annotations

from collections.abc import Mapping

from spamnb.features.hashing import join, key
from spamnb.features.text import lowered_words
from spamnb.features.words import Words, find_words, spell_ngrams
from spamnb.message import IntArray, Texts
from spamnb.sparse import OTHER, Speller, Stream
from spamnb.spellings import Spellings


def tagged_streams(tags: Mapping[str, Texts], unmask: bool = False) -> list[Stream]:
    """One stream for each tag: the words of its texts, each under the tag, `unmask` as in `unveiled`.

    >>> import numpy as np
    >>> stream = tagged_streams({"subject": Texts.of(["Free entry", ""])})[0]
    >>> stream.spell(np.arange(2)).tolist(), stream.rows.tolist()
    (['subject:free', 'subject:entry'], [0, 0])
    """
    if unmask:
        from spamnb.features.unveil import unveiled

        tags = {tag: unveiled(texts)[0] for tag, texts in tags.items()}
    return [_stream(tag, find_words(lowered_words(texts))) for tag, texts in tags.items()]


def _stream(tag: str, words: Words) -> Stream:
    prefix = f"{tag}:".encode()
    return Stream(OTHER, words.rows, join(key(prefix), words.keys), _speller(prefix, words))


def _speller(prefix: bytes, words: Words) -> Speller:
    def spell(where: IntArray) -> Spellings:
        return Spellings.of(prefix + word for word in spell_ngrams(words, where, 1))

    return spell

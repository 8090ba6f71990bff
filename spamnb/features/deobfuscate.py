"""Words and shapes of texts with their disguises undone, and which disguises there were."""

from __future__ import annotations

from operator import itemgetter

from spamnb.features.batch import Stream
from spamnb.features.leetspeak import leetspeak_variants, words_stream
from spamnb.features.lowercase import lowered_words
from spamnb.features.punctuation import sign_stream
from spamnb.features.shapes import ShapeScanner, noted_stream, shape_stream
from spamnb.features.spaced_letters import SpacedLetterJoiner
from spamnb.features.words import find_words, word_streams
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig


def deobfuscate(texts: Texts, config: FeatureConfig) -> tuple[Texts, list[Stream]]:
    """The texts with hidden letters made plain, and their streams.

    The first streams are the word n-grams; what a word may stand for besides is a later stream of words.

    >>> import numpy as np
    >>> clear, streams = deobfuscate(Texts.of(["fr\u0435e c4sh"]), FeatureConfig(1))
    >>> [stream.spell(np.arange(len(stream.rows))).tolist() for stream in streams if stream.kind == 1]
    [['free', 'c4sh'], ['cash']]
    """
    clear, noted = _clear(texts)
    finder = ShapeScanner(clear)
    shapes = [shape_stream(clear, finder)]  # before the words: what was found is still in the cache
    if config.signs:
        shapes.append(sign_stream(clear, finder))
    lower, joiner = lowered_words(clear), SpacedLetterJoiner()
    if lower.starts is not clear.starts:
        finder = ShapeScanner(lower)  # lower case has other lengths
    words = find_words(lower, finder.in_words(lower), joiner)
    extra = leetspeak_variants(words, finder)
    noted += [(row, "spaced") for row in joiner.rows] + [(row, "leet") for row, new in extra if new.leet]
    streams = [*word_streams(words, config.ngrams), *shapes]
    if extra:
        streams.append(words_stream(sorted(extra, key=itemgetter(0))))  # rows ascend
    if noted:
        streams.append(noted_stream(noted))
    return clear, streams + ([] if config.chars else _spaceless(clear, mail=bool(texts.tags)))


# What follows is about letters beyond ASCII: its tables of them take 10 ms to load, a tenth of a prediction.


def _clear(texts: Texts) -> tuple[Texts, list[tuple[int, str]]]:
    if texts.data.isascii():
        return texts, []
    from spamnb.features.hidden_letters import reveal_in_texts

    return reveal_in_texts(texts)


def _spaceless(texts: Texts, mail: bool) -> list[Stream]:
    if texts.data.isascii():
        return []
    from spamnb.features.char_ngrams import spaceless_streams

    return spaceless_streams(texts, mail)

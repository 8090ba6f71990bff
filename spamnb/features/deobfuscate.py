"""Undoes the obfuscation of words and extracts words and shapes from the result."""

from __future__ import annotations

from operator import itemgetter

import numpy as np

from spamnb.core import IntArray
from spamnb.features.batch import Stream
from spamnb.features.leetspeak import leetspeak_variants, variant_stream
from spamnb.features.lowercase import lowered_words
from spamnb.features.punctuation import punctuation_stream
from spamnb.features.shapes import ShapeScanner, obfuscation_stream, shape_stream
from spamnb.features.spaced_letters import SpacedLetterJoiner
from spamnb.features.words import find_words, word_streams
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig

_LETTERS = bytes(chr(byte).isalnum() and byte < 128 for byte in range(256))


def deobfuscate(texts: Texts, config: FeatureConfig) -> tuple[Texts, list[Stream]]:
    """Reveals hidden letters; returns the texts and their streams.

    The first streams are the word n-grams; the words that obfuscated words may stand for are a later stream.

    >>> import numpy as np
    >>> clear, streams = deobfuscate(Texts.of(["fr\u0435e c4sh"]), FeatureConfig(1))
    >>> [stream.spell(np.arange(len(stream.rows))).tolist() for stream in streams if stream.kind == 1]
    [['free', 'c4sh'], ['cash']]
    """
    clear, obfuscations = _reveal(texts)
    scanner = ShapeScanner(clear)
    shapes = [shape_stream(clear, scanner)]  # before the words: its arrays are still in the processor's cache
    if config.punctuation:
        shapes.append(punctuation_stream(clear, scanner))
    lower, joiner = lowered_words(clear), SpacedLetterJoiner()
    if lower.starts is not clear.starts:
        scanner = ShapeScanner(lower)  # lower case has other lengths
    words = find_words(lower, scanner.in_words(lower), joiner)
    variants = leetspeak_variants(words, scanner)
    obfuscations += [(row, "spaced") for row in joiner.rows]
    obfuscations += [(row, "leet") for row, new in variants if new.leet]
    streams = [*word_streams(words, config.ngrams), *shapes]
    if variants:
        streams.append(variant_stream(sorted(variants, key=itemgetter(0))))  # rows ascend
    if obfuscations:
        streams.append(obfuscation_stream(obfuscations))
    return clear, streams + ([] if config.chars else _spaceless(clear, mail=bool(texts.tags)))


def rows_to_deobfuscate(texts: Texts) -> IntArray:
    r"""Finds the messages whose words `deobfuscate` may change: with hidden or spaced letters, or with "_".

    >>> rows_to_deobfuscate(Texts.of(["free", "f r e e", "fr\u0435e", "\u00e9"])).tolist()
    [1, 2]
    """
    rows = np.zeros(len(texts), bool)
    padded = b"\n" + texts.data + b"\n\n\n\n\n"
    letter = np.frombuffer(padded.translate(_LETTERS), np.bool_)
    alone = letter[1:-1] & ~letter[:-2] & ~letter[2:]
    spaced = np.flatnonzero(alone[:-4] & alone[2:-2] & alone[4:])
    underscores = np.flatnonzero(np.frombuffer(texts.data, np.uint8) == ord("_"))  # they divide shaped words
    for places in (spaced, underscores):
        rows[texts.starts.searchsorted(places, side="right") - 1] = True
    if not texts.data.isascii():
        from spamnb.features.hidden_letters import rows_with_hidden_letters

        rows[rows_with_hidden_letters(texts)] = True
    return rows.nonzero()[0]


# These two are about letters beyond ASCII: their tables take 10 ms to load, a tenth of a prediction.


def _reveal(texts: Texts) -> tuple[Texts, list[tuple[int, str]]]:
    if texts.data.isascii():
        return texts, []
    from spamnb.features.hidden_letters import reveal_in_texts

    return reveal_in_texts(texts)


def _spaceless(texts: Texts, mail: bool) -> list[Stream]:
    if texts.data.isascii():
        return []
    from spamnb.features.unspaced_scripts import unspaced_streams

    return unspaced_streams(texts, mail)

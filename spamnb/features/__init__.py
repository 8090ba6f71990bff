"""From messages to a Batch of token keys: words, n-grams, tags, shapes, characters and patterns."""

from __future__ import annotations

from spamnb.config import FeatureConfig
from spamnb.features.text import lowered_words
from spamnb.features.words import Words, find_words, word_streams
from spamnb.message import Texts
from spamnb.sparse import Batch, Stream


def extract(texts: Texts, config: FeatureConfig) -> Batch:
    """Everything countable in these messages, as the configuration asks.

    >>> batch = extract(Texts.of(["Free entry", "ok"]), FeatureConfig.plain())
    >>> batch.size, batch.rows.tolist()
    (2, [0, 0, 1])
    """
    if config.shapes and config.unmask:
        return Batch(len(texts), tuple(_unmasked(texts, config)))
    return Batch(len(texts), tuple(_streams(texts, find_words(lowered_words(texts)), texts, config)))


def _unmasked(texts: Texts, config: FeatureConfig) -> list[Stream]:
    """The streams of the texts with disguises undone, and what was undone."""
    from spamnb.features.disguise import disguises, words_stream
    from spamnb.features.shapes import Finder, noted_stream
    from spamnb.features.spaced import Joiner
    from spamnb.features.spaceless import spaceless_streams
    from spamnb.features.unveil import unveiled

    clear, noted = unveiled(texts)
    lower, finder = lowered_words(clear), Finder(clear)
    signs = finder if lower.starts is clear.starts else Finder(lower)
    joiner = Joiner()
    words = find_words(lower, joiner)
    extra, leet = disguises(words, signs)
    noted += [(row, "spaced") for row in joiner.rows] + [(row, "leet") for row in leet]
    streams = _streams(clear, words, texts, config, finder)
    if extra:
        streams.append(words_stream(extra))
    if noted:
        streams.append(noted_stream(noted))
    return streams + ([] if config.chars else spaceless_streams(clear))


def _streams(texts: Texts, words: Words, given: Texts, config: FeatureConfig, finder: Finder | None = None) -> list[Stream]:
    streams: list[Stream] = word_streams(words, config.ngrams)
    if texts.tags:
        from spamnb.features.tagged import tagged_streams

        streams += tagged_streams(texts.tags)
    if config.shapes:
        from spamnb.features.shapes import shape_stream

        streams.append(shape_stream(texts, finder))
    if config.chars:
        from spamnb.features.chars import char_streams

        streams += char_streams(texts, config.chars)
    if config.patterns:
        from spamnb.features.patterns import pattern_stream

        streams += [pattern_stream(given, name, pattern) for name, pattern in config.patterns]
    return streams

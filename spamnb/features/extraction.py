"""Extracts token keys from messages: words, n-grams, tags, shapes, characters and patterns."""

from __future__ import annotations

from spamnb.features.batch import Batch, Stream
from spamnb.features.lowercase import lowered_words
from spamnb.features.words import find_words, word_streams
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig


def extract(texts: Texts, config: FeatureConfig) -> Batch:
    """Extracts the tokens of messages; those of a single one stay with it, as it is often explained next.

    >>> batch = extract(Texts.of(["Free entry", "ok"]), FeatureConfig.plain())
    >>> batch.size, batch.rows.tolist()
    (2, [0, 0, 1])
    """
    if len(texts) != 1:
        return _extract(texts, config)
    kept = next((batch for used, batch in texts.extracted if used == config), None)
    if kept is None:
        kept = _extract(texts, config)
        texts.extracted.append((config, kept))
    return kept


def _extract(texts: Texts, config: FeatureConfig) -> Batch:
    clear, obfuscated = texts, config.shapes and config.deobfuscate
    streams: list[Stream] = []
    if obfuscated:
        from spamnb.features.deobfuscate import deobfuscate

        clear, streams = deobfuscate(texts, config)
    else:
        streams += word_streams(find_words(lowered_words(texts)), config.ngrams)
        if config.shapes:
            from spamnb.features.shapes import shape_stream

            streams.append(shape_stream(texts))
    if texts.tags:
        from spamnb.features.mail_tags import tagged_stream

        streams.append(tagged_stream(texts.tags, obfuscated))
    if config.chars:
        from spamnb.features.char_ngrams import char_streams

        streams += char_streams(clear, config.chars)
    if config.patterns:
        from spamnb.features.user_patterns import pattern_streams

        streams += pattern_streams(texts, config.patterns)
    return Batch(len(texts), tuple(streams))

r"""Words and n-grams of whole batches against `re.findall(r"\w+", text.lower())` of one message."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from tests.helpers.texts import any_texts, batches, keyed, odd_texts, sms_corpus, spelled, tokens_of
from tests.reference import keys, tokens

PLAIN = FeatureConfig.plain()


def findall(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@given(st.lists(odd_texts | any_texts, max_size=6))
@example(["ΟΔΟΣ ΣΑΣ Σ", "İstanbul", "K\u212a\u212b"])
@example(["", "", "a", ""])
def test_plain_words_are_findall(texts: list[str]) -> None:
    assert tokens_of(texts, PLAIN) == [[tokens.shown(w) for w in findall(t)] for t in texts]


def test_lengths_that_change_in_two_messages_and_cancel_out() -> None:
    texts = ["ΑΣ \u212a", "İİ x", "ab cd"]  # lower-casing takes 2 bytes from the first and gives the second 2
    assert tokens_of(texts, PLAIN) == [findall(t) for t in texts]


@given(batches, st.integers(1, 5))
@example([b"\xff\xfea\xc3", b"\xa9b"], 2)
def test_ngrams_and_their_keys(given_messages: list[str | bytes], n: int) -> None:
    config = FeatureConfig.plain(n)
    batch = extract(Texts.of(given_messages), config)
    expected = [tokens.tokens(m, config) for m in given_messages]
    assert spelled(batch) == [[tokens.shown(t) for t in message] for message in expected]
    assert keyed(batch) == [[keys.token_key(t) for t in message] for message in expected]


@given(batches)
def test_a_batch_is_its_messages_one_by_one(given_messages: list[str | bytes]) -> None:
    config = FeatureConfig(ngrams=3, shapes=True, chars=3, patterns=(("number", r"\d+"),))
    together = keyed(extract(Texts.of(given_messages), config))
    alone = [keyed(extract(Texts.of([m]), config))[0] for m in given_messages]
    assert together == alone


def test_no_messages() -> None:
    config = FeatureConfig(ngrams=5, shapes=True, chars=8, patterns=(("x", "x"),))
    batch = extract(Texts.of([]), config)
    assert batch.size == 0
    assert len(batch.rows) == len(batch.keys) == 0
    assert len(batch.streams) == 5 + 2 + 7 + 1  # n-grams, shapes and signs, characters, the pattern


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"caf\xe9 ole", ["caf", "ole"]),  # Latin-1: the invalid byte is no word character
        (b"caf\xc3\xa9 ole", ["café", "ole"]),
        (b"a\xffb", ["a", "b"]),
        (b"\xc3", []),
        (b"a\xed\xa0\x80b", ["a", "b"]),  # a lone surrogate, encoded
        (b"x\xf4\x90\x80\x80y", ["x", "y"]),  # beyond U+10FFFF
        (b"\xc0\xaf/", []),  # an overlong slash
        (b"\xce\xa3\xffA", ["σ", "a"]),
    ],
)
def test_invalid_bytes_end_a_word(message: bytes, expected: list[str]) -> None:
    assert tokens_of([message], PLAIN) == [expected]
    assert tokens.words(message) == expected


@pytest.mark.parametrize("size", [63, 64, 65, 66, 200])
def test_long_words_are_one_token(size: int) -> None:
    [[word]] = tokens_of(["x" * size], PLAIN)
    assert word == "x" * min(size, 64)


def test_neighbours_in_two_messages_are_no_bigram() -> None:
    assert tokens_of(["a b", "", "c"], FeatureConfig.plain(2)) == [["a", "b", "a b"], [], ["c"]]


def test_line_ends_inside_a_message_join_its_words() -> None:
    [words] = tokens_of(["a\r\nb\x85c\u2028d\0e\tf"], FeatureConfig.plain(2))
    assert words == ["a", "b", "c", "d", "e", "f", "a b", "b c", "c d", "d e", "e f"]


def test_rows_ascend_in_every_word_stream() -> None:
    batch = extract(Texts.of(["b a", "", "c c c"]), FeatureConfig.plain(3))
    for stream in batch.streams:
        assert (np.diff(stream.rows) >= 0).all()


def test_the_sms_corpus_word_for_word() -> None:
    _, texts = sms_corpus()
    assert tokens_of(texts, PLAIN) == [findall(t) for t in texts]


def test_the_memory_of_runs_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from spamnb.features.lowercase import _lower_words

    _lower_words.clear()
    monkeypatch.setattr(_lower_words, "limit", 4)
    texts = [f"x{chr(0x400 + i)}é{chr(0x430 + i)}" for i in range(40)] * 2
    assert tokens_of(texts, PLAIN) == [findall(t) for t in texts]
    assert len(_lower_words) <= 4

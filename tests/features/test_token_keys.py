"""The keys of tokens: golden values that may never change, and the plain Python twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.features.token_keys import join, key, mix, span_keys, token_key, word_key
from tests.reference import keys as twin

# FROZEN. Every model file holds such keys: if one of these numbers changes, no saved model can be read any
# more. Never edit a value; a new kind of token may be added.
GOLDEN = {
    "a": 0x61,
    "free": 0x65657266,
    "12345678": 0x3837363534333231,  # exactly 8 bytes: its own key
    "123456789": 0x56EFB705F25F77C7,  # 9 bytes: hashed
    "x" * 64: 0xDC968DF6B5624539,
    "x" * 65: 0xFDD7BB4B23FE31F6,
    "é": 0xA9C3,
    "заявка": 0x0C3FADF2777CDAAC,
    "日本語テキスト": 0x70235608BFD9CF4C,
    "free entry": 0x0F108D240AC4907A,
    "win a prize": 0x8AB0688297A196E7,
    "a b c d e": 0xFDF428FD806472D4,
    "shape:caps=0": 0x9A61173606BC9C71,
    "shape:number=12+": 0x0A95A3D4CA8D392D,
    "re:phone": 0xEED911A727340C06,
    "char:ab": 0xDFEC83F635313FDF,
    "char: £": 0x105F0962A1A50FD9,
    "from:example": 0xC2A171306B9FFD04,
}

numbers = st.integers(0, (1 << 64) - 1)
spans = st.lists(st.binary(min_size=1, max_size=90), min_size=1, max_size=12)


@pytest.mark.parametrize("token", GOLDEN, ids=lambda t: t if len(t) < 20 else f"{t[0]}*{len(t)}")
def test_golden_values(token: str) -> None:
    assert token_key(token) == GOLDEN[token]
    assert twin.token_key(token) == GOLDEN[token]


def test_golden_values_of_the_parts() -> None:
    one = np.array([1], np.uint64)
    assert hex(int(mix(one)[0])) == "0x5692161d100b05e5"
    assert hex(int(join(one, np.array([2], np.uint64))[0])) == "0x975835de1c9756ce"


@given(numbers, numbers)
def test_mix_and_join(a: int, b: int) -> None:
    x, y = np.array([a], np.uint64), np.array([b], np.uint64)
    assert int(mix(x)[0]) == twin.mix(a)
    assert int(join(x, y)[0]) == twin.join(a, b)


@given(spans)
def test_span_keys(parts: list[bytes]) -> None:
    lengths = np.array([len(p) for p in parts])
    starts = np.cumsum(lengths) - lengths
    assert span_keys(b"".join(parts), starts, lengths).tolist() == [twin.key(p) for p in parts]


@given(st.binary(min_size=1, max_size=90))
def test_key_of_one_token(token: bytes) -> None:
    assert key(token).tolist() == [twin.key(token)] == [word_key(token)]


def test_no_spans() -> None:
    none = np.zeros(0, np.int64)
    assert span_keys(b"", none, none).tolist() == []
    assert span_keys(b"free", none, none).tolist() == []


def test_mix_is_one_to_one() -> None:
    every = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
    assert len(np.unique(mix(every))) == len(every)


def test_long_tokens_share_a_key_only_with_the_same_length_and_first_64_bytes() -> None:
    long = "x" * 64
    assert token_key(long + "y") == token_key(long + "z")
    assert len({token_key(t) for t in (long, long + "y", long + "yy", "y" + long)}) == 4


def test_the_order_of_words_counts() -> None:
    assert len({token_key(t) for t in ("a b", "b a", "ab", "a b c", "a c b", "c a b")}) == 6


@given(st.text(st.sampled_from("aé日"), min_size=1, max_size=30))
def test_token_key_of_words(word: str) -> None:
    assert token_key(word) == twin.token_key(word)
    assert token_key(f"{word} b {word}") == twin.token_key(f"{word} b {word}")
    assert token_key(f"char:{word}") == twin.token_key(f"char:{word}")

"""Checks character n-grams against their twin."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from spamnb.errors import ConfigError
from spamnb.features.batch import Batch
from spamnb.features.char_ngrams import char_streams
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from tests.helpers.texts import any_texts, batches, keyed, odd_texts, spelled
from tests.reference import keys, tokens


def chars_of(given_messages: list[str | bytes], longest: int) -> Batch:
    return Batch(len(given_messages), tuple(char_streams(Texts.of(given_messages), longest)))


@given(batches, st.integers(2, 8))
@example([b"\x80\xbfa\x80b", b"\xc3", b"\xa9", b"\xff\xfe"], 3)
def test_characters(given_messages: list[str | bytes], longest: int) -> None:
    expected = [[gram for n in range(2, longest + 1) for gram in tokens.chars(m, n)] for m in given_messages]
    batch = chars_of(given_messages, longest)
    assert spelled(batch) == [[tokens.shown(t) for t in message] for message in expected]
    assert keyed(batch) == [[keys.token_key(t) for t in message] for message in expected]


@given(odd_texts | any_texts.filter(lambda t: t.encode("utf-8", "replace") == t.encode("utf-8", "ignore")))
def test_valid_text_gives_slices_of_its_lower_case(text: str) -> None:
    low = text.lower()
    expected = ["char:" + low[i : i + n] for n in (2, 3) for i in range(len(low) - n + 1)]
    assert spelled(chars_of([text], 3)) == [expected]


def test_characters_never_cross_messages() -> None:
    assert spelled(chars_of(["ab", "", "c", "de"], 2)) == [["char:ab"], [], [], ["char:de"]]


def test_messages_of_lines_end_before_the_carriage_return() -> None:
    batch = Batch(2, tuple(char_streams(Texts.lines(b"ab\r\ncd\r\n"), 2)))
    assert spelled(batch) == [["char:ab"], ["char:cd"]]


def test_nul_at_the_end_of_a_short_token_does_not_enter_its_key() -> None:
    [words] = keyed(chars_of(["a\0\0"], 3))  # "a\0", "\0\0", "a\0\0"; words hold no NUL
    assert words[0] == words[2] != words[1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ngrams": 0}, "ngrams must be between 1 and 5, got 0"),
        ({"ngrams": 6}, "ngrams must be between 1 and 5, got 6"),
        ({"chars": 1}, "chars must be 0 or between 2 and 8, got 1"),
        ({"chars": 9}, "chars must be 0 or between 2 and 8, got 9"),
    ],
)
def test_bad_settings(settings: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        FeatureConfig(**settings)  # type: ignore[arg-type]
    assert caught.value.message == message

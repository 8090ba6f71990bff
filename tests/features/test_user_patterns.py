"""Checks the user's patterns against their twin, and that bad ones are refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from spamnb.errors import ConfigError
from spamnb.features import extract
from spamnb.features.batch import Batch
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from tests.helpers.texts import batches, keyed, spelled, tokens_of
from tests.reference import keys, tokens

PATTERNS = (("number", r"\d+"), ("upper", "[A-Z]{2,}"), ("nothing", "x*"), ("group", "(a)(b)?"))


@given(batches)
@example([b"caf\xe9 \xff\xff", "AB ab 12 ٣"])
def test_patterns(given_messages: list[str | bytes]) -> None:
    config = FeatureConfig(ngrams=1, shapes=False, patterns=PATTERNS)
    batch = extract(Texts.of(given_messages), config)
    batch = Batch(batch.size, batch.streams[1:])
    expected = [[t for p in PATTERNS for t in tokens.matches(m, *p)] for m in given_messages]
    assert spelled(batch) == expected
    assert keyed(batch) == [[keys.token_key(t) for t in message] for message in expected]


def test_patterns_see_the_message_as_it_was_written() -> None:
    config = FeatureConfig(ngrams=1, shapes=False, patterns=(("shout", "[A-Z]{3}"), ("bad", "\ufffd")))
    assert tokens_of(["WIN", "win", b"\xff"], config) == [["win", "re:shout"], ["win"], ["re:bad"]]


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ((("a b", "x"),), "--pattern name 'a b' may hold only letters, digits, '_' and '-'"),
        ((("", "x"),), "--pattern name '' may hold only letters, digits, '_' and '-'"),
        (
            (("open", "("),),
            "--pattern open: not a regular expression: missing ), unterminated subpattern at position 0",
        ),
    ],
)
def test_bad_patterns(patterns: tuple[tuple[str, str], ...], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        FeatureConfig(patterns=patterns)
    assert caught.value.message == message

"""The user's patterns: which are refused, what they count, and the message without google-re2."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from spamnb.errors import ConfigError, ModelError, SpamnbError
from spamnb.features import extract
from spamnb.features.batch import Batch
from spamnb.features.user_patterns import MAX_SEARCHES, MAX_TEXT, REACH, compile_patterns, count_matches
from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig
from spamnb.training.trainer import Trainer
from tests.helpers.texts import batches, keyed, spelled, tokens_of
from tests.reference import keys, tokens


def count(pattern: str, text: str) -> int:
    [regex] = compile_patterns((("x", pattern),))
    return count_matches(regex, text.encode())


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(", "--set pattern=x: not a regular expression of RE2: missing ): ("),
        ("a**", "--set pattern=x: not a regular expression of RE2: bad repetition operator: **"),
        ("x(?=y)", "--set pattern=x: not a regular expression of RE2: invalid perl operator: (?="),
        (r"(.)\1", r"--set pattern=x: not a regular expression of RE2: invalid escape sequence: \1"),
        ("a" * 501, "--set pattern=x: 501 characters, expected at most 500"),
        (
            "(?:.{100}){9}|.{999}",
            "--set pattern: all patterns together compile to more than 10,000 instructions",
        ),
        (
            "(a{1000}){1000}",
            "--set pattern=x: not a regular expression of RE2: invalid repetition size: {1000}",
        ),
        ("\ud800", "--set pattern=x: not a regular expression of RE2: 'utf-8' codec can't encode character"),
    ],
)
def test_what_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_patterns((("x", pattern),))
    assert caught.value.message[: len(message)] == message


@pytest.mark.parametrize("name", ["a b", "", "a:b"])
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_patterns(((name, "x"),))
    assert (
        caught.value.message == f"--set pattern: the name {name!r} may hold only letters, digits, '_' and '-'"
    )
    assert caught.value.hint == "write it as NAME=REGEX, for example --set 'pattern=phone=\\d{10}'"


def test_the_hint_says_what_re2_does_not_have() -> None:
    with pytest.raises(ConfigError) as caught:
        compile_patterns((("x", "(?<!a)b"),))
    hint = "RE2 has no lookaround and no backreferences: https://github.com/google/re2/wiki/Syntax"
    assert caught.value.hint == hint


def test_many_patterns_together() -> None:
    with pytest.raises(ConfigError) as caught:
        compile_patterns((("x", "a"),) * 101)
    assert caught.value.message == "--set pattern: 101 patterns, expected at most 100"
    assert len(compile_patterns((("x", r"[^@\s]+@[^@\s]+\.\S+"),) * 100)) == 100


BAD = FeatureConfig(patterns=(("bad", "("),))


def test_a_bad_pattern_is_refused_before_the_first_message() -> None:
    for make in (SpamModel, Trainer):
        with pytest.raises(ConfigError) as caught:
            make(BAD)
        assert caught.value.message == "--set pattern=bad: not a regular expression of RE2: missing ): ("


def test_a_model_with_a_bad_pattern_is_damaged() -> None:
    state = SpamModel().learn(["a"], ["ham"]).to_state()
    state["features"]["patterns"] = [["bad", "("]]
    with pytest.raises(ModelError) as caught:
        SpamModel.from_state(state)
    reason = "--set pattern=bad: not a regular expression of RE2: missing ): ("
    assert caught.value.message == f"the settings in the model are damaged: {reason}"


def test_without_the_package_a_pattern_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    features = FeatureConfig(patterns=(("phone", r"\d{4}"),))
    SpamModel(features).learn(["call 0900", "see you"], ["spam", "ham"]).save(tmp_path / "m")
    compile_patterns.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", None)  # any import of it fails from here on
    for call in (lambda: Trainer(features), lambda: SpamModel.load(tmp_path / "m")):
        with pytest.raises(SpamnbError) as caught:
            call()
        assert caught.value.message == "the pattern 'phone' needs the package google-re2"
        assert caught.value.hint == "pip install google-re2"


def test_without_patterns_the_package_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    assert SpamModel().learn(["win", "see you"], ["spam", "ham"]).predict(["win"]) == ["spam"]


SHORT = st.sampled_from(["a", r"\d+", "ab?", r"\b\w", "x*", "[a-c]{2,5}", "(?m)^.", r"a|b|\s", "(a)(b)?"])
PIECES = st.lists(st.sampled_from(["a", "b", "1 ", "\n", "xx", "c" * 9]), max_size=30)


@given(SHORT, PIECES, st.integers(1, 4))
def test_counts_are_those_of_re(pattern: str, pieces: list[str], times: int) -> None:
    """Of matches that are not empty, in texts that all searches together reach."""
    text = "".join(pieces)[:60] * times
    expected = sum(1 for match in re.finditer(pattern, text) if match[0])
    if len(text) < MAX_SEARCHES:
        assert count(pattern, text) == expected


@given(st.integers(0, 3 * REACH), st.integers(1, REACH // 2 - 1))
def test_a_match_is_found_wherever_it_stands(before: int, size: int) -> None:
    text = "-" * before + "a" * size + "b" + "-" * REACH
    assert count("a+b", text) == 1


def test_a_match_has_an_end_and_a_message_too() -> None:
    assert count("a+", "a" * REACH) == 1
    assert count("a+", "a" * (3 * REACH)) == 3
    assert count("a", "a" * 300) == MAX_SEARCHES
    assert count("ab", "-" * (MAX_TEXT - 2) + "ab") == 1


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "a.*b|a", "(x+x+)+y|a", "(?:a?){200}a{200}"])
def test_what_would_take_python_forever_is_counted(pattern: str) -> None:
    """The time is in proportion to the searches, of which there are at most MAX_SEARCHES."""
    assert count(pattern, "a" * MAX_TEXT) <= MAX_SEARCHES


def test_nesting_is_no_way_to_break_it() -> None:
    assert count("(" * 240 + "b" + ")" * 240, "abba") == 2


def test_classes_are_about_ascii() -> None:
    assert count(r"\d", "1\u0663") == 1
    assert count(r"\p{Nd}", "1\u0663") == 2
    assert count(r"\w+", "caf\u00e9") == 1
    assert count("(?i)caf\u00e9", "CAF\u00c9") == 1


def test_bytes_behind_the_limit_of_a_message_are_not_searched() -> None:
    from spamnb.features.user_patterns import pattern_streams

    texts = Texts.of(["-" * MAX_TEXT + "a", "-" * (MAX_TEXT - 1) + "a"])
    [stream] = pattern_streams(texts, (("x", "a"),))
    assert stream.rows.tolist() == [1]


# --- as tokens of a message ---------------------------------------------------------------------------

PATTERNS = (("number", r"\d+"), ("upper", "[A-Z]{2,}"), ("nothing", "x*"), ("group", "(a)(b)?"))


@given(batches)
@example([b"caf\xe9 \xff\xff", "AB ab 12 ٣", "1 " * 200])
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

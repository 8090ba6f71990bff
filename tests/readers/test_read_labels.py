"""Labels as written and as used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spamnb.readers.labels import LabelMap, known_label


@pytest.mark.parametrize(
    "word", ["spam", "Junk", "1", "1.0", "TRUE", "phishing", "smishing", " unsolicited "]
)
def test_words_for_spam(word: str) -> None:
    assert known_label(word) == "spam"


@pytest.mark.parametrize(
    "word",
    [
        "ham",
        "0",
        "0.0",
        "False",
        "legit",
        "legitimate",
        "good",
        "notspam",
        "non-spam",
        "ok",
        "Normal",
        "Not Spam",
    ],
)
def test_words_for_ham(word: str) -> None:
    assert known_label(word) == "ham"


def test_yes_and_no_need_the_name_of_the_column() -> None:
    assert [known_label(word, "Is Spam?") for word in ("Yes", "no")] == ["spam", "ham"]
    assert LabelMap(["yes", "no"], "play")[b"yes"] == "yes"
    assert LabelMap(["yes", "no"], "spam")[b"yes"] == "spam"


def test_one_unknown_word_keeps_all_as_they_are() -> None:
    labels = LabelMap(["ham", "spam", "ads"])
    assert (labels[b" ham "], labels[b"ads"], labels.positive) == ("ham", "ads", None)


def test_a_sample_without_labels_counts_as_two_classes() -> None:
    labels = LabelMap(["", " "])
    assert (labels[b"junk"], labels[b"maybe"], labels[b" "]) == ("spam", "", "")
    assert (labels.reason(b"maybe"), labels.reason(b" ")) == ("unknown label maybe", "no label")


def test_an_empty_label_is_never_used() -> None:
    assert [LabelMap(["x", "y"])[b" "], LabelMap([], spam_label="x")[b""]] == ["", ""]


def test_descriptions() -> None:
    assert LabelMap(["0", "1"]).describe() == 'spam = "1"'
    assert LabelMap(["ham", "junk", "smishing"]).describe() == 'spam = "junk" or "smishing"'
    assert LabelMap(["ham"]).describe() == 'spam = "spam"'
    assert LabelMap(list("abcdef")).describe() == "classes a, b, c, d, e, ..."
    assert LabelMap(["a"], spam_label="a").describe() == 'spam = "a", all others ham'


@given(st.lists(st.text(max_size=5)), st.text(min_size=1, max_size=3))
def test_labels_are_trimmed_and_never_lost(sample: list[str], label: str) -> None:
    labels = LabelMap([*sample, "x y z"])
    assert labels[f" {label}\t".encode()] == label.strip()

"""Labels as written and as used."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from spamnb.readers.tables.label_words import known_label
from spamnb.readers.tables.labels import LabelMap


@pytest.mark.parametrize(
    "word",
    ["spam", "Junk", "1", "1.0", "+1", "TRUE", "phishing", "smishing", " unsolicited ", "Scam", "fraud"],
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
        "no spam",
        "non spam",
        "not_spam",
        "kein Spam",
        "-1",
    ],
)
def test_words_for_ham(word: str) -> None:
    assert known_label(word) == "ham"


def test_yes_and_no_need_the_name_of_the_column() -> None:
    assert [known_label(word, "Is Spam?") for word in ("Yes", "no")] == ["spam", "ham"]
    assert LabelMap(["yes", "no"], "play")[b"yes"] == "yes"
    assert LabelMap(["yes", "no"], "spam")[b"yes"] == "spam"


@pytest.mark.parametrize(
    ("yes", "no"), [("Y", "N"), ("yes", "no"), ("t", "f"), ("1", "-1"), ("True", "False")]
)
def test_questions_about_spam_and_about_ham(yes: str, no: str) -> None:
    for column in ("spam", "is_spam", "Is Spam?"):
        assert [known_label(yes, column), known_label(no, column)] == ["spam", "ham"]
    for column in ("ham", "is_ham", "Is-Ham?", "not_spam", "notspam", "Not Spam", "legit"):
        assert [known_label(yes, column), known_label(no, column)] == ["ham", "spam"]
        assert [known_label("spam", column), known_label("ham", column)] == ["spam", "ham"]


def test_single_letters_need_the_name_of_the_column() -> None:
    assert [known_label(word, "label") for word in "yntf"] == [""] * 4


def test_minus_one_is_ham_beside_one_alone() -> None:
    assert [LabelMap(["1", "-1"], "label")[raw] for raw in (b"1", b"-1", b"0")] == ["spam", "ham", ""]
    assert [LabelMap(["1", "0"], "label")[raw] for raw in (b"1", b"0", b"-1")] == ["spam", "ham", ""]
    assert LabelMap(["1", "0", "-1"], "label").positive is None


@pytest.mark.parametrize(
    ("rows", "odd", "binary"),
    [
        pytest.param(9, ["spma"], True, id="one of ten"),
        pytest.param(8, ["spma"], False, id="one of nine"),
        pytest.param(49, ["spma"], True, id="one of fifty"),
        pytest.param(48, ["spma", "hma"], False, id="two of fifty"),
        pytest.param(45, ["promo"] * 5, False, id="five of fifty"),
        pytest.param(98, ["spma", "hma"], True, id="two of a hundred"),
        pytest.param(797, ["spma"] * 3, True, id="the same one three times"),
        pytest.param(796, ["promo"] * 4, False, id="the same one four times"),
        pytest.param(784, [f"note {i}" for i in range(16)], True, id="two in a hundred, all different"),
        pytest.param(783, [f"note {i}" for i in range(17)], False, id="more, all different"),
        pytest.param(760, ["promo"] * 40, False, id="a third class"),
    ],
)
def test_few_odd_labels_are_typing_errors(rows: int, odd: list[str], binary: bool) -> None:
    labels = LabelMap([*odd, *(["ham", "spam"] * rows)[:rows]])
    assert labels.binary is binary
    assert labels[odd[0].encode()] == ("" if binary else odd[0])
    assert labels[b"Spam"] == ("spam" if binary else "Spam")
    if binary:
        assert (labels.describe(), labels.reason(odd[0].encode())) == (
            'spam = "spam"',
            f"unknown label {odd[0]}",
        )


def test_a_class_of_the_model_is_no_typing_error() -> None:
    sample = ["ham", "spam"] * 20 + ["promo"]
    labels = LabelMap(sample, classes=("ham", "promo", "spam"))
    assert (labels[b"promo"], labels.positive) == ("promo", None)
    assert LabelMap([*sample, "spma"], classes=("ham", "spam")).positive is None
    assert LabelMap(["ham", "spam"] * 50 + ["promo", "spma"], classes=("ham", "spam")).positive == "spam"


def test_without_both_spam_and_ham_no_label_is_an_error() -> None:
    assert not LabelMap(["ham"] * 49 + ["promo"]).binary
    assert not LabelMap(["a"] * 49 + ["promo"]).binary


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
    assert LabelMap(list("abcdef")).describe() == "labels: a, b, c, d, e, ..."
    assert LabelMap(["a"], spam_label="a").describe() == 'spam = "a", all others ham'
    assert LabelMap(["1", "0"], "is_ham").describe() == 'spam = "0", ham = "1"'
    assert LabelMap(["1"], "is_ham").describe() == 'ham = "1"'
    assert LabelMap(["0"], "is_ham").describe() == 'spam = "0"'
    assert LabelMap([], "is_ham").describe() == 'spam = "spam"'


def test_of_two_other_classes_the_positive_one_is_named() -> None:
    note = '; treating "2" as spam, change with --spam-label'
    assert LabelMap(["2", "1"]).describe() == "labels: 2, 1" + note
    assert LabelMap(["spam", "work"]).describe() == "labels: spam, work"
    assert LabelMap(["1", "2", "3"]).describe() == "labels: 1, 2, 3"
    assert LabelMap(["1", "2"], classes=("1", "2")).describe() == "labels: 1, 2"  # the model says it


@given(st.lists(st.text(max_size=5)), st.text(min_size=1, max_size=3))
def test_labels_are_trimmed_and_never_lost(sample: list[str], label: str) -> None:
    labels = LabelMap([*sample, *["x y z"] * 4])  # so often that it is no typing error
    assert labels[f" {label}\t".encode()] == label.strip()

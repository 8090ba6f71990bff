"""Labels as written and as used."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from spamnb.errors import DataError
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
    assert labels[b"Spam"] == "spam"
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


def test_one_unknown_word_keeps_all_as_they_are() -> None:
    labels = LabelMap(["ham", "spam", "ads"])
    assert (labels[b" ham "], labels[b"ads"], labels.positive) == ("ham", "ads", None)


def test_a_sample_without_labels_counts_as_two_classes() -> None:
    labels = LabelMap(["", " "])
    assert (labels[b"junk"], labels[b"maybe"], labels[b" "]) == ("spam", "", "")
    assert (labels.reason(b"maybe"), labels.reason(b" ")) == ("unknown label maybe", "no label")


def test_a_missing_label_counts_as_none_beside_both_classes() -> None:
    labels = LabelMap(["spam", "ham", *["none"] * 5])
    assert labels.binary
    assert labels[b"none"] == ""
    assert labels.reason(b"none") == "no label"
    several = LabelMap(["spam", "ham", "promo", "none"])
    assert [several[label] for label in (b"promo", b"none")] == ["promo", ""]
    assert several.describe() == "labels: spam, ham, promo"
    assert LabelMap(["spam", "ham", "none"], spam_label="spam")[b"none"] == "ham"
    assert LabelMap(["spam", "ham", "none"], classes=["spam", "ham", "none"])[b"none"] == "none"
    assert LabelMap(["racism", "sexism", "none"])[b"none"] == "none"
    assert not LabelMap(["1", "n/a"]).binary


def test_an_empty_label_is_never_used() -> None:
    assert [LabelMap(["x", "y"])[b" "], LabelMap([], spam_label="x")[b""]] == ["", ""]


def test_descriptions() -> None:
    assert LabelMap(["0", "1"]).describe() == 'spam = "1"'
    assert LabelMap(["ham", "junk", "smishing"]).describe() == 'spam = "junk" or "smishing"'
    assert LabelMap(["ham"]).describe() == 'ham = "ham"'
    assert LabelMap([]).describe() == ""
    assert LabelMap(list("abcdef")).describe() == "labels: a, b, c, d, e, ...; none is spam"
    assert LabelMap(["a"], spam_label="a").describe() == 'spam = "a", all others ham'
    assert LabelMap(["1", "0"], "is_ham").describe() == 'spam = "0", ham = "1"'
    assert LabelMap(["1"], "is_ham").describe() == 'ham = "1"'
    assert LabelMap(["0"], "is_ham").describe() == 'spam = "0"'
    assert LabelMap([], "is_ham").describe() == ""


@pytest.mark.parametrize(
    ("spam", "ham"),
    [
        *[("fake", "legit"), ("junk", "wanted"), ("bad", "good"), ("spam", "clean"), ("fake", "real")],
        *[("Spam ", "Ham"), ("spam", "work"), ("offers", "ham"), ("phishing", "x"), ("zzz", "genuine")],
        *[("unerwünscht", "erwünscht"), ("indésirable", "légitime"), ("correo basura", "legítimo")],
        *[
            ("Phishing Email", "Safe Email"),
            ("Junk mail", "Normal message"),
            ("スパム", "正常"),
            ("спам", "не спам"),
            ("fraud", "not fraud"),
            ("not legit", "legit"),
        ],
    ],
)
def test_one_known_word_settles_the_other_label(spam: str, ham: str) -> None:
    for sample in ([spam, ham] * 5, [ham, spam] * 5):
        labels = LabelMap(sample, "label")
        assert (labels[spam.encode()], labels[ham.encode()], labels.positive) == ("spam", "ham", "spam")
        labels.check_sample("x.csv")


@pytest.mark.parametrize(
    ("first", "second"),
    [("approved", "rejected"), ("1", "2"), ("yes", "no"), ("A", "B"), ("positive", "negative"), ("1", "x")],
)
def test_two_unknown_labels_are_refused(first: str, second: str) -> None:
    labels = LabelMap([first] * 4 + [second] * 7, "label")
    assert not labels.binary
    with pytest.raises(DataError) as caught:
        labels.check_sample("x.csv")
    assert str(caught.value) == (
        "cannot tell which label of x.csv means spam: "
        f'its first 11 rows have "{second}" (7) and "{first}" (4)'
    )
    assert caught.value.hint == f"add --spam-label {second} or --spam-label {first}"
    LabelMap([first, second], spam_label=first).check_sample("x.csv")
    labels.check_sample("x.csv", has_text=False)
    LabelMap([first, second], classes=(first, second)).check_sample("x.csv")


def test_three_classes_need_no_spam() -> None:
    LabelMap(["a", "b", "c"]).check_sample("x.csv")
    assert LabelMap(["ham", "Promo", "JUNK"]).describe() == "labels: ham, Promo, JUNK"
    assert LabelMap(["1", "2", "3"]).describe() == "labels: 1, 2, 3; none is spam"
    assert LabelMap(["1", "2"], classes=("1", "2")).describe() == "labels: 1, 2"  # the model says it


def test_a_settled_label_is_described() -> None:
    assert LabelMap(["work", "spam"]).describe() == 'spam = "spam", ham = "work"'
    assert LabelMap(["ham", "offers"]).describe() == 'spam = "offers", ham = "ham"'


def test_a_typing_error_does_not_unsettle_two_labels() -> None:
    labels = LabelMap(["junk", "friends"] * 100 + ["frends"])
    assert [labels[raw] for raw in (b"junk", b"friends", b"frends")] == ["spam", "ham", ""]


@pytest.mark.parametrize("sample", [["spam", "ham", "unsure"], ["spam", "unsure"], ["a", "b", "Unsure "]])
def test_no_class_is_called_unsure(sample: list[str]) -> None:
    labels = LabelMap(sample * 4)
    with pytest.raises(DataError) as caught:
        [labels[label.encode()] for label in sample]
    label = sample[-1].strip()
    assert (
        str(caught.value) == f'the label "{label}" cannot be a class: it is the verdict on uncertain messages'
    )
    assert caught.value.hint == "rename it, or leave out its messages"
    assert LabelMap(["spam", "ham"] * 100 + ["unsure"])[b"unsure"] == ""  # left out, as a typing error is


@pytest.mark.parametrize("sample", [["spam", "unsure"], ["ham", "Unsure"], ["unsure", "a"]])
def test_no_class_of_two_is_called_unsure(sample: list[str]) -> None:
    with pytest.raises(DataError, match=r'^the label "[uU]nsure" cannot be a class: ') as caught:
        LabelMap(sample * 4).check_sample("x.csv")
    assert caught.value.hint == "rename it, or leave out its messages"


def test_a_column_of_numbers_or_texts_holds_no_labels() -> None:
    values = [str(number) for number in range(16)] + ["3"] * 4
    with pytest.raises(DataError) as caught:
        LabelMap(values, "id").check_sample("x.csv")
    assert str(caught.value) == (
        'column "id" of x.csv does not look like labels: 16 different values in 20 rows'
    )
    assert caught.value.hint == "name the column of the labels with --label-column"
    LabelMap([*values, "3", "4"], "id").check_sample("x.csv")


def test_a_class_that_begins_late_is_refused() -> None:
    labels = LabelMap(["junk"] * 100)
    labels.check("x.csv", 100, {"unknown label friends": 3})
    with pytest.raises(DataError) as caught:
        labels.check("x.csv", 100, {"unknown label friends": 90})
    assert str(caught.value) == 'x.csv has 90 rows with the label "friends", hardly any at its beginning'
    assert caught.value.hint == (
        "shuffle its rows, so that the first ones show all classes; or name the label that means spam: "
        "--spam-label junk"
    )


@given(st.lists(st.text(max_size=5)), st.text(min_size=1, max_size=3))
def test_labels_are_trimmed_and_never_lost(sample: list[str], label: str) -> None:
    labels = LabelMap([*sample, *["x y z", "u v w"] * 4])  # so often that they are no typing errors
    assume(label.strip().lower() not in ("ham", "unsure"))
    assert labels[f" {label}\t".encode()] == label.strip()

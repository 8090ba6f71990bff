"""Which column holds the labels, and which tables are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.errors import DataError, NoLabelsError
from spamnb.readers import ReadOptions, open_source
from tests.readers.conftest import Read

SPAM, HAM = "WIN a free prize now", "see you"


def table(header: str, *rows: str) -> bytes:
    return "\n".join([header, *rows, ""]).encode()


@pytest.mark.parametrize(
    ("data", "label"),
    [
        pytest.param(
            table("v1,v2,,,", f"ham,{HAM},,,", f"spam,{SPAM},,,"), '"v1" (spam = "spam")', id="Kaggle"
        ),
        pytest.param(
            table("text,flag,label", f"{HAM},7,0", f"{SPAM},8,1"), '"label" (spam = "1")', id="last"
        ),
        pytest.param(
            table("type,text,is_spam", f"sms,{HAM},0", f"mms,{SPAM},1"), '"is_spam" (spam = "1")', id="type"
        ),
        pytest.param(
            table("category,text,is_spam", f"work,{HAM},no", f"home,{SPAM},yes"),
            '"is_spam" (spam = "yes")',
            id="topics",
        ),
        pytest.param(
            table("type,text,folder", f"sms,{HAM},ham", f"mms,{SPAM},spam"),
            '"folder" (spam = "spam")',
            id="words",
        ),
        pytest.param(
            table("is_fraud,text", f"False,{HAM}", f"True,{SPAM}"),
            '"is_fraud" (spam = "True")',
            id="is_fraud",
        ),
        pytest.param(
            table("isFraud,text", f"no,{HAM}", f"yes,{SPAM}"), '"isFraud" (spam = "yes")', id="isFraud"
        ),
        pytest.param(
            table("is_valid,text", f"1,{HAM}", f"0,{SPAM}"),
            '"is_valid" (spam = "0", ham = "1")',
            id="is_valid",
        ),
        pytest.param(
            table("text,prediction,gold", f"{HAM},spam,ham", f"{SPAM},spam,spam"),
            '"gold" (spam = "spam")',
            id="prediction",
        ),
        pytest.param(
            table("text,predicted_label", f"{HAM},ham", f"{SPAM},spam"),
            '"predicted_label" (spam = "spam")',
            id="no other",
        ),
        pytest.param(table("words,fake", f"{HAM},0", f"{SPAM},1"), '"fake" (spam = "1")', id="fake"),
        pytest.param(
            table("Klasse;Nachricht", f"gut;{HAM}", f"Betrug;{SPAM}"),
            '"Klasse" (spam = "Betrug")',
            id="German",
        ),
        pytest.param(
            table("Étiquette;Texte", f"légitime;{HAM}", f"indésirable;{SPAM}"),
            '"Étiquette" (spam = "indésirable")',
            id="French",
        ),
        pytest.param(
            table("etiqueta,mensaje", f"legítimo,{HAM}", f"no deseado,{SPAM}"),
            '"etiqueta" (spam = "no deseado")',
            id="Spanish",
        ),
        pytest.param(table("0," + HAM, f"1,{SPAM}"), '1 (spam = "1")', id="no header"),
        pytest.param(
            table("good," + HAM, f"bad,{SPAM}", f"bad,{SPAM}"), '1 (spam = "bad")', id="words without header"
        ),
    ],
)
def test_label_columns(read: Read, data: bytes, label: str) -> None:
    result = read(data)
    assert f"label column {label}" in result.source.description
    assert result.rows[:2] == [("ham", HAM.encode()), ("spam", SPAM.encode())]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("id,text,month", [f"{i},{SPAM},{month}" for i, month in enumerate(["Jan", "Feb", "Mar"] * 20)]),
        ("id,text,read", [f"{i},{SPAM},{i % 2}" for i in range(60)]),
        ("id,text,priority", [f"{i},{SPAM},{'normal' if i % 2 else 'urgent'}" for i in range(60)]),
        ("id,text,quality", [f"{i},{SPAM},{'good' if i % 2 else 'bad'}" for i in range(60)]),
        ("sender,text,sent", [f"bob,{SPAM},yes"] * 60),
    ],
)
def test_no_label_column(here: Path, header: str, rows: list[str]) -> None:
    (here / "data.csv").write_bytes(table(header, *rows))
    with pytest.raises(NoLabelsError) as caught:
        open_source("data.csv", ReadOptions(), labelled=True)
    assert str(caught.value) == f"no label column in data.csv (columns: {header.replace(',', ', ')})"
    assert caught.value.hint == "name it with --label-column"


@pytest.mark.parametrize("prefix", ["", "spamnb_", "spamnb2_"])
def test_the_verdicts_of_predict_are_no_labels(here: Path, prefix: str) -> None:
    header = f"{prefix}verdict,{prefix}probability,text,checked"
    rows = [f"spam,0.9,{HAM},ham", f"spam,0.9,{SPAM},spam", f"ham,0.1,{HAM},ham"]
    (here / "data.csv").write_bytes(table(header, *rows))
    source = open_source("data.csv", ReadOptions(), labelled=True)
    assert source.description.endswith('label column "checked" (spam = "spam")')
    assert next(iter(source)).labels == ["ham", "spam", "ham"]
    (here / "data.csv").write_bytes(table(header, *(row[: row.rindex(",")] + ",?" for row in rows)))
    with pytest.raises(NoLabelsError) as caught:
        open_source("data.csv", ReadOptions(), labelled=True)
    assert caught.value.hint == f'name it with --label-column; "{prefix}verdict" has predictions'
    options = ReadOptions.from_flags(label_column=f"{prefix}verdict")
    assert next(iter(open_source("data.csv", options, labelled=True))).labels == ["spam", "spam", "ham"]


@pytest.mark.parametrize("missing", ["N/A", "NULL", "nan", "None", "?"])
def test_a_missing_label_is_no_class(read: Read, missing: str) -> None:
    rows = [f"spam,{SPAM}", f"{missing},{SPAM}", f"ham,{HAM}", f"{missing},{HAM}"] * 10
    result = read(table("label,text", *rows))
    assert result.labels == ["spam", "ham"] * 10
    assert result.source.skipped.reasons == {"no label": 20}
    assert 'label column "label" (spam = "spam")' in result.source.description


def test_two_unknown_labels_of_messages_are_refused(here: Path) -> None:
    (here / "data.csv").write_bytes(table("type,text", *[f"sms,{HAM}"] * 3, *[f"two words,{SPAM}"] * 4))
    with pytest.raises(DataError) as caught:
        open_source("data.csv", ReadOptions(), labelled=True)
    assert str(caught.value) == (
        'cannot tell which label of data.csv means spam: its first 7 rows have "two words" (4) and "sms" (3)'
    )
    assert caught.value.hint == "add --spam-label 'two words' or --spam-label sms"
    options = ReadOptions.from_flags(spam_label="two words")
    assert next(iter(open_source("data.csv", options, labelled=True))).labels == ["ham"] * 3 + ["spam"] * 4


def test_a_table_without_text_has_any_two_classes(read: Read) -> None:
    columns = {"categorical": ("wind",), "label_column": "play"}
    result = read(table("wind,play", "weak,yes", "strong,no"), **columns)
    assert result.labels == ["yes", "no"]
    assert 'label column "play" (labels: yes, no; none is spam)' in result.source.description


def test_a_class_that_begins_after_the_sample_is_refused(here: Path) -> None:
    rows = [f"junk,{SPAM}"] * 5000 + [f"friends,{HAM}"] * 5000
    (here / "data.csv").write_bytes(table("label,text", *rows))
    with pytest.raises(DataError) as caught:
        list(open_source("data.csv", ReadOptions(), labelled=True))
    assert str(caught.value) == (
        'data.csv has 5,000 rows with the label "friends", hardly any at its beginning'
    )

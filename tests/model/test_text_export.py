"""Export and import: the same model to the last bit, and every damaged line named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.core.strings import StringArray
from spamnb.counts.count_store import CountStore
from spamnb.errors import DataError
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import arrays, escape, export_lines, import_lines, plain, short, unescape
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.training.trainer import train
from tests.helpers.count_stores import corpora, counted, identical
from tests.helpers.texts import messages

FORMS = ("tsv", "jsonl")


def there_and_back(model: SpamModel, form: str) -> SpamModel:
    return import_lines(b"".join(export_lines(model, form)).split(b"\n"), "x")


def same_bytes(a: SpamModel, b: SpamModel, folder: Path) -> None:
    a.save(folder / "a")
    b.save(folder / "b")
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


@pytest.mark.parametrize("form", FORMS)
def test_a_trained_model_comes_back_bit_for_bit(form: str, tmp_path: Path) -> None:
    texts = [f"win prize {i}" for i in range(20)] + [f"see you {i}" for i in range(20)]
    model = train(texts, ["spam"] * 20 + ["ham"] * 20)
    assert model.metrics is not None
    same_bytes(there_and_back(model, form), model, tmp_path)


@pytest.mark.parametrize("form", FORMS)
@given(rows=corpora)
def test_columns_come_back(form: str, rows: list[object]) -> None:
    model = SpamModel(FeatureConfig(categorical=("kind",), numeric=("number",)), store=counted(rows))  # type: ignore[arg-type]
    identical(there_and_back(model, form).store, model.store)


@pytest.mark.parametrize("form", FORMS)
@given(texts=st.lists(messages, min_size=1, max_size=5))
def test_odd_messages_come_back(form: str, texts: list[str | bytes]) -> None:
    model = SpamModel(FeatureConfig(chars=3)).learn(texts, ["a\tb\n"] * len(texts))
    identical(there_and_back(model, form).store, model.store)


@pytest.mark.parametrize("form", FORMS)
@given(spelled=st.lists(st.binary(max_size=12), unique=True, min_size=1, max_size=6))
def test_odd_spellings_come_back(form: str, spelled: list[bytes]) -> None:
    n = len(spelled)
    ones = np.ones((n, 1), np.int64)
    keys, kinds = np.arange(n, dtype=np.uint64), np.zeros(n, np.uint8)
    store = CountStore(("a",), np.ones(1, np.int64), keys, kinds, ones, ones, StringArray.of(spelled))
    lines = list(export_lines(SpamModel(store=store), form))
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 and b"\r" not in line for line in lines)
    assert all(line.decode()[:-1].replace("\t", "").isprintable() for line in lines)
    back = import_lines(lines, "x").store
    identical(back, store)
    assert list(back.spellings) == spelled


@given(st.binary())
def test_escapes_are_undone(token: bytes) -> None:
    assert unescape(escape(token).encode()) == token


def test_the_most_frequent_come_first() -> None:
    model = SpamModel(FeatureConfig.plain()).learn(["b a", "b"], ["spam", "ham"])
    lines = list(export_lines(model, "tsv"))
    assert lines[0] == b"# spamnb-counts 1\n"
    assert json.loads(lines[1][2:])["counts"]["message_totals"] == [1, 1]
    assert lines[-1].startswith(b'# rest {"seen_messages":')
    assert lines[2:-1] == [
        b"token\tkind\toccurrences:ham\toccurrences:spam\tmessages:ham\tmessages:spam\tkey\n",
        b"b\t1\t1\t1\t1\t1\t0000000000000062\n",
        b"a\t1\t0\t1\t0\t1\t0000000000000061\n",
    ]


def test_a_line_may_be_added_by_hand_without_key() -> None:
    model = SpamModel(FeatureConfig.plain()).learn(["b", "a"], ["spam", "ham"])
    lines = [*export_lines(model, "tsv"), b"free entry\t2\t0\t1\t0\t1\n"]
    by_hand = import_lines(lines, "x")
    whole = import_lines([*lines[:-1], b"free entry\t2\t0\t1\t0\t1\t%016x\n" % key_of("free entry")], "x")
    identical(by_hand.store, whole.store)


def key_of(token: str) -> int:
    from spamnb.features.token_keys import token_key

    return token_key(token)


MODEL = SpamModel(FeatureConfig.plain()).learn(["b b", "a"], ["spam", "ham"])
FOREIGN = "x is no exported model: its first line is not '# spamnb-counts 1' or a JSON object"
NEEDS = "a token needs at least as many occurrences as messages, and some message"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"c\t1\t1\n", "3 fields, expected 7"),
        (b"c\t1\t0\t1\t0\t1\t000000000000006", "a field is no number, or a backslash means nothing"),
        (b"c\t1\tx\t1\t1\t1\t0000000000000063\n", "a field is no number, or a backslash means nothing"),
        (b"c\\q\t1\t0\t1\t0\t1\t0000000000000063\n", "a field is no number, or a backslash means nothing"),
        (b"c\t1\t0\t-1\t0\t1\t0000000000000063\n", "expected counts from 0 on for 2 classes"),
        (b"c\t1\t0\t1\t0\t2\t0000000000000063\n", NEEDS),
        (b"c\t1\t1\t1\t0\t1\t0000000000000063\n", NEEDS),
        (b"c\t1\t0\t0\t0\t0\t0000000000000063\n", NEEDS),
        (b"c\t1\t0\t3\t0\t3\t0000000000000063\n", "the token is in more messages than there are"),
        (b"c\t999\t0\t1\t0\t1\t0000000000000063\n", "a number is too large"),
        (b"c\t1\t0\t1\t0\t1\t0000000000000061\n", "the token stands here a second time"),
    ],
)
def test_a_wrong_line_is_named(line: bytes, said: str) -> None:
    with pytest.raises(DataError) as refused:
        import_lines([*export_lines(MODEL, "tsv"), line], "x")
    assert refused.value.message == f"x line 7: {said}"
    assert refused.value.hint == "correct the line, or export the model again"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], FOREIGN),
        ([b"label,text\n"], FOREIGN),
        ([b'{"format": "other"}\n'], FOREIGN),
        ([b"# spamnb-counts 1\n"], "x line 2: bad JSON"),
        ([b"# spamnb-counts 1\n", b"# []\n"], "x line 2: expected a JSON object"),
        ([b"# spamnb-counts 1\n", b'# {"counts": {"labels": 1}}\n'], "x line 2: the settings are damaged"),
        (
            [*list(export_lines(MODEL, "jsonl")), b'{"token": "c"}'],
            "x line 5: expected token, kind, occurrences and messages",
        ),
        ([*list(export_lines(MODEL, "jsonl")), b'{"token'], "x line 5: bad JSON"),
    ],
)
def test_a_wrong_file_is_named(lines: list[bytes], said: str) -> None:
    with pytest.raises(DataError) as refused:
        import_lines(lines, "x")
    assert refused.value.message == said


def test_arrays_in_the_state_of_later_versions_survive() -> None:
    array = np.arange(6, dtype="<u8").reshape(2, 3)
    back = arrays(json.loads(json.dumps(plain({"seen": [array]}))))["seen"][0]
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def refined() -> SpamModel:
    texts = [f"win a prize {i} now" for i in range(20)] + [f"see you at {i} then" for i in range(20)]
    model = train(texts, ["spam"] * 20 + ["ham"] * 20, training=TrainingConfig(refine="yes"))
    assert model.correction is not None
    return model


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_32_bit_number_comes_back(number: float) -> None:
    exact = np.float32(number)
    assert np.float32(float(short(exact))).tobytes() == exact.tobytes()
    assert len(short(exact)) <= len(repr(number))


def test_the_correction_is_a_column() -> None:
    lines = list(export_lines(refined(), "tsv"))
    assert lines[2].split(b"\t")[-2:] == [b"correction", b"key\n"]
    by_token = {line.split(b"\t")[0]: float(line.split(b"\t")[-2]) for line in lines[3:-1]}
    assert by_token[b"prize"] > 0 > by_token[b"see"]  # it speaks for spam
    assert set(json.loads(lines[1][2:])["correction"]) == {"bias", "label", "messages"}


def test_a_correction_is_changed_or_left_out_by_hand() -> None:
    model, lines = refined(), list(export_lines(refined(), "tsv"))
    lines.insert(3, b"cash\t1\t0\t1\t0\t1\t-0.25\n")
    lines.insert(3, b"free\t1\t0\t1\t0\t1\t\n")
    back = import_lines(lines, "x")
    assert back.correction is not None
    keys = np.array([key_of("cash"), key_of("free")], np.uint64)
    assert back.correction.of(keys).tolist() == [-0.25, 0.0]
    assert back.store.vocabulary == model.store.vocabulary + 2


@pytest.mark.parametrize(
    ("number", "said"), [(b"x", "a field is no number"), (b"nan", "too large"), (b"1e39", "too large")]
)
def test_a_wrong_correction_is_named(number: bytes, said: str) -> None:
    with pytest.raises(DataError, match=f"x line 4: .*{said}"):
        import_lines([*list(export_lines(refined(), "tsv"))[:3], b"c\t1\t0\t1\t0\t1\t%s\n" % number], "x")


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_what_only_programs_read_comes_last(form: str) -> None:
    model = refined()
    lines = list(export_lines(model, form))
    assert not [line for line in lines[:-1] if b"base64" in line]
    assert b"base64" in lines[-1]
    assert repr(import_lines(lines, "x").to_state()) == repr(model.to_state())
    with pytest.raises(DataError, match=f"line {len(lines)}: the last line is damaged"):
        import_lines([*lines[:-1], lines[-1].replace(b'"shape":[', b'"shape":[9')], "x")

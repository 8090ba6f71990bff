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
from spamnb.model.text_export import encode_arrays, export_lines, shortest
from spamnb.model.text_import import decode_arrays, import_lines
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.training.trainer import train
from tests.helpers.count_stores import corpora, counted, identical
from tests.helpers.texts import messages

pytestmark = pytest.mark.filterwarnings("ignore:.* skipped .*no text")  # they are left out alike


def there_and_back(model: SpamModel) -> SpamModel:
    return import_lines(b"".join(export_lines(model)).split(b"\n"), "x")


def same_bytes(a: SpamModel, b: SpamModel, folder: Path) -> None:
    a.save(folder / "a")
    b.save(folder / "b")
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


def test_a_trained_model_comes_back_bit_for_bit(tmp_path: Path) -> None:
    texts = [f"win prize {i}" for i in range(20)] + [f"see you {i}" for i in range(20)]
    model = train(texts, ["spam"] * 20 + ["ham"] * 20)
    assert model.metrics is not None
    same_bytes(there_and_back(model), model, tmp_path)


@given(rows=corpora)
def test_columns_come_back(rows: list[object]) -> None:
    model = SpamModel(FeatureConfig(categorical=("kind",), numeric=("number",)), store=counted(rows))  # type: ignore[arg-type]
    identical(there_and_back(model).store, model.store)


@given(texts=st.lists(messages, min_size=1, max_size=5))
def test_odd_messages_come_back(texts: list[str | bytes]) -> None:
    model = SpamModel(FeatureConfig(chars=3)).learn(texts, ["a\tb\n"] * len(texts))
    identical(there_and_back(model).store, model.store)


@given(spelled=st.lists(st.binary(max_size=12), unique=True, min_size=1, max_size=6))
def test_odd_spellings_come_back(spelled: list[bytes]) -> None:
    n = len(spelled)
    ones = np.ones((n, 1), np.int64)
    keys, kinds = np.arange(n, dtype=np.uint64), np.zeros(n, np.uint8)
    store = CountStore(("a",), np.ones(1, np.int64), keys, kinds, ones, ones, StringArray.of(spelled))
    lines = list(export_lines(SpamModel(store=store)))
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 and b"\r" not in line for line in lines)
    assert all(line.decode()[:-1].isprintable() for line in lines)
    back = import_lines(lines, "x").store
    identical(back, store)
    assert list(back.spellings) == spelled


def test_the_most_frequent_come_first() -> None:
    model = SpamModel(FeatureConfig.plain()).learn(["b a", "b"], ["spam", "ham"])
    lines = list(export_lines(model))
    title = b'{"format":"spamnb-counts","version":1,"tokens":2,"last_line":["seen_messages"],'
    assert lines[0].startswith(title)
    assert json.loads(lines[0])["counts"]["message_totals"] == [1, 1]
    assert lines[-1].startswith(b'{"rest":{"seen_messages":')
    assert lines[1:-1] == [
        b'{"token":"b","kind":1,"occurrences":[1,1],"messages":[1,1],"key":"0000000000000062"}\n',
        b'{"token":"a","kind":1,"occurrences":[0,1],"messages":[0,1],"key":"0000000000000061"}\n',
    ]


def line(**changes: object) -> bytes:
    """The line of a token, with some values changed; None leaves one out."""
    values = {"token": "c", "kind": 1, "occurrences": [0, 1], "messages": [0, 1], "key": "0000000000000063"}
    stated = {name: value for name, value in (values | changes).items() if value is not None}
    return json.dumps(stated).encode()


def test_a_line_may_be_added_by_hand_without_key() -> None:
    model = SpamModel(FeatureConfig.plain()).learn(["b", "a"], ["spam", "ham"])
    lines = [*export_lines(model), line(token="free entry", kind=2, key=None)]
    by_hand = import_lines(lines, "x")
    with_key = line(token="free entry", kind=2, key=f"{key_of('free entry'):016x}")
    identical(by_hand.store, import_lines([*lines[:-1], with_key], "x").store)


def key_of(token: str) -> int:
    from spamnb.features.token_keys import token_key

    return token_key(token)


MODEL = SpamModel(FeatureConfig.plain()).learn(["b b", "a"], ["spam", "ham"])
FOREIGN = "x is not an exported model: its first line has no format 'spamnb-counts' 1"
NEEDS = "a token needs at least as many occurrences as messages, and some message"
NAMES = "expected token, kind, occurrences and messages"
COUNTS = "expected counts from 0 on for 2 classes"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (b"c\t1\t1\n", "bad JSON"),
        (b"[1]", "expected a JSON object"),
        (b'{"token"', "bad JSON"),
        (line(kind=None), NAMES),
        (line(token=5), NAMES),
        (line(occurrences=1), NAMES),
        (line(key="000000000000006"), NAMES),
        (line(key=99), NAMES),
        (line(key="x" * 16), NAMES),
        (line(key="-000000000000001"), NAMES),
        (line(key="0x00000000000001"), NAMES),
        (line(key="00_0000000000001"), NAMES),
        (line(occurrences=[0, "x"]), COUNTS),
        (line(occurrences=[0, 1.0]), COUNTS),
        (line(kind=True), COUNTS),
        (line(occurrences=[0, -1]), COUNTS),
        (line(messages=[1]), COUNTS),
        (line(messages=[0, 0, 1], occurrences=[1]), COUNTS),
        (line(messages=[0, 2]), NEEDS),
        (line(occurrences=[1, 1]), NEEDS),
        (line(occurrences=[0, 0], messages=[0, 0]), NEEDS),
        (line(occurrences=[0, 3], messages=[0, 3]), "the token is in more messages than there are"),
        (line(kind=999), "a number is too large"),
        (line(occurrences=[0, 1 << 63]), "a number is too large"),
        (line(key="0000000000000061"), "the token is repeated"),
    ],
)
def test_a_wrong_line_is_named(wrong: bytes, message: str) -> None:
    with pytest.raises(DataError) as refused:
        import_lines([*export_lines(MODEL), wrong], "x")
    assert refused.value.message == f"x line 5: {message}"
    assert refused.value.hint == "correct the line, or export the model again"


def header(**changes: object) -> bytes:
    head = json.loads(next(iter(export_lines(MODEL))))
    return json.dumps({name: value for name, value in (head | changes).items() if value is not ...}).encode()


DAMAGED = "x line 1: the settings are damaged"
LAST = "x line 2: the last line is damaged"
NESTED = json.loads('{"a":' * 90 + "1" + "}" * 90)
COUNTED = {"labels": ["ham", "spam"], "message_totals": [1, 1], "categories": {}, "numbers": {}}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], FOREIGN),
        ([b"label,text\n"], FOREIGN),
        ([b'{"format": "other"}\n'], FOREIGN),
        ([header(version=2)], FOREIGN),
        ([b'{"format":'], "x line 1: bad JSON"),
        ([header(tokens=...)], DAMAGED),
        ([header(tokens="x")], DAMAGED),
        ([header(last_line=[[]])], DAMAGED),
        ([header(last_line=...)], DAMAGED),
        ([header(correction=...)], DAMAGED),
        ([header(correction=5)], DAMAGED),
        ([header(counts={"labels": 1})], DAMAGED),
        ([header(counts=COUNTED | {"message_totals": [1, 0]})], DAMAGED),
        ([header(counts=COUNTED | {"message_totals": [1, 1.0]})], DAMAGED),
        ([header(counts=COUNTED | {"message_totals": [1, 1 << 63]})], DAMAGED),
        ([header(counts=COUNTED | {"categories": {"c": {"v": [1]}}})], DAMAGED),
        ([header(counts=COUNTED | {"categories": {"c": [1]}})], DAMAGED),
        ([header(counts=COUNTED | {"categories": {"c": {"v": [1, -1]}}})], DAMAGED),
        ([header(counts=COUNTED | {"numbers": {"n": [1]}})], DAMAGED),
        ([header(counts=COUNTED | {"labels": "ab"})], DAMAGED),
        ([header(counts=[COUNTED])], DAMAGED),
        ([header(counts={"array": {"array": "u1"}, "shape": [1], "base64": ""})], DAMAGED),
        ([header(features={"array": "O", "shape": [1], "base64": "AAAAAAAAAAA="})], DAMAGED),
        ([header(features={"array": "<M8[s]", "shape": [1], "base64": "AAAAAAAAAAA="})], DAMAGED),
        ([header(features={"array": ["u1"], "shape": [1], "base64": "AA=="})], DAMAGED),
        ([header(features={"array": "|u1", "shape": [10**30], "base64": "AA=="})], DAMAGED),
        ([header(features={"array": "|u1", "shape": 1, "base64": "*"})], DAMAGED),
        ([header(features=NESTED)], DAMAGED),
        ([header(tokens=10**4000)], DAMAGED),
        ([header(generation=10**1400)], DAMAGED),
        ([header(tokens=10**20).replace(b"1" + b"0" * 20, b"9" * 5000)], "x line 1: bad JSON"),
        ([header(min_known_words=float("nan"))], "x line 1: bad JSON"),
        ([header(), b'{"rest": {"base"'], "x line 2: bad JSON"),
        ([header(), b'{"rest": 5}'], "x line 2: the last line is damaged"),
        ([header(), b'{"rest": {"base": %s}}' % json.dumps(NESTED).encode()], LAST),
        ([header(), b'{"rest": {"base": %s}}' % (b"[" * 100_000)], "x line 2: bad JSON"),
        (
            [header(), b'{"rest": {"base": {"array": "u1", "shape": [2], "base64": "AA=="}}}'],
            "x line 2: the last line is damaged",
        ),
    ],
)
def test_a_wrong_file_is_named(lines: list[bytes], message: str) -> None:
    with pytest.raises(DataError) as refused:
        import_lines(lines, "x")
    assert refused.value.message == message


def test_arrays_in_the_state_of_later_versions_survive() -> None:
    array = np.arange(6, dtype="<u8").reshape(2, 3)
    back = decode_arrays(json.loads(json.dumps(encode_arrays({"seen": [array]}))))["seen"][0]
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
    assert np.float32(shortest(exact)).tobytes() == exact.tobytes()
    assert len(repr(shortest(exact))) <= len(repr(number))


def test_the_correction_stands_beside_the_counts() -> None:
    lines = list(export_lines(refined()))
    tokens = [json.loads(text) for text in lines[1:-1]]
    assert list(tokens[0])[-2:] == ["correction", "key"]
    by_token = {token["token"]: token["correction"] for token in tokens}
    assert by_token["prize"] > 0 > by_token["see"]  # evidence for spam
    assert set(json.loads(lines[0])["correction"]) == {"bias", "label", "messages"}


def test_a_correction_is_changed_or_left_out_by_hand() -> None:
    model, lines = refined(), list(export_lines(refined()))
    lines.insert(1, line(token="cash", key=None, correction=-0.25))
    lines.insert(1, line(token="free", key=None))
    back = import_lines(lines, "x")
    assert back.correction is not None
    keys = np.array([key_of("cash"), key_of("free")], np.uint64)
    assert back.correction.of(keys).tolist() == [-0.25, 0.0]
    assert back.store.vocabulary == model.store.vocabulary + 2


@pytest.mark.parametrize(
    ("number", "message"),
    [("x", "expected token"), (float("nan"), "bad JSON"), (1e39, "too large"), ([], "expected token")],
)
def test_a_wrong_correction_is_named(number: object, message: str) -> None:
    with pytest.raises(DataError, match=f"x line 2: .*{message}"):
        import_lines([next(iter(export_lines(refined()))), line(correction=number)], "x")


def test_what_only_programs_read_comes_last() -> None:
    model = refined()
    lines = list(export_lines(model))
    assert not [text for text in lines[:-1] if b"base64" in text]
    assert b"base64" in lines[-1]
    assert repr(import_lines(lines, "x").to_state()) == repr(model.to_state())
    with pytest.raises(DataError, match=f"line {len(lines)}: the last line is damaged"):
        import_lines([*lines[:-1], lines[-1].replace(b'"shape":[', b'"shape":[9')], "x")

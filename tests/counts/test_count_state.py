"""A CountStore as builtins and arrays: there and back, and every damage is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.counts.count_state import from_state, pack_column, to_state, unpack_column
from spamnb.counts.count_store import CountStore
from spamnb.errors import ModelError
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig
from spamnb.training.trainer import train
from tests.helpers.count_stores import LEARNED, counted, identical

AGAIN = "train the model again"


def state() -> dict[str, Any]:
    """Three words, two classes, a category and a number."""
    return to_state(counted(LEARNED, FeatureConfig.plain()))


def test_the_smallest_types() -> None:
    before = state()
    for name in ("message_totals", "tokens", "messages", "spelling_ends"):
        assert before[name].dtype == "u1", name
    many = counted([*LEARNED, *LEARNED * 200], FeatureConfig.plain())
    assert to_state(many)["tokens"].dtype == "u2"
    assert to_state(CountStore.empty())["tokens"].shape == (0, 0)


def test_there_and_back() -> None:
    identical(from_state(state()), counted(LEARNED, FeatureConfig.plain()))
    identical(from_state(to_state(CountStore.empty())), CountStore.empty())


@given(st.dictionaries(st.text(), st.tuples(*2 * [st.integers(0, (1 << 63) - 1)])))
def test_categories_become_arrays_and_come_back(values: dict[str, tuple[int, ...]]) -> None:
    unpacked = unpack_column(pack_column(values, 2))
    assert list(unpacked) == list(values)
    assert {value: tuple(row) for value, row in unpacked.items()} == values


def test_a_model_of_a_thousand_classes_is_written_and_read(tmp_path: Path) -> None:
    texts = [f"word{i % 1000} hello {i}" for i in range(10_000)]
    model = train(texts, [f"label{i % 1000:03d}" for i in range(10_000)], positive="label000")
    assert model.metrics is not None
    model.save(tmp_path / "m")
    assert SpamModel.load(tmp_path / "m").metrics == {
        **model.metrics,
        "classes": list(model.metrics["classes"]),
    }


def test_totals_come_from_the_file_and_are_those_of_the_counts() -> None:
    loaded, counted_now = from_state(state()), counted(LEARNED, FeatureConfig.plain())
    for name in ("token_totals", "presence_totals", "word_totals"):
        assert getattr(loaded, name).tolist() == getattr(counted_now, name).tolist()
    assert loaded.word_vocabulary == counted_now.word_vocabulary == 3
    assert loaded.prune(2).token_totals.tolist() == counted_now.prune(2).token_totals.tolist() == [2, 0]


def put(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda s: s.__setitem__(name, value)


def change(name: str, convert: Callable[[Any], object]) -> Callable[[dict[str, Any]], None]:
    return lambda s: s.__setitem__(name, convert(s[name]))


def pack(**changed: Any) -> Callable[[dict[str, Any]], None]:
    column = {
        "bytes": np.frombuffer(b"a", "u1"),
        "ends": np.array([1], "u1"),
        "counts": np.array([[1, 0]], "u1"),
    }
    return put("categories", {"kind": {**column, **changed}})


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no keys": (lambda s: s.pop("keys"), "the model has no keys"),
    "keys of another type": (
        change("keys", lambda a: a.astype(np.int64)),
        "the model's keys is not usable: expected uint64, got int64",
    ),
    "keys in a table": (
        change("keys", lambda a: a[:, None]),
        "the model's keys is not usable: expected 1 dimensions, got 2",
    ),
    "keys out of order": (
        change("keys", lambda a: a[::-1].copy()),
        "the model's keys are damaged: not in ascending order",
    ),
    "a key twice": (
        change("keys", lambda a: np.repeat(a[:1], 3)),
        "the model's keys are damaged: not in ascending order",
    ),
    "labels out of order": (
        put("labels", ["spam", "ham"]),
        "the model's labels are damaged: ['spam', 'ham']",
    ),
    "a label twice": (put("labels", ["ham", "ham"]), "the model's labels are damaged: ['ham', 'ham']"),
    "labels that are numbers": (put("labels", [0, 1]), "the model's labels are damaged: [0, 1]"),
    "no list of labels": (
        put("labels", "ham spam"),
        "the model's labels is not usable: expected list, got str",
    ),
    "a class too many": (
        put("labels", ["ham", "news", "spam"]),
        "the model's message_totals is not usable: expected shape (3,), got (2,)",
    ),
    "signed counts": (
        change("tokens", lambda a: a.astype(np.int64)),
        "the model's tokens are damaged: expected counts, got int64",
    ),
    "counts with a fraction": (
        change("messages", lambda a: a.astype(np.float64)),
        "the model's messages are damaged: expected counts, got float64",
    ),
    "a row too few": (
        change("tokens", lambda a: a[1:]),
        "the model's tokens is not usable: expected shape (3, 2), got (2, 2)",
    ),
    "kinds too few": (
        change("kinds", lambda a: a[1:]),
        "the model's kinds is not usable: expected shape (3,), got (2,)",
    ),
    "spellings cut short": (
        change("spelling_bytes", lambda a: a[:-1]),
        "the model's spelling_ends are damaged: do not fit the spellings",
    ),
    "spellings that end before they begin": (
        change("spelling_ends", lambda a: a[[1, 0, 2]]),
        "the model's spelling_ends are damaged: do not fit the spellings",
    ),
    "a list for an array": (
        change("tokens", lambda a: a.tolist()),
        "the model's tokens is not usable: expected ndarray, got list",
    ),
    "a category that is no table": (
        put("categories", {"kind": [1, 2]}),
        "the model's counts of column 'kind' are damaged: not a table",
    ),
    "a category of lists": (
        put("categories", {"kind": {"x": [1, 0]}}),
        "the model's counts of column 'kind' are damaged: not a table",
    ),
    "a category without a name": (
        put("categories", {3: pack_column({"x": (1, 0)}, 2)}),
        "the model's columns are damaged: a name is no text",
    ),
    "a category with more than its values": (
        pack(more=1),
        "the model's counts of column 'kind' are damaged: not a table",
    ),
    "a category with signed counts": (
        pack(counts=np.array([[1, -1]])),
        "the model's counts of column 'kind' are damaged: not a table",
    ),
    "a packed category of text": (
        pack(counts=np.array([[1, 2]], "<f8")),
        "the model's counts of column 'kind' are damaged: not a table",
    ),
    "a packed category without values": (
        pack(bytes=None),
        "the model's counts of column 'kind' are damaged: not a table",
    ),
    "a packed category with values that run backwards": (
        pack(ends=np.array([3, 1], "u1"), counts=np.array([[1, 0], [0, 1]], "u1")),
        "the model's counts of column 'kind' are damaged: do not fit the values",
    ),
    "a packed category with a value too few": (
        pack(counts=np.array([[1, 0], [0, 1]], "u1")),
        "the model's counts of column 'kind' are damaged: do not fit the values",
    ),
    "a packed category with a class too few": (
        pack(counts=np.array([[1]], "u1")),
        "the model's counts of column 'kind' are damaged: 1 classes, expected 2",
    ),
    "a packed category with a value twice": (
        pack(
            bytes=np.frombuffer(b"aa", "u1"),
            ends=np.array([1, 2], "u1"),
            counts=np.array([[1, 0], [0, 1]], "u1"),
        ),
        "the model's counts of column 'kind' are damaged: a value is repeated",
    ),
    "a packed category that is no text": (
        pack(bytes=np.frombuffer(b"\xff", "u1")),
        "the model's counts of column 'kind' are damaged: 'utf-8' codec can't decode byte 0xff in position "
        "0: invalid start byte",
    ),
    "numbers of a class too few": (
        put("numbers", {"number": [[1, 0, 0]]}),
        "the model's numbers of column 'number' are damaged: wrong length",
    ),
    "numbers cut short": (
        put("numbers", {"number": [[1, 0], [0, 0, 0]]}),
        "the model's numbers of column 'number' are damaged: got [1, 0]",
    ),
    "no totals": (lambda s: s.pop("totals"), "the model has no totals"),
    "totals of a class too few": (
        change("totals", lambda a: a[:, 1:]),
        "the model's totals is not usable: expected shape (3, 2), got (3, 1)",
    ),
    "a vocabulary that is no number": (
        put("word_vocabulary", "3"),
        "the model's word_vocabulary is not usable: expected int, got str",
    ),
    "a negative number of numbers": (
        put("numbers", {"number": [[-1, 0, 0], [0, 0, 0]]}),
        "the model's numbers of column 'number' are damaged: negative",
    ),
    "a class without messages": (
        change("message_totals", lambda a: a * np.uint8(0)),
        "the model's message_totals are damaged: a class without messages",
    ),
    "a token in more messages than there are": (
        change("message_totals", lambda a: np.minimum(a, 1)),
        "the model's counts are damaged: a token is in more messages than it can be",
    ),
    "a token in more messages than it occurs": (
        change("messages", lambda a: a + np.uint8(1)),
        "the model's counts are damaged: a token is in more messages than it can be",
    ),
    "a token that occurs in no message": (
        change("messages", lambda a: a * np.uint8(0)),
        "the model's counts are damaged: a token is in more messages than it can be",
    ),
    "a token without counts": (
        lambda s: s.update({name: s[name] * np.uint8(0) for name in ("tokens", "messages", "totals")}),
        "the model's counts are damaged: a token is in no message",
    ),
    "totals of 0 beside counts": (
        change("totals", lambda a: a * np.uint8(0)),
        "the model's totals are damaged: not the sums of the counts",
    ),
    "totals of the other class": (
        change("totals", lambda a: a[:, ::-1].copy()),
        "the model's totals are damaged: not the sums of the counts",
    ),
    "more words than tokens": (
        change("totals", lambda a: np.stack((a[0], a[1], a[2] + np.uint8(9)))),
        "the model's totals are damaged: more words than tokens",
    ),
    "a vocabulary larger than the tokens": (
        put("word_vocabulary", 4),
        "the model's totals are damaged: more words than tokens",
    ),
    "a negative vocabulary": (
        put("word_vocabulary", -1),
        "the model's totals are damaged: more words than tokens",
    ),
    "a category in more messages than there are": (
        pack(counts=np.array([[200, 0]], "u1")),
        "the model's counts are damaged: those of a column do not fit the messages",
    ),
    "more numbers than messages": (
        put("numbers", {"number": [[99, 0, 0], [0, 0, 0]]}),
        "the model's counts are damaged: those of a column do not fit the messages",
    ),
    "numbers with a variance below zero": (
        put("numbers", {"number": [[1, 5, 0], [0, 0, 0]]}),
        "the model's counts are damaged: those of a column do not fit the messages",
    ),
    "an array without dimensions": (
        put("tokens", np.array(5, "u1")),
        "the model's tokens is not usable: expected shape (3, 2), got ()",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage(damage: str) -> None:
    harm, message = DAMAGE[damage]
    broken = state()
    harm(broken)
    with pytest.raises(ModelError) as caught:
        from_state(broken)
    assert caught.value.message == message
    assert caught.value.hint


def test_a_damaged_store_says_what_to_do() -> None:
    broken = state() | {"labels": ["spam", "ham"]}
    with pytest.raises(ModelError) as caught:
        from_state(broken)
    assert caught.value.hint == AGAIN

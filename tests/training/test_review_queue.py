"""The queue asks about what is uncertain, about near-duplicates once, and always in the same order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from spamnb.training import review_queue
from spamnb.training.near_duplicates import SHARED, group_duplicates
from spamnb.training.review_queue import ReviewQueue
from tests.helpers.small_models import ROWS, trained

WORDS = st.sampled_from(
    ["call", "now", "win", "prize", "see", "you", "home", "late", "cash", "free", "meet", "bank"]
)


def grouped(texts: list[str]) -> list[int]:
    return group_duplicates(extract(Texts.of(texts), FeatureConfig())).tolist()


def test_messages_of_nearly_the_same_words_are_one_group() -> None:
    long = "your parcel waits at the depot please pay the small fee today at"
    texts = [f"{long} one", "see you", f"{long} two", f"{long.upper()} three!"]
    assert grouped(texts) == [0, 1, 0, 0]


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=12))
def test_a_group_shares_most_words_with_its_first_message(texts: list[str]) -> None:
    groups = grouped(texts)
    for row, first in enumerate(groups):
        assert first <= row
        assert groups[first] == first
        mine, its = set(texts[row].split()), set(texts[first].split())
        if row != first:
            assert len(mine & its) >= SHARED * len(mine | its)


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=12))
def test_equal_messages_are_one_group(texts: list[str]) -> None:
    groups = grouped([*texts, *texts])
    for row, text in enumerate(texts):
        if text:
            assert groups[row] == groups[row + len(texts)]


def asked(texts: list[str]) -> list[int]:
    model = trained(ROWS)
    queue, rows = ReviewQueue(model, Texts.of(texts)), []
    while (row := queue.next(model)) is not None:
        rows.append(row)
        queue.close(row)
    return rows


def test_every_group_is_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"prize see word{i} other{i} third{i}" for i in range(40)] + ["prize see word1 other1 third1"]
    expected = asked(texts)
    assert sorted(expected) == list(range(40))
    assert asked(texts) == expected
    monkeypatch.setattr(review_queue, "CANDIDATES", 7)
    assert sorted(asked(texts)) == list(range(40))


def test_uncertain_messages_come_first() -> None:
    assert asked(["free prize now", "see you", "prize at home", "win a free prize"])[0] == 2


def test_learned_messages_are_left_out() -> None:
    assert asked([ROWS[0][0], "see the prize"]) == [1]


def test_a_question_that_is_reopened_comes_next() -> None:
    model = trained(ROWS)
    queue = ReviewQueue(model, Texts.of([f"prize see word{i}" for i in range(12)]))
    for _ in range(review_queue.EVERY):
        row = queue.next(model)
        assert row is not None
        queue.close(row)
    queue.reopen(row)
    assert queue.next(model) == row
    assert len(queue) == 12 - review_queue.EVERY + 1


def test_flipped_counts_other_verdicts() -> None:
    model = trained(ROWS)
    texts = ["tombola", "tombola tonight", "see you at six"]
    queue = ReviewQueue(model, Texts.of(texts))
    queue.close(0)
    assert queue.flipped(model) == (0, 2)
    assert queue.flipped(model.learn(["tombola"] * 3, ["spam"] * 3)) == (1, 2)
    assert queue.members(0).tolist() == [0]
    assert np.array_equal(queue.members(1), [1])

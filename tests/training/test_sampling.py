"""The sample of a stream: which messages are in it does not depend on their order or on who counted them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.counts.entries import Entries
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model import word_digests
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.training import sampling
from spamnb.training.sampling import SampleBlock, SampleCollector, fitting_limit, fold_digests, sample_size
from spamnb.training.trainer import Trainer

TOP = (1 << 64) - 1
messages = st.lists(st.tuples(st.integers(1, TOP), st.integers(0, 9)), max_size=40)


def part(rows: list[tuple[int, int]]) -> SampleBlock:
    """Messages with these digests and numbers of tokens."""
    where = np.repeat(np.arange(len(rows)), [size for _, size in rows])
    ones = np.ones(len(where), np.int64)
    entries = Entries(len(rows), where.astype(np.int64), np.arange(len(where)), ones)
    return SampleBlock(entries, ["ham"] * len(rows), np.array([d for d, _ in rows], np.uint64), {}, {})


def slow(rows: list[tuple[int, int]], most: int, tokens: int) -> set[int]:
    """The digests below the largest limit of the ladder that leaves few enough, one limit after the other."""
    for limit in sampling._ladder():
        left = [(digest, size) for digest, size in rows if digest < limit]
        if len(left) <= most and sum(size for _, size in left) <= tokens:
            return {digest for digest, _ in left}
    raise AssertionError


@given(messages, st.integers(1, 20), st.integers(0, 60), st.randoms(use_true_random=False))
def test_a_stream_in_any_order_gives_the_same_sample(
    rows: list[tuple[int, int]], most: int, tokens: int, random: np.random.Generator
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "TOKENS", tokens)
        expected = slow(rows, most, tokens)
        mixed = list(rows)
        random.shuffle(mixed)
        stream = SampleCollector(most)
        for i in range(0, len(mixed), 3):
            every = part(mixed[i : i + 3])
            stream.add(every.keep(stream.limit))
        stream.shrink()
        assert {int(d) for p in stream.blocks for d in p.digests} == expected
        halves = [part(mixed[::2]), part(mixed[1::2])]
        limits = [fitting_limit([half], 1 << 64, most) for half in halves]
        halves = [half.keep(limit) for half, limit in zip(halves, limits, strict=True)]
        limit = fitting_limit(halves, min(limits), most)
        assert {int(d) for half in halves for d in half.keep(limit).digests} == expected


def test_the_ladder_falls_to_nothing() -> None:
    steps = list(sampling._ladder())
    assert (steps[0], steps[-1]) == (1 << 64, 0)
    assert all(7 * a <= 8 * b < 8 * a for a, b in pairwise(steps[:-1]))


def test_rows_that_wait_for_their_digest_stay() -> None:
    waiting = part([(0, 2), (5, 1), (0, 1)])
    assert waiting.keep(0).digests.tolist() == [0, 0]
    assert waiting.keep(fitting_limit([waiting], 1 << 64, 0)).digests.tolist() == [0, 0]


def test_rows_that_waited_are_held_to_the_limit_that_has_fallen() -> None:
    limit = 1 << 60
    waited = part([(0, 1), (0, 1), (limit - 1, 1)])
    waited.digests[:2] = limit + 1, 7
    assert waited.keep(fitting_limit([waited], limit, 100)).digests.tolist() == [7, limit - 1]


def test_up_to_a_size_every_message_is_in_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLE", 40)
    monkeypatch.setattr(sampling, "WHOLE", 100)
    assert [sample_size(n) for n in (10, 100, 101)] == [100, 100, 40]

    def taken(size: int, refine: str) -> int:
        trainer = Trainer(FeatureConfig.plain(), training=TrainingConfig(refine=refine))
        for start in range(0, size, 7):
            some = range(start, min(start + 7, size))
            trainer.add(Texts.of([f"number {i}" for i in some]), [("ham", "spam")[i % 2] for i in some])
        sample = trainer.counted()[1]
        return 0 if sample is None else len(sample)

    assert taken(100, "auto") == 100
    assert 30 < taken(101, "auto") <= 40
    assert 30 < taken(100, "no") <= 40  # nobody needs more of them


def test_waiting_rows_are_not_looked_at_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(SampleCollector, "shrink", lambda _: looks.append(1))
    stream = SampleCollector(5)
    for _ in range(20):
        stream.add(part([(0, 3), (0, 3)]))
    assert not looks
    for digest in range(1, 12):
        stream.add(part([(digest, 1)]))
    assert len(looks) == 1


PIECES = [
    "f r e e",
    "v-i-p",
    "u r a",
    "a",
    " ",
    "-",
    "it's",
    "\n",
    "é",
    "İ",
    "\u212a",
    "\u200b",
    "\u0435",
    "\u0301",
    "ok",
    "_",
    "4",
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), max_size=6))
def test_fold_digests_are_those_of_the_default_tokens(messages: list[str]) -> None:
    texts, usual = Texts.of([*messages, b"f\xff\xffr\xffe\xffe"]), FeatureConfig(ngrams=1)
    expected = word_digests(extract(texts, usual)).tolist()
    for features in (FeatureConfig.plain(), FeatureConfig(deobfuscate=False), FeatureConfig(ngrams=2), usual):
        assert fold_digests(texts, extract(texts, features), features).tolist() == expected

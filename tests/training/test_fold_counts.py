"""Folds taken out of the counts by tables: what is left is what counting the other messages gives."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from spamnb.core.arrays import IntArray
from spamnb.counts.count_store import CountStore
from spamnb.counts.entries import Entries
from spamnb.counts.tally import Tally, count
from spamnb.features import extract
from spamnb.features.batch import SHAPE
from spamnb.messages import Texts
from spamnb.scorers.base import Stats
from spamnb.settings import FeatureConfig
from spamnb.training.fold_counts import FoldCounts

K = 4
NAMES = ("ham", "spam", "news")


def messages(size: int = 60, seed: int = 3) -> tuple[list[str], list[str]]:
    """Short texts of few words, some of which occur in one message only."""
    rng = np.random.default_rng(seed)
    labels = [NAMES[i % 3] for i in range(size)]
    words = [[f"w{w}" for w in (rng.zipf(1.5, 5) % 40).tolist()] for _ in labels]
    return [" ".join([*some, f"own{i}"] if i % 2 else some) for i, some in enumerate(words)], labels


TEXTS, LABELS = messages()
FOLD = np.arange(len(TEXTS)) % 7 % K


def counted() -> tuple[CountStore, Entries, IntArray]:
    batch, tally = extract(Texts.of(TEXTS), FeatureConfig()), Tally()
    ids = tally.add(batch, LABELS)
    store, rows = tally.finish()
    entries = Entries.of(batch, ids).remap_ids(rows)
    return store, entries, np.array([store.labels.index(label) for label in LABELS])


def left(out: tuple[int, ...]) -> CountStore:
    rest = [i for i in range(len(TEXTS)) if FOLD[i] not in out]
    return count(extract(Texts.of([TEXTS[i] for i in rest]), FeatureConfig()), [LABELS[i] for i in rest])


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("out", [(0,), (3,), *combinations(range(K), 2)])
def test_what_is_left_is_what_the_others_give(out: tuple[int, ...], whole: bool) -> None:
    store, entries, labels = counted()
    fold = FoldCounts(store, entries, labels, FOLD, K, whole).take_out(out)
    rest = left(out)
    truth = Stats.of(rest)
    for name, totals in truth.totals._asdict().items():
        assert getattr(fold.stats.totals, name).tolist() == totals.tolist(), name
    assert fold.stats.vocabulary == truth.vocabulary
    assert fold.stats.word_vocabulary == truth.word_vocabulary
    assert fold.stats.gram_vocabulary == truth.gram_vocabulary > 0
    if whole:
        assert fold.stats.tokens.tolist() == truth.tokens.tolist()
        assert fold.stats.is_ngram.tolist() == truth.is_ngram.tolist()
        assert fold.stats.messages.tolist() == truth.messages.tolist()


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("score", [None, (1,), (3,)])
def test_entries_are_those_the_others_know(score: tuple[int, ...] | None, whole: bool) -> None:
    """Row by row: the counts of each token that is left, and none of a token that is not."""
    out = (3, 1)
    store, entries, labels = counted()
    fold = FoldCounts(store, entries, labels, FOLD, K, whole).take_out(out, score)
    rest = left(out)
    wanted = [i for f in score or out for i in np.flatnonzero(np.equal(FOLD, f)).tolist()]
    assert fold.rows.tolist() == wanted
    assert sorted(fold.out.tolist()) == np.flatnonzero(np.isin(FOLD, out)).tolist()
    known = rest.find(store.keys)
    for place, row in enumerate(wanted):
        there = entries.ids[(entries.rows == row) & (known[entries.ids] >= 0)]
        mine = fold.entries.ids[fold.entries.rows == place]
        assert fold.stats.tokens[mine].tolist() == rest.tokens[known[there]].tolist()
        assert fold.stats.messages[mine].tolist() == rest.messages[known[there]].tolist()
        assert fold.shapes[mine].tolist() == (rest.kinds[known[there]] == SHAPE).tolist()


def test_statistics_of_every_token_keep_their_places() -> None:
    store, entries, labels = counted()
    stats, there = FoldCounts(store, entries, labels, FOLD, K, whole=False).stats([2], every=True)
    rest = left((2,))
    at = rest.find(store.keys)
    assert there.tolist() == (at >= 0).tolist()
    assert stats.messages[there].tolist() == rest.messages[at[there]].tolist()
    assert not stats.messages[~there].any()

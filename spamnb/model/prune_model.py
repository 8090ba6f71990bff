"""Smaller models: tokens that say least are dropped, and old evidence fades by halving every count.

The rarest tokens are dropped first; of those in equally many messages the ones that tell classes apart least,
by the likelihood ratio of holding the token or not against the classes; of equals the higher key.

    G2_i = 2 sum_c [ D_ic log(D_ic D / (D_i D_c)) + (D_c - D_ic) log((D_c - D_ic) D / ((D - D_i) D_c)) ]

Within the training part of SMS Spam Collection (3 folds, 4,000 of 30,400 tokens left) this order gave a log
loss of 0.0243, G2 alone 0.0288, all tokens 0.0220.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import CountStore, Moments
from spamnb.errors import DataError
from spamnb.features import mix
from spamnb.model.model_merge import mark_outdated
from spamnb.model.spam_model import SpamModel


def prune(
    model: SpamModel, *, min_count: int = 0, max_tokens: int | None = None, max_bytes: int | None = None
) -> SpamModel:
    """Without tokens that fewer than `min_count` messages hold, then without those that say least.

    >>> model = SpamModel().learn(["win a prize", "win", "see"], ["spam", "spam", "ham"])
    >>> [m.store.vocabulary for m in (model, prune(model, min_count=2))]
    [17, 12]
    """
    store = model.store.prune(min_count) if min_count > 1 else model.store
    if max_tokens is not None and max_tokens < store.vocabulary:
        store = _best(store, max_tokens)
    if max_bytes is not None:
        store = _best(store, _fitting(replace(model, store=store), max_bytes))
    if store.vocabulary == model.store.vocabulary:
        return model
    # With fewer tokens more words are unknown: the share that was usual is usual no more.
    return replace(
        model,
        store=store,
        seen_messages=None if model.seen_messages is None else model.seen_messages.as_stale(),
        metrics=mark_outdated(model.metrics, "prune"),
        min_known_words=None,
    )


def information(store: CountStore) -> FloatArray:
    """G2 of each token."""
    held, totals = store.messages.astype(np.float64), store.message_totals.astype(np.float64)
    every, each = totals.sum(), held.sum(axis=1, keepdims=True)
    parts = _part(held, each * totals / every) + _part(totals - held, (every - each) * totals / every)
    return np.asarray(2 * parts.sum(axis=1))


def _part(seen: FloatArray, expected: FloatArray) -> FloatArray:
    """x log(x / e), which is 0 for x = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(seen > 0, seen * np.log(seen / expected), 0.0)


def _ranked(store: CountStore) -> IntArray:
    """The rows of the store, what says most first."""
    # Rounded: which of two equal tokens goes must not hang on the last bit of a logarithm.
    return np.lexsort((store.keys, -information(store).round(6), -store.messages.sum(axis=1, dtype=np.int64)))


def _best(store: CountStore, size: int) -> CountStore:
    if size >= store.vocabulary:
        return store
    return store.rows(np.sort(_ranked(store)[:size]))


def _fitting(model: SpamModel, limit: int) -> int:
    """How many of the best tokens a model file of `limit` bytes holds."""
    store, state = model.store, model.to_state()["counts"]
    bare = _file_size(replace(model, store=_best(store, 0)))
    if bare > limit:
        raise DataError(
            f"a model file without any token takes {bare:,} bytes, more than {limit:,}",
            hint="allow more bytes",
        )
    tables = ("keys", "kinds", "tokens", "messages", "spelling_ends")
    fixed = sum(state[name][:1].nbytes for name in tables) + (
        0 if model.active_correction is None else _CORRECTION
    )
    spelled = np.diff(store.spellings.ends, prepend=0)[_ranked(store)]
    return int(np.searchsorted(np.cumsum(spelled + fixed), limit - bare, side="right"))


_CORRECTION = 4  # bytes of a token in the correction of a refined model
_ALIGNMENT = 512  # bytes that the arrays of a file may be padded by, together


def _file_size(model: SpamModel) -> int:
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return model.save(os.path.join(folder, "model")) + _ALIGNMENT


def age(model: SpamModel, halvings: int = 1) -> SpamModel:
    """Every count halved so many times; a token that no message is left of is dropped.

    Old evidence fades beside what is learned later, and a model that is aged at regular times stays of
    bounded size. Means and variances of numeric columns stay, their weight is halved.

    >>> model = SpamModel().learn(["win", "win", "see", "see"], ["spam", "spam", "ham", "ham"])
    >>> age(model).store.message_totals.tolist()
    [1, 1]
    """
    store = model.store
    for _ in range(halvings):
        store = _halved(store)
    if halvings < 1:
        return model
    return replace(
        model,
        store=store,
        seen_messages=None if model.seen_messages is None else model.seen_messages.as_stale(),
        metrics=mark_outdated(model.metrics, "age"),
        min_known_words=None,
    )


def _halved(store: CountStore) -> CountStore:
    """n becomes (n + r) // 2, where r is 0 for one half of the tokens and 1 for the other.

    r is the top bit of mix(key + N), N all occurrences in the store: the same for all classes of a token, so
    that equal counts stay equal, and another one each time, so that single occurrences die out. Rounding all
    down instead forgets them at once; on the folds above the log loss then was 0.0264 in place of 0.0236.
    """
    seed = np.uint64(int(store.token_totals.sum()))
    r = (mix(store.keys + seed) >> np.uint64(63)).astype(np.int64)[:, None]
    messages = (store.messages.astype(np.int64) + r) >> 1
    tokens = np.where(messages > 0, (store.tokens.astype(np.int64) + r) >> 1, 0)  # N_ic = 0 where D_ic = 0
    categories = {c: _fewer(values) for c, values in store.categories.items()}
    numbers = {c: tuple(_faded(m) for m in row) for c, row in store.numbers.items()}
    return CountStore(
        store.labels,
        (store.message_totals + 1) >> 1,
        store.keys,
        store.kinds,
        tokens,
        messages,
        store.spellings,
        {c: values for c, values in categories.items() if values},
        {c: row for c, row in numbers.items() if any(m.count for m in row)},
    ).prune(1)


def _fewer(values: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    halved = {value: tuple(n >> 1 for n in row) for value, row in values.items()}
    return {value: row for value, row in halved.items() if any(row)}


def _faded(seen: Moments) -> Moments:
    """Half as many numbers of the same mean and variance; squares are rounded up: no variance below 0."""
    count = seen.count >> 1
    if not count:
        return Moments()
    total = abs(seen.total) * count // seen.count
    return Moments(count, total if seen.total > 0 else -total, -(-seen.squares * count // seen.count))

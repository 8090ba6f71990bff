"""Prunes a model by dropping its least informative tokens, and ages it by halving every count.

Pruning drops the rarest tokens first; of those in equally many messages the ones that separate the classes
least, by the likelihood ratio of containing the token or not against the classes; of equals the higher key.

    G2_i = 2 sum_c [ D_ic log(D_ic D / (D_i D_c)) + (D_c - D_ic) log((D_c - D_ic) D / ((D - D_i) D_c)) ]

Within the training part of SMS Spam Collection (3 folds, 4,000 of 30,400 tokens left) this order gave a log
loss of 0.0243, G2 alone 0.0288, all tokens 0.0220.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import CountStore, Moments
from spamnb.errors import DataError
from spamnb.features import mix
from spamnb.model.model_merge import mark_outdated
from spamnb.model.spam_model import SpamModel

MAX_HALVINGS = 62  # no count has more bits
_CORRECTION = 4  # bytes of a token in a weight correction
_ALIGNMENT = 512  # bytes by which the arrays of a file may be padded, together


def prune(
    model: SpamModel, *, min_count: int = 0, max_tokens: int | None = None, max_bytes: int | None = None
) -> SpamModel:
    """Drops tokens that fewer than `min_count` messages contain, then the least informative ones.

    >>> model = SpamModel().learn(["win a prize", "win", "see"], ["spam", "spam", "ham"])
    >>> [m.store.vocabulary for m in (model, prune(model, min_count=2))]
    [17, 12]
    """
    store = model.store.prune(min_count) if min_count > 1 else model.store
    if max_tokens is not None and max_tokens < store.vocabulary:
        store = _best(store, max_tokens)
    if max_bytes is not None:
        store = _best(store, _fitting(replace(model, store=store), max_bytes))
    return model if store.vocabulary == model.store.vocabulary else _with_store(model, store, "prune")


def _with_store(model: SpamModel, store: CountStore, by: str) -> SpamModel:
    """Returns the model with counts that no longer are those of its messages.

    With fewer tokens more words are unknown, so the minimum of known words no longer holds. Lessons up to now
    cannot be undone any more.
    """
    mark = model.lesson_mark
    return replace(
        model,
        store=store,
        seen_messages=None if model.seen_messages is None else model.seen_messages.as_stale(),
        metrics=mark_outdated(model.metrics, by),
        min_known_words=None,
        lesson_mark=None if mark is None else mark.replace(fixed=mark.last),
    )


def information(store: CountStore) -> FloatArray:
    """Returns G2 of each token."""
    present, totals = store.messages.astype(np.float64), store.message_totals.astype(np.float64)
    every, each = totals.sum(), present.sum(axis=1, keepdims=True)
    absent = _terms(totals - present, (every - each) * totals / every)
    return np.asarray(2 * (_terms(present, each * totals / every) + absent).sum(axis=1))


def _terms(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Computes x log(x / e), which is 0 for x = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(observed > 0, observed * np.log(observed / expected), 0.0)


def _ranked(store: CountStore) -> IntArray:
    """Returns the rows of the store, the most informative first."""
    # Rounded: which of two equal tokens is dropped must not depend on the last bit of a logarithm.
    return np.lexsort((store.keys, -information(store).round(6), -store.messages.sum(axis=1, dtype=np.int64)))


def _best(store: CountStore, size: int) -> CountStore:
    return store if size >= store.vocabulary else store.rows(np.sort(_ranked(store)[:size]))


def _fitting(model: SpamModel, limit: int) -> int:
    """Returns how many of the best tokens fit into a model file of `limit` bytes."""
    store, state = model.store, model.to_state()["counts"]
    bare = _file_size(replace(model, store=_best(store, 0)))
    if bare > limit:
        raise DataError(
            f"a model file without any token takes {bare:,} bytes, more than {limit:,}",
            hint="allow more bytes",
        )
    tables = ("keys", "kinds", "tokens", "messages", "spelling_ends")
    fixed = sum(state[name][:1].nbytes for name in tables)
    fixed += 0 if model.active_correction is None else _CORRECTION
    spelled = np.diff(store.spellings.ends, prepend=0)[_ranked(store)]
    return int(np.searchsorted(np.cumsum(spelled + fixed), limit - bare, side="right"))


def _file_size(model: SpamModel) -> int:
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return model.save(os.path.join(folder, "model")) + _ALIGNMENT


def age(model: SpamModel, halvings: int = 1) -> SpamModel:
    """Halves every count so many times; drops tokens whose count becomes zero.

    Old evidence fades compared with what is learned later, and a model that is aged regularly stays of
    bounded size. Means and variances of numeric columns stay, their weight is halved.

    >>> model = SpamModel().learn(["win", "win", "see", "see"], ["spam", "spam", "ham", "ham"])
    >>> age(model).store.message_totals.tolist()
    [1, 1]
    """
    store = model.store
    for _ in range(halvings):
        store = _halved(store)
    return model if halvings < 1 else _with_store(model, store, "age")


def age_by_half_life(model: SpamModel, days: int, today: date) -> SpamModel:
    """Halves every count once for each half-life of `days` since the model was last aged this way.

    The first time it only sets the day from which on half-lives count.

    >>> model = SpamModel().learn(["win", "see"], ["spam", "ham"])
    >>> first = age_by_half_life(model, 90, date(2026, 1, 1))
    >>> [age_by_half_life(first, 90, date(2026, month, 10)).aged_until for month in (3, 5, 7)]
    ['2026-01-01', '2026-04-01', '2026-06-30']
    """
    start = today if model.aged_until is None else date.fromisoformat(model.aged_until)
    halvings = min(MAX_HALVINGS, max(0, (today - start).days // days))
    return replace(age(model, halvings), aged_until=(start + timedelta(halvings * days)).isoformat())


def _halved(store: CountStore) -> CountStore:
    """Halves n to (n + r) // 2, where r is 0 for one half of the tokens and 1 for the other.

    r is the top bit of mix(key + N), N all occurrences in the store: the same for all classes of a token, so
    that equal counts stay equal, and different each time, so that single occurrences die out. Rounding all
    down instead forgets them at once; on the folds above the log loss then was 0.0264 in place of 0.0236.
    """
    seed = np.uint64(int(store.token_totals.sum()))
    r = (mix(store.keys + seed) >> np.uint64(63)).astype(np.int64)[:, None]
    messages = (store.messages.astype(np.int64) + r) >> 1
    tokens = np.where(messages > 0, (store.tokens.astype(np.int64) + r) >> 1, 0)  # N_ic = 0 where D_ic = 0
    categories = {c: _halved_values(values) for c, values in store.categories.items()}
    numbers = {c: tuple(_halved_moments(m) for m in row) for c, row in store.numbers.items()}
    return store.replace(
        message_totals=(store.message_totals + 1) >> 1,
        tokens=tokens,
        messages=messages,
        categories={c: values for c, values in categories.items() if values},
        numbers={c: row for c, row in numbers.items() if any(m.count for m in row)},
    ).prune(1)


def _halved_values(values: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    halved = {value: tuple(n >> 1 for n in row) for value, row in values.items()}
    return {value: row for value, row in halved.items() if any(row)}


def _halved_moments(moments: Moments) -> Moments:
    """Halves the numbers, of the same mean and variance; squares are rounded up: no variance below 0."""
    count = moments.count >> 1
    if not count:
        return Moments()
    total = abs(moments.total) * count // moments.count
    squares = -(-moments.squares * count // moments.count)
    return Moments(count, total if moments.total > 0 else -total, squares)

"""Merging models: their counts are added, as often as their weights say; nothing is averaged or rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from spamnb.counts import CountStore, Moments, align_classes, merge_tokens
from spamnb.errors import ConfigError, ModelError
from spamnb.model import calibration as calibrations
from spamnb.model.base_model import check_same
from spamnb.model.change_history import ChangeHistory
from spamnb.model.decision import Decision
from spamnb.model.seen_messages import SeenMessages, all_known
from spamnb.model.spam_model import SpamModel

_LARGEST = (1 << 63) - 1
# Settings that are called otherwise on the command line.
_AS_OPTION = {
    "name": "scorer",
    "once": "counting once",
    "positive": "spam label",
    "ngram_smoothing_ratio": "smoothing of n-grams",
}
_COPIES = 1 << 24  # digests of 8 bytes that weights may add


def merge_models(
    models: Sequence[SpamModel], weights: Sequence[int] | None = None, names: Sequence[str] | None = None
) -> SpamModel:
    """The model that has seen what each of these has, model i `weights[i]` times.

    Calibration, line and figures cannot be added. They are those of the model with most messages, marked as
    from before the merge; if the classes are others now, there are none.

    >>> whole = SpamModel().learn(["win a prize", "see you"], ["spam", "ham"])
    >>> int(merge_models([whole, whole], [1, 2]).store.message_totals.sum())
    6
    """
    weights, names = weights or [1] * len(models), names or [f"model {i + 1}" for i in range(len(models))]
    for model, name in zip(models[1:], names[1:], strict=True):
        check_settings(models[0], model, names[0], name)
        check_same(models[0], model, names[0], name)
    stores = [scaled(model.store, times) for model, times in zip(models, weights, strict=True)]
    store = merge_stores(stores)
    _check_prior(models[0], store)
    largest = max(range(len(models)), key=lambda i: int(stores[i].message_totals.sum()))
    known = _remembered(models, weights)
    since = _since(models[largest], store)
    if store.labels != models[largest].labels:
        fresh = calibrations.identity(len(store.labels))
        line = Decision() if models[0].decision.max_fpr is not None else models[0].decision
        return replace(
            models[0],
            store=store,
            calibration=fresh,
            decision=line,
            metrics=None,
            seen_messages=known,
            change_history=since,
            correction=None,
        )
    figures = mark_outdated(models[largest].metrics, "merge")
    # A correction is of the same kind: that of the largest model, or none. So are the line that keeps to a
    # rate, the weight of a start and the share of known words below which ham is not said.
    return replace(
        models[0],
        store=store,
        calibration=models[largest].calibration,
        decision=models[largest].decision,
        metrics=figures,
        seen_messages=known,
        change_history=since,
        correction=models[largest].correction,
        base=models[largest].base,
        aged_until=models[largest].aged_until,
        min_known_words=models[largest].min_known_words,
    )


def _since(largest: SpamModel, store: CountStore) -> ChangeHistory:
    """What happened since the figures of the largest model: what the others have seen is new to them."""
    if largest.metrics is None:
        return largest.change_history
    more = int(store.message_totals.sum()) - int(largest.store.message_totals.sum())
    return largest.change_history.plus(ChangeHistory(learned=more))


def _remembered(models: Sequence[SpamModel], weights: Sequence[int]) -> SeenMessages | None:
    """The digests of all, each as often as its model counts; None if one of the models remembers nothing."""
    found = [model.seen_messages for model in models if model.seen_messages is not None]
    if len(found) < len(models):
        return None
    copies = sum(len(known) * (times - 1) for known, times in zip(found, weights, strict=True))
    if copies > _COPIES:
        raise ConfigError(
            f"the weights make {copies:,} copies of messages that a model remembers, more than {_COPIES:,}",
            hint="give smaller weights, or models that were trained with --no-digests",
        )
    return all_known([known.repeated(times) for known, times in zip(found, weights, strict=True)])


def merge_stores(stores: Sequence[CountStore]) -> CountStore:
    """All counts together, in one pass over the keys: the same as adding one store after the other."""
    stores = [store for store in stores if store.labels]
    if len(stores) < 2:
        return stores[0] if stores else CountStore.empty()
    labels = tuple(sorted({label for store in stores for label in store.labels}))
    totals = np.zeros(len(labels), np.int64)
    for store in stores:
        totals[align_classes(store, labels)] += store.message_totals
    each = [sum(s.token_totals.tolist()) + sum(s.message_totals.tolist()) for s in stores]
    if sum(each) > _LARGEST:  # as Python's numbers, which do not run over
        raise ConfigError("together the counts are larger than 2^63", hint="merge fewer models")
    columns, tokens = _columns_only(stores), merge_tokens(stores, labels)
    return CountStore(labels, totals, *tokens, columns.categories, columns.numbers)


def _columns_only(stores: Sequence[CountStore]) -> CountStore:
    """The categorical and numeric columns alone: they are small, so one is added after the other."""
    found = CountStore.empty()
    if not any(store.categories or store.numbers for store in stores):
        return found
    for store in stores:
        found = found.plus(store.columns_only())
    return found


def scaled(store: CountStore, times: int) -> CountStore:
    """The counts of the same messages seen `times` times."""
    if times < 1:
        raise ConfigError(
            f"a weight must be a whole number from 1 on, got {times}",
            hint="leave out a model that shall not count",
        )
    if times == 1:
        return store
    top = max(int(store.message_totals.max(initial=0)), int(store.token_totals.max(initial=0)))
    if top > _LARGEST // times:
        raise ConfigError(f"the weight {times} makes counts larger than 2^63", hint="give smaller weights")
    return CountStore(
        store.labels,
        store.message_totals * times,
        store.keys,
        store.kinds,
        store.tokens.astype(np.int64) * times,
        store.messages.astype(np.int64) * times,
        store.spellings,
        {
            c: {v: tuple(n * times for n in row) for v, row in vs.items()}
            for c, vs in store.categories.items()
        },
        {
            c: tuple(Moments(m.count * times, m.total * times, m.squares * times) for m in row)
            for c, row in store.numbers.items()
        },
    )


def check_settings(first: SpamModel, other: SpamModel, first_name: str, other_name: str) -> None:
    """Refuse models that would not read or score a message in the same way, and say what differs."""
    expected, got = ({**settings(model), **_line(model, beside)} for model, beside in _both(first, other))
    differ = [
        f"{_AS_OPTION.get(n, n)} is {got[n]!r}, expected {value!r}"
        for n, value in expected.items()
        if got[n] != value
    ]
    if differ:
        raise ModelError(
            f"{other_name} does not fit {first_name}: {'; '.join(differ)}",
            hint="merge models that were trained with the same options",
        )


def settings(model: SpamModel) -> dict[str, Any]:
    """How a model reads and scores: everything that was chosen rather than counted, but for the decision."""
    return {"positive": model.positive, **asdict(model.features), **asdict(model.scoring)}


def _both(first: SpamModel, other: SpamModel) -> list[tuple[SpamModel, SpamModel]]:
    return [(first, other), (other, first)]


def _line(model: SpamModel, beside: SpamModel) -> dict[str, Any]:
    """What was stated of a model's decision, as far as it must agree with that of another one.

    Training itself draws a line that keeps to a rate, or none where messages are too few for it, and lines
    of its own beside a start: those of the largest model are kept.
    """
    mine, other = model.decision, beside.decision
    if mine.max_fpr is not None and other.max_fpr is not None:
        return {"max_fpr": mine.max_fpr}
    drawn = mine.max_fpr is not None or other.max_fpr is not None
    if model.base is not None or beside.base is not None or (drawn and Decision() in (mine, other)):
        return {}
    return mine.to_dict()


def mark_outdated(figures: Mapping[str, Any] | None, by: str) -> dict[str, Any] | None:
    """Figures that were measured before the counts were changed: `before` lists what changed them.

    >>> mark_outdated({"accuracy": 0.9, "before": ["merge"]}, "prune")
    {'accuracy': 0.9, 'before': ['merge', 'prune']}
    """
    if figures is None:
        return None
    known = figures.get("before") or []
    return {**figures, "before": known if by in known else [*known, by]}


def _check_prior(model: SpamModel, store: CountStore) -> None:
    prior = model.scoring.prior
    if not isinstance(prior, str) and len(prior) != len(store.labels):
        raise ModelError(
            f"the models have a prior for {len(prior)} classes, together they have {len(store.labels)}: "
            f"{', '.join(store.labels)}",
            hint="train them with --class-prior learned or uniform",
        )

"""Merging models: their counts are added, as often as their weights say; nothing is averaged or rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from spamnb import calibration as calibrations
from spamnb.counts import CountStore
from spamnb.errors import ConfigError, ModelError
from spamnb.model import SpamModel
from spamnb.moments import Moments

_LARGEST = (1 << 63) - 1


def merge_models(
    models: Sequence[SpamModel], weights: Sequence[int] | None = None, names: Sequence[str] | None = None
) -> SpamModel:
    """The model that has seen what each of these has, model i `weights[i]` times.

    Calibration and figures cannot be added. They are those of the model with most messages, marked as from
    before the merge; if the classes are others now, there are none.

    >>> whole = SpamModel().learn(["win a prize", "see you"], ["spam", "ham"])
    >>> int(merge_models([whole, whole], [1, 2]).store.message_totals.sum())
    6
    """
    weights, names = weights or [1] * len(models), names or [f"model {i + 1}" for i in range(len(models))]
    for model, name in zip(models[1:], names[1:], strict=True):
        check_settings(models[0], model, names[0], name)
    stores = [scaled(model.store, times) for model, times in zip(models, weights, strict=True)]
    store = merge_stores(stores)
    _check_prior(models[0], store)
    largest = max(range(len(models)), key=lambda i: int(stores[i].message_totals.sum()))
    if store.labels != models[largest].labels:
        fresh = calibrations.identity(len(store.labels))
        return replace(models[0], store=store, calibration=fresh, figures=None)
    figures = outdated(models[largest].figures, "merge")
    return replace(models[0], store=store, calibration=models[largest].calibration, figures=figures)


def merge_stores(stores: Sequence[CountStore]) -> CountStore:
    """All counts together, neighbours first: each number is copied log n times, not n times."""
    level = list(stores) or [CountStore.empty()]
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [pair[0].plus(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0]


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
    expected, got = settings(first), settings(other)
    differ = [f"{n} is {got[n]!r}, expected {value!r}" for n, value in expected.items() if got[n] != value]
    if differ:
        raise ModelError(
            f"{other_name} does not fit {first_name}: {'; '.join(differ)}",
            hint="merge models that were trained with the same options",
        )


def settings(model: SpamModel) -> dict[str, Any]:
    """Everything that was chosen rather than counted."""
    parts = asdict(model.features) | asdict(model.scoring) | model.decision.to_dict()
    return {"positive": model.positive, **parts}


def outdated(figures: Mapping[str, Any] | None, by: str) -> dict[str, Any] | None:
    """Figures that were measured before the counts were changed: `before` lists what changed them.

    >>> outdated({"accuracy": 0.9, "before": ["merge"]}, "prune")
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
            hint="train them with --prior learned or uniform",
        )

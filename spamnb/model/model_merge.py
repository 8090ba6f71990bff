"""Merges models: adds their counts, each as often as its weight says; nothing is averaged or rounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from spamnb.counts import CountStore, merge_stores
from spamnb.errors import ConfigError, InputError, ModelError, counted, type_name
from spamnb.model import calibration as calibrations
from spamnb.model.base_model import check_same
from spamnb.model.change_history import ChangeHistory
from spamnb.model.decision import Decision
from spamnb.model.mail_knowledge import kind_of_model
from spamnb.model.seen_messages import SeenMessages, merge_seen
from spamnb.model.spam_model import SpamModel

# Settings that have another name on the command line.
_AS_OPTION = {
    "name": "scorer",
    "once": "counting once",
    "positive": "spam label",
    "ngram_smoothing_ratio": "smoothing of n-grams",
}
_MAX_DUPLICATES = 1 << 20  # digests of 8 bytes that weights may add


def merge_models(
    models: Sequence[SpamModel], weights: Sequence[int] | None = None, names: Sequence[str] | None = None
) -> SpamModel:
    """Returns the model that has learned the messages of all, those of model i `weights[i]` times.

    What was fitted cannot be added: calibration, threshold, metrics, correction, base weight and minimum of
    known words are those of the model with most messages, the metrics marked as outdated. Where the merged
    model has other classes than that one, nothing is fitted.

    >>> model = SpamModel().learn(["win a prize", "see you"], ["spam", "ham"])
    >>> int(merge_models([model, model], [1, 2]).store.message_totals.sum())
    6
    """
    models = _checked_models(models)
    weights, names = weights or [1] * len(models), names or [f"model {i + 1}" for i in range(len(models))]
    if len(weights) != len(models):
        raise InputError(f"{counted(len(models), 'model')} but {counted(len(weights), 'weight')}")
    _check_weights(weights)
    for model, name in zip(models[1:], names[1:], strict=True):
        check_same_settings(models[0], model, names[0], name)
        check_same(models[0], model, names[0], name)
    store = merge_stores([model.store for model in models], weights)
    _check_prior(models[0], store)
    largest = models[largest_model(models, weights)]
    fitted = _fitted_of(largest) if store.labels == largest.labels else _unfitted(models[0], store)
    mark = models[0].lesson_mark
    return replace(
        models[0],
        store=store,
        seen_messages=_merge_seen(models, weights),
        change_history=_history(largest, store),
        lesson_mark=None if mark is None else mark.replace(fixed=mark.last),
        **fitted,
    )


def largest_model(models: Sequence[SpamModel], weights: Sequence[int]) -> int:
    """Returns which model counts most messages: the merged model gets what was fitted for that one."""
    messages = [int(m.store.message_totals.sum()) * n for m, n in zip(models, weights, strict=True)]
    return messages.index(max(messages))


def fitted_parts(model: SpamModel) -> list[str]:
    """Names what training has fitted beside the counts."""
    parts = {
        "weight correction": model.correction is not None,
        "calibration": calibrations.is_fitted(model.calibration),
        "threshold": model.decision.max_fpr is not None,
        "base weight": model.base is not None,
        "minimum of known words": model.min_known_words is not None,
    }
    return [part for part, fitted in parts.items() if fitted]


def _checked_models(models: object) -> list[SpamModel]:
    """Returns the models as a list; refuses what is none."""
    if isinstance(models, str) or not isinstance(models, Iterable):
        raise InputError(f"expected a list of models, got {type_name(models)}", hint="merge_models([a, b])")
    listed = list(models)
    if not listed:
        raise InputError("there are no models to merge", hint="merge_models([a, b])")
    for i, model in enumerate(listed):
        if not isinstance(model, SpamModel):
            raise InputError(
                f"models[{i}] is {type_name(model)}; expected a SpamModel", hint="load it: spamnb.load(path)"
            )
    return listed


def _check_weights(weights: Sequence[int]) -> None:
    if min(weights) < 1:
        raise ConfigError(
            f"a weight must be a whole number from 1 on, got {min(weights)}",
            hint="leave out a model that should not count",
        )


def _fitted_of(model: SpamModel) -> dict[str, Any]:
    return {
        "calibration": model.calibration,
        "decision": model.decision,
        "metrics": mark_outdated(model.metrics, "merge"),
        "correction": model.correction,
        "base": model.base,
        "aged_until": model.aged_until,
        "min_known_words": model.min_known_words,
    }


def _unfitted(first: SpamModel, store: CountStore) -> dict[str, Any]:
    """Keeps the stated part of the decision: a threshold for a false positive rate was fitted."""
    return {
        "calibration": calibrations.identity(len(store.labels)),
        "decision": Decision() if first.decision.max_fpr is not None else first.decision,
        "metrics": None,
        "correction": None,
    }


def _history(largest: SpamModel, store: CountStore) -> ChangeHistory:
    """Counts the messages of the other models as learned after the metrics of the largest were measured."""
    if largest.metrics is None:
        return largest.change_history
    more = int(store.message_totals.sum()) - int(largest.store.message_totals.sum())
    return largest.change_history.plus(ChangeHistory(learned=more))


def _merge_seen(models: Sequence[SpamModel], weights: Sequence[int]) -> SeenMessages | None:
    """Returns the digests of all, each as often as its model counts; None if one model keeps none.

    Large weights would fill the memory: then each digest is there as often as fits, so that its message is
    recognised, and can be forgotten that often.
    """
    seen = [model.seen_messages for model in models if model.seen_messages is not None]
    if len(seen) < len(models):
        return None
    most = 1 + _MAX_DUPLICATES // max(1, sum(map(len, seen)))
    return merge_seen([part.repeated(min(times, most)) for part, times in zip(seen, weights, strict=True)])


def check_same_settings(first: SpamModel, other: SpamModel, first_name: str, other_name: str) -> None:
    """Refuses models that would not read or score a message in the same way, and reports what differs."""
    expected = _settings(first) | _stated_decision(first, other)
    others = _settings(other) | _stated_decision(other, first)
    differences = [
        f"{_AS_OPTION.get(n, n)} is {others[n]!r}, expected {value!r}"
        for n, value in expected.items()
        if others[n] != value
    ]
    kinds = kind_of_model(first), kind_of_model(other)
    if differences and kinds[0] != kinds[1]:
        raise ModelError(
            f"{first_name} is for {kinds[0]} and {other_name} for {kinds[1]}: their counts cannot be added",
            hint="keep both: commands without -m use one for text and one for mail",
        )
    if differences:
        raise ModelError(
            f"{other_name} does not fit {first_name}: {'; '.join(differences)}",
            hint="merge models that were trained with the same options",
        )


def _settings(model: SpamModel) -> dict[str, Any]:
    return {"positive": model.positive, **asdict(model.features), **asdict(model.scoring)}


def _stated_decision(model: SpamModel, other: SpamModel) -> dict[str, Any]:
    """Returns the part of a model's decision that has to agree with that of the other model.

    Training sets thresholds of its own: for a false positive rate, or with a base model. They may differ.
    """
    mine, its = model.decision, other.decision
    if mine.max_fpr is not None and its.max_fpr is not None:
        return {"max_fpr": mine.max_fpr}
    fitted = mine.max_fpr is not None or its.max_fpr is not None
    if model.base is not None or other.base is not None or (fitted and Decision() in (mine, its)):
        return {}
    return asdict(mine)


def mark_outdated(metrics: Mapping[str, Any] | None, by: str) -> dict[str, Any] | None:
    """Adds to `before`, which lists what changed the counts after the metrics were measured.

    >>> mark_outdated({"accuracy": 0.9, "before": ["merge"]}, "prune")
    {'accuracy': 0.9, 'before': ['merge', 'prune']}
    """
    if metrics is None:
        return None
    before = metrics.get("before") or []
    return {**metrics, "before": before if by in before else [*before, by]}


def _check_prior(model: SpamModel, store: CountStore) -> None:
    prior = model.scoring.prior
    if not isinstance(prior, str) and len(prior) != len(store.labels):
        raise ModelError(
            f"the models have a prior for {len(prior):,} classes, together they have {len(store.labels):,}: "
            f"{', '.join(store.labels)}",
            hint="train them with --class-prior learned or uniform",
        )

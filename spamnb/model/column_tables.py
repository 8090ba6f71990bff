"""Reads the columns of a model out as plain data: P(value|class), means and standard deviations."""

from __future__ import annotations

from typing import Any

import numpy as np

from spamnb.counts import is_pair
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import ColumnScores


def columns_of(model: SpamModel) -> dict[str, Any]:
    """Returns the numbers that columns are scored by, with the classes in the order of `labels`.

    `categorical`: of each column the messages with each value, P(value|c), and in a tree its parent and
    P(value|parent's value, c). `numeric`: messages, means and standard deviations. `joint`: the same with
    correlations where columns are scored together, else None; it is of messages that have every number.
    """
    scores, store = ColumnScores(model.store, model.scoring), model.store
    categorical = [name for name in store.categories if not is_pair(name)]
    numeric = [name for name in store.numbers if not is_pair(name)]
    return {
        "categorical": {name: _categorical(model, scores, name) for name in categorical},
        "numeric": {name: _numeric(model, scores, name) for name in numeric},
        "joint": _joint(scores) if numeric else None,
    }


def _categorical(model: SpamModel, scores: ColumnScores, name: str) -> dict[str, Any]:
    counts, by_parent = model.store.categories[name], dict[str, dict[str, list[float]]]()
    for (value, parent_value), log_p in scores.tree.conditional_log_p(name).items():
        by_parent.setdefault(parent_value, {})[value] = np.exp(log_p).tolist()
    values = {
        value: {"messages": list(counts[value]), "probabilities": np.exp(log_p).tolist()}
        for value, log_p in scores.category_log_p(name).items()
    }
    return {"values": values, "parent": scores.tree.parents.get(name), "given": by_parent}


def _numeric(model: SpamModel, scores: ColumnScores, name: str) -> dict[str, Any]:
    mean, sd = scores.mean_and_sd(name)
    return {
        "messages": [moments.count for moments in model.store.numbers[name]],
        "mean": mean.tolist(),
        "sd": sd.tolist(),
    }


def _joint(scores: ColumnScores) -> dict[str, Any] | None:
    if (joint := scores.joint) is None:
        return None
    return {
        "columns": joint.columns,
        "mean": joint.mean.tolist(),
        "sd": joint.scale.tolist(),
        "correlation": joint.correlation.tolist(),
        "least_sd": joint.narrowest.tolist(),
    }

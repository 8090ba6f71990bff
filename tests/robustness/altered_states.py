"""States of models in which parts are missing, doubled, exchanged, or of another type, shape or size."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from spamnb.model.base_model import BaseModel
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import age
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training.trainer import train
from tests.robustness.fuzz_parsers import altered

_TEXTS = [
    f"{word} {i % 7} now" for i, word in enumerate(["win a prize", "see you at", "free cash", "home by"] * 6)
]
_LABELS = ["spam", "ham"] * 12
_HUGE = 10**400  # no floating-point number is as large
_LONG = 10**4400  # Python does not print it
_NESTED = json.loads("[" * 60 + "]" * 60)

State = Any  # a dict; steps may replace any part of it


@cache
def good_states() -> tuple[State, ...]:
    """States of models with all parts that a model can have."""
    plain = train(_TEXTS, _LABELS)
    config = FeatureConfig(ngrams=1, categorical=("kind",), numeric=("size",))
    columns = {"kind": ["a", "b", "a"] * 8}, {"size": np.arange(24) / 3}
    tabled = SpamModel(config).learn(_TEXTS, _LABELS, *columns)
    many = train(_TEXTS * 2, ["a", "b", "c", "c"] * 12)
    less_naive = SpamModel(FeatureConfig.plain(2), ScorerConfig.of("less-naive")).learn(_TEXTS, _LABELS)
    aged = age(plain).learn(["another one"], ["ham"])
    large = merge_models([replace(tabled, seen_messages=None)], [1 << 40])
    models = (plain, tabled, many, less_naive, aged, _with_base(plain), large)
    return tuple(_with_lists(model.to_state()) for model in models)


def _with_lists(value: Any) -> Any:
    """A tree as it comes out of a file, which has no tuples."""
    if isinstance(value, dict):
        return {key: _with_lists(item) for key, item in value.items()}
    return [_with_lists(item) for item in value] if isinstance(value, (list, tuple)) else value


def _with_base(model: SpamModel) -> SpamModel:
    return replace(model, base=BaseModel.of("base of the tests", model))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where each value of a tree stands."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def at(state: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        state = state[key]
    return state


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a tree with another value at one place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], new)
    return copy


def _drop(dice: random.Random, state: State) -> State:
    path = dice.choice([p for p in places(state) if isinstance(p[-1], str)])
    parent = dict(at(state, path[:-1]))
    del parent[path[-1]]
    return put(state, path[:-1], parent)


def _add(dice: random.Random, state: State) -> State:
    """A key more, with a value that stands elsewhere."""
    spots = list(places(state))
    dicts = [(), *(p for p in spots if isinstance(at(state, p), dict))]
    path = dice.choice(dicts)
    name = dice.choice(["", "spam", "more", "keys", "\ud800", dice.choice(spots)[-1]])
    return put(state, path, {**at(state, path), str(name): at(state, dice.choice(spots))})


def _swap(dice: random.Random, state: State) -> State:
    """Two values, arrays more often than others, in each other's place."""
    spots = list(places(state))
    arrays = [p for p in spots if isinstance(at(state, p), np.ndarray)]
    one, two = (dice.choice(arrays if dice.random() < 0.7 else spots) for _ in range(2))
    if one[: len(two)] == two or two[: len(one)] == one:
        return state
    a, b = at(state, one), at(state, two)
    return put(put(state, one, b), two, a)


def _graft(dice: random.Random, state: State) -> State:
    """A value of another model in the same place."""
    other = dice.choice(good_states())
    both = [p for p in places(other) if p in set(places(state))]
    path = dice.choice(both)
    return put(state, path, at(other, path))


def _reshape(dice: random.Random, state: State) -> State:
    path = dice.choice([p for p in places(state) if isinstance(at(state, p), np.ndarray)])
    array = at(state, path)
    shapes: list[Callable[[np.ndarray], Any]] = [
        lambda x: x.reshape(-1),
        lambda x: x[None],
        lambda x: x[..., None],
        lambda x: x[:0],
        lambda x: x[:-1],
        lambda x: np.concatenate((x, x)),
        lambda x: x[::-1].copy(),
        lambda x: x.T.copy(),
        lambda x: x.sum(),  # a scalar becomes an array without dimensions below
        lambda x: x.astype("i8"),
        lambda x: x.astype("f8"),
        lambda x: x.astype("u8"),
        lambda x: x.astype("f8") * np.nan,
        lambda x: x.astype(bool),
        lambda x: np.zeros_like(x),
        lambda x: x.tolist(),
    ]
    new = dice.choice(shapes)(np.atleast_1d(array))
    return put(state, path, np.array(new) if isinstance(new, np.generic) else new)


def _scale(dice: random.Random, state: State) -> State:
    """All numbers of an array larger or smaller."""
    path = dice.choice([p for p in places(state) if isinstance(at(state, p), np.ndarray)])
    array = at(state, path)
    if array.dtype.kind not in "ui":
        return put(state, path, array * array.dtype.type(dice.choice((1e30, -1.0, 0.0))))
    factor = np.uint64(dice.choice((2, 1000, 1 << 31, 1 << 53, 1 << 62, 1 << 63)))
    return put(state, path, array.astype("u8") * factor)


def _number(dice: random.Random, state: State) -> State:
    numbers = [p for p in places(state) if type(at(state, p)) in (int, float)]
    edges = (0, -1, 1, 1 << 31, 1 << 63, 1 << 64, -(1 << 63), _HUGE, -_HUGE, _LONG, 0.0, -0.0, 1e-320, 1e308)
    return put(state, dice.choice(numbers), dice.choice((*edges, float("nan"), float("inf"), -float("inf"))))


def _label(dice: random.Random, state: State) -> State:
    texts = [p for p in places(state) if isinstance(at(state, p), str)]
    return put(
        state, dice.choice(texts), dice.choice(["", "ham", "spam", "x\n\x1b[2J", "\ud800", "a" * 70_000])
    )


def _nest(dice: random.Random, state: State) -> State:
    return put(state, dice.choice(list(places(state))), dice.choice((_NESTED, {"a": _NESTED}, [[[]]])))


def _any(dice: random.Random, state: State) -> State:
    new = altered(state, dice)
    return new if isinstance(new, dict) else state


STEPS = (_drop, _add, _swap, _swap, _graft, _reshape, _reshape, _scale, _number, _number, _label, _nest, _any)


def altered_state(dice: random.Random) -> State:
    """A copy of a good state after one to three such changes."""
    state = dice.choice(good_states())
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        with suppress(IndexError), np.errstate(all="ignore"):  # nothing may be left for a step to change
            state = dice.choice(STEPS)(dice, state)
    return state

"""Loads model files whose checksum is right and whose state is not, and does everything with those that load.

A mutant is the state of a good model in which parts are missing, doubled, exchanged, of another type or
shape, or hold numbers at the edges. It is refused with a ModelError, or every use of it works.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from spamnb.errors import ModelError, SpamnbError
from spamnb.messages import Chunk
from spamnb.model.base_model import BaseModel
from spamnb.model.inspection import row_dict
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import age, prune
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines, import_lines
from spamnb.report import dumps
from spamnb.report.prediction_lines import Jsonl
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.storage import model_file
from spamnb.training import Learner
from spamnb.training.trainer import train
from tests.robustness.child_process import SHM
from tests.robustness.fuzz_parsers import altered, try_model, with_checksum
from tests.robustness.result_row import Row

MUTANTS = 30_000
_TEXTS = [
    f"{word} {i % 7} now" for i, word in enumerate(["win a prize", "see you at", "free cash", "home by"] * 6)
]
_LABELS = ["spam", "ham"] * 12
_HUGE = 10**400  # no floating-point number is as large
_LONG = 10**4400  # Python does not print it
_NESTED = json.loads("[" * 60 + "]" * 60)

State = dict[str, Any]


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
    return tuple(model.to_state() for model in models)


def _with_base(model: SpamModel) -> SpamModel:
    return replace(model, base=BaseModel.of("base of the tests", model))


def seal(state: State) -> bytes:
    """A model file with this state and the right checksum, written as no part of spamnb would."""
    body = io.BytesIO()
    joblib.dump(
        {"format": model_file.FORMAT, "version": model_file.FORMAT_VERSION, **state}, body, protocol=4
    )
    return with_checksum(body.getvalue())


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
    found = list(places(state))
    dicts = [(), *(p for p in found if isinstance(at(state, p), dict))]
    path = dice.choice(dicts)
    name = dice.choice(["", "spam", "more", "keys", "\ud800", dice.choice(found)[-1]])
    return put(state, path, {**at(state, path), str(name): at(state, dice.choice(found))})


def _swap(dice: random.Random, state: State) -> State:
    """Two values, arrays more often than others, in each other's place."""
    found = list(places(state))
    arrays = [p for p in found if isinstance(at(state, p), np.ndarray)]
    one, two = (dice.choice(arrays if dice.random() < 0.7 else found) for _ in range(2))
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


def mutant(dice: random.Random) -> State:
    state = dice.choice(good_states())
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        with suppress(IndexError):  # nothing is left for this step to change
            state = dice.choice(STEPS)(dice, state)
    return state


def use(model: SpamModel, folder: Path) -> None:
    """Everything that a command does with a model; all JSON must be strict."""
    try_model(model)
    config = model.features
    columns = (
        {c: ["a", "new"] for c in config.categorical},
        {c: np.array([1.5, np.nan]) for c in config.numeric},
    )
    texts = ["win a prize", "see you"]
    labels = [model.labels[0], model.labels[-1]]
    predictions = model.score(texts, *columns)
    chunk = _chunk(texts, *columns)
    explain = lambda _, i: model.explain(
        texts[i], *({c: v[i : i + 1] for c, v in x.items()} for x in columns)
    )  # noqa: E731
    for line in Jsonl(explain).lines(chunk, predictions, np.arange(2)).splitlines():
        json.loads(line, parse_constant=_refuse)
    for line in export_lines(model):
        json.loads(line, parse_constant=_refuse)
    dumps(_inspected(model))
    again = SpamModel.from_state(model.to_state())  # what can be loaded can be saved and loaded again
    import_lines(list(export_lines(again)), "export")
    learned = again.learn(texts, labels, *columns)
    SpamModel.from_state(learned.forget(texts, labels, *columns).to_state())
    for changed in (age(model), prune(model, max_tokens=3), merge_models([model, model])):
        SpamModel.from_state(changed.to_state())
    _learn_in_file(folder, texts, labels, *columns)


def _learn_in_file(folder: Path, *given: Any) -> None:
    path = folder / "model.spamnb"
    with Learner(path) as learner:
        learner.learn(*given)
    SpamModel.load(path)
    for beside in (".journal", ".lock"):
        Path(f"{path}{beside}").unlink(missing_ok=True)


def _inspected(model: SpamModel) -> dict[str, Any]:
    from spamnb.model.inspection import Inspector, card

    inspector = Inspector(model)
    top = [row_dict(row) for label in model.labels for row in inspector.top(label, 3)]
    return {"card": card(model), "top": top, "words": [row_dict(row) for row in inspector.look_up(["prize"])]}


def _chunk(texts: list[str], categories: dict[str, list[str]], numbers: dict[str, Any]) -> Chunk:
    from spamnb.messages import Texts

    return Chunk(Texts.of(texts), np.arange(len(texts)), categories=categories, numbers=numbers)


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def fault(state: State, folder: Path) -> tuple[str, bool]:
    """What goes wrong with a state, and whether it was refused when it was loaded."""
    path = folder / "model.spamnb"
    path.write_bytes(seal(state))
    try:
        model = SpamModel.load(path)
    except ModelError as error:
        return (
            "" if error.hint and len(error.message) < 1000 else f"no hint, or too long: {error.message[:200]}"
        ), True
    except Exception as error:
        return f"load: {_described(error)}", False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # the user would see them
            use(model, folder)
    except SpamnbError:
        pass
    except Exception as error:
        return _described(error), False
    return "", False


def _described(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = next(frame for frame in reversed(frames) if "/spamnb/" in frame.filename or frame is frames[0])
    return f"{type(error).__name__}: {error!s:.200} ({Path(where.filename).name} line {where.lineno})"


def tried(seed: int, number: int, until: float = float("inf")) -> tuple[int, int, dict[str, int], float]:
    """How many mutants were tried and accepted, their faults, and the seconds of the worst one."""
    dice, accepted, faults, worst, done = random.Random(seed), 0, {}, 0.0, 0
    with tempfile.TemporaryDirectory(dir=SHM) as name:
        for _ in range(number):
            start = time.perf_counter()
            wrong, refused = fault(mutant(dice), Path(name))
            worst = max(worst, time.perf_counter() - start)
            accepted += not refused
            done += 1
            if wrong:
                faults[wrong] = faults.get(wrong, 0) + 1
            if time.perf_counter() > until:
                break
    return done, accepted, faults, worst


def rows(budget: float) -> list[Row]:
    """For the table of `make hardening`."""
    done, accepted, faults, worst = tried(1, MUTANTS, time.perf_counter() + budget)
    for wrong, times in sorted(faults.items(), key=lambda item: -item[1])[:5]:
        print(f"  {times} x {wrong}")
    what = f"states with a right checksum, {accepted:,} load"
    return [Row("altered models", what, done, sum(faults.values()), worst, 0.0)]


if __name__ == "__main__":
    import sys

    found = tried(*map(int, sys.argv[1:3]))
    print(f"{found[0]} mutants, {found[1]} load, the slowest took {found[3]:.2f} s")
    for text, times in sorted(found[2].items(), key=lambda item: -item[1]):
        print(times, text)

"""Loads model files whose checksum is right and whose state is not, and does everything with those that load.

    python -m tests.robustness.altered_models SEED NUMBER

Each is refused with a ModelError that has a hint, or every use of it works.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from spamnb.errors import ModelError, SpamnbError
from spamnb.messages import Chunk, Texts
from spamnb.model import columns_of, numbers_of, recompute
from spamnb.model.explanation import Explanation
from spamnb.model.inspection import Inspector, card, row_dict
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import age, prune
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.model.text_import import import_lines
from spamnb.report import dumps
from spamnb.report.prediction_jsonl import Jsonl
from spamnb.storage import model_file
from spamnb.training import Learner
from tests.robustness.altered_states import altered_state
from tests.robustness.child_process import SHM
from tests.robustness.fuzz_parsers import try_model, with_checksum
from tests.robustness.result_row import Row

MUTANTS = 25_000


def seal(state: Any) -> bytes:
    """A model file with this state and the right checksum, written as no part of spamnb would."""
    body = io.BytesIO()
    joblib.dump(
        {"format": model_file.FORMAT, "version": model_file.FORMAT_VERSION, **state}, body, protocol=4
    )
    return with_checksum(body.getvalue())


def use(model: SpamModel, folder: Path) -> None:
    """Everything that a command does with a model; all JSON must be strict."""
    try_model(model)
    categories = {column: ["a", "new"] for column in model.features.categorical}
    numbers = {column: np.array([1.5, np.nan]) for column in model.features.numeric}
    chunk = Chunk(Texts.of(["win a prize", "see you"]), np.arange(2), None, categories, numbers)
    columns = categories, numbers
    texts, labels = ["win a prize", "see you"], [model.labels[0], model.labels[-1]]

    def explain(_: Chunk, i: int) -> Explanation:
        values = {column: [words[i]] for column, words in categories.items()}
        return model.explain(texts[i], values, {column: n[i : i + 1] for column, n in numbers.items()})

    predictions = model.score(texts, *columns)
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


def _learn_in_file(folder: Path, *messages: Any) -> None:
    path = folder / "model.spamnb"
    with Learner(path) as learner:
        learner.learn(*messages)
    SpamModel.load(path)
    for beside in (".journal", ".lock"):
        Path(f"{path}{beside}").unlink(missing_ok=True)


def _inspected(model: SpamModel) -> dict[str, Any]:
    inspector = Inspector(model)
    top = [row_dict(row) for label in model.labels for row in inspector.top(label, 3)]
    words = [row_dict(row) for row in inspector.look_up(["prize"])]
    numbers = {"formula": asdict(inspector.formula), "columns": columns_of(model)}
    recomputed = recompute(numbers_of(model, "a prize"))
    return {"card": card(model), "top": top, "words": words, **numbers, "recomputed": recomputed._asdict()}


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def fault(state: Any, folder: Path) -> tuple[str, bool]:
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


def tried(seed: int, number: int) -> tuple[int, int, dict[str, int], float]:
    """How many mutants were tried and accepted, their faults, and the seconds of the worst one."""
    dice, faults = random.Random(seed), dict[str, int]()
    done, accepted, worst = 0, 0, 0.0
    with tempfile.TemporaryDirectory(dir=SHM) as name:
        for _ in range(number):
            start = time.perf_counter()
            wrong, refused = fault(altered_state(dice), Path(name))
            worst = max(worst, time.perf_counter() - start)
            accepted += not refused
            done += 1
            if wrong:
                faults[wrong] = faults.get(wrong, 0) + 1
    return done, accepted, faults, worst


def rows(budget: float) -> list[Row]:  # noqa: ARG001
    """For the table of `make hardening`; takes about four minutes, whatever the budget."""
    done, accepted, faults, worst = tried(1, MUTANTS)
    for wrong, times in sorted(faults.items(), key=lambda item: -item[1])[:5]:
        print(f"  {times} x {wrong}")
    what = f"states with a right checksum, {accepted:,} load"
    return [Row("altered models", what, done, sum(faults.values()), worst, 0.0)]


if __name__ == "__main__":
    result = tried(*map(int, sys.argv[1:3]))
    print(f"{result[0]} mutants, {result[1]} load, the slowest took {result[3]:.2f} s")
    for text, times in sorted(result[2].items(), key=lambda item: -item[1]):
        print(times, text)

"""Model states that no training writes: each wrong value is a damaged model, never a fault further on."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spamnb.errors import ModelError
from spamnb.model.model_state import read_metrics
from spamnb.model.spam_model import SpamModel
from spamnb.storage import model_file, update_journal
from spamnb.training.trainer import train

TEXTS, LABELS = (
    ["win a prize", "free cash now", "see you", "lunch at one"] * 6,
    ["spam", "spam", "ham", "ham"] * 6,
)


@pytest.fixture(scope="module")
def model() -> SpamModel:
    return train(TEXTS, LABELS)


ARRAY = np.zeros(3)
TABLE: dict[tuple[str, tuple[str, ...]], tuple[Any, ...]] = {
    ("features", ("ngrams", "chars", "shapes", "deobfuscate", "punctuation")): (ARRAY, "2", 1.5),
    ("features", ("categorical", "numeric", "patterns")): (ARRAY, "ab", [1]),
    ("scorer", ("name", "balance", "once")): (ARRAY, 1, None),
    ("scorer", ("alpha", "damping", "prior", "order", "ddof", "max_evidence", "max_token_weight")): (ARRAY,),
    ("scorer", ("name",)): ("nobody",),
    ("scorer", ("order",)): (True,),
    ("decision", ("log_odds_threshold", "max_fpr")): (0.1, float("nan")),
    ("calibration", ("slope", "offset")): (1e308, float("inf")),
    ("metrics", ("folds", "of", "accuracy")): (None, ARRAY, b"x", -1, "5"),
    ("metrics", ("recall", "log_loss")): (ARRAY, b"x", "5", float("nan")),
    ("metrics", ("before", "something", "false_positives")): ("merge", b"x", 2**70),
    ("metrics", ("refined",)): (5,),
}
WRONG = [(part, name, value) for (part, names), values in TABLE.items() for name in names for value in values]


@pytest.mark.parametrize(("part", "name", "value"), WRONG)
def test_a_wrong_value_is_a_damaged_model(model: SpamModel, part: str, name: str, value: Any) -> None:
    state = model.to_state()
    state[part] = {**state[part], name: value}
    with pytest.raises(ModelError, match=r"damaged") as caught:
        SpamModel.from_state(state)
    assert caught.value.hint == "train the model again"


def test_the_right_values_are_good(model: SpamModel) -> None:
    assert SpamModel.from_state(model.to_state()).predict(TEXTS) == model.predict(TEXTS)
    assert SpamModel.from_state(replace(model, metrics=None).to_state()).metrics is None
    several = train(TEXTS * 2, ["a", "b", "c", "c"] * 12)
    assert several.metrics is not None
    assert "classes" in several.metrics
    assert SpamModel.from_state(several.to_state()).metrics == several.metrics


@pytest.mark.parametrize("name", ["folds", "sample", "of", "accuracy", "ham", "false_positives"])
def test_a_missing_figure_is_seen(model: SpamModel, name: str) -> None:
    assert model.metrics is not None
    with pytest.raises(ModelError, match="the metrics in the model are damaged: one is missing"):
        read_metrics({key: value for key, value in model.metrics.items() if key != name})


@pytest.mark.parametrize(
    ("name", "value"), [("classes", [{}]), ("classes", [1]), ("confusion", [[-1]]), ("confusion", 5)]
)
def test_wrong_figures_of_several_classes(name: str, value: object) -> None:
    good = {"folds": 5, "sample": 9, "of": 9, "accuracy": 0.5, "classes": [{"label": "a", "f1": None}]}
    assert read_metrics(good) == good
    with pytest.raises(ModelError, match=f"the metrics in the model are damaged: {name} is"):
        read_metrics({**good, name: value})


def test_a_journal_takes_no_more_memory_than_it_has_bytes(
    model: SpamModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To ask for a gigabyte, the most that a journal may have, failed where memory is limited."""
    asked: list[int] = []
    model.save(path := tmp_path / "m.spamnb")
    Path(update_journal.path_of(path)).write_bytes(b"x" * 10)
    opened = open

    def watched(*given: Any, **named: Any) -> Any:
        file = opened(*given, **named)
        if not isinstance(given[0], int):
            return file
        read = file.read
        return _Reader(file, lambda size: asked.append(size) or read(size))  # type: ignore[func-returns-value]

    monkeypatch.setattr(update_journal, "open", watched, raising=False)
    with pytest.raises(ModelError, match="is damaged: byte 0"):
        update_journal.read(path, model_file.checksum_of(path))
    assert asked == [os.path.getsize(update_journal.path_of(path))]


class _Reader:
    """A file whose reads are seen."""

    def __init__(self, file: Any, read: Any) -> None:
        self.file, self.read = file, read

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

"""Model states that no training writes: each wrong value is a damaged model, never a fault further on."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spamnb._version import __version__
from spamnb.errors import ModelError
from spamnb.model.model_state import read_metrics
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig
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
    ("scorer", ("alpha", "max_evidence", "max_token_weight")): (10**400, -1, float("nan")),
    ("decision", ("log_odds_threshold", "max_fpr")): (0.1, float("nan")),
    ("decision", ("threshold", "unsure_from", "cost_fp")): ("0.5", 10**400, np.array(0.5), float("nan")),
    ("decision", ("more",)): (1.0,),
    ("calibration", ("slope", "offset")): (1e308, float("inf"), 10**400, "1", np.array(1.0), True),
    ("calibration", ("note",)): (5, None),
    ("metrics", ("accuracy",)): (1.5, -0.5, 1, float("nan")),
    ("metrics", ("of",)): (0,),
    ("metrics", ("confusion",)): (np.array(5), np.zeros(3), np.full((2, 2), np.nan)),
    ("change_history", ("learned", "classified")): (-1, 10**400, 1.0),
    ("change_history", ("loss",)): (float("inf"), float("nan"), -1.0, 0),
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


def test_a_model_of_two_classes_looks_for_one_of_them(model: SpamModel) -> None:
    with pytest.raises(ModelError) as caught:
        SpamModel.from_state(model.to_state() | {"positive": "news"})
    assert caught.value.message == "the model looks for 'news', expected one of ['ham', 'spam']"
    assert caught.value.hint == "train the model again"
    other = SpamModel().learn(["a", "b"], ["no", "yes"])  # which is made for spam
    assert SpamModel.from_state(other.to_state()).positive == "yes"
    assert SpamModel.from_state(other.to_state()).predict(["a", "b"]) == other.predict(["a", "b"])


@pytest.mark.parametrize("part", ["exact", "stale"])
@pytest.mark.parametrize(
    "digests",
    [
        {"ham": np.array([2, 1], "<u8")},
        {"news": np.array([1], "<u8")},
        {"ham": np.array(1, "<u8")},
        {"ham": [1]},
    ],
    ids=["not ascending", "of no class", "without dimensions", "a list"],
)
def test_digests_fit_the_counts(model: SpamModel, part: str, digests: Any) -> None:
    state = model.to_state()
    state["seen_messages"] = {**state["seen_messages"], part: digests}
    with pytest.raises(ModelError, match="the model's digests are damaged") as caught:
        SpamModel.from_state(state)
    assert caught.value.hint == "train the model again"


def test_no_class_has_more_digests_than_messages(model: SpamModel) -> None:
    state = model.to_state()
    state["seen_messages"] = {"exact": {"ham": np.arange(13, dtype="<u8")}, "stale": {}}
    with pytest.raises(ModelError, match="the model's digests are damaged"):
        SpamModel.from_state(state)
    state["seen_messages"] = {"exact": {}, "stale": {"ham": np.arange(13, dtype="<u8")}}
    SpamModel.from_state(state)  # of an aged model, whose counts were halved


def test_a_correction_goes_with_a_scorer_that_adds_up_weights() -> None:
    other = SpamModel(FeatureConfig.plain(2), ScorerConfig.of("less-naive")).learn(TEXTS, LABELS)
    weights = np.zeros(other.store.vocabulary, np.float32)
    correction = {"weights": weights, "bias": 0.0, "label": "spam", "messages": 1}
    with pytest.raises(ModelError, match="a correction does not fit the scorer less-naive"):
        SpamModel.from_state(other.to_state() | {"correction": correction})


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
    query: list[int] = []
    model.save(path := tmp_path / "m.spamnb")
    Path(update_journal.path_of(path)).write_bytes(b"x" * 10)
    opened = open

    def watched(*arguments: Any, **named: Any) -> Any:
        file = opened(*arguments, **named)
        if not isinstance(arguments[0], int):
            return file
        read = file.read
        return _Reader(file, lambda size: query.append(size) or read(size))  # type: ignore[func-returns-value]

    monkeypatch.setattr(update_journal, "open", watched, raising=False)
    with pytest.raises(ModelError, match="is damaged: byte 0"):
        update_journal.read(path, model_file.checksum_of(path))
    assert query == [os.path.getsize(update_journal.path_of(path))]


class _Reader:
    """A file whose reads are seen."""

    def __init__(self, file: Any, read: Any) -> None:
        self.file, self.read = file, read

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


@pytest.mark.parametrize(
    ("name", "value", "newer", "damage"),
    [
        ("scorer", {"colour": "red"}, "colour is unknown", "the settings in the model are damaged: "),
        ("colour", 1, "the model has an unknown part: 'colour'", ""),
    ],
)
def test_what_a_newer_program_wrote_is_no_damage(
    model: SpamModel, name: str, value: Any, newer: str, damage: str
) -> None:
    message = damage + newer
    state = model.to_state()
    state[name] = {**state[name], **value} if name in state else value
    for version, expected in (
        ("99.1", f"the model was written by a newer spamnb (99.1, this is {__version__}): {newer}"),
        (__version__, message),
        ("99.1 or so", message),
    ):
        with pytest.raises(ModelError) as caught:
            SpamModel.from_state({**state, "written_by": version})
        assert caught.value.message == expected
        upgrade = "upgrade spamnb, or " if expected != message else ""
        assert caught.value.hint == f"{upgrade}train the model again"

"""Cross-validation by subtraction: each fold is scored as by a model that never saw it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.core.arrays import FloatArray
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.message_digest import word_digests
from spamnb.model.scoring_engine import Engine
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import REGISTRY
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training import sampling
from spamnb.training.cross_validation import cross_validated_scores, folds
from spamnb.training.sampling import Sample
from spamnb.training.trainer import Trainer


@dataclass
class Data:
    """Labelled messages with columns, some of them copies of others."""

    texts: list[str]
    labels: list[str]
    senders: list[str]
    sizes: FloatArray

    def pick(self, rows: list[int]) -> Data:
        return Data(
            [self.texts[i] for i in rows],
            [self.labels[i] for i in rows],
            [self.senders[i] for i in rows],
            self.sizes[rows],
        )

    def __len__(self) -> int:
        return len(self.texts)


def data_of(classes: int, size: int = 72, seed: int = 1) -> Data:
    rng = np.random.default_rng(seed)
    labels = [("ham", "spam", "news")[i % classes] for i in range(size)]
    texts = []
    for i, label in enumerate(labels):
        words = (rng.zipf(1.4, int(rng.integers(1, 9))) + 3 * len(label)) % 30
        texts.append(" ".join(f"w{w}" for w in words.tolist()) if i % 9 else "A copy, w1!" + "?" * (i % 2))
    senders = rng.choice(["", "a.example", "b.example"], size).tolist()
    return Data(texts, labels, senders, np.where(rng.random(size) < 0.1, np.nan, rng.normal(size=size)))


def trained(data: Data, trainer: Trainer, batches: int = 1) -> tuple[SpamModel, Sample]:
    """The model before calibration and its sample."""
    for rows in np.array_split(np.arange(len(data)), batches):
        part = data.pick(rows.tolist())
        columns = trainer.features.categorical, trainer.features.numeric
        categories = {"sender": part.senders} if columns[0] else {}
        numbers = {"size": part.sizes} if columns[1] else {}
        trainer.add(Texts.of(part.texts), part.labels, categories, numbers)
    model, sample = trainer.counted()
    assert sample is not None
    return model, sample


def check_folds(data: Data, trainer: Trainer, k: int, batches: int = 1) -> None:
    """Out-of-fold scores, fold by fold, against a model that learned the other folds alone."""
    model, sample = trained(data, trainer, batches)
    scores = cross_validated_scores(model.store, trainer.scoring, sample, k)
    fold = folds(sample, k)
    kept = sampled_rows(data, sample)
    for f in range(k):
        mine = np.flatnonzero(fold == f)
        out = {kept[i] for i in mine.tolist()}
        rest = data.pick([i for i in range(len(data)) if i not in out])
        part = data.pick([kept[i] for i in mine.tolist()])
        other = SpamModel(trainer.features, trainer.scoring).learn(
            rest.texts, rest.labels, {"sender": rest.senders}, {"size": rest.sizes}
        )
        assert other.labels == model.labels
        batch = extract(Texts.of(part.texts), trainer.features)
        senders = dict.fromkeys(trainer.features.categorical, part.senders)
        sizes = dict.fromkeys(trainer.features.numeric, part.sizes)
        scored = Engine(other.store, trainer.scoring).score(batch, senders, sizes)  # damped, not calibrated
        np.testing.assert_allclose(scores.damped[mine], scored.damped, rtol=1e-12, atol=1e-12)
        assert scores.known[mine].tolist() == scored.known.tolist()


def sampled_rows(data: Data, sample: Sample) -> list[int]:
    """Which messages are in the sample, in its order: those whose digest is."""
    digests = word_digests(extract(Texts.of(data.texts), FeatureConfig.plain()))
    inside = set(sample.digests.tolist())
    rows = [i for i, digest in enumerate(digests.tolist()) if digest in inside]
    assert len(rows) == len(sample)
    return rows


def features_for(name: str, columns: bool = False, order: int = 1) -> FeatureConfig:
    given_columns = {"categorical": ("sender",), "numeric": ("size",)} if columns else {}
    return FeatureConfig(ngrams=order + 1 if name == "less-naive" else 2, **given_columns)  # type: ignore[arg-type]


@pytest.mark.parametrize("columns", [False, True], ids=["text", "with columns"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", REGISTRY)
def test_as_if_trained_on_the_other_folds(name: str, classes: int, columns: bool) -> None:
    trainer = Trainer(features_for(name, columns), ScorerConfig.of(name))
    check_folds(data_of(classes), trainer, 5)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_any_number_of_folds(k: int) -> None:
    check_folds(data_of(2), Trainer(FeatureConfig(), ScorerConfig()), k, batches=4)


@pytest.mark.parametrize(
    "settings",
    [{"alpha": 0.0}, {"balance": "weight"}, {"prior": "uniform"}, {"once": True, "damping": 0.5}],
    ids=str,
)
@pytest.mark.parametrize("name", REGISTRY)
def test_any_settings(name: str, settings: dict[str, object]) -> None:
    trainer = Trainer(features_for(name), ScorerConfig.of(name, **settings))
    check_folds(data_of(2), trainer, 4)


def test_less_naive_of_order_2() -> None:
    scoring = ScorerConfig.of("less-naive", order=2)
    check_folds(data_of(3), Trainer(features_for("less-naive", True, 2), scoring), 3, batches=3)


def test_a_sample_of_the_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLE", 200)
    monkeypatch.setattr(sampling, "WHOLE", 0)
    trainer = Trainer(features_for("multinomial", True), ScorerConfig())
    data = data_of(2, 500)
    model, sample = trained(data, trainer, 5)
    assert 50 <= len(sample) <= 200
    assert int(model.store.message_totals.sum()) == 500
    check_folds(data, Trainer(features_for("multinomial", True), ScorerConfig()), 3, batches=5)


def test_the_sample_stays_small_and_copies_stay_together() -> None:
    size = sampling.WHOLE + sampling.SAMPLE
    texts = [f"number {i % (size // 2)}" for i in range(size)]
    trainer = Trainer(FeatureConfig.plain())
    for start in range(0, len(texts), 4_000):
        part = texts[start : start + 4_000]
        trainer.add(Texts.of(part), [("ham", "spam")[len(t) % 2] for t in part])
    _, sample = trainer.counted()
    assert sample is not None
    assert 0.8 * sampling.SAMPLE < len(sample) <= sampling.SAMPLE <= 20_000
    _, copies = np.unique(sample.digests, return_counts=True)
    assert set(copies.tolist()) == {2}


def test_a_sample_of_nothing_but_copies_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLE", 20)
    monkeypatch.setattr(sampling, "WHOLE", 0)
    trainer = Trainer(FeatureConfig.plain())
    trainer.add(Texts.of(["win"] * 30), ["spam"] * 30)
    assert trainer.messages == 30


def sample_of(texts: list[str], labels: list[str]) -> Sample:
    trainer = Trainer(FeatureConfig.plain())
    trainer.add(Texts.of(texts + ["x"] * 10 + ["y"] * 10), labels + ["ham"] * 10 + ["spam"] * 10)
    _, sample = trainer.counted()
    assert sample is not None
    return sample


rows = st.lists(
    st.tuples(st.sampled_from(["a", "b b", "c", "d", "e f", "f e", "F, e!", ""]), st.booleans()), max_size=30
)


@given(rows, st.integers(2, 6))
def test_equal_texts_never_straddle_folds(given_rows: list[tuple[str, bool]], k: int) -> None:
    sample = sample_of([t for t, _ in given_rows], ["spam" if s else "ham" for _, s in given_rows])
    fold = folds(sample, k)
    where: dict[tuple[int, int], int] = {}
    for digest, label, f in zip(sample.digests.tolist(), sample.labels.tolist(), fold.tolist(), strict=True):
        assert where.setdefault((digest, label), f) == f
        assert 0 <= f < k


@given(rows, st.integers(2, 6), st.randoms(use_true_random=False))
def test_folds_do_not_depend_on_the_order(given_rows: list[tuple[str, bool]], k: int, random: object) -> None:
    mixed = list(given_rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]

    def fold_by_text(listed: list[tuple[str, bool]]) -> dict[tuple[int, int], int]:
        sample = sample_of([t for t, _ in listed], ["spam" if s else "ham" for _, s in listed])
        pairs = zip(sample.digests.tolist(), sample.labels.tolist(), strict=True)
        return dict(zip(pairs, folds(sample, k).tolist(), strict=True))

    assert fold_by_text(given_rows) == fold_by_text(mixed)


def test_folds_are_of_like_size() -> None:
    sample = sample_of([f"text {i}" for i in range(100)], ["ham", "spam"] * 50)
    sizes = np.bincount(folds(sample, 5)[:100])
    assert sizes.min() >= 18


def test_one_text_with_two_labels_is_in_one_fold() -> None:
    """Otherwise a held-out text is scored by a model that has seen it, under the other label."""
    texts = [f"text {i}" for i in range(30)] + [f"only ham {i}" for i in range(7)]
    sample = sample_of(texts + texts[:30], ["ham"] * 37 + ["spam"] * 30)
    fold = folds(sample, 5)
    assert fold[:30].tolist() == fold[37:67].tolist()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_class_of_nothing_but_copies_with_a_column(classes: int) -> None:
    """Its fold leaves no message of the class: the others still get their scores."""
    names = ["spam", "ham", "news"][:classes]
    texts = ["win"] * 12 + [f"{name} w{i}" for name in names[1:] for i in range(12)]
    labels = [name for name in names for _ in range(12)]
    trainer = Trainer(FeatureConfig(categorical=("sender",)))
    trainer.add(Texts.of(texts), labels, {"sender": [label[0] for label in labels]})
    model, sample = trainer.counted()
    assert sample is not None
    scores = cross_validated_scores(model.store, trainer.scoring, sample, 5)
    assert scores.damped.shape == (12 * classes, classes)
    spam = model.labels.index("spam")
    fold = folds(sample, 5)
    assert np.isneginf(scores.damped[fold == fold[0]][:, spam]).all()
    assert np.isfinite(scores.damped[fold != fold[0]]).all()


def test_nothing_but_copies_in_every_class() -> None:
    """The first fold is everything: nothing is left to score it with, and no warning is given."""
    trainer = Trainer(FeatureConfig.plain())
    trainer.add(Texts.of(["win"] * 12 + ["ok"] * 12), ["spam"] * 12 + ["ham"] * 12)
    model = trainer.finish()
    assert math.isfinite(float(model.log_odds(["win"])[0]))
    assert model.predict(["win", "ok"]) == ["spam", "ham"]

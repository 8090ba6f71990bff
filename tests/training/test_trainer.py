"""Training: the same input gives the same bytes, honest figures, and clear refusals."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spamnb import metrics
from spamnb.counts.count_state import to_state
from spamnb.errors import ConfigError, DataError
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.calibration import Platt, Temperature
from spamnb.model.decision import Decision
from spamnb.model.message_digest import word_digests
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import REGISTRY
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training import sampling
from spamnb.training.fit_calibration import USUAL_SLOPE
from spamnb.training.trainer import Trainer, train
from tests.helpers.count_stores import identical
from tests.helpers.paths import ROOT
from tests.helpers.texts import sms_corpus


def corpus(size: int = 80, classes: int = 2, seed: int = 4) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    labels = [("ham", "spam", "news")[i % classes] for i in range(size)]
    texts = [
        " ".join(f"w{w}" for w in ((rng.zipf(1.5, 6) + 4 * len(label)) % 40).tolist()) for label in labels
    ]
    return texts, labels


def saved(model: SpamModel, folder: Path, name: str = "m.spamnb") -> bytes:
    path = folder / name
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("name", REGISTRY)
def test_the_same_data_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    texts, labels = corpus()
    first, second = (saved(train(texts, labels, scoring=ScorerConfig.of(name)), tmp_path) for _ in range(2))
    assert first == second


def test_the_seed_of_python_hashes_changes_no_byte(tmp_path: Path) -> None:
    script = (
        "import sys; from tests.training.test_trainer import corpus; from spamnb import train;"
        "train(*corpus(classes=3)).save(sys.argv[1])"
    )
    files = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.spamnb"
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", script, str(path)], check=True, env=env)
        files.append(path.read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize("classes", [2, 3])
def test_the_order_of_messages_and_classes_changes_nothing(classes: int) -> None:
    texts, labels = corpus(classes=classes)
    there, back = train(texts, labels), train(texts[::-1], labels[::-1])
    by_class = sorted(range(len(texts)), key=lambda i: labels[i], reverse=True)
    grouped = train([texts[i] for i in by_class], [labels[i] for i in by_class])
    for other in (back, grouped):
        identical(there.store, other.store)
        np.testing.assert_allclose(there.log_odds(texts), other.log_odds(texts), rtol=1e-9, atol=1e-9)
        assert other.metrics is not None
        assert there.metrics is not None
        assert other.metrics["accuracy"] == there.metrics["accuracy"]


def test_batches_change_nothing(tmp_path: Path) -> None:
    texts, labels = corpus(90, 3)
    whole, parts = Trainer(), Trainer()
    whole.add(Texts.of(texts), labels)
    for start in range(0, 90, 7):
        parts.add(Texts.of(texts[start : start + 7]), labels[start : start + 7])
    assert saved(whole.finish(), tmp_path, "a") == saved(parts.finish(), tmp_path, "b")
    assert whole.messages == parts.messages == 90


def test_training_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    train(*corpus())
    assert capfd.readouterr() == ("", "")


def test_learning_is_training_without_folds() -> None:
    texts, labels = corpus()
    trained = train(texts, labels, training=TrainingConfig(folds=0))
    identical(trained.store, SpamModel().learn(texts, labels).store)
    assert trained.metrics is None
    assert trained.calibration == Platt()


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a", "b"], ["ham", "ham"], "training needs messages of at least two classes, but all 2 are 'ham'"),
        (["a"], ["spam"], "training needs messages of at least two classes, but all 1 are 'spam'"),
        ([], [], "training needs messages of at least two classes, but there are none"),
    ],
)
def test_too_few_classes(texts: list[str], labels: list[str], message: str) -> None:
    with pytest.raises(DataError) as caught:
        train(texts, labels)
    assert caught.value.message == message
    assert caught.value.hint == "pass messages of another class too"
    trainer = Trainer()
    trainer.add(Texts.of(texts), labels)
    with pytest.raises(DataError) as caught:
        trainer.finish()
    assert (caught.value.message, caught.value.hint) == (
        message,
        "check the label column (--label-column) and which label means spam (--spam-label)",
    )


def test_messages_and_labels_of_different_length() -> None:
    with pytest.raises(DataError) as caught:
        train(["a", "b"], ["ham"])
    assert caught.value.message == "2 messages but 1 label"


@pytest.mark.parametrize("folds", [1, -1])
def test_a_number_of_folds_that_makes_no_sense(folds: int) -> None:
    with pytest.raises(ConfigError) as caught:
        train(["a", "b"], ["ham", "spam"], training=TrainingConfig(folds=folds))
    assert caught.value.message == f"folds must be 0 or at least 2, got {folds}"


def test_less_naive_needs_its_ngrams() -> None:
    with pytest.raises(ConfigError) as caught:
        Trainer(FeatureConfig.plain(2), ScorerConfig.of("less-naive", order=2))
    assert caught.value.message == "less-naive of order 2 needs --ngrams 3, got 2"
    assert caught.value.hint == "use --ngrams 3"
    with pytest.raises(ConfigError) as caught:
        train(["a", "b"], [1, 0], scoring=ScorerConfig.of("less-naive", order=2))
    assert (caught.value.message, caught.value.hint) == (
        "less-naive of order 2 needs ngrams=3, got 2",
        "use ngrams=3",
    )


def test_few_messages_give_no_figures() -> None:
    texts, labels = corpus(18)
    few = train(texts, labels)
    assert few.metrics is None
    assert few.calibration == Platt(USUAL_SLOPE)
    undamped = train(texts, labels, scoring=ScorerConfig(damping=0))
    assert undamped.calibration == Platt()
    enough = train(*corpus(20))
    assert enough.metrics is not None
    assert enough.calibration != Platt()


@pytest.mark.parametrize("classes", [2, 3])
def test_figures_say_what_they_rest_on(classes: int) -> None:
    model = train(*corpus(90, classes), training=TrainingConfig(folds=3))
    assert model.metrics is not None
    assert (model.metrics["folds"], model.metrics["sample"], model.metrics["of"]) == (3, 90, 90)
    assert isinstance(model.calibration, Platt if classes == 2 else Temperature)


def test_figures_follow_the_decision() -> None:
    texts, labels = corpus(200)
    easy = train(texts, labels, decision=Decision(0.01)).metrics
    strict = train(texts, labels, decision=Decision(0.99)).metrics
    assert easy is not None
    assert strict is not None
    assert easy["roc_auc"] == strict["roc_auc"]
    assert easy["recall"] > strict["recall"]


@pytest.mark.parametrize("name", REGISTRY)
@pytest.mark.parametrize("classes", [2, 3])
def test_training_without_smoothing(name: str, classes: int) -> None:
    """Scores of minus infinity are no reason to warn, nor may they spoil the calibration."""
    texts, labels = corpus(90, classes)
    model = train(texts, labels, scoring=ScorerConfig.of(name, alpha=0.0))
    assert model.metrics is not None
    calibration = model.calibration
    size = calibration.slope if isinstance(calibration, Platt) else calibration.scale
    assert 1e-6 < size < 1e6


class TestColumnsOnly:
    """Data with no text at all, as Play Tennis."""

    FEATURES = FeatureConfig(ngrams=1, shapes=False, categorical=("sky",))

    def trainer(self, size: int) -> Trainer:
        trainer = Trainer(self.FEATURES, ScorerConfig.of("categorical"))
        skies = ["sunny", "rain", "sunny", "rain", "fog"] * (size // 5)
        labels = ["ham", "spam", "ham", "spam", "spam"] * (size // 5)
        trainer.add(Texts.of([""] * size), labels, {"sky": skies})
        return trainer

    def test_figures(self) -> None:
        model = self.trainer(60).finish()
        assert model.predict(["", "", ""], {"sky": ["sunny", "rain", "snow"]}) == ["ham", "spam", "unsure"]
        assert model.metrics is None or model.metrics["accuracy"] > 0.9

    def test_more_rows_than_the_sample_holds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = []
        keep = sampling.SampleBlock.keep

        def counted(part: sampling.SampleBlock, limit: int) -> sampling.SampleBlock:
            calls.append(limit)
            assert len(calls) < 1000, "the sample never becomes small enough: training would not end"
            return keep(part, limit)

        monkeypatch.setattr(sampling, "SAMPLE", 40)
        monkeypatch.setattr(sampling, "WHOLE", 0)
        monkeypatch.setattr(sampling.SampleBlock, "keep", counted)
        model = self.trainer(60).finish()
        assert int(model.store.message_totals.sum()) == 60


class TestDigests:
    def digests(self, texts: list[str]) -> list[int]:
        return [int(d) for d in word_digests(extract(Texts.of(texts), FeatureConfig.plain()))]

    def test_order_case_and_punctuation_do_not_count(self) -> None:
        assert len(set(self.digests(["win a prize", "Prize: a WIN!", "a  win prize"]))) == 1

    def test_words_and_their_number_count(self) -> None:
        assert len(set(self.digests(["a", "a a", "b", "", "a b"]))) == 5

    def test_the_batch_does_not_count(self) -> None:
        texts = ["", "a b", "", "c", ""]
        assert self.digests(texts) == [self.digests([t])[0] for t in texts]

    def test_different_words_of_the_same_letters(self) -> None:
        assert len(set(self.digests(["a d", "b c"]))) == 2


def test_the_positive_class_of_other_names() -> None:
    texts, labels = corpus()
    for ham, spam in (("no", "yes"), ("yes", "no")):
        names = [{"ham": ham, "spam": spam}[label] for label in labels]
        model = train(texts, names, positive=spam)
        assert model.positive == spam
        assert model.predict([texts[1]]) == [spam]
        with pytest.raises(DataError) as caught:
            train(texts, names)
        assert str(caught.value) == "cannot tell which label means spam: no, yes"
        assert caught.value.hint == "pass the one that does: positive='no' or positive='yes'"
    with pytest.raises(DataError) as caught:
        train(texts, labels, positive="junk")
    assert (str(caught.value), caught.value.hint) == (
        "no message has the label 'junk'",
        "the labels are ham, spam",
    )


@pytest.mark.parametrize(
    ("spam", "ham"), [("fake", "legit"), ("junk", "wanted"), ("bad", "good"), ("1", "0")]
)
def test_words_tell_the_positive_class(spam: str, ham: str) -> None:
    texts, labels = corpus()
    model = train(texts, [{"ham": ham, "spam": spam}[label] for label in labels])
    assert (model.labels, model.positive) == (("ham", "spam"), "spam")
    assert model.score([texts[1]]).probability[0] > 0.5


def test_no_class_is_called_unsure() -> None:
    with pytest.raises(DataError) as caught:
        train(["win", "see"], ["unsure", "ham"])
    assert str(caught.value) == (
        'the label "unsure" cannot be a class: it is the verdict on uncertain messages'
    )


def test_calibration_makes_probabilities_honest() -> None:
    """On ten random halves of SMS Spam Collection the mean expected calibration error falls."""
    labels, texts = sms_corpus()
    before, after = zip(*(_calibration_of(labels, texts, seed) for seed in range(10)), strict=True)
    (ece_before, loss_before), (ece_after, loss_after) = np.mean(before, axis=0), np.mean(after, axis=0)
    assert ece_after < 0.7 * ece_before
    assert ece_after < 0.02
    assert loss_after < 0.5 * loss_before


def _calibration_of(labels: list[str], texts: list[str], seed: int) -> list[tuple[float, float]]:
    """Calibration error and log loss on messages not trained on, without and with the calibration."""
    order = np.random.default_rng(seed).permutation(len(texts)).tolist()
    known, unseen = order[:3000], order[3000:]
    model = train([texts[i] for i in known], [labels[i] for i in known])
    truth = np.array([labels[i] == "spam" for i in unseen])
    raw = replace(model, calibration=Platt())
    scores = [each.score([texts[i] for i in unseen]).probability for each in (raw, model)]
    return [(metrics.ece(truth, p), metrics.log_loss(truth, p)) for p in scores]


def test_figures_foretell_new_messages() -> None:
    labels, texts = sms_corpus()
    model = train(texts[:3000], labels[:3000])
    truth = np.array([label == "spam" for label in labels[3000:]])
    result = model.score(texts[3000:])
    assert model.metrics is not None
    assert metrics.roc_auc(truth, result.log_odds) == pytest.approx(model.metrics["roc_auc"], abs=0.01)
    flagged = np.array([label == "spam" for label in result.labels])
    accuracy = float((flagged == truth).mean())
    assert accuracy == pytest.approx(model.metrics["accuracy"], abs=0.01)


def test_the_counts_of_the_sms_corpus_fit_the_words() -> None:
    labels, texts = sms_corpus()
    store = train(texts, labels, features=FeatureConfig.plain(), training=TrainingConfig(folds=0)).store
    state = to_state(store)
    assert state["labels"] == ["ham", "spam"]
    assert store.message_totals.tolist() == [labels.count("ham"), labels.count("spam")]

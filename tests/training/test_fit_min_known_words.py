"""Ham is not said where unusually few words are known, no spam is lost by that, and it is told why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spamnb.errors import ModelError
from spamnb.evaluation.on_data import evaluate_chunks
from spamnb.messages import Chunk, Texts
from spamnb.model.decision import Decision
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import age, prune
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.model.text_import import import_lines
from spamnb.report.prediction_jsonl import Jsonl
from spamnb.report.prediction_lines import evidence_text
from spamnb.settings import TrainingConfig
from spamnb.training.cross_validation import folds
from spamnb.training.fit_min_known_words import ENOUGH, known_word_shares, lowest_usual
from spamnb.training.trainer import Trainer, train

FOREIGN = "ich komme heute etwas spaeter nach hause und bringe noch brot mit see"
FOREIGN_SPAM = "prize winner sie haben heute gewonnen rufen sie jetzt gleich unsere nummer an"


def corpus(n: int = 700, seed: int = 4) -> tuple[list[str], list[str]]:
    """Words of a small language; one message in twenty has words that nobody else uses."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for i in range(n):
        spam = i % 3 == 0
        words = [f"{'s' if spam else 'h'}{int(w)}" for w in rng.integers(0, 30, 3)]
        words += [f"w{int(w)}" for w in rng.integers(0, 60, 6)]
        words += ["prize", "winner"] if spam else ["see", "you"]
        words += [f"new{i}x{j}" for j in range(int(rng.integers(0, 40)))] if i % 20 == 0 else []
        texts.append(" ".join(words))
        labels.append("spam" if spam else "ham")
    return texts, labels


TEXTS, LABELS = corpus()


@pytest.fixture(scope="module")
def model() -> SpamModel:
    return train(TEXTS, LABELS)


def test_what_has_few_known_words_is_unsure_and_says_so(model: SpamModel) -> None:
    predictions = model.score([FOREIGN, TEXTS[1], "qwrtz", FOREIGN_SPAM])
    assert predictions.labels == ["unsure", "ham", "unsure", "spam"]  # few known words can speak for spam
    assert predictions.unsure_reason(0) == "few known words: 1 of 13"
    assert [predictions.unsure_reason(i) for i in (1, 2, 3)] == ["", "nothing in it is known", ""]
    assert replace(model, min_known_words=None).predict([FOREIGN]) == ["ham"]
    explanation = model.explain(FOREIGN)
    assert (explanation.unsure_reason, explanation.lacks_evidence) == ("few known words: 1 of 13", True)
    assert not model.explain(TEXTS[1]).lacks_evidence
    doubtful = replace(model, decision=Decision(1.0, unsure_from=0.0))
    assert doubtful.score([TEXTS[0]]).unsure_reason(0) == "too close to call"
    assert not doubtful.explain(TEXTS[0]).lacks_evidence


def test_the_shares_are_those_of_models_without_the_fold() -> None:
    trainer = Trainer(keep_texts=True, training=TrainingConfig(refine="no"))
    trainer.add(Texts.of(TEXTS), LABELS)
    counted, sample = trainer.counted()
    assert sample is not None
    assert sample.texts is not None
    shares, fold = known_word_shares(counted, sample, 5), folds(sample, 5)
    for f in range(5):
        rows = np.flatnonzero(fold == f)
        texts = sample.texts.select(rows)
        lean = counted.forget(texts, [counted.labels[sample.labels[i]] for i in rows.tolist()])
        words = replace(lean, min_known_words=0.5).score(texts).scored.words
        assert words is not None
        np.testing.assert_array_equal(shares[rows], words.share)


def test_one_ham_in_200_becomes_unsure_and_nothing_else_changes(model: SpamModel) -> None:
    trainer = Trainer()
    trainer.add(Texts.of(TEXTS), LABELS)
    counted, sample = trainer.counted()
    assert sample is not None
    settled, held_out = trainer.calibrated(counted, sample)
    assert settled.min_known_words == model.min_known_words
    assert settled.min_known_words is not None
    assert held_out.share is not None
    before = settled.decide(held_out.log_odds, held_out.known).codes
    after = settled.decide(held_out.log_odds, held_out.known, held_out.share).codes
    moved = before != after
    assert 0 < moved.sum() <= 0.005 * len(before)
    assert set(before[moved].tolist()) == {0}
    assert settled.metrics is not None
    assert settled.metrics["unsure"] == int((after == 2).sum())
    assert settled.metrics["accuracy"] == pytest.approx(float(((after == 1) == (held_out.truth == 1)).mean()))


def test_evaluating_counts_it_too(model: SpamModel) -> None:
    texts = [FOREIGN, *TEXTS[:50]]
    chunk = Chunk(Texts.of(texts), np.arange(51), ["ham", *LABELS[:50]])
    assert evaluate_chunks(model, [chunk]).scores.unsure == model.predict(texts).count("unsure") == 1


def test_few_messages_measure_no_doubt() -> None:
    few = train(TEXTS[:200], LABELS[:200])
    assert few.metrics is not None
    assert few.min_known_words is None
    assert train(TEXTS, LABELS, training=TrainingConfig(folds=0)).min_known_words is None
    three = train([*TEXTS, *["daily news"] * 20], [*LABELS, *["news"] * 20])
    assert three.min_known_words is None


def test_the_limit_is_never_above_one_half() -> None:
    assert lowest_usual(np.full(ENOUGH, 0.9)) == 0.5
    assert lowest_usual(np.array([0.0] * 5 + [1.0] * 195)) == 0.0


def test_it_is_kept_in_files(model: SpamModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    assert SpamModel.load(tmp_path / "m").predict([FOREIGN]) == ["unsure"]
    back = import_lines(b"".join(export_lines(model)).split(b"\n"), "x")
    assert back.min_known_words == model.min_known_words
    without = SpamModel.from_state({**model.to_state(), "min_known_words": None})
    assert without.predict([FOREIGN]) == ["ham"]


@pytest.mark.parametrize("value", [0.0, 1.5, float("nan"), "half", 1])
def test_a_damaged_one_is_refused(model: SpamModel, value: object) -> None:
    with pytest.raises(ModelError, match="min_known_words"):
        SpamModel.from_state({**model.to_state(), "min_known_words": value})


def test_what_changes_the_counts(model: SpamModel) -> None:
    assert model.learn([FOREIGN], ["ham"]).predict([FOREIGN]) == ["ham"]
    assert prune(model, max_tokens=50).min_known_words is None  # more words are unknown then
    assert age(model).min_known_words is None
    assert (
        prune(model, max_tokens=10**6).min_known_words
        == age(model, 0).min_known_words
        == model.min_known_words
    )
    small = replace(train(TEXTS[:60], LABELS[:60]), min_known_words=0.1)
    assert merge_models([small, model]).min_known_words == model.min_known_words


def test_what_a_start_knows_is_known(model: SpamModel) -> None:
    german = train([FOREIGN] * 12 + ["gewonnen"] * 12, ["ham"] * 12 + ["spam"] * 12)
    started = train(TEXTS, LABELS, base=german, training=TrainingConfig(base_weight=0.1))
    assert started.min_known_words is not None
    assert started.predict([FOREIGN]) == ["ham"]
    assert model.predict([FOREIGN]) == ["unsure"]


def test_the_outputs_tell_why(model: SpamModel) -> None:
    chunk = Chunk(Texts.of([FOREIGN, TEXTS[1]]), np.arange(2))
    lines = Jsonl().lines(chunk, model.score(chunk.texts), np.arange(2)).decode().splitlines()
    assert '"unsure_reason": "few known words: 1 of 13"' in lines[0]
    assert "unsure_reason" not in lines[1]
    assert evidence_text(model.explain(FOREIGN)).startswith("few known words: 1 of 13; ")
    assert evidence_text(model.explain(TEXTS[1])).startswith("see")

"""The worst mistakes: found while messages stream by, explained by the model that made them."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from spamnb import SpamModel, train
from spamnb.evaluation.mistakes import MistakeCollector, out_of_fold_mistakes
from spamnb.evaluation.on_data import Evaluation, cross_validate, evaluate_chunks
from spamnb.evaluation.summary import summarize
from spamnb.messages import Chunk, Texts
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.training.trainer import Trainer
from tests.helpers.paths import SMALL_SMS


def sample() -> tuple[list[str], list[str]]:
    with open(SMALL_SMS, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def chunks(texts: list[str], labels: list[str], size: int) -> list[Chunk]:
    return [
        Chunk(
            Texts.of(texts[i : i + size]), np.arange(i, min(i + size, len(texts))) + 2, labels[i : i + size]
        )
        for i in range(0, len(texts), size)
    ]


def test_the_worst_are_the_same_in_chunks_of_any_size() -> None:
    texts, labels = sample()
    model = train(texts[::2], labels[::2])
    rows = []
    for size in (7, 1000):
        worst = MistakeCollector(model, limit=3)
        evaluate_chunks(model, chunks(texts[1::2], labels[1::2], size), worst.observe)
        rows.append([(m.truth, m.verdict, m.text, m.source) for m in worst.worst()])
    assert rows[0] == rows[1]
    assert len(rows[0]) == 6


def test_the_worst_by_hand() -> None:
    texts, labels = sample()
    model = train(texts[::2], labels[::2])
    worst = MistakeCollector(model, limit=2)
    evaluation = evaluate_chunks(model, chunks(texts[1::2], labels[1::2], 50), worst.observe)
    lost = [
        (odds, text)
        for odds, text, label, verdict in zip(
            evaluation.log_odds, texts[1::2], labels[1::2], model.predict(texts[1::2]), strict=True
        )
        if (label, verdict) == ("ham", "spam")
    ]
    first, second, *_ = sorted(lost, reverse=True)
    shown = [m for m in worst.worst() if m.truth == "ham"]
    assert [m.text for m in shown] == [first[1], second[1]]
    assert shown[0].explanation is not None
    assert shown[0].explanation.log_odds == pytest.approx(first[0], abs=1e-9)
    assert shown[0].source == f"line {texts[1::2].index(first[1]) + 2}"


def evaluated(k: int, labels: list[str] | None = None, **settings: object) -> Evaluation:
    texts, names = sample()
    trainer = Trainer(keep_texts=True, training=TrainingConfig(folds=k), **settings)  # type: ignore[arg-type]
    for chunk in chunks(texts, labels or names, 100):
        trainer.add(chunk.texts, chunk.labels or [])
    return cross_validate(trainer)


@pytest.mark.parametrize("k", [2, 5])
def test_out_of_fold_mistakes_have_the_score_that_was_measured(k: int) -> None:
    evaluation = evaluated(k)
    assert evaluation.held_out is not None
    texts, _ = sample()
    measured = dict(zip(texts, evaluation.held_out.log_odds.tolist(), strict=True))
    worst = out_of_fold_mistakes(evaluation, k, limit=10)
    assert len(worst) == 20
    for mistake in worst:
        assert mistake.explanation is not None
        assert mistake.explanation.log_odds == pytest.approx(measured[mistake.text], abs=1e-9)
        total = mistake.explanation.bias + sum(part.log_odds for part in mistake.explanation.evidence)
        assert total == pytest.approx(mistake.explanation.log_odds, abs=1e-9)


def test_all_mistakes_are_found_if_all_are_asked_for() -> None:
    evaluation = evaluated(5)
    shown = summarize(evaluation, "x", out_of_fold_mistakes(evaluation, 5, limit=10_000))
    assert shown.mistakes is not None
    assert len(shown.mistakes) == shown.wrong > 20


def test_more_than_two_classes() -> None:
    texts, names = sample()
    labels = [
        "long" if label == "ham" and len(text) > 70 else label
        for text, label in zip(texts, names, strict=True)
    ]
    evaluation = evaluated(3, labels)
    worst = out_of_fold_mistakes(evaluation, 3, limit=5)
    assert len(worst) == 5
    assert all(m.truth != m.verdict or m.verdict == "unsure" for m in worst)
    assert [m.wrongness for m in worst] == sorted((m.wrongness for m in worst), reverse=True)


def test_a_fold_with_all_of_a_class_is_passed_over() -> None:
    texts = [f"word{i} hello" for i in range(20)] + ["win a prize"] * 12
    trainer = Trainer(keep_texts=True, training=TrainingConfig(folds=2))
    trainer.add(Texts.of(texts), ["ham"] * 20 + ["spam"] * 12)
    evaluation = cross_validate(trainer)
    assert all(m.truth == "ham" for m in out_of_fold_mistakes(evaluation, 2))


def test_columns_and_tags_are_part_of_the_explanation() -> None:
    texts = Texts.of([b"hello there number%d" % i for i in range(40)])
    subjects = Texts.of([b"offer %d" % i if i % 2 else b"lunch %d" % i for i in range(40)])
    tagged = texts.replace(tags={"subject": subjects}, subjects=tuple(subjects.tolist()))
    labels = ["spam" if i % 2 else "ham" for i in range(40)]
    labels[0], labels[1] = "spam", "ham"
    senders = ["shop" if i % 2 else "friend" for i in range(40)]
    trainer = Trainer(
        FeatureConfig(categorical=("sender",)), keep_texts=True, training=TrainingConfig(folds=4)
    )
    trainer.add(tagged, labels, {"sender": senders})
    worst = out_of_fold_mistakes(cross_validate(trainer), 4)
    assert {m.subject for m in worst} >= {"lunch 0", "offer 1"}
    assert worst[0].explanation is not None
    tokens = {part.token for part in worst[0].explanation.evidence}
    assert "subject:offer" in tokens
    assert any("sender" in token for token in tokens)


def test_texts_joined_keep_their_tags() -> None:
    one = Texts.of([b"a", b"b"])
    tagged = one.replace(tags={"subject": Texts.of([b"x", b"y"])}, subjects=(b"x!", b"y\n?"))
    joined = Texts.concat([tagged, Texts.of([b"c"])])
    assert joined.tolist() == [b"a", b"b", b"c"]
    assert joined.tags["subject"].tolist() == [b"x", b"y", b""]
    assert [joined.subject(row) for row in range(3)] == ["x!", "y ?", ""]
    assert joined.select(np.array([1])).subject(0) == "y ?"


def test_without_keeping_texts_nothing_is_kept() -> None:
    trainer = Trainer()
    trainer.add(Texts.of(["win"] * 10 + ["see"] * 10), ["spam"] * 10 + ["ham"] * 10)
    evaluation = cross_validate(trainer)
    assert evaluation.sample is not None
    assert evaluation.sample.texts is None
    assert isinstance(evaluation.model, SpamModel)

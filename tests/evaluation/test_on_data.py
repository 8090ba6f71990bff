"""Checks how a model is measured on data: every chunk is read and tokenised once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from spamnb.errors import DataError
from spamnb.evaluation.on_data import evaluate_chunks
from spamnb.messages import Chunk, Texts
from spamnb.model.spam_model import SpamModel
from tests.helpers.texts import calls_of_extract

TEXTS = ["win a prize", "free prize", "see you", "ok see"]
LABELS = ["spam", "spam", "ham", "ham"]


def chunks(*batches: list[int]) -> Iterator[Chunk]:
    for rows in batches:
        texts = Texts.of([TEXTS[i] for i in rows])
        yield Chunk(texts, np.array(rows) + 2, [LABELS[i] for i in rows])


def test_each_message_is_tokenised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SpamModel().learn(TEXTS[:3], LABELS[:3])
    calls = calls_of_extract(monkeypatch)
    evaluate_chunks(model, chunks([0, 1], [2, 3]))
    assert calls == [[b"win a prize", b"free prize"], [b"see you", b"ok see"]]


def test_messages_of_the_training_data_are_counted() -> None:
    model = SpamModel().learn(TEXTS[:3], LABELS[:3])
    assert evaluate_chunks(model, chunks([0, 3], [1])).seen == 2
    assert evaluate_chunks(model, chunks([3])).seen == 0


def test_chunks_are_measured_together() -> None:
    model = SpamModel().learn(TEXTS, LABELS)
    one, two = evaluate_chunks(model, chunks([0, 1, 2, 3])), evaluate_chunks(model, chunks([0], [1, 2, 3]))
    assert one.scores == two.scores
    assert one.truth.tolist() == two.truth.tolist() == [1.0, 1.0, 0.0, 0.0]


def test_nothing_to_evaluate() -> None:
    model = SpamModel().learn(TEXTS, LABELS)
    with pytest.raises(DataError, match="there is nothing to evaluate"):
        evaluate_chunks(model, [])


def test_unknown_labels_are_named() -> None:
    chunk = Chunk(Texts.of(["x"]), np.array([2]), ["news"])
    with pytest.raises(DataError, match="labels that the model does not know: news; it knows ham, spam"):
        evaluate_chunks(SpamModel().learn(TEXTS, LABELS), [chunk])

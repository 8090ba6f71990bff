"""Held-out parts, streams and learning curves: what is classified was never learned before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.errors import DataError
from spamnb.evaluation.prequential import score_stream
from spamnb.evaluation.protocols import (
    SIZES,
    LabelledData,
    evaluate_holdout,
    evaluate_online,
    learning_curve,
    shuffled,
    split,
)
from spamnb.features import extract
from spamnb.messages import Chunk, Texts
from spamnb.model.decision import SPAM
from spamnb.model.scoring_engine import Engine
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.default_evidence_limit import MAX_EVIDENCE, with_usual_limit
from spamnb.training.trainer import Trainer
from spamnb.tuning.setting_grid import Candidate
from tests.helpers.labelled_data import EVERY, assert_same_scores, labelled

MORE = [
    Candidate("words", FeatureConfig.plain(), ScorerConfig(balance="weight")),
    Candidate("order 2", FeatureConfig(ngrams=3, shapes=False), ScorerConfig.of("less-naive", order=2)),
]


def chunks(texts: list[str], labels: list[str], size: int = 40) -> list[Chunk]:
    starts = range(0, len(texts), size)
    return [
        Chunk(
            Texts.of(texts[b : b + size]), np.arange(len(texts[b : b + size])) + b + 1, labels[b : b + size]
        )
        for b in starts
    ]


def gathered(size: int = 150, classes: int = 2) -> LabelledData:
    return LabelledData.of(chunks(*labelled(size, classes)))


# --- streams


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("setting", [*EVERY, *MORE], ids=lambda s: s.name)
def test_each_message_is_scored_by_those_before_it(setting: Candidate, classes: int) -> None:
    texts, labels = labelled(60, classes)
    texts[20], texts[33] = "?", "!!!"
    stream = score_stream(
        [(c.texts, c.labels or []) for c in chunks(texts, labels, 25)], setting.features, setting.scoring
    )
    begin = max(labels.index(name) for name in set(labels)) + 1
    assert stream.begin == begin < 20
    assert not stream.scores.known[:begin].any()
    whole = SpamModel(setting.features, setting.scoring).learn(texts, labels).store
    scoring = with_usual_limit(setting.scoring, setting.features, whole)
    for t in range(begin, len(texts)):
        store = SpamModel(setting.features).learn(texts[:t], labels[:t]).store
        engine = Engine(store, scoring, positive="spam")
        expected = engine.score(extract(Texts.of([texts[t]]), setting.features))
        assert_same_scores(stream.scores.damped[t : t + 1], expected)
        assert stream.scores.known[t] == expected.known[0]
    assert stream.store.tokens.tolist() == whole.tokens.tolist()


@given(
    st.lists(
        st.tuples(st.sampled_from(["ham", "spam"]), st.text("ab 1!", min_size=1, max_size=8)),
        min_size=2,
        max_size=12,
    )
)
def test_any_stream(rows: list[tuple[str, str]]) -> None:
    labels, texts = [label for label, _ in rows], [text for _, text in rows]
    stream = score_stream([(Texts.of(texts), labels)], FeatureConfig(), ScorerConfig())
    for t in range(stream.begin, len(rows)):
        if len(set(labels)) == 2:
            store = SpamModel().learn(texts[:t], labels[:t]).store
            engine = Engine(store, ScorerConfig(max_evidence=MAX_EVIDENCE), positive="spam")
            expected = engine.score(extract(Texts.of([texts[t]]), FeatureConfig()))
            assert_same_scores(stream.scores.damped[t : t + 1], expected)


@pytest.mark.parametrize("classes", [2, 3])
def test_figures_of_a_stream(classes: int) -> None:
    data = gathered(classes=classes)
    stream = evaluate_online(data, Trainer())
    assert stream.scores.messages == 150
    assert [step["learned"] for step in stream.steps] == list(range(15, 151, 15))
    assert stream.notes[0] == "each message classified by a model of those before it, then learned"
    assert stream.notes[1].endswith("messages are duplicates (same words)")
    assert stream.scores.accuracy > 1 / classes


def test_the_future_has_no_say() -> None:
    """Changing the last messages changes no answer before them, calibration included."""
    texts, labels = labelled(150)
    other = [*texts[:100], *("w39 w38 !" for _ in range(50))]
    turned = [*labels[:100], *("spam" if label == "ham" else "ham" for label in labels[100:])]
    one = evaluate_online(LabelledData.of(chunks(texts, labels)), Trainer())
    two = evaluate_online(LabelledData.of(chunks(other, turned)), Trainer())
    assert one.log_odds[:100].tolist() == two.log_odds[:100].tolist()
    assert one.log_odds[100:].tolist() != two.log_odds[100:].tolist()


def test_each_message_of_a_stream_is_decided_by_the_threshold_of_its_time() -> None:
    """The verdicts before do not change with the last messages, though the last threshold does."""
    texts, labels = labelled(150)
    other = [*texts[:100], *(text for text, label in zip(texts, labels, strict=True) if label == "spam")][
        :150
    ]
    swapped = [*labels[:100], *["ham"] * (len(other) - 100)]
    strict = TrainingConfig(max_fpr=0.01, max_fpr_is_default=True)
    one = evaluate_online(LabelledData.of(chunks(texts, labels)), Trainer(training=strict))
    two = evaluate_online(LabelledData.of(chunks(other, swapped)), Trainer(training=strict))
    assert one.held_out is not None
    assert two.held_out is not None
    before, after = one.held_out.verdicts, two.held_out.verdicts
    assert before is not None
    assert after is not None
    assert before.codes[:100].tolist() == after.codes[:100].tolist()
    assert one.model.decision.log_odds_threshold != two.model.decision.log_odds_threshold
    spam = one.held_out.truth == one.model.labels.index("spam")
    assert one.scores.recall == (before.codes[spam] == SPAM).mean()  # type: ignore[union-attr]


# --- held-out parts


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_a_split_is_stratified_and_keeps_copies_together(share: float, seed: int) -> None:
    data = gathered(300)
    learned, classified = split(data, share, seed)
    assert sorted([*learned.tolist(), *classified.tolist()]) == list(range(300))
    assert not set(data.digests[learned].tolist()) & set(data.digests[classified].tolist())
    for c in (0, 1):  # by different texts, each under its first label
        every = {int(d) for d in data.digests[data.truth == c]} - (
            {int(d) for d in data.digests[data.truth == 0]} if c else set()
        )
        chosen = every & {int(d) for d in data.digests[classified]}
        assert len(chosen) == round(share * len(every))


def test_seeds_give_other_splits_and_the_order_of_the_data_none() -> None:
    texts, labels = labelled(200)
    data = LabelledData.of(chunks(texts, labels))
    turned = LabelledData.of(chunks(texts[::-1], labels[::-1]))
    one, two = split(data, 0.3, 0)[1], split(data, 0.3, 1)[1]
    assert one.tolist() != two.tolist()
    assert sorted((199 - split(turned, 0.3, 0)[1]).tolist()) == one.tolist()


def test_holdout_is_training_on_one_part_and_judging_the_other() -> None:
    texts, labels = labelled(200)
    data = LabelledData.of(chunks(texts, labels))
    learned, classified = split(data, 0.3, 7)
    trainer = Trainer()
    trainer.add(Texts.of([texts[i] for i in learned]), [labels[i] for i in learned])
    expected = trainer.finish().log_odds([texts[i] for i in classified])
    evaluation = evaluate_holdout(data, Trainer, 0.3, 7)
    np.testing.assert_allclose(evaluation.log_odds, expected, rtol=1e-12)
    assert evaluation.notes[0] == f"{len(learned)} training messages, {len(classified)} test messages"
    assert evaluation.notes[1] == "30% of the texts of each class held out, duplicates together, seed 7"


def test_a_learning_curve_ends_where_holdout_is() -> None:
    data = gathered(400)
    evaluation, last = learning_curve(data, Trainer, 0.3, 0), evaluate_holdout(data, Trainer, 0.3, 0)
    assert evaluation.scores == last.scores
    assert len(evaluation.steps) == SIZES
    sizes = [step["learned"] for step in evaluation.steps]
    assert sizes == sorted(sizes)
    assert sizes[-1] == len(split(data, 0.3, 0)[0])
    assert evaluation.steps[-1]["accuracy"] == last.scores.accuracy


def test_places_are_by_chance_within_a_class() -> None:
    data = gathered(200)
    place, of = shuffled(data, 3)
    assert (place < of).all()
    assert len({(int(d), int(p)) for d, p in zip(data.digests, place, strict=True)}) == len(
        set(data.digests.tolist())
    )


def test_too_little_to_split() -> None:
    with pytest.raises(DataError, match="no training messages of a class are left when 30% are held out"):
        split(LabelledData.of(chunks(["win", "see you", "see"], ["spam", "ham", "ham"])), 0.3, 0)
    with pytest.raises(DataError, match="at least two classes, got 1"):
        LabelledData.of(chunks(["win", "prize"], ["spam", "spam"]))

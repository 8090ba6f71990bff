"""Tests that candidates counted once score as if each had been trained alone, and the paired test."""

from __future__ import annotations

import numpy as np
import pytest

from spamnb.errors import ConfigError, DataError
from spamnb.evaluation.on_data import cross_validate
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig, flags
from spamnb.training import sampling
from spamnb.training.cross_validation import duplicates_note
from spamnb.training.trainer import Trainer
from spamnb.tuning import setting_grid
from spamnb.tuning.comparison import CandidateResult, evaluate_candidate, paired_p, rank, resampled
from spamnb.tuning.objectives import Answers, objective
from spamnb.tuning.setting_grid import Candidate
from tests.helpers.labelled_data import EVERY, counted, grid_of, labelled
from tests.helpers.texts import sms_corpus

MORE = [
    Candidate("words", FeatureConfig(ngrams=1), ScorerConfig()),
    Candidate("plain", FeatureConfig.plain(), ScorerConfig(alpha=1.0)),
    Candidate("plain poisson", FeatureConfig.plain(), ScorerConfig.of("poisson")),
    Candidate("trigrams", FeatureConfig(ngrams=3), ScorerConfig.of("bernoulli")),
    Candidate("order 2", FeatureConfig(ngrams=3, shapes=False), ScorerConfig.of("less-naive", order=2)),
    Candidate("characters", FeatureConfig(chars=3), ScorerConfig(balance="weight")),
]


@pytest.mark.parametrize("classes", [2, 3])
def test_one_count_gives_what_each_setting_gives_alone(classes: int) -> None:
    data = labelled(classes=classes)
    grid = grid_of([*EVERY, *MORE], data)
    for setting in (*EVERY, *MORE):
        trainer = Trainer(setting.features, setting.scoring, training=TrainingConfig(refine="no"))
        trainer.add(Texts.of(data[0]), data[1])
        expected, actual = cross_validate(trainer), evaluate_candidate(grid, setting)
        assert actual.scores == expected.scores, setting.name
        np.testing.assert_allclose(actual.answers.log_odds, expected.log_odds, rtol=1e-12, atol=1e-12)


def test_folds_that_do_not_fit_into_memory_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    data, order = labelled(), [*EVERY, *MORE, *EVERY[::-1]]
    before = [evaluate_candidate(grid_of([*EVERY, *MORE], data), s).scores for s in order]
    monkeypatch.setattr(setting_grid, "_MAX_ENTRIES", 0)
    grid = grid_of([*EVERY, *MORE], data)
    assert [evaluate_candidate(grid, s).scores for s in order] == before
    assert len(grid._counted) == 2


def test_a_sample_of_many_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLE", 60)
    monkeypatch.setattr(sampling, "WHOLE", 0)
    grid = grid_of([*EVERY, *MORE], labelled(300))
    assert len(grid.truth) <= 60 < grid.total == 300
    assert grid.notes()[-1] == f"tested on a sample of {len(grid.truth)} of 300 messages"
    assert all(len(evaluate_candidate(grid, s).answers.truth) == len(grid.truth) for s in EVERY)


@pytest.mark.parametrize("setting", [*EVERY, *MORE], ids=lambda s: s.name)
def test_the_model_of_a_setting_is_that_of_train(setting: Candidate) -> None:
    data = labelled()
    grid = grid_of([*EVERY, *MORE], data)
    trainer = Trainer(setting.features, setting.scoring)
    trainer.add(Texts.of(data[0]), data[1])
    (mine, _), its = grid.evaluate_refined(setting), trainer.finish()
    assert mine.store.keys.tolist() == its.store.keys.tolist()
    assert mine.store.tokens.tolist() == its.store.tokens.tolist()
    assert (mine.calibration, mine.metrics) == (its.calibration, its.metrics)
    assert (mine.features, mine.scoring) == (its.features, its.scoring)


# --- the paired test


def test_copies_are_drawn_together() -> None:
    digests = np.array([5, 9, 5, 7, 9, 5], np.uint64)
    drawn = np.concatenate(list(resampled(digests, 130)))
    assert drawn.shape == (130, 6)
    assert (drawn[:, 0] == drawn[:, 2]).all()
    assert (drawn[:, 0] == drawn[:, 5]).all()
    assert (drawn[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert len(np.unique(drawn, axis=0)) > 5


def candidate(name: str, wrong: int, size: int = 400) -> CandidateResult:
    """Half spam; the first `wrong` of them called the other."""
    truth = np.arange(size) % 2
    verdicts = np.where(np.arange(size) < wrong, 1 - truth, truth)
    answers = Answers(truth, verdicts, np.zeros(size), verdicts - 0.5, 2)
    return CandidateResult(name, None, answers, 0.0)  # type: ignore[arg-type]


def test_the_best_stands_first_and_the_difference_is_tested() -> None:
    digests = np.arange(400, dtype=np.uint64)
    rows = rank(
        [candidate("bad", 60), candidate("good", 10), candidate("near", 12)], objective("f1"), digests
    )
    assert [row.result.name for row in rows] == ["good", "near", "bad"]
    assert [row.value for row in rows] == pytest.approx([1 - 10 / 400, 1 - 12 / 400, 1 - 60 / 400])
    assert rows[0].p_value is None
    assert rows[1].p_value is not None
    assert rows[2].p_value is not None
    assert rows[1].p_value > 0.1 > 0.01 > rows[2].p_value
    for row in rows:
        assert row.low < row.value < row.high
        assert row.difference_low <= row.difference <= row.difference_high
    # the bootstrap's interval agrees with the binomial one: sqrt(p q / n) = 0.0078, 4 of them are 0.031
    assert rows[0].high - rows[0].low == pytest.approx(0.031, abs=0.006)


def test_equals_do_not_differ() -> None:
    one, other = rank(
        [candidate("a", 9), candidate("b", 9)], objective("accuracy"), np.arange(400, dtype="u8")
    )
    assert (one.result.name, other.result.name, other.p_value) == ("a", "b", 1.0)
    assert paired_p(np.zeros(10)) == 1.0


def test_the_test_keeps_its_promise_where_nothing_differs() -> None:
    """Two filters that err at random alike: p below 0.1 in about a tenth of all cases."""
    random, low = np.random.default_rng(3), 0
    for _ in range(100):
        wrong = random.random((2, 300)) < 0.1
        truth = np.arange(300) % 2
        pair = [Answers(truth, np.where(w, 1 - truth, truth), np.zeros(300), np.zeros(300), 2) for w in wrong]
        rows = rank(
            [CandidateResult(n, None, a, 0.0) for n, a in zip("ab", pair, strict=True)],  # type: ignore[arg-type]
            objective("accuracy"),
            np.arange(300, dtype=np.uint64),
            draws=200,
        )
        low += (rows[1].p_value or 0) < 0.1
    assert 3 <= low <= 20


# --- settings


def test_flags_are_what_train_would_be_told() -> None:
    assert flags(FeatureConfig(), ScorerConfig()) == []
    trigrams = FeatureConfig(ngrams=3, shapes=False, patterns=(("n", r"\d+"),), numeric=("size",))
    scoring = ScorerConfig.of("less-naive", order=2, prior=(0.75, 0.25), ddof=1)
    expected = ["--set", r"pattern=n=\d+", "--numeric", "size", "--scorer", "less-naive"]
    assert flags(trigrams, scoring) == [
        *expected,
        "--class-prior",
        "0.75,0.25",
        "--set",
        "order=2",
        "--set",
        "ddof=1",
    ]


def test_what_cannot_be_compared_is_refused() -> None:
    thin = Candidate("thin", FeatureConfig(), ScorerConfig(balance="undersample"))
    with pytest.raises(ConfigError, match="thin: balance undersample cannot be compared"):
        counted([thin], labelled())
    with pytest.raises(ConfigError, match="less-naive of order 1 needs --ngrams 2"):
        counted([Candidate("x", FeatureConfig(ngrams=1), ScorerConfig.of("less-naive"))], labelled())
    with pytest.raises(DataError, match="every class needs at least 10"):
        grid_of(EVERY, labelled(12))


def test_copies_are_told() -> None:
    assert duplicates_note(np.arange(3, dtype=np.uint64)) == []
    labels, texts = sms_corpus()
    grid = grid_of(EVERY, (texts, labels))
    assert grid.notes()[1] == "445 of 5,574 messages are duplicates (same words)"
    for digest in np.unique(grid.digests)[:500]:
        assert len(set(grid.fold[grid.digests == digest].tolist())) == 1

"""Settings compared: counted once, yet as if each had been trained alone; and the paired test."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from comparing import EVERY, bench_of, counted, labelled
from support import sms_corpus

from spamnb.errors import ConfigError, DataError
from spamnb.evaluation.on_data import cross_validated
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig, flags
from spamnb.training import sampling
from spamnb.training.cross_validation import duplicates_note
from spamnb.training.trainer import Trainer
from spamnb.tuning import setting_grid
from spamnb.tuning.comparison import CandidateResult, evaluate_setting, paired_p, ranked, resampled
from spamnb.tuning.objectives import Answers, objective
from spamnb.tuning.peers import Peers
from spamnb.tuning.setting_grid import Passes, Setting, SettingGrid

MORE = [
    Setting("words", FeatureConfig(ngrams=1), ScorerConfig()),
    Setting("plain", FeatureConfig.plain(), ScorerConfig(alpha=1.0)),
    Setting("plain poisson", FeatureConfig.plain(), ScorerConfig.of("poisson")),
    Setting("trigrams", FeatureConfig(ngrams=3), ScorerConfig.of("bernoulli")),
    Setting("order 2", FeatureConfig(ngrams=3, shapes=False), ScorerConfig.of("less-naive", order=2)),
    Setting("characters", FeatureConfig(chars=3), ScorerConfig(balance="weight")),
]


@pytest.mark.parametrize("classes", [2, 3])
def test_one_count_gives_what_each_setting_gives_alone(classes: int) -> None:
    data = labelled(classes=classes)
    bench = bench_of([*EVERY, *MORE], data)
    for setting in (*EVERY, *MORE):
        trainer = Trainer(setting.features, setting.scoring, training=TrainingConfig(refine="no"))
        trainer.add(Texts.of(data[0]), data[1])
        expected, got = cross_validated(trainer), evaluate_setting(bench, setting)
        assert got.scores == expected.scores, setting.name
        np.testing.assert_allclose(got.answers.log_odds, expected.log_odds, rtol=1e-12, atol=1e-12)


def test_folds_that_do_not_fit_into_memory_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    data, order = labelled(), [*EVERY, *MORE, *EVERY[::-1]]
    before = [evaluate_setting(bench_of([*EVERY, *MORE], data), s).scores for s in order]
    monkeypatch.setattr(setting_grid, "_KEPT", 0)
    bench = bench_of([*EVERY, *MORE], data)
    assert [evaluate_setting(bench, s).scores for s in order] == before
    assert len(bench._counted) == 2


def test_a_sample_of_many_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLE", 60)
    monkeypatch.setattr(sampling, "WHOLE", 0)
    bench = bench_of([*EVERY, *MORE], labelled(300))
    assert len(bench.truth) <= 60 < bench.total == 300
    assert bench.notes()[-1] == f"judged on a sample of {len(bench.truth)} of 300 messages"
    assert all(len(evaluate_setting(bench, s).answers.truth) == len(bench.truth) for s in EVERY)


@pytest.mark.parametrize("setting", [*EVERY, *MORE], ids=lambda s: s.name)
def test_the_model_of_a_setting_is_that_of_train(setting: Setting) -> None:
    data = labelled()
    passes = counted([*EVERY, *MORE], data)
    passes.counted(setting.features)
    trainer = Trainer(setting.features, setting.scoring)
    trainer.add(Texts.of(data[0]), data[1])
    mine, its = passes.model(setting), trainer.finish()
    assert mine.store.keys.tolist() == its.store.keys.tolist()
    assert mine.store.tokens.tolist() == its.store.tokens.tolist()
    assert mine.store.spellings.tolist() == its.store.spellings.tolist()
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


def contender(name: str, wrong: int, size: int = 400) -> CandidateResult:
    """Half spam; the first `wrong` of them called the other."""
    truth = np.arange(size) % 2
    said = np.where(np.arange(size) < wrong, 1 - truth, truth)
    answers = Answers(truth, said, np.zeros(size), said - 0.5, 2)
    return CandidateResult(name, None, answers, 0.0)  # type: ignore[arg-type]


def test_the_best_stands_first_and_the_difference_is_tested() -> None:
    digests = np.arange(400, dtype=np.uint64)
    rows = ranked(
        [contender("bad", 60), contender("good", 10), contender("near", 12)], objective("f1"), digests
    )
    assert [row.judged.name for row in rows] == ["good", "near", "bad"]
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
    one, other = ranked(
        [contender("a", 9), contender("b", 9)], objective("accuracy"), np.arange(400, dtype="u8")
    )
    assert (one.judged.name, other.judged.name, other.p_value) == ("a", "b", 1.0)
    assert paired_p(np.zeros(10)) == 1.0


def test_the_test_keeps_its_promise_where_nothing_differs() -> None:
    """Two filters that err at random alike: p below 0.1 in about a tenth of all cases."""
    random, low = np.random.default_rng(3), 0
    for _ in range(100):
        wrong = random.random((2, 300)) < 0.1
        truth = np.arange(300) % 2
        pair = [Answers(truth, np.where(w, 1 - truth, truth), np.zeros(300), np.zeros(300), 2) for w in wrong]
        rows = ranked(
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
    expected = ["--pattern", r"n=\d+", "--numeric", "size", "--scorer", "less-naive"]
    assert flags(trigrams, scoring) == [*expected, "--prior", "0.75,0.25", "--order", "2", "--ddof", "1"]


def test_what_cannot_be_compared_is_refused() -> None:
    thin = Setting("thin", FeatureConfig(), ScorerConfig(balance="undersample"))
    with pytest.raises(ConfigError, match="thin: balance undersample cannot be compared"):
        counted([thin], labelled())
    with pytest.raises(ConfigError, match="less-naive of order 1 needs --ngrams 2"):
        counted([Setting("x", FeatureConfig(ngrams=1), ScorerConfig.of("less-naive"))], labelled())
    with pytest.raises(DataError, match="every class needs at least 10"):
        bench_of(EVERY, labelled(12))


def test_copies_are_told() -> None:
    assert duplicates_note(np.arange(3, dtype=np.uint64)) == []
    labels, texts = sms_corpus()
    passes = counted(EVERY, (texts, labels))
    bench = SettingGrid(passes, EVERY[0].features)
    assert bench.notes()[1] == "445 of 5,574 messages are duplicates (same words)"
    for digest in np.unique(bench.digests)[:500]:
        assert len(set(bench.fold[bench.digests == digest].tolist())) == 1


# --- peers


def judged_peers(passes: Passes, peers: Peers, like: FeatureConfig) -> list[CandidateResult]:
    bench = SettingGrid(passes, like)
    found = list(peers.judge(bench))
    assert all(len(j.answers.truth) == len(bench.truth) for j in found)
    return found


@pytest.mark.parametrize("sample", [10_000, 150])
@pytest.mark.parametrize("classes", [2, 3])
def test_peers_judge_the_same_messages(classes: int, sample: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.setattr(sampling, "SAMPLE", sample)
    monkeypatch.setattr(sampling, "WHOLE", 0)
    data = labelled(250, classes)
    data[0][::9] = [
        f"{text} c4sh f r e e e" for text in data[0][::9]
    ]  # read in another way than as plain words
    passes, peers = counted([EVERY[0], MORE[1]], data), Peers(EVERY[0].features)
    peers.add(Texts.of(data[0]), data[1])
    found = judged_peers(passes, peers, EVERY[0].features)
    assert [j.name for j in found] == ["MultinomialNB", "ComplementNB", "LogisticRegression", "LinearSVC"]
    assert len(peers) == 4
    mine = evaluate_setting(SettingGrid(passes, EVERY[0].features), EVERY[0])
    for j in found:
        assert j.answers.truth.tolist() == mine.answers.truth.tolist()
        assert j.scores.accuracy > 0.6


def test_without_scikit_learn_the_next_step_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.naive_bayes", None)
    with pytest.raises(ConfigError, match="--peers needs scikit-learn, which is not installed") as error:
        Peers(FeatureConfig())
    assert error.value.hint == "pip install scikit-learn, or leave out --peers"

"""Checks textbook costs, measures, evidence, n-grams, sparse storage, smoothing, languages, less naive Bayes.

The worked example of ten messages is partly unreadable in the document; only its one whole line is used.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from spamnb.counts.count_store import CountStore
from spamnb.counts.entries import Entries
from spamnb.counts.key_table import KeyTable
from spamnb.counts.tally import count
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.metrics import Confusion, precision_recall_curve, roc_auc, roc_curve
from spamnb.model.class_choice import expected_costs, least_cost
from spamnb.model.decision import HAM, SPAM, Decision
from spamnb.model.raw_scores import RawScores
from spamnb.model.scoring_engine import Engine
from spamnb.model.spam_model import SpamModel
from spamnb.scorers.base import Stats
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.trainer import Trainer
from spamnb.training.under_sampling import UnderSampling

PLAIN = FeatureConfig.plain()


def counted(messages: list[str], labels: list[str], features: FeatureConfig = PLAIN) -> CountStore:
    return count(extract(Texts.of(messages), features), labels)


def score(store: CountStore, messages: list[str], name: str, **settings: Any) -> RawScores:
    return Engine(store, ScorerConfig.of(name, **settings)).score(extract(Texts.of(messages), PLAIN))


def test_expected_costs_of_the_decision_theory_example() -> None:
    # "Decision Theory Example": P(spam) = 0.6, cost 100 for a lost ham, 10 for a missed spam.
    # (0.6)(0) + (0.4)(100) = 40 and (0.6)(10) + (0.4)(0) = 6: predict "not spam".
    assert expected_costs(0.6, cost_fp=100, cost_fn=10) == (40.0, 6.0)
    assert least_cost([[0.4, 0.6]], costs=[[0, 100], [10, 0]]).tolist() == [HAM]
    assert Decision.from_costs(cost_fp=100, cost_fn=10).verdicts([0.6]).tolist() == [HAM]
    assert Decision().verdicts([0.6]).tolist() == [SPAM]  # the most probable label would have been spam


def test_class_0_of_the_worked_example() -> None:
    # "Prediction in a naive Bayes model", x = (1, 1), ten messages:
    # p(x1=1|y=0) p(x2=1|y=0) p(y=0) = (1)(0.25)(0.4) = 0.1, so 4 messages, x1 in all of them, x2 in one.
    # What class 1 looked like is lost, so anything stands in for it here.
    store = counted(["x1 x2", "x1", "x1", "x1", *["x2"] * 6], ["0"] * 4 + ["1"] * 6)
    for name in ("binary", "bernoulli"):
        joint = score(store, ["x1 x2"], name, alpha=0.0).joint[0]
        assert math.exp(joint[0]) == pytest.approx(1 * 0.25 * 0.4, rel=1e-9), name


def test_evidence_is_the_sum_over_classes() -> None:
    # "Computing p(x) under naive Bayes": p(x) = sum_c p(x | y = c) p(y = c), here with K = 3.
    store = counted(["a b", "b c", "c c a", "a"], ["k1", "k2", "k3", "k3"])
    scored = score(store, ["a b", "c", "a a b c"], "multinomial", alpha=1.0, once=False, damping=0.0)
    assert np.exp(scored.log_evidence) == pytest.approx(np.exp(scored.joint).sum(axis=1), rel=1e-13)
    # by hand for "c": theta = (N + 1) / (N_c + 3), N_c = 2, 2, 4
    by_hand = (
        Fraction(1, 4) * Fraction(1, 5) + Fraction(1, 4) * Fraction(2, 5) + Fraction(1, 2) * Fraction(3, 7)
    )
    assert math.exp(scored.log_evidence[1]) == pytest.approx(by_hand, rel=1e-14)


def test_an_unusual_message_has_less_evidence() -> None:
    store = counted(["free prize"] * 9 + ["see you"] * 9 + ["odd"], ["spam"] * 9 + ["ham"] * 10)
    usual, unusual, impossible = score(
        store, ["prize", "odd", "prize see"], "categorical", alpha=0.0
    ).log_evidence
    assert usual > unusual > impossible == -math.inf


TABLE = ["$ Hi Vicodin", "Vicodin Offer", "Hi CPSC 340"]  # "Spam Filtering as Supervised Learning"


def estimated(store: CountStore, word: str, name: str, alpha: float) -> list[float]:
    engine = Engine(store, ScorerConfig.of(name, alpha=alpha))
    row = store.spellings.tolist().index(word)
    return np.exp(engine.scorer.estimate(Stats.of(store))[row]).tolist()


@pytest.mark.parametrize("beta", [0.0, 0.1, 1.0, 2.5])
@pytest.mark.parametrize("name", ["bernoulli", "binary"])
def test_laplace_smoothing_with_beta(name: str, beta: float) -> None:
    # (spam messages with the word + beta) / (spam messages + 2 beta); the table has 2 spam and 1 ham.
    store = counted(TABLE, ["spam", "spam", "ham"])
    assert estimated(store, "vicodin", name, beta) == pytest.approx(
        [beta / (1 + 2 * beta), (2 + beta) / (2 + 2 * beta)]
    )
    cpsc = [(1 + beta) / (1 + 2 * beta), beta / (2 + 2 * beta)]
    assert estimated(store, "cpsc", name, beta) == pytest.approx(cpsc)


def test_an_unseen_word_lets_spam_through_unless_smoothed() -> None:
    # p('lactase' | 'spam') = 0 "and message automatically gets through filter".
    store = counted(["win prize", "win cash", "lactase milk"], ["spam", "spam", "ham"])
    unsmoothed = score(store, ["win lactase"], "binary", alpha=0.0).joint[0]
    assert unsmoothed[1] == -math.inf
    smoothed = score(store, ["win win prize cash lactase"], "binary", alpha=1.0).joint[0]
    assert smoothed[1] > smoothed[0]


def test_bernoulli_counts_absent_words_too() -> None:
    # p = (D + 1) / (D_c + 2); "hi" in a vocabulary of hi, offer, cash. ham has 2 messages, spam 1.
    store = counted(["hi", "hi offer", "offer cash"], ["ham", "ham", "spam"])
    ham = Fraction(2, 3) * Fraction(3, 4) * (1 - Fraction(2, 4)) * (1 - Fraction(1, 4))
    spam = Fraction(1, 3) * Fraction(1, 3) * (1 - Fraction(2, 3)) * (1 - Fraction(2, 3))
    joint = score(store, ["hi"], "bernoulli", alpha=1.0).joint[0]
    assert np.exp(joint) == pytest.approx([ham, spam], rel=1e-13)


def spelled(message: str, features: FeatureConfig) -> set[str]:
    return set(counted([message], ["x"], features).spellings.tolist())


def test_bigrams_and_trigrams() -> None:
    words = {"limited", "time", "offer"}
    pairs = {"limited time", "time offer"}
    assert spelled("Limited time offer", PLAIN) == words
    assert spelled("Limited time offer", FeatureConfig.plain(2)) == words | pairs
    assert spelled("Limited time offer", FeatureConfig.plain(3)) == words | pairs | {"limited time offer"}


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_a_message_of_m_words_has_m_minus_n_plus_1_ngrams(n: int) -> None:
    batch = extract(Texts.of(["a b c d e f g", "", "a b"]), FeatureConfig.plain(n))
    per_message = np.bincount(batch.streams[-1].rows, minlength=3).tolist()
    assert per_message == [7 - n + 1, 0, max(0, 2 - n + 1)]


def test_ngrams_do_not_reach_from_one_message_into_the_next() -> None:
    store = counted(["see you", "free prize"], ["ham", "spam"], FeatureConfig.plain(2))
    assert sorted(store.spellings.tolist()) == ["free", "free prize", "prize", "see", "see you", "you"]


def test_bigrams_tell_what_words_cannot() -> None:
    # The same words in another order: only pairs of neighbours tell the classes apart.
    messages, labels = ["mouse cursor moves", "cursor mouse moves"] * 3, ["computer", "animal"] * 3
    words = SpamModel(PLAIN, ScorerConfig.of("multinomial"), counted(messages, labels))
    pairs = SpamModel(FeatureConfig.plain(2)).learn(messages, labels)
    assert words.log_odds(["mouse cursor"]).tolist() == [0.0]
    assert pairs.predict(["mouse cursor", "cursor mouse"]) == ["computer", "animal"]


def test_sender_domain_and_regular_expressions_are_features_too() -> None:
    features = FeatureConfig(1, False, patterns=(("name", r"Ada L\w+"),), categorical=("sender_domain",))
    messages = ["hello Ada Lovelace", "hello customer", "hello friend", "hello Ada Lark"]
    domains = {"sender_domain": ["mail.com", "bulk.biz", "bulk.biz", "mail.com"]}
    labels = ["ham", "spam", "spam", "ham"]
    model = SpamModel(features, ScorerConfig.of("binary")).learn(messages, labels, domains)
    assert any("name" in token for token in model.store.spellings.tolist())
    assert model.store.categories["sender_domain"] == {"bulk.biz": (0, 2), "mail.com": (2, 0)}
    query = {"sender_domain": ["mail.com", "bulk.biz", ""]}
    assert model.predict(["hello", "hello", "hello Ada Lux"], query) == ["ham", "spam", "ham"]


def test_only_non_zero_features_are_stored() -> None:
    # "Handling Data Sparsity": four e-mails over $, Hi, CPSC, 340, Vicodin, Offer are {1,2,5} {5,6} {2,3,4}
    # {1,2,6}; '$' is no word, so a pattern stands for it.
    features = FeatureConfig(1, False, patterns=(("dollar", r"\$"),))
    batch = extract(Texts.of([*TABLE, "$ Hi Offer"]), features)
    table = KeyTable()
    table.add(np.unique(batch.keys))
    entries = Entries.of(batch, [table.find(s.keys) for s in batch.streams])
    sets = [set(entries.ids[entries.rows == row].tolist()) for row in range(4)]
    assert table.size == 6
    assert len(entries.ids) == len(entries.counts) == 3 + 2 + 3 + 3  # and not 4 * 6
    assert [len(s) for s in sets] == [3, 2, 3, 3]
    assert [len(sets[0] & s) for s in sets] == [3, 1, 1, 2]  # shared: Vicodin; Hi; $ and Hi


SENTENCES = {
    "english": ["the dog sleeps under the table", "where is the station", "we would like two coffees"],
    "french": ["le chien dort sous la table", "où est la gare", "nous voulons deux cafés"],
    "german": ["der Hund schläft unter dem Tisch", "wo ist der Bahnhof", "wir möchten zwei Kaffee"],
}


@pytest.mark.parametrize(
    "name", ["multinomial", "categorical", "poisson", "binary", "bernoulli", "complement"]
)
def test_language_identification(name: str) -> None:
    pairs = [(text, language) for language, texts in SENTENCES.items() for text in texts]
    model = SpamModel(PLAIN, ScorerConfig.of(name)).learn(*zip(*pairs, strict=True))
    assert model.labels == ("english", "french", "german")
    unseen = ["Where is the dog?", "Où est le chien ?", "Wo ist der Hund?"]
    assert model.predict(unseen) == ["english", "french", "german"]
    assert model.predict_proba(unseen).sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-12)
    assert model.predict(["zzz"]) == ["unsure"]


def test_underflow_is_avoided_by_summing_logarithms() -> None:
    store = counted(["heads tails", "heads heads heads tails"], ["fair", "bent"])
    message = "heads tails " * 1000
    joint = score(store, [message], "categorical", alpha=0.0).joint[0]
    assert 0.5**2000 == 0.0
    # log 1/2 for the prior and 2000 flips; the bent coin shows heads with 3/4
    bent = math.log(0.5) + 1000 * math.log(0.75) + 1000 * math.log(0.25)
    assert joint == pytest.approx([bent, math.log(0.5) + 2000 * math.log(0.5)], rel=1e-12)


def test_new_data_just_updates_counts() -> None:
    texts, labels = ["win a prize", "see you", "free prize", "ok see"], ["spam", "ham", "spam", "ham"]
    once = SpamModel().learn(texts, labels)
    bit_by_bit = SpamModel()
    for text, label in zip(texts, labels, strict=True):
        bit_by_bit = bit_by_bit.learn([text], [label])
    assert str(once.to_state()) == str(bit_by_bit.to_state())


def test_under_sampling_the_majority() -> None:
    # "only take 5% of the spam messages"
    messages = [f"offer number {i} of many" for i in range(2000)] + [f"hello {i}" for i in range(100)]
    labels = ["spam"] * 2000 + ["ham"] * 100
    stores = []
    for order in (1, -1):
        texts, names = Texts.of(messages[::order]), labels[::order]
        choice = UnderSampling(PLAIN)
        choice.add(texts, names, {}, {})
        scoring, training = ScorerConfig.of("multinomial"), TrainingConfig(folds=0)
        trainer = Trainer(PLAIN, scoring, training, keep=choice.limits())
        trainer.add(texts, names)
        stores.append(trainer.finish().store)
    assert stores[0].message_totals.tolist() == [100, 100]
    assert stores[0].keys.tolist() == stores[1].keys.tolist()  # the same messages whatever their order


def test_re_weighting_is_like_repeating_the_rare_class() -> None:
    messages, labels = ["see you", "see mum", "you now", "win now"], ["ham", "ham", "ham", "spam"]
    settings = {"alpha": 0.0, "once": False, "damping": 0.0}
    weighted = score(counted(messages, labels), ["now", "see"], "multinomial", balance="weight", **settings)
    repeated = score(
        counted([*messages, "win now", "win now"], [*labels, "spam", "spam"]),
        ["now", "see"],
        "multinomial",
        **settings,
    )
    assert weighted.joint == pytest.approx(repeated.joint, rel=1e-14)


def test_measures_of_a_confusion_matrix() -> None:
    c = Confusion(tp=8, fp=2, fn=4, tn=86)
    assert (c.precision, c.recall, c.accuracy) == (8 / 10, 8 / 12, 94 / 100)
    assert c.jaccard == 8 / 14  # TP / (TP + FP + FN)
    assert c.f1 == pytest.approx(2 * (8 / 10) * (8 / 12) / (8 / 10 + 8 / 12), rel=1e-15)
    assert c.false_positive_rate == 2 / 88


def test_curves_as_the_threshold_varies() -> None:
    spam, p = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    precision, recall, thresholds = precision_recall_curve(spam, p)
    assert thresholds.tolist() == [0.1, 0.7, 0.8, 0.9]
    assert precision.tolist() == [2 / 4, 2 / 3, 1 / 2, 1 / 1, 1]
    assert recall.tolist() == [1, 1, 1 / 2, 1 / 2, 0]
    false_positives, true_positives, _ = roc_curve(spam, p)
    assert false_positives.tolist() == [0, 0, 1 / 2, 1 / 2, 1]
    assert true_positives.tolist() == [0, 1 / 2, 1 / 2, 1, 1]
    assert roc_auc(spam, p) == 3 / 4  # of the four pairs of a spam and a ham, one is in the wrong order
    assert roc_auc(spam, [0.5] * 4) == 0.5  # the diagonal


def test_less_naive_bayes_with_k_1_by_hand() -> None:
    # P_0 is the multinomial estimate over single words, (N + 1) / (N_c + V), with V = 3 and N = 5, 2;
    # P_1(w | h) = (N_hw + 5 P_0(w)) / (N_h + 5), 5 being the strength of the back-off.
    features = FeatureConfig.plain(2)
    store = counted(["free cash", "free cash now", "cash now"], ["spam", "spam", "ham"], features)
    engine = Engine(store, ScorerConfig.of("less-naive", order=1))
    joint = engine.score(extract(Texts.of(["free cash"]), features)).joint[0]
    spam = Fraction(2, 3) * Fraction(3, 8) * (2 + 5 * Fraction(3, 8)) / (2 + 5)
    ham = Fraction(1, 3) * Fraction(1, 5) * (0 + 5 * Fraction(2, 5)) / (0 + 5)
    assert np.exp(joint) == pytest.approx([ham, spam], rel=1e-13)


def test_less_naive_bayes_with_k_2_looks_two_words_back() -> None:
    features = FeatureConfig.plain(3)
    messages = ["a b c", "a b c", "x b d", "x b d"]
    store = counted([*messages, "q"], ["s", "s", "s", "s", "t"], features)

    def log_p(message: str, order: int) -> float:
        engine = Engine(store, ScorerConfig.of("less-naive", order=order))
        return float(engine.score(extract(Texts.of([message]), features)).joint[0, 0])

    # One word back, "b" is followed by c and by d alike; two words back, "a b" only by c.
    assert log_p("a b c", 1) == pytest.approx(log_p("a b d", 1), rel=1e-13)
    assert log_p("a b c", 2) > log_p("a b d", 2)

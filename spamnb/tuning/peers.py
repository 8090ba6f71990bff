"""Other people's filters on the same folds: what a scikit-learn user would try first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.errors import ConfigError
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model import SpamModel, word_digests
from spamnb.settings import FeatureConfig
from spamnb.training import Digests, FoldScores, Trainer, calibrate_model, metrics_of
from spamnb.tuning.comparison import CandidateResult
from spamnb.tuning.objectives import Answers
from spamnb.tuning.setting_grid import SettingGrid, labels_only

Maker = Callable[[], Any]


def makers() -> dict[str, Maker]:
    """The pipelines by name, with scikit-learn's own settings; refused where it is not installed."""
    try:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import ComplementNB, MultinomialNB
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC
    except ImportError:
        raise ConfigError(
            "--peers needs scikit-learn, which is not installed",
            hint="pip install scikit-learn, or leave out --peers",
        ) from None

    def of(*steps: Callable[[], Any]) -> Maker:
        return lambda: make_pipeline(*(step() for step in steps))

    def characters() -> Any:
        return TfidfVectorizer(analyzer="char", ngram_range=(2, 5))

    return {
        "MultinomialNB": of(CountVectorizer, MultinomialNB),
        "ComplementNB": of(CountVectorizer, ComplementNB),
        "LogisticRegression": of(TfidfVectorizer, lambda: LogisticRegression(max_iter=1000)),
        "LinearSVC": of(characters, LinearSVC),
    }


def log_scores(fitted: Any, texts: Sequence[str], classes: int) -> FloatArray:
    """(n, K): log probabilities, or distances to the planes of a classifier that has none."""
    if hasattr(fitted, "predict_log_proba"):
        return np.asarray(fitted.predict_log_proba(texts), np.float64)
    found = np.asarray(fitted.decision_function(texts), np.float64)
    return np.column_stack((np.zeros(len(found)), found)) if classes == 2 else found


def judge_peer(
    name: str, maker: Maker, model: SpamModel, texts: Sequence[str], truth: IntArray, fold: IntArray
) -> CandidateResult:
    """One pipeline, trained anew for each fold; messages of fold -1 are always learned and never judged.

    Its scores are calibrated and its verdicts taken as those of every other contender.
    """
    started = time.process_time()
    damped = np.zeros((len(texts), len(model.labels)))
    for f in range(int(fold.max()) + 1):
        rows, rest = np.flatnonzero(fold == f), np.flatnonzero(fold != f)
        fitted = maker().fit([texts[i] for i in rest.tolist()], truth[rest])
        damped[rows] = log_scores(fitted, [texts[i] for i in rows.tolist()], len(model.labels))
    rows = np.flatnonzero(fold >= 0)
    scores = FoldScores(damped[rows], np.ones(len(rows), np.int64))
    model, held = calibrate_model(
        model, labels_only(truth[rows]), int(fold.max()) + 1, scores=scores, fold=fold[rows]
    )
    return CandidateResult(
        name, metrics_of(model, held), Answers.of(model, held), time.process_time() - started
    )


class Peers:
    """Keeps all texts, as scikit-learn needs them, and judges every pipeline on the folds of a bench."""

    def __init__(self, features: FeatureConfig) -> None:
        self._makers = makers()
        self._digester = Trainer(replace(features, ngrams=1), folds=0)
        self._texts: list[str] = []
        self._labels: list[str] = []
        self._digests: list[Digests] = []

    def __len__(self) -> int:
        return len(self._makers)

    def add(self, texts: Texts, labels: Sequence[str]) -> None:
        batch = extract(texts, self._digester.features)
        self._digests.append(self._digester.digests(word_digests(batch), texts, labels, {}, {}))
        self._texts += [text.decode("utf-8", "replace") for text in texts.tolist()]
        self._labels += labels

    def judge(self, bench: SettingGrid) -> Iterator[CandidateResult]:
        """One pipeline after the other, on the messages and folds of everybody else."""
        fold = np.full(len(self._texts), -1, np.int64)
        fold[np.flatnonzero(np.isin(np.concatenate(self._digests), bench.digests))] = bench.fold
        index = {label: i for i, label in enumerate(bench.labels)}
        truth = np.array([index[label] for label in self._labels], np.int64)
        for name, maker in self._makers.items():
            yield judge_peer(name, maker, bench.plain_model, self._texts, truth, fold)

"""Implements the two filters of a naive Bayes lab and its comparison with scikit-learn, for teaching."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray
from spamnb.counts import CountStore, count
from spamnb.errors import DataError, MissingExtraError, ModelError, counted
from spamnb.features import Batch, extract
from spamnb.messages import Messages, as_texts
from spamnb.model import Engine
from spamnb.settings import FeatureConfig, ScorerConfig

if TYPE_CHECKING:
    import pandas as pd

LABELS = ("ham", "spam")  # rows of `data` and columns of every result, in the lab's order
Labels = NDArray[np.object_]


class _Filter:
    """The part that both filters share: fitting counts the words, `\\w+` of the lower-cased text."""

    def __init__(self) -> None:
        self._store: CountStore | None = None

    def fit(self, X: Messages, y: Iterable[Any]) -> Self:
        """Counts the words of the messages X with the labels y, 'ham' or 'spam'."""
        batch, labels = _batch(X), list(y)
        if batch.size != len(labels):
            raise DataError(f"{counted(batch.size, 'message')} but {counted(len(labels), 'label')}")
        for label in labels:
            if not isinstance(label, str) or label not in LABELS:
                raise DataError(f"labels must be 'ham' or 'spam', got {label!r:.40}")
        store = count(batch, labels)
        if store.labels != LABELS:
            only = f"all {len(labels):,} are {labels[0]!r}" if labels else "there are none"
            raise DataError(f"the filter needs messages of both classes, but {only}")
        self._store = store
        return self

    @property
    def _counts(self) -> CountStore:
        if self._store is None:
            raise ModelError(f"{type(self).__name__} has learned no messages", hint="call fit(X, y) first")
        return self._store

    def _engine(self, scorer: str, alpha: float) -> Engine:
        return Engine(self._counts, ScorerConfig.of(scorer, alpha=alpha))


class NaiveBayesFilter(_Filter):
    """The lab's first model: the words of a message are draws from the words of its class.

    >>> nb = NaiveBayesFilter().fit(["win a prize", "see you in a week"], ["spam", "ham"])
    >>> nb.predict(["a prize"]).tolist(), nb.predict_log(["in a week"]).tolist()
    (['spam'], ['ham'])
    """

    def fit(self, X: Messages, y: Iterable[Any]) -> Self:
        self._data: pd.DataFrame | None = None
        return super().fit(X, y)

    @property
    def data(self) -> pd.DataFrame:
        """How often each word (column) occurs in each class (rows 'ham' and 'spam'), N_ic.

        >>> nb = NaiveBayesFilter().fit(["win a prize", "find it in there"], ["spam", "ham"])
        >>> int(nb.data.loc["ham", "in"]), int(nb.data.loc["spam", "in"])
        (1, 0)
        """
        store = self._counts
        if self._data is None:
            import pandas as pd

            counts = store.tokens.T.astype(np.int64)  # so that differences may be negative
            self._data = pd.DataFrame(counts, index=list(LABELS), columns=store.spellings.tolist())
        return self._data

    def predict_proba(self, X: Messages) -> FloatArray:
        """Computes (n, 2): P(c) times the product of P(x_i | c)^n_i, equations 7.2 and 7.5, ham and spam.

        The numbers are not normalised, and a product is taken as it is written, so long messages underflow
        to 0. Words that were never seen have factor 1. The text asks for "the product portion of equation
        7.2", which can also be read as the product without P(c): divide by P(c) to get that.
        `predict` takes P(c) into account either way.
        """
        engine, batch = self._engine("categorical", alpha=0.0), _batch(X)
        looked_up = engine.look_up(batch)
        tokens = looked_up.tokens
        rows, log_factors = engine.scorer.terms(tokens.weights, looked_up.entries, tokens.stats)
        proba = np.tile(np.exp(engine.bias(tokens.stats)), (batch.size, 1))
        np.multiply.at(proba, rows, np.exp(log_factors))
        return proba

    def predict(self, X: Messages) -> Labels:
        """Returns 'ham' or 'spam' for each message, by `predict_proba`; 'ham' if both are equal."""
        return _labels(self.predict_proba(X))

    def predict_log_proba(self, X: Messages) -> FloatArray:
        """Computes (n, 2): log P(c) + sum n_i log P(x_i | c), equation 7.6 with the estimates of 7.7."""
        return self._engine("categorical", alpha=1.0).score(_batch(X)).joint

    def predict_log(self, X: Messages) -> Labels:
        """Returns 'ham' or 'spam' for each message, by `predict_log_proba`."""
        return _labels(self.predict_log_proba(X))


class PoissonBayesFilter(_Filter):
    """The lab's second model: each word occurs at a rate per word of text, in each class its own.

    >>> pb = PoissonBayesFilter().fit(["win a prize", "see you in a week"], ["spam", "ham"])
    >>> pb.predict(["a prize"]).tolist(), pb.ham_rates["in"]  # (1 + 1) / (5 + 2)
    (['spam'], 0.2857142857142857)
    """

    def fit(self, X: Messages, y: Iterable[Any]) -> Self:
        """Counts the words; the rates of equation 7.11 are then in `ham_rates` and `spam_rates`."""
        super().fit(X, y)
        store = self._counts
        # Written out, though the scorer has the same numbers as logarithms: exp(log r) loses the last digit.
        rates = (store.tokens + 1) / (store.token_totals + 2)
        words = store.spellings.tolist()
        self.ham_rates: dict[str, float] = dict(zip(words, rates[:, 0].tolist(), strict=True))
        self.spam_rates: dict[str, float] = dict(zip(words, rates[:, 1].tolist(), strict=True))
        return self

    def predict_log_proba(self, X: Messages) -> FloatArray:
        """Computes (n, 2): log P(c) + sum over distinct words of log Poisson(n_i; r_ic n), equation 7.10."""
        return self._engine("poisson", alpha=1.0).score(_batch(X)).joint

    def predict(self, X: Messages) -> Labels:
        """Returns 'ham' or 'spam' for each message, by `predict_log_proba`."""
        return _labels(self.predict_log_proba(X))


def sklearn_method(X_train: Messages, y_train: Iterable[Any], X_test: Messages) -> Labels:
    """Returns the labels of scikit-learn's CountVectorizer and MultinomialNB, problem 7 of the lab.

    Both have their defaults: words of two letters or more, and (N_ic + 1) / (N_c + V).
    """
    try:
        from sklearn.feature_extraction.text import CountVectorizer
    except ImportError:
        raise MissingExtraError("the comparison with scikit-learn", "sklearn") from None
    from sklearn.naive_bayes import MultinomialNB

    vectorizer = CountVectorizer()
    model = MultinomialNB().fit(vectorizer.fit_transform(_texts(X_train)), list(y_train))
    labels: Labels = model.predict(vectorizer.transform(_texts(X_test))).astype(object)
    return labels


def agreement(X_train: Messages, y_train: Iterable[Any], X_test: Messages) -> dict[str, float]:
    """Returns the share of X_test that each filter labels as `sklearn_method` does; NaN for no messages.

    The lab computes it by scikit-learn's `accuracy_score`, from `predict_log` and `predict`.
    """
    train, y, test = _texts(X_train), list(y_train), _texts(X_test)
    labels = {
        "NaiveBayesFilter": NaiveBayesFilter().fit(train, y).predict_log(test),
        "PoissonBayesFilter": PoissonBayesFilter().fit(train, y).predict(test),
    }
    if not test:
        return dict.fromkeys(labels, float("nan"))
    expected = sklearn_method(train, y, test)
    return {name: float((each == expected).mean()) for name, each in labels.items()}


def _texts(messages: Messages) -> list[str]:
    """Returns the messages as strings: scikit-learn takes no bytes and no missing text."""
    return [text.decode("utf-8", "replace") for text in as_texts(messages).tolist()]


def _batch(messages: Messages) -> Batch:
    return extract(as_texts(messages), FeatureConfig.plain())


def _labels(scores: FloatArray) -> Labels:
    labels: Labels = np.array(LABELS, object)[scores.argmax(axis=1)]
    return labels

"""scikit-learn's models as peers, with the settings that it starts with unless a name says otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers.base import Bools, Floats, Messages, Peer


class Sklearn(Peer):
    """A vectorizer and a classifier, fitted one after the other."""

    package = "scikit-learn"

    def parts(self) -> tuple[Any, Any]:
        """The vectorizer and the classifier, not fitted."""
        raise NotImplementedError

    def margin(self, counts: Any) -> Floats:
        """log P(spam, x) - log P(ham, x)."""
        joint = self.model.predict_joint_log_proba(counts)
        return np.asarray(joint[:, 1] - joint[:, 0])

    def train(self, messages: Messages, spam: Bools) -> None:
        self.vectorizer, self.model = self.parts()
        self.model.fit(self.vectorizer.fit_transform(messages.texts), spam)

    def score(self, messages: Messages) -> tuple[Floats, Floats]:
        margin = self.margin(self.vectorizer.transform(messages.texts))
        if not self.probabilities:
            return margin, (margin >= 0).astype(np.float64)
        return margin, 1 / (1 + np.exp(-np.clip(margin, -700, 700)))


class Multinomial(Sklearn):
    name = "CountVectorizer + MultinomialNB"

    def parts(self) -> tuple[Any, Any]:
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import MultinomialNB

        return CountVectorizer(), MultinomialNB()


class Bernoulli(Sklearn):
    name = "CountVectorizer + BernoulliNB"

    def parts(self) -> tuple[Any, Any]:
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import BernoulliNB

        return CountVectorizer(binary=True), BernoulliNB()


class Svc(Sklearn):
    """tf-idf and LinearSVC, which gives no probability."""

    probabilities = False
    settings: dict[str, Any]

    def parts(self) -> tuple[Any, Any]:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.svm import LinearSVC

        return TfidfVectorizer(sublinear_tf=True, **self.settings), LinearSVC()

    def margin(self, counts: Any) -> Floats:
        return np.asarray(self.model.decision_function(counts))


class CharSvc(Svc):
    """The strongest of scikit-learn on SMS."""

    name = "char 2-5 tf-idf + LinearSVC"
    settings = {"analyzer": "char", "ngram_range": (2, 5)}  # noqa: RUF012


class WordSvc(Svc):
    name = "word tf-idf + LinearSVC"
    settings = {}  # noqa: RUF012

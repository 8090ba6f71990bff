"""Orders unlabelled messages by how much a label helps the model, with one question for near-duplicates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray, Record
from spamnb.features import Batch, extract
from spamnb.messages import Texts
from spamnb.model import Predictions, SpamModel, message_digests
from spamnb.training.near_duplicates import group_duplicates

EVERY = 5  # answers after which the best candidates are ranked again
CANDIDATES = 2000  # messages that are ranked again; all of them after every tenth time
_ALL_AGAIN = 10


class _Messages(Record):
    """Messages with the columns that a model reads, and their tokens: they are extracted once."""

    texts: Texts
    categories: dict[str, Sequence[str]]
    numbers: dict[str, FloatArray]
    tokens: Batch

    @classmethod
    def of(
        cls,
        model: SpamModel,
        texts: Texts,
        categories: Mapping[str, Sequence[str]],
        numbers: Mapping[str, FloatArray],
    ) -> _Messages:
        """Extracts the tokens, and selects the columns of the model."""
        features = model.features
        return cls(
            texts,
            {name: values for name, values in categories.items() if name in features.categorical},
            {name: values for name, values in numbers.items() if name in features.numeric},
            extract(texts, features),
        )

    def score(self, model: SpamModel, rows: IntArray) -> Predictions:
        """Predicts some of the messages."""
        categories = {c: [values[i] for i in rows.tolist()] for c, values in self.categories.items()}
        numbers = {c: np.asarray(values)[rows] for c, values in self.numbers.items()}
        tokens = self.tokens if len(rows) == self.tokens.size else self.tokens.take(rows)
        return model.score_batch(tokens, categories, numbers)

    def learned(self, model: SpamModel) -> BoolArray:
        """Marks the messages that the model has learned."""
        if model.seen_messages is None:
            return np.zeros(len(self.texts), bool)
        return model.seen_messages.contains(message_digests(self.texts, self.categories, self.numbers))


class ReviewQueue:
    """The messages that a model knows least about come first; messages that it has learned are left out.

    >>> from spamnb.training.trainer import train
    >>> model = train(["win a prize", "free prize", "see you", "ok see"], ["spam", "spam", "ham", "ham"])
    >>> queue = ReviewQueue(model, Texts.of(["win a prize now", "see the prize", "see you ok"]))
    >>> len(queue), queue.next(model)
    (3, 1)
    """

    def __init__(
        self,
        model: SpamModel,
        texts: Texts,
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> None:
        self._messages = _Messages.of(model, texts, categories or {}, numbers or {})
        new = np.flatnonzero(~self._messages.learned(model))
        group = np.arange(len(texts))
        group[new] = new[group_duplicates(self._messages.tokens.take(new))]
        self._order = np.argsort(group, kind="stable")
        self._sorted = group[self._order]
        self._open = np.zeros(len(texts), bool)
        self._open[group[new]] = True
        self._start = self._messages.score(model, np.arange(len(texts))).codes
        self._asked = np.zeros(len(texts), bool)
        self._ranking: list[int] = []
        self._answers = self._rankings = 0

    def __len__(self) -> int:
        """Returns the number of questions that are left."""
        return int(self._open.sum())

    def next(self, model: SpamModel) -> int | None:
        """Returns the message to ask about next; None if none is left."""
        if self._answers % EVERY == 0 or not self._ranking:
            self._rank(model)
        while self._ranking and not self._open[self._ranking[-1]]:
            self._ranking.pop()
        if not self._ranking and self._open.any():
            self._rank(model, everything=True)
        return self._ranking[-1] if self._ranking else None

    def members(self, row: int) -> IntArray:
        """Returns all messages of a group, the asked one first."""
        first, last = np.searchsorted(self._sorted, [row, row + 1])
        return self._order[first:last]

    def close(self, row: int) -> None:
        """Takes a question out of the queue: it was answered or skipped."""
        self._open[row] = False
        self._asked[self.members(row)] = True
        self._answers += 1

    def reopen(self, row: int) -> None:
        """Puts a question back, to be asked next."""
        self._open[row] = True
        self._asked[self.members(row)] = False
        self._ranking.append(row)
        self._answers += self._answers % EVERY == 0  # not ranked anew before it is asked

    def flipped(self, model: SpamModel) -> tuple[int, int]:
        """Counts the changed verdicts on messages that were not asked about, and all these messages."""
        rest = np.flatnonzero(~self._asked)
        return int((self._messages.score(model, rest).codes != self._start[rest]).sum()), len(rest)

    def _rank(self, model: SpamModel, everything: bool = False) -> None:
        """Ranks the open questions, the best last."""
        if everything or self._rankings % _ALL_AGAIN == 0:
            candidates = np.flatnonzero(self._open)
        else:
            candidates = np.array(sorted(self._ranking[-CANDIDATES:]), np.int64)
            candidates = candidates[self._open[candidates]]
        self._rankings += 1
        order = np.lexsort((candidates, margins(model, self._messages.score(model, candidates))))
        self._ranking = candidates[order[::-1]].tolist()


def margins(model: SpamModel, predictions: Predictions) -> FloatArray:
    """Measures how sure the model is, |log-odds - t|: an answer helps most where that is small.

    t is the middle between even odds and the threshold. A message in which little is known has small
    log-odds. Dividing by the standard error of the log-odds asked no better questions. With more than two
    classes it is the probability of the verdict.
    """
    if model.pair is None:
        return predictions.probability
    return np.asarray(np.abs(predictions.log_odds - _threshold(model)))


def _threshold(model: SpamModel) -> float:
    """Returns the middle between even odds and the log-odds above which a message is spam."""
    decision = model.decision
    if decision.log_odds_threshold is not None:
        return decision.log_odds_threshold / 2
    share = min(max(decision.threshold, 1e-6), 1 - 1e-6)
    return math.log(share / (1 - share)) / 2

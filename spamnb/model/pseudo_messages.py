"""Draws pseudo messages of a class from the distribution of tokens in a model.

    bernoulli      every word of the vocabulary is there with probability p_ic
    less-naive     one word after the other, from P_k(w | the words before it, c)
    other scorers  n words from P(w|c), n from a Poisson distribution with the mean length of the class
    columns        a value from P(value|c) or P(value|parent, c), a number from the normal distribution

Only single words are drawn: n-grams and shapes follow from them. P(w|c) is that of the scorer, divided by its
sum over all words. Calibration, weight correction and base model play no part. `complement` and `binary` do
not model whole messages, so there is nothing to draw from.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from spamnb.core import FloatArray, IntArray, Record
from spamnb.errors import ConfigError
from spamnb.model.scoring_engine import weighted
from spamnb.scorers import BACK_OFF, ColumnScores, Form, Stats

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

Followers = tuple[list[int], list[int]]


class PseudoMessage(Record):
    """A message that was drawn from a model: its words and the values of its columns."""

    text: str
    categories: dict[str, str]
    numbers: dict[str, float]


def draw_messages(model: SpamModel, label: str, n: int, seed: int) -> list[PseudoMessage]:
    """Draws n messages of a class, the same ones for the same seed."""
    source = MessageSource(model, label, seed)
    return [source.draw() for _ in range(n)]


class MessageSource:
    """Draws messages of one class."""

    def __init__(self, model: SpamModel, label: str, seed: int) -> None:
        self._model, self._scorer = model, model.engine.scorer
        if label not in model.labels:
            raise ConfigError(
                f"the model has no class {label!r}", hint=f"choose one of: {', '.join(model.labels)}"
            )
        if not self._scorer.generative:
            raise ConfigError(
                f"the scorer {self._scorer.name} does not model whole messages",
                hint="draw from a model of another scorer, such as multinomial",
            )
        self._class, self._random = model.labels.index(label), np.random.default_rng(seed)
        stats = weighted(Stats.of(model.store), model.scoring)
        self._counts = stats.tokens[:, self._class]
        self._words = np.flatnonzero(model.store.kinds == 1)
        self._p = np.exp(self._scorer.estimate(stats)[self._words, self._class])
        words, messages = model.store.word_totals[self._class], model.store.message_totals[self._class]
        self._mean_length = float(words / max(messages, 1))
        self._columns = ColumnScores(model.store, model.scoring)
        self._known_followers: dict[int, dict[str, Followers]] = {}

    def draw(self) -> PseudoMessage:
        """Draws one message."""
        rows = self._draw_words() if self._p.sum() > 0 else []
        spellings = self._model.store.spellings
        categories, numbers = self._columns.draw(self._class, self._random)
        return PseudoMessage(" ".join(spellings[row] for row in rows), categories, numbers)

    def _draw_words(self) -> list[int]:
        """Returns the rows of the words, in their order."""
        if self._scorer.form is Form.PRESENCE:
            present = self._words[self._random.random(len(self._p)) < self._p]
            return [int(row) for row in self._random.permutation(present)]
        length = int(self._random.poisson(self._mean_length))
        if self._scorer.order is not None:
            return self._draw_chain(length, self._scorer.order)
        return [int(row) for row in self._pick(self._words, self._p, length)]

    def _draw_chain(self, length: int, order: int) -> list[int]:
        """Draws each word after the `order` words before it."""
        rows: list[int] = []
        while len(rows) < length:
            spelled = [self._model.store.spellings[row] for row in rows[-order:]] if order else []
            rows.append(self._draw_after(spelled))
        return rows

    def _draw_after(self, before: list[str]) -> int:
        """Draws w in proportion to N_hw + s P(w | a shorter history): by N_hw, or else from the latter."""
        while before:
            words, grams = self._followers(len(before))[" ".join(before)]
            counts = self._counts[grams]
            if self._random.random() * (counts.sum() + BACK_OFF) < counts.sum():
                return int(self._pick(np.array(words), counts, 1)[0])
            before = before[1:]
        return int(self._pick(self._words, self._p, 1)[0])

    def _pick(self, rows: IntArray, weights: FloatArray, times: int) -> IntArray:
        return self._random.choice(rows, times, p=weights / weights.sum())

    def _followers(self, size: int) -> dict[str, Followers]:
        """Maps each n-gram of a size to the rows of the words that follow it, and of both together."""
        if size not in self._known_followers:
            store, table = self._model.store, defaultdict[str, Followers](lambda: ([], []))
            words = {store.spellings[int(row)]: int(row) for row in self._words}
            for row in np.flatnonzero(store.kinds == size + 1).tolist():
                history, _, word = store.spellings[row].rpartition(" ")
                if word in words:
                    table[history][0].append(words[word])
                    table[history][1].append(row)
            self._known_followers[size] = table
        return self._known_followers[size]

"""Reads a model out as plain data: its card, tokens with the numbers that their evidence comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import is_pair
from spamnb.features import labelled_token, token_key
from spamnb.model.formula import Formula, Linear, formula_of, linear_view, positive_index
from spamnb.model.model_state import to_state
from spamnb.model.scoring_engine import weighted
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import BACK_OFF, Form, Stats, safe_log


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token: occurrences and messages by class, what the scorer estimates from them, and its weight.

    `probabilities` are P(i|c); for the scorer complement P(i|not c), for poisson the rates r_ic. For
    less-naive those of an n-gram are P(last word|words before it, c). `weight` is what the token in a message
    adds to the log-odds before damping and calibration: `bayes_weight`, log P(i|positive) - log P(i|other),
    plus the `correction` (None if the model has none), within the limit on one token. For more than two
    classes it is one class's log P minus the mean of the others: of the class whose top tokens are listed,
    else of the positive one. For poisson and less-naive it is only a part, see `scorers.Form`. `base_weight`
    is the weight in the base model, None without one.
    """

    token: str
    known: bool
    occurrences: tuple[int, ...]
    messages: tuple[int, ...]
    probabilities: tuple[float, ...]
    weight: float
    bayes_weight: float = 0.0
    correction: float | None = None
    base_weight: float | None = None


class Inspector:
    """Reads the tokens of a model; estimates each of them once."""

    def __init__(self, model: SpamModel) -> None:
        self.model = model
        self._scorer = model.engine.scorer
        self._stats = weighted(Stats.of(model.scored_store), model.scoring)
        self._log_p: FloatArray = self._scorer.estimate(self._stats)
        self._by_class: dict[int, FloatArray] = {}
        self._base = None if model.active_base is None else Inspector(model.active_base.model)

    @cached_property
    def formula(self) -> Formula:
        """How the numbers of tokens and columns make the log-odds; an error with fewer than two classes."""
        _ = self.model.pair  # refuses fewer
        return formula_of(self.model)

    def linear(self) -> Linear | None:
        """Returns the linear view; None where the log-odds are not linear."""
        return linear_view(self.formula)

    def top(self, label: str, limit: int) -> list[TokenRow]:
        """Returns the tokens that are most evidence for a class."""
        c, keys = self.model.labels.index(label), self.model.scored_store.keys
        for_label = self._bayes_weights(c) + self._corrections(c)
        if self._scorer.form is Form.CHAIN:  # an n-gram is no evidence of its own
            for_label = np.where(self.model.scored_store.kinds == 1, for_label, 0.0)
        order = np.lexsort((keys, -for_label))[:limit]
        shown_for = self._positive() if len(self.model.labels) == 2 else c
        return self.rows((i for i in order.tolist() if for_label[i] > 0), shown_for)

    def look_up(self, words: Iterable[str]) -> list[TokenRow]:
        """Finds tokens by their spelling or label; case does not matter, except after a tag."""
        return [self._look_up(word) for word in words]

    def rows(self, indices: Iterable[int], c: int | None = None) -> list[TokenRow]:
        """Returns tokens by their places in the store, with weights for class c, by default the positive."""
        c = self._positive() if c is None else c
        bayes, added = self._bayes_weights(c), self._corrections(c)
        return [self._row(i, c, float(bayes[i]), float(added[i])) for i in indices]

    def _look_up(self, word: str) -> TokenRow:
        token = word if ":" in word else " ".join(word.lower().split())
        row = self._find(token)
        if row < 0 and (named := labelled_token(word)):
            token, row = named, self._find(named)
        if row < 0:
            none = (0,) * len(self.model.labels)
            zeros = (0.0,) * len(none)
            return TokenRow(token, False, none, none, zeros, 0.0, base_weight=self._base_weight(token))
        return self.rows([row])[0]

    def _find(self, token: str) -> int:
        return int(self.model.scored_store.find(np.array([token_key(token)], np.uint64))[0]) if token else -1

    @property
    def positive(self) -> str:
        """The class that a weight above 0 is evidence for."""
        return self.model.labels[self._positive()]

    def _positive(self) -> int:
        return positive_index(self.model)

    @cached_property
    def _weights(self) -> FloatArray:
        """(R, K): what each token in a message adds to the score of each class."""
        return self._scorer.occurrence_weights(self._log_p)

    def _bayes_weights(self, c: int) -> FloatArray:
        if c not in self._by_class:
            self._by_class[c] = _against_others(self._weights, c)
        return self._by_class[c]

    def _corrections(self, c: int) -> FloatArray:
        """Returns (R,): what the correction adds to the weights of class c."""
        added = self.model.engine.added(None)
        if added is None:
            return np.zeros(len(self._log_p))
        return added if c == self._positive() else -added

    def _row(self, i: int, c: int, bayes: float, added: float) -> TokenRow:
        store = self.model.scored_store
        p = self._probabilities(i)
        if self._scorer.form is Form.CHAIN and store.kinds[i] != 1:
            bayes = float(_against_others(safe_log(p)[None], c)[0])
        return TokenRow(
            store.spellings[i],
            True,
            tuple(store.tokens[i].tolist()),
            tuple(store.messages[i].tolist()),
            tuple(p.tolist()),
            self._limited(bayes + added),
            bayes,
            None if self.model.active_correction is None else added,
            self._base_weight(store.spellings[i]),
        )

    def _limited(self, weight: float) -> float:
        """Returns a weight for the positive class within the limit on one token."""
        limits = self.model.engine.limits
        return weight if limits is None else float(limits.raise_weights(np.array([weight]))[0])

    def _probabilities(self, i: int) -> FloatArray:
        """Returns (K,): the probabilities, or rates, that are shown of a token."""
        if self._scorer.form is Form.CHAIN and self.model.scored_store.kinds[i] != 1:
            return self._after_words(self.model.scored_store.spellings[i].split(" "))
        log_p = self._log_p[i]
        return np.asarray(np.exp(-log_p if self._scorer.form is Form.COMPLEMENT else log_p))

    def _after_words(self, words: list[str]) -> FloatArray:
        """Returns (K,): P(last word|words before it, c), backed off from all words to the last one.

        0 for tokens that are no n-grams of known words: the scorer does not use them.
        """
        words = words[-1 - (self._scorer.order or 0) :]
        if (last := self._find(words[-1])) < 0 or self.model.scored_store.kinds[last] != 1:
            return np.zeros(len(self.model.labels))
        p: FloatArray = np.exp(self._log_p[last])
        for start in range(len(words) - 2, -1, -1):
            together, before = (self._occurrences(" ".join(w)) for w in (words[start:], words[start:-1]))
            p = (together + BACK_OFF * p) / (before + BACK_OFF)
        return p

    def _occurrences(self, token: str) -> FloatArray:
        row = self._find(token)
        return self._stats.tokens[row] if row >= 0 else np.zeros(len(self.model.labels))

    def _base_weight(self, token: str) -> float | None:
        """Returns the weight of a token in the base model, 0 if that does not know it."""
        return None if self._base is None else self._base.look_up([token])[0].weight


def _against_others(log_p: FloatArray, c: int) -> FloatArray:
    """Returns (R,): log P of class c minus the mean of the other classes; 0 if none is possible."""
    if log_p.shape[1] < 2:
        return np.zeros(len(log_p))
    with np.errstate(invalid="ignore"):
        weights = log_p[:, c] - np.delete(log_p, c, axis=1).mean(axis=1)
    return np.where(np.isnan(weights), 0.0, weights)


def card(model: SpamModel, path: str = "", size: int = 0) -> dict[str, Any]:
    """Returns the model card: stable names, builtins only."""
    store = model.store
    kinds: IntArray = np.bincount(store.kinds, minlength=256)
    state = to_state(model, ("features", "calibration", "decision", "change_history"))
    return {
        "path": path,
        "bytes": size,
        "classes": dict(zip(store.labels, store.message_totals.tolist(), strict=True)),
        "positive": model.positive,
        "tokens": {"all": store.vocabulary, "words": int(kinds[1]), "word_ngrams": int(kinds[2:6].sum())},
        "occurrences": dict(zip(store.labels, store.token_totals.tolist(), strict=True)),
        "features": state["features"],
        "scorer": model.active_scoring.to_state() | {"once": model.engine.scorer.once},
        "calibration": state["calibration"],
        "refined": _refined(model),
        "base": _base(model),
        "decision": state["decision"],
        "min_known_words": model.min_known_words,
        "metrics": dict(model.metrics) if model.metrics is not None else None,
        "seen_messages": None if model.seen_messages is None else len(model.seen_messages),
        "change_history": state["change_history"],
        "outdated": model.change_history.outdated_because(model.metrics),
        "columns": {
            "categorical": {c: len(v) for c, v in store.categories.items() if not is_pair(c)},
            "numeric": {
                c: [[m.mean, m.variance()] for m in row] for c, row in store.numbers.items() if not is_pair(c)
            },
        },
    }


def _refined(model: SpamModel) -> dict[str, int] | None:
    """Counts the corrected tokens, and the messages learned since then; None without a correction."""
    correction, added = model.active_correction, model.engine.added(None)
    if correction is None or added is None:
        return None
    history = model.change_history
    return {
        "tokens": int(np.count_nonzero(added)),
        "messages": correction.messages,
        "learned_since": history.learned - history.forgotten,
    }


def _base(model: SpamModel) -> dict[str, Any] | None:
    """Describes the base model; None without one."""
    if (base := model.active_base) is None:
        return None
    messages = int(base.model.store.message_totals.sum())
    tokens = base.model.store.vocabulary
    return {"name": base.name, "weight": base.weight, "messages": messages, "tokens": tokens}


def row_dict(row: TokenRow) -> dict[str, Any]:
    return asdict(row)

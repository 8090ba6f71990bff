"""Reads a model out as plain data: its card, the strongest tokens of each class, the linear view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import is_pair
from spamnb.features import token_key
from spamnb.model.model_state import to_state
from spamnb.model.scoring_engine import weighted
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import Stats


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token: occurrences and messages by class, P(token | class), and its weight.

    `weight` is log P(i|positive) - log P(i|other) plus the correction: what one occurrence adds to the
    log-odds before damping and calibration. For more than two classes it is one class's log P minus the mean
    of the others: of the class whose top tokens are listed, else of the positive one. `base_weight` is the
    weight in the base model, None without one.
    """

    token: str
    known: bool
    occurrences: tuple[int, ...]
    messages: tuple[int, ...]
    probabilities: tuple[float, ...]
    weight: float
    base_weight: float | None = None


@dataclass(frozen=True, slots=True)
class Linear:
    """log-odds = slope * (w.x + b) / m^damping + offset, for `positive` against `negative`.

    A curved calibration differs from this line. With a base model, slope * base_weight * (the log-odds of the
    base model, whose linear view is `base`) is added.
    """

    positive: str
    negative: str
    b: float
    slope: float
    offset: float
    damping: float
    base_weight: float | None = None
    base: Linear | None = None


class Inspector:
    """Reads the tokens of a model; estimates each of them once."""

    def __init__(self, model: SpamModel) -> None:
        self.model = model
        stats = weighted(Stats.of(model.store), model.scoring)
        self._log_p: FloatArray = model.engine.scorer.estimate(stats)
        self._bias = model.engine.scorer.bias(stats)
        self._base = None if model.active_base is None else Inspector(model.active_base.model)

    def top(self, label: str, limit: int) -> list[TokenRow]:
        """Returns the tokens that are most evidence for a class."""
        for_label = self._weights(self.model.labels.index(label))
        order = np.lexsort((self.model.store.keys, -for_label))[:limit]
        weights = self._weights(self._positive()) if len(self.model.labels) == 2 else for_label
        return [self._row(int(i), float(weights[i])) for i in order if for_label[i] > 0]

    def look_up(self, words: Iterable[str]) -> list[TokenRow]:
        """Finds tokens by their spelling; case does not matter, except after a tag."""
        return [self._look_up(word) for word in words]

    def _look_up(self, word: str) -> TokenRow:
        token = word if ":" in word else " ".join(word.lower().split())
        row = int(self.model.store.find(np.array([token_key(token)], np.uint64))[0]) if token else -1
        if row < 0:
            none = (0,) * len(self.model.labels)
            return TokenRow(token, False, none, none, (0.0,) * len(none), 0.0, self._base_weight(token))
        return self._row(row, float(self._weights(self._positive())[row]))

    @property
    def positive(self) -> str:
        """The class that a weight above 0 is evidence for."""
        return self.model.labels[self._positive()]

    def _positive(self) -> int:
        labels = self.model.labels
        return labels.index(self.model.positive) if self.model.positive in labels else len(labels) - 1

    def _weights(self, c: int) -> FloatArray:
        others = np.delete(self._log_p, c, axis=1).mean(axis=1)
        with np.errstate(invalid="ignore"):
            weights = self._log_p[:, c] - others
        weights = np.where(np.isnan(weights), 0.0, weights)  # impossible in both: no evidence
        added, fitted = self.model.engine.added(None), self.model.active_correction
        if added is None or fitted is None:
            return weights
        return weights + (added if self.model.labels[c] == fitted.label else -added)

    def _row(self, i: int, weight: float) -> TokenRow:
        store = self.model.store
        return TokenRow(
            store.spellings[i],
            True,
            tuple(store.tokens[i].tolist()),
            tuple(store.messages[i].tolist()),
            tuple(np.exp(self._log_p[i]).tolist()),
            weight,
            self._base_weight(store.spellings[i]),
        )

    def _base_weight(self, token: str) -> float | None:
        """Returns the weight of a token in the base model, 0 if that does not know it."""
        return None if self._base is None else self._base.look_up([token])[0].weight

    def linear(self) -> Linear | None:
        """Returns the linear view; None for more than two classes."""
        from spamnb.model.calibration import Temperature

        fit = self.model.calibration
        if len(self.model.labels) != 2 or isinstance(fit, Temperature):
            return None
        plus, labels, offset = self._positive(), self.model.labels, fit.offset
        b = float(self._bias[plus] - self._bias[1 - plus])
        if (fitted := self.model.active_correction) is not None:
            offset += fit.slope * (fitted.bias if fitted.label == labels[plus] else -fitted.bias)
        line = labels[plus], labels[1 - plus], b, fit.slope, offset, self.model.scoring.damping
        base = self.model.active_base
        if base is None or self._base is None:
            return Linear(*line)
        return Linear(*line, base.weight, self._base.linear())


def card(model: SpamModel, path: str = "", size: int = 0) -> dict[str, Any]:
    """Returns the model card: stable names, builtins only."""
    store = model.store
    kinds: IntArray = np.bincount(store.kinds, minlength=256)
    state = to_state(model, ("features", "scorer", "calibration", "decision", "change_history"))
    return {
        "path": path,
        "bytes": size,
        "classes": dict(zip(store.labels, store.message_totals.tolist(), strict=True)),
        "positive": model.positive,
        "tokens": {"all": store.vocabulary, "words": int(kinds[1]), "word_ngrams": int(kinds[2:6].sum())},
        "occurrences": dict(zip(store.labels, store.token_totals.tolist(), strict=True)),
        "features": state["features"],
        "scorer": state["scorer"],
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


# Nearly every mail has one of these, and no other message does.
_MAIL_TOKENS = ("mime:text_plain", "mime:text_html", "header:from", "header:subject")


def knows_mail(model: SpamModel) -> bool:
    """Whether the model, or its base model, has learned mail."""
    keys = np.array([token_key(token) for token in _MAIL_TOKENS], np.uint64)
    models = [model] if model.active_base is None else [model, model.active_base.model]
    return any(bool((each.store.find(keys) >= 0).any()) for each in models)

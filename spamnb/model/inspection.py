"""What is inside a model, as plain data: a card, the strongest tokens of each class, the linear view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.features import token_key
from spamnb.messages import Chunk
from spamnb.model.message_digest import message_digests
from spamnb.model.scoring_engine import weighted
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import Stats


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token: occurrences and messages by class, P(token | class), and its weight.

    `weight` is log P(i|positive) - log P(i|other), and the correction where the model is refined: what one
    occurrence adds to the log-odds before damping and calibration. For more than two classes it is one
    class's log P minus the mean of the others: of the class whose top tokens are asked for, else of the
    positive one. `start_weight` is the weight in the model that this one starts from, None without it.
    """

    token: str
    known: bool
    occurrences: tuple[int, ...]
    messages: tuple[int, ...]
    probabilities: tuple[float, ...]
    weight: float
    start_weight: float | None = None


@dataclass(frozen=True, slots=True)
class Linear:
    """log-odds = slope * (w.x + b) / m^damping + offset, for `positive` against `negative`.

    Where the calibration bends, this is the line that it bends away from. In a model that starts from another
    one, slope * start_weight * (log-odds of that one, its linear view being `start`) is added.
    """

    positive: str
    negative: str
    b: float
    slope: float
    offset: float
    damping: float
    start_weight: float | None = None
    start: Linear | None = None


class Inspector:
    """Reads a model out; estimates every token once."""

    def __init__(self, model: SpamModel) -> None:
        self.model = model
        stats = weighted(Stats.of(model.store), model.scoring)
        self._log_p: FloatArray = model.engine.scorer.estimate(stats)
        self._bias = model.engine.scorer.bias(stats)
        self._start = None if model.active_base is None else Inspector(model.active_base.model)

    def top(self, label: str, limit: int) -> list[TokenRow]:
        """The tokens that speak most for a class."""
        for_label = self._weights(self.model.labels.index(label))
        order = np.lexsort((self.model.store.keys, -for_label))[:limit]
        weights = self._weights(self._positive()) if len(self.model.labels) == 2 else for_label
        return [self._row(int(i), float(weights[i])) for i in order if for_label[i] > 0]

    def look_up(self, words: Iterable[str]) -> list[TokenRow]:
        """Tokens by their spelling; case does not matter, except after a tag."""
        return [self._found(word) for word in words]

    def _found(self, word: str) -> TokenRow:
        token = word if ":" in word else " ".join(word.lower().split())
        row = int(self.model.store.find(np.array([token_key(token)], np.uint64))[0]) if token else -1
        if row < 0:
            none = (0,) * len(self.model.labels)
            return TokenRow(token, False, none, none, (0.0,) * len(none), 0.0, self._of_start(token))
        return self._row(row, float(self._weights(self._positive())[row]))

    @property
    def positive(self) -> str:
        """The class that a weight above 0 speaks for."""
        return self.model.labels[self._positive()]

    def _positive(self) -> int:
        labels = self.model.labels
        return labels.index(self.model.positive) if self.model.positive in labels else len(labels) - 1

    def _weights(self, c: int) -> FloatArray:
        others = np.delete(self._log_p, c, axis=1).mean(axis=1)
        with np.errstate(invalid="ignore"):
            weights = self._log_p[:, c] - others
        weights = np.where(np.isnan(weights), 0.0, weights)  # impossible in both: says nothing
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
            self._of_start(store.spellings[i]),
        )

    def _of_start(self, token: str) -> float | None:
        """The weight of a token in the model that this one starts from; what that does not know weighs 0."""
        return None if self._start is None else self._start.look_up([token])[0].weight

    def linear(self) -> Linear | None:
        """The linear view of document 003; None for more than two classes."""
        from spamnb.model.calibration import Temperature

        fit = self.model.calibration
        if len(self.model.labels) != 2 or isinstance(fit, Temperature):
            return None
        plus, labels, offset = self._positive(), self.model.labels, fit.offset
        b = float(self._bias[plus] - self._bias[1 - plus])
        if (fitted := self.model.active_correction) is not None:
            offset += fit.slope * (fitted.bias if fitted.label == labels[plus] else -fitted.bias)
        line = labels[plus], labels[1 - plus], b, fit.slope, offset, self.model.scoring.damping
        start = self.model.active_base
        if start is None or self._start is None:
            return Linear(*line)
        return Linear(*line, start.weight, self._start.linear())


def card(model: SpamModel, path: str = "", size: int = 0) -> dict[str, Any]:
    """The model card: stable names, builtins only."""
    store = model.store
    kinds: IntArray = np.bincount(store.kinds, minlength=256)
    return {
        "path": path,
        "bytes": size,
        "classes": dict(zip(store.labels, store.message_totals.tolist(), strict=True)),
        "positive": model.positive,
        "tokens": {"all": store.vocabulary, "words": int(kinds[1]), "word_ngrams": int(kinds[2:6].sum())},
        "occurrences": dict(zip(store.labels, store.token_totals.tolist(), strict=True)),
        "features": model.features.to_dict(),
        "scorer": model.scoring.to_dict(),
        "calibration": model.calibration.to_dict(),
        "refined": _refined(model),
        "base": _start(model),
        "decision": model.decision.to_dict(),
        "min_known_words": model.min_known_words,
        "metrics": dict(model.metrics) if model.metrics is not None else None,
        "remembers": None if model.seen_messages is None else len(model.seen_messages),
        "change_history": model.change_history.to_dict(),
        "stale": model.change_history.stale(model.metrics),
        "columns": {
            "categorical": {c: len(v) for c, v in store.categories.items()},
            "numeric": {c: [[m.mean, m.variance()] for m in row] for c, row in store.numbers.items()},
        },
    }


def _refined(model: SpamModel) -> dict[str, int] | None:
    """How many tokens are corrected, and how many messages came or went since; None without refinement."""
    fitted, added = model.active_correction, model.engine.added(None)
    if fitted is None or added is None:
        return None
    tokens, since = (
        int(np.count_nonzero(added)),
        model.change_history.learned - model.change_history.forgotten,
    )
    return {"tokens": tokens, "messages": fitted.messages, "since": since}


def _start(model: SpamModel) -> dict[str, Any] | None:
    """The model that this one starts from; None without it."""
    if (start := model.active_base) is None:
        return None
    learned = int(start.model.store.message_totals.sum())
    tokens = start.model.store.vocabulary
    return {"name": start.name, "weight": start.weight, "messages": learned, "tokens": tokens}


def row_dict(row: TokenRow) -> dict[str, Any]:
    return asdict(row)


# Nearly every mail has one of these, and no other message does.
_OF_MAIL = ("mime:text_plain", "mime:text_html", "header:from", "header:subject")


def knows_mail(model: SpamModel) -> bool:
    """Were there mails among the messages of the model, or of the one that it starts from?"""
    keys = np.array([token_key(token) for token in _OF_MAIL], np.uint64)
    models = [model] if model.active_base is None else [model, model.active_base.model]
    return any(bool((each.store.find(keys) >= 0).any()) for each in models)


def learned(model: SpamModel, chunk: Chunk) -> int:
    """How many of these messages the model has learned, under whatever label; 0 if it does not remember."""
    if model.seen_messages is None:
        return 0
    categories = {name: chunk.categories[name] for name in model.features.categorical}
    numbers = {name: chunk.numbers[name] for name in model.features.numeric}
    digests = message_digests(chunk.texts, categories, numbers)
    return int(np.count_nonzero(model.seen_messages.contains(digests)))

"""The model that a personal one starts from: what it says is added to what one's own messages say.

    log-odds before calibration = own log-odds + weight * log-odds of the start

The start never learns, so the own counts stay exact. Both models read the same tokens of a message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb.core import Record
from spamnb.errors import ConfigError, DataError, ModelError
from spamnb.model.change_history import ChangeHistory
from spamnb.model.scoring_engine import RawScores, WordCounts
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.storage import require

if TYPE_CHECKING:
    from spamnb.features import Batch
    from spamnb.model.spam_model import SpamModel

# Chosen with 4 to 600 messages of corpora that the start had not seen: the rest of the smishing set (SMS),
# Enron and SpamAssassin (mail). 0.2 to 0.3 was best or near it with 20 messages of each of them.
USUAL = 0.25


class BaseModel(Record):
    """`name` says in words which model it is; `weight` is how much its log-odds count beside one's own."""

    name: str
    model: SpamModel
    weight: float = USUAL

    @classmethod
    def of(cls, name: str, model: SpamModel, weight: float = USUAL) -> BaseModel:
        """Only what scoring needs; a model that is no good to start from is refused."""
        if model.base is not None:
            raise ConfigError(
                f"the {name} starts from another model itself, so none can start from it",
                hint="give a model that was trained without --base",
            )
        if len(model.labels) != 2 or model.features.categorical or model.features.numeric:
            raise ConfigError(
                f"only a model of two classes and without columns can be started from, not the {name}",
                hint="leave out --base, or use --base ready-made",
            )
        return cls(
            name,
            replace(model, metrics=None, seen_messages=None, change_history=ChangeHistory(), generation=0),
            weight,
        )

    def check(self, features: FeatureConfig, scoring: ScorerConfig) -> None:
        """Refuse settings under which the two would not read the same tokens or speak on the same scale."""
        if features != self.model.features:
            told = differences(self.model.features, features)
            raise ConfigError(
                f"the {self.name} reads messages in another way: {told}",
                hint="leave out the settings of tokens and columns, or --base",
            )
        if scoring.damping != 1:
            raise ConfigError(
                f"the {self.name} goes with log-odds that are damped by 1, as by the scorer multinomial; "
                f"those of {scoring.name} here are damped by {scoring.damping:g}",
                hint="use --scorer multinomial without --damping, or leave out --base",
            )

    def check_labels(self, labels: tuple[str, ...]) -> None:
        if labels != self.model.labels:
            raise DataError(
                f"the {self.name} knows {' and '.join(self.model.labels)}, the data has {', '.join(labels)}",
                hint="say which label means spam with --spam-label, or leave out --base",
            )

    def added(self, scored: RawScores, batch: Batch) -> RawScores:
        """One's own scores with those of the start; known is what the better informed of the two knows."""
        found = self.model.engine.score(batch, words=scored.words is not None)
        log_odds = self.weight * self.model.pair_log_odds(found)
        known, words = np.maximum(scored.known, found.known), scored.words
        if words is not None and found.words is not None:
            words = WordCounts(words.total, np.maximum(words.known, found.words.known))
        return RawScores(scored.joint, scored.scale, known, scored.correction, log_odds, words)

    def to_state(self) -> dict[str, Any]:
        return {"name": self.name, "weight": self.weight, "model": self.model.to_state()}

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], load: Callable[[Mapping[str, Any]], SpamModel]
    ) -> BaseModel:
        """The inverse of `to_state`; `load` reads the state of a model. Refuses a damaged state."""
        name, weight = require(state, "name", str), require(state, "weight", float)
        model = require(state, "model", dict)
        if model.get("base") is not None or not (math.isfinite(weight) and weight > 0):
            raise ModelError("the base model in the model is damaged", "train the model again")
        return cls(name, load(model), weight)


def differences(expected: FeatureConfig, got: FeatureConfig) -> str:
    """Which settings differ, in words.

    >>> differences(FeatureConfig(), FeatureConfig(ngrams=3))
    'ngrams is 3, expected 2'
    """
    pairs = zip(asdict(expected).items(), asdict(got).values(), strict=True)
    return ", ".join(
        f"{name} is {other}, expected {value}" for (name, value), other in pairs if value != other
    )


def check_same(first: SpamModel, other: SpamModel, first_name: str, other_name: str) -> None:
    """Models add up only if they start from the same one, or all from none."""
    if not _same(first.base, other.base):
        words = [
            f"{name} starts from {_words(m.base)}" for name, m in ((first_name, first), (other_name, other))
        ]
        raise ModelError(
            f"{words[0]}, {words[1]}: they do not add up",
            hint="train them with the same --base",
        )


def _words(start: BaseModel | None) -> str:
    return "no other model" if start is None else f"the {start.name}"


def _same(a: BaseModel | None, b: BaseModel | None) -> bool:
    """The same model, whatever its weight."""
    if a is None or b is None:
        return a is b
    mine, its = a.model.store, b.model.store
    tables = (mine.keys, its.keys), (mine.messages, its.messages), (mine.tokens, its.tokens)
    settings = (a.model.scoring, a.model.calibration) == (b.model.scoring, b.model.calibration)
    return a.name == b.name and settings and all(np.array_equal(x, y) for x, y in tables)

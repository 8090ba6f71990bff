"""Adds the log-odds of a base model to those of a personal model.

    log-odds before calibration = own log-odds + weight * log-odds of the base model

The base model never learns, so the model's own counts stay exact. Both read the same tokens of a message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb.core import Record
from spamnb.counts import CountStore
from spamnb.errors import ConfigError, DataError, ModelError
from spamnb.model.calibration import Platt
from spamnb.model.change_history import ChangeHistory
from spamnb.model.raw_scores import RawScores, WordCounts
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.storage import require

if TYPE_CHECKING:
    from spamnb.features import Batch
    from spamnb.model.spam_model import SpamModel

# The slope of log-odds that are means over tokens (damping 1), before any message is classified: with 6 to
# 200 messages of eight corpora the best one was 4 to 7, but 2 to 3 for Thai.
USUAL_SLOPE = 4.0
# The share of the base model's log-odds goes from 1 to START and is halfway after so many messages.
START, HALFWAY = 0.5, 8
# Many lessons speak clearer than few: their slope becomes up to GROWTH + 1 times the usual one, halfway after
# MANY messages. docs/internals/quality.md has the mailboxes that it was chosen on.
GROWTH, MANY = 2, 200
FOLLOWS = "the weight of the base model follows the number of messages"  # the note of such a calibration
DEFAULT_WEIGHT = 0.25
_LARGEST_WEIGHT = 1e100  # in a model file: far beyond any that is fitted, and no product overflows


def usual_slope(messages: int) -> float:
    """Returns the slope of own log-odds after so many messages, where no folds fit it: 0 without messages.

    >>> [round(usual_slope(n), 2) for n in (0, 8, 20, 100, 1000)]
    [0.0, 2.15, 3.38, 6.17, 10.58]
    """
    return USUAL_SLOPE * messages / (messages + HALFWAY) * (1 + GROWTH * messages / (messages + MANY))


def usual_share(messages: int) -> float:
    """Returns the share of the base model's log-odds before any message is classified: 1 without messages.

    >>> [round(usual_share(n), 2) for n in (0, 8, 20, 100)]
    [1.0, 0.75, 0.64, 0.54]
    """
    return START + (1 - START) * HALFWAY / (HALFWAY + messages)


class BaseModel(Record):
    """A model whose log-odds are added with a `weight`; `name` names it in errors and reports."""

    name: str
    model: SpamModel
    weight: float = DEFAULT_WEIGHT
    path: str = ""  # of the file that the model was read from, if it is read again when that changes
    stamp: str = ""  # identifies the contents of the file for `base_reload`

    @classmethod
    def of(cls, name: str, model: SpamModel, weight: float = DEFAULT_WEIGHT) -> BaseModel:
        """Keeps only what scoring needs; refuses a model that cannot be a base model."""
        if model.base is not None:
            raise ConfigError(
                f"the {name} cannot be a base model: it has one itself",
                hint="give a model that was trained without --base",
            )
        if len(model.labels) != 2 or model.features.categorical or model.features.numeric:
            raise ConfigError(
                f"the {name} cannot be a base model: that has two classes and no columns",
                hint="leave out --base, or use --base ready-made",
            )
        return cls(
            name,
            replace(
                model,
                metrics=None,
                seen_messages=None,
                change_history=ChangeHistory(),
                generation=0,
                lesson_mark=None,
            ),
            weight,
        )

    def check(self, features: FeatureConfig, scoring: ScorerConfig) -> None:
        """Refuses settings under which the two would not read the same tokens or score on the same scale."""
        if features != self.model.features:
            changes = differences(self.model.features, features)
            raise ConfigError(
                f"the {self.name} reads messages in another way: {changes}",
                hint="leave out the settings of tokens and columns, or --base",
            )
        if scoring.damping != 1:
            raise ConfigError(
                f"the {self.name} goes with log-odds that are damped by 1, as by the scorer multinomial; "
                f"those of {scoring.name} here are damped by {scoring.damping:g}",
                hint="use --scorer multinomial without --set damping, or leave out --base",
            )

    def check_labels(self, labels: tuple[str, ...]) -> None:
        if labels != self.model.labels:
            raise DataError(
                f"the {self.name} knows {' and '.join(self.model.labels)}, the data has {', '.join(labels)}",
                hint="say which label means spam with --spam-label, or leave out --base",
            )

    def add_to(self, scored: RawScores, batch: Batch, by_share: bool = False) -> RawScores:
        """Adds the scores of the base model; a message has the known tokens of the model that knows more.

        With `by_share` a message's own log-odds count by the share of its known tokens that are known to the
        own model: few lessons have little to say about a message that has one word of theirs.
        """
        base = self.model.engine.score(batch, words=scored.words is not None)
        if by_share:
            share = scored.known / np.maximum(np.maximum(base.known, scored.known), 1)
            scored = scored.replace(scale=scored.scale * share)
        words = scored.words
        if words is not None and base.words is not None:
            words = WordCounts(words.total, np.maximum(words.known, base.words.known))
        return scored.replace(
            known=np.maximum(scored.known, base.known),
            base_log_odds=self.weight * self.model.pair_log_odds(base),
            words=words,
        )

    def usual(self, store: CountStore) -> tuple[BaseModel, Platt]:
        """Returns the base and the calibration for the messages of a personal model, where no folds fit them.

            log-odds = usual_slope(k) share own + usual_share(k) base

        with k twice the messages of the smaller class: ten lessons of one class and one of the other tell
        little. `share` is that of `add_to`. By 5 lessons, random mistakes of a ready-made model on six
        corpora, 0.4 to 1.4% of the verdicts on other kinds of messages changed, and accuracy by 0 to +2
        points; without `share` 3 to 7% and 0 to +7. By 20 lessons 2 to 7%, and accuracy by 0 to +22 points;
        without `share` 11 to 33% and -1 to +26.
        """
        if self.supplies_classes(store):
            return self.replace(weight=1 / USUAL_SLOPE), Platt(USUAL_SLOPE, note=FOLLOWS)
        k = 2 * int(store.message_totals.min())
        slope = usual_slope(k)
        return self.replace(weight=usual_share(k) / slope), Platt(slope, note=FOLLOWS)

    def supplies_classes(self, store: CountStore) -> bool:
        """Returns whether a personal model has messages of some classes only, and takes those of its base."""
        return len(store.labels) < len(self.model.labels) and set(store.labels) <= set(self.model.labels)

    def to_state(self) -> dict[str, Any]:
        live = {"path": self.path, "stamp": self.stamp} if self.path else {}
        return {"name": self.name, "weight": self.weight, "model": self.model.to_state(), **live}

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], load: Callable[[Mapping[str, Any]], SpamModel]
    ) -> BaseModel:
        """Reverses `to_state`; `load` reads the state of a model. Refuses a damaged state."""
        name, weight = require(state, "name", str), require(state, "weight", float)
        model = require(state, "model", dict)
        path, stamp = (require(state, key, str) if key in state else "" for key in ("path", "stamp"))
        if model.get("base") is not None or not 0 < weight < _LARGEST_WEIGHT:
            raise ModelError("the base model in the model is damaged", "train the model again")
        return cls(name, load(model), weight, path, stamp)


def differences(expected: FeatureConfig, got: FeatureConfig) -> str:
    """Lists the settings that differ.

    >>> differences(FeatureConfig(), FeatureConfig(ngrams=3))
    'ngrams is 3, expected 2'
    """
    pairs = zip(asdict(expected).items(), asdict(got).values(), strict=True)
    return ", ".join(
        f"{name} is {other}, expected {value}" for (name, value), other in pairs if value != other
    )


def check_same(first: SpamModel, other: SpamModel, first_name: str, other_name: str) -> None:
    """Refuses to add up models with different base models."""
    if not _same(first.base, other.base):
        bases = [
            f"the base model of {name} is {'none' if model.base is None else f'the {model.base.name}'}"
            for name, model in ((first_name, first), (other_name, other))
        ]
        raise ModelError(
            f"{bases[0]}, {bases[1]}: they do not add up", hint="train them with the same --base"
        )


def _same(a: BaseModel | None, b: BaseModel | None) -> bool:
    """Tells whether both are the same model, with any weight."""
    if a is None or b is None:
        return a is b
    mine, its = a.model.store, b.model.store
    tables = (mine.keys, its.keys), (mine.messages, its.messages), (mine.tokens, its.tokens)
    settings = (a.model.scoring, a.model.calibration) == (b.model.scoring, b.model.calibration)
    return a.name == b.name and settings and all(np.array_equal(x, y) for x, y in tables)

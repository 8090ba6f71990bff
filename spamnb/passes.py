"""Messages counted once for many settings: fewer n-grams and no shapes are parts of what was counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spamnb.config import MAX_NGRAM, FeatureConfig, ScorerConfig
from spamnb.counts import CountStore
from spamnb.crossval import Sample
from spamnb.decision import Decision
from spamnb.errors import ConfigError, DataError
from spamnb.message import FloatArray, Texts
from spamnb.model import SpamModel
from spamnb.scorers import make
from spamnb.settling import calibrated
from spamnb.sparse import SHAPE, Entries
from spamnb.spellings import Spellings
from spamnb.training import FEWEST, Trainer


@dataclass(frozen=True)
class Setting:
    """One way to train a filter, under a name; `mail` says which settings are the usual ones."""

    name: str
    features: FeatureConfig
    scoring: ScorerConfig
    mail: bool = False


@dataclass(frozen=True, eq=False)
class Counted:
    """A model that is not yet calibrated, without spellings, and the sample that folds are made of."""

    model: SpamModel
    sample: Sample


def _family(features: FeatureConfig) -> FeatureConfig:
    """Features that agree in this can be counted in one pass."""
    # Where disguises are undone the words are others.
    return replace(features, ngrams=1, shapes=features.unmask)


def _widest(settings: Sequence[Setting]) -> tuple[FeatureConfig, ScorerConfig]:
    """What must be counted so that each of the settings is a part of it."""
    ngrams = max(s.features.ngrams for s in settings)
    shapes = any(s.features.shapes for s in settings)
    order = max(make(s.scoring).order for s in settings)
    scoring = ScorerConfig(name="less-naive", order=order) if order else ScorerConfig()
    return replace(settings[0].features, ngrams=ngrams, shapes=shapes), scoring


class Passes:
    """Feed it batches with `add`; one pass for each family of features, whatever the number of settings."""

    def __init__(self, settings: Iterable[Setting], decision: Decision, folds: int) -> None:
        families: dict[FeatureConfig, list[Setting]] = {}
        for s in settings:
            SpamModel(s.features, s.scoring)  # refuses settings that do not go together
            if s.scoring.balance == "undersample":
                raise ConfigError(
                    f"{s.name}: balance undersample cannot be compared on the same messages",
                    hint="use balance=weight",
                )
            families.setdefault(_family(s.features), []).append(s)
        self.decision, self.folds = decision, folds
        self._trainers = {
            family: Trainer(*_widest(every), decision, folds=folds, remember=False, refine="no")
            for family, every in families.items()
        }
        self._counted: dict[FeatureConfig, Counted] = {}

    def add(
        self,
        texts: Texts,
        labels: Sequence[str],
        categories: Mapping[str, list[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> None:
        """Count some labelled messages."""
        words = None
        for trainer in self._trainers.values():
            words = trainer.add(texts, labels, categories, numbers, words=words)

    def counted(self, features: FeatureConfig) -> Counted:
        """What a pass with just these features would have counted."""
        family = _family(features)
        if family not in self._counted:
            model, sample = self._trainers[family].counted()
            self._counted[family] = Counted(model, _enough(sample))
        return narrowed(self._counted[family], features)

    def model(self, setting: Setting) -> SpamModel:
        """The model that `spamnb train` would make of all messages with this setting, to the last bit."""
        counted = narrowed(self._counted[_family(setting.features)], setting.features, spelled=True)
        return calibrated(
            replace(counted.model, scoring=setting.scoring), counted.sample, self.folds, "auto"
        )[0]


def _enough(sample: Sample | None) -> Sample:
    if sample is None:
        raise DataError(
            f"too few messages to cross-validate: every class needs at least {FEWEST}",
            hint="give more labelled messages",
        )
    return sample


def narrowed(wide: Counted, features: FeatureConfig, spelled: bool = False) -> Counted:
    """The counts and the sample without the n-grams and shapes that `features` does not ask for.

    Every token of the sample has been counted, so the length of a message is the sum of its entries.
    """
    store, sample = wide.model.store, wide.sample
    kinds = store.kinds
    keep = (kinds <= features.ngrams) | ((kinds > MAX_NGRAM) & (kinds != SHAPE))
    rows = np.flatnonzero(keep | (kinds == SHAPE) if features.shapes else keep)
    e = sample.entries if len(rows) == len(kinds) else sample.entries.only(rows, store.vocabulary)
    lengths = np.bincount(e.rows, e.counts, e.size).astype(np.int64)
    entries = Entries(e.size, e.rows, e.ids, e.counts, lengths, e.sequence, e.sequence_rows)
    part = CountStore(
        store.labels,
        store.message_totals,
        store.keys[rows],
        store.kinds[rows],
        store.tokens[rows],
        store.messages[rows],
        store.spellings.take(rows) if spelled else Spellings.of([]),
        store.categories,
        store.numbers,
    )
    model = replace(wide.model, features=features, scoring=ScorerConfig(), store=part)
    return Counted(model, replace(sample, entries=entries))

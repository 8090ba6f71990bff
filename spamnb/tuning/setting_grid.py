"""Settings scored on folds of the same messages; what does not depend on the scorer is worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spamnb.core import FloatArray, IntArray, StringArray
from spamnb.counts import CountStore
from spamnb.errors import ConfigError, DataError
from spamnb.features import SHAPE, Entries
from spamnb.messages import Texts
from spamnb.model import LIMIT, Decision, SpamModel, calibration as calibrations
from spamnb.scorers import make
from spamnb.settings import MAX_NGRAM, FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training import (
    FEWEST,
    Fold,
    FoldCounts,
    FoldScores,
    HeldOutScores,
    Sample,
    Trainer,
    calibrate_model,
    duplicates_note,
    folds,
    score_fold,
)


@dataclass(frozen=True)
class Setting:
    """One way to train a filter, under a name; `mail` says which settings are the usual ones."""

    name: str
    features: FeatureConfig
    scoring: ScorerConfig
    mail: bool = False


@dataclass(frozen=True, eq=False)
class CountedSetting:
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
        counting = TrainingConfig(folds=folds, remember=False, refine="no")
        self._trainers = {
            family: Trainer(*_widest(every), counting, decision) for family, every in families.items()
        }
        self._counted: dict[FeatureConfig, CountedSetting] = {}

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

    def counted(self, features: FeatureConfig) -> CountedSetting:
        """What a pass with just these features would have counted."""
        family = _family(features)
        if family not in self._counted:
            model, sample = self._trainers[family].counted()
            self._counted[family] = CountedSetting(model, _enough(sample))
        return narrowed(self._counted[family], features)

    def model(self, setting: Setting) -> SpamModel:
        """The model that `spamnb train` would make of all messages with this setting, to the last bit."""
        counted = narrowed(self._counted[_family(setting.features)], setting.features, spelled=True)
        model = replace(counted.model, scoring=setting.scoring)
        return calibrate_model(model, counted.sample, TrainingConfig(folds=self.folds))[0]


def _enough(sample: Sample | None) -> Sample:
    if sample is None:
        raise DataError(
            f"too few messages to cross-validate: every class needs at least {FEWEST}",
            hint="give more labelled messages",
        )
    return sample


def narrowed(wide: CountedSetting, features: FeatureConfig, spelled: bool = False) -> CountedSetting:
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
        store.spellings.take(rows) if spelled else StringArray.of([]),
        store.categories,
        store.numbers,
    )
    model = replace(wide.model, features=features, scoring=ScorerConfig(), store=part)
    return CountedSetting(model, replace(sample, entries=entries))


# How many entries of prepared folds stay in memory, at some 40 bytes each; two feature settings always do.
_KEPT = 5_000_000


class SettingGrid:
    """Scores of any setting on any fold, with that fold and maybe another one out of the counts."""

    def __init__(self, passes: Passes, like: FeatureConfig) -> None:
        self._passes, self.folds = passes, passes.folds
        counted = passes.counted(like)
        self.plain_model = counted.model  # neither scorer nor calibration chosen
        self.labels = counted.model.labels
        self.total = int(counted.model.store.message_totals.sum())
        self.truth, self.digests = counted.sample.labels, counted.sample.digests
        self.fold = folds(counted.sample, self.folds)
        self._counted: dict[FeatureConfig, CountedSetting] = {like: counted}
        self._tables: dict[tuple[FeatureConfig, bool], FoldCounts] = {}
        self._prepared: dict[FeatureConfig, dict[tuple[int, int, bool], Fold]] = {}

    def notes(self) -> list[str]:
        """How the folds were made, for people."""
        found = [f"{self.folds} folds, copies of a text in the same fold; weights are not refined"]
        found += duplicates_note(self.digests)
        if len(self.truth) < self.total:
            found.append(f"judged on a sample of {len(self.truth):,} of {self.total:,} messages")
        return found

    def counted(self, features: FeatureConfig) -> CountedSetting:
        if features not in self._counted:
            size = max(len(c.sample.entries.ids) for c in self._counted.values())
            while len(self._counted) >= max(2, _KEPT // (1 + size * self.folds)):
                oldest = next(iter(self._counted))
                del self._counted[oldest]
                self._prepared.pop(oldest, None)
                for whole in (False, True):
                    self._tables.pop((oldest, whole), None)
            self._counted[features] = self._passes.counted(features)
        return self._counted[features]

    def score(self, setting: Setting, f: int, without: int | None = None) -> tuple[FloatArray, IntArray]:
        """Damped scores and what is known of the messages of fold f; fold `without` is not learned either."""
        counted, scorer = self.counted(setting.features), make(setting.scoring)
        other = f if without is None else without
        prepared = self._prepared.setdefault(setting.features, {})
        key = (f, other, scorer.needs_full_vocabulary)
        if key not in prepared:
            tables = self._counts(setting.features, scorer.needs_full_vocabulary)
            prepared[key] = tables.take_out([f] if other == f else [f, other], [f])
        return score_fold(counted.model.store, scorer, counted.sample, prepared[key])[:2]

    def _counts(self, features: FeatureConfig, whole: bool) -> FoldCounts:
        if (features, whole) not in self._tables:
            counted = self.counted(features)
            store, sample = counted.model.store, counted.sample
            found = FoldCounts(store, sample.entries, sample.labels, self.fold, self.folds, whole)
            self._tables[features, whole] = found
        return self._tables[features, whole]

    def scores(self, setting: Setting, without: int | None = None) -> FoldScores:
        """All folds but `without`, whose rows stay zero."""
        damped, known = np.zeros((len(self.truth), len(self.labels))), np.zeros(len(self.truth), np.int64)
        for f in range(self.folds):
            rows = np.flatnonzero(self.fold == f)
            if f != without and len(rows):
                damped[rows], known[rows] = self.score(setting, f, without)
        return FoldScores(damped, known)

    def judged(self, setting: Setting, without: int | None = None) -> tuple[SpamModel, HeldOutScores]:
        """The setting's model, calibrated on these scores, and what it says of all but the fold `without`."""
        model = replace(self.counted(setting.features).model, scoring=setting.scoring)
        scores = self.scores(setting, without)
        truth, fold = self.truth, self.fold
        if without is not None:
            rows = np.flatnonzero(self.fold != without)
            scores, truth, fold = FoldScores(scores.damped[rows], scores.known[rows]), truth[rows], fold[rows]
        training = TrainingConfig(folds=self.folds, refine="no")
        return calibrate_model(model, labels_only(truth), training, scores, fold)

    def refined(self, setting: Setting) -> tuple[SpamModel, HeldOutScores]:
        """The model as `spamnb train` makes it, maybe corrected, and what it says out of fold."""
        counted = self.counted(setting.features)
        model = replace(counted.model, scoring=setting.scoring)
        return calibrate_model(model, counted.sample, TrainingConfig(folds=self.folds), fold=self.fold)


def applied(model: SpamModel, truth: IntArray, scores: FoldScores) -> HeldOutScores:
    """What a model that is calibrated elsewhere says, from the damped scores of its scorer."""
    if len(model.labels) > 2:
        found = calibrations.probabilities(model.calibration.apply(scores.damped))
        return HeldOutScores(
            truth, np.zeros(0), np.nan_to_num(found, nan=1 / len(model.labels)), scores.known
        )
    plus = model.labels.index(model.positive)
    with np.errstate(invalid="ignore"):
        raw = scores.damped[:, plus] - scores.damped[:, 1 - plus]
    log_odds = np.clip(model.calibration.apply(np.where(np.isnan(raw), 0.0, raw)), -LIMIT, LIMIT)
    both = [calibrations.probability(-log_odds), calibrations.probability(log_odds)]
    return HeldOutScores(truth, log_odds, np.column_stack(both if plus else both[::-1]), scores.known)


def labels_only(truth: IntArray) -> Sample:
    """A sample of which only the labels matter."""
    none = np.zeros(0, np.int64)
    return Sample(Entries(len(truth), none, none, none), truth, np.zeros(0, np.uint64))

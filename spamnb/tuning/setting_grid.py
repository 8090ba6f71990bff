"""Scores many settings on folds of the same messages; what does not depend on the scorer is computed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spamnb.core import FloatArray, IntArray, StringArray
from spamnb.counts import CountStore, Entries
from spamnb.errors import ConfigError
from spamnb.features import SHAPE
from spamnb.messages import Chunk
from spamnb.model import Decision, SpamModel
from spamnb.scorers import EvidenceLimits, make
from spamnb.settings import MAX_NGRAM, FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training import (
    Digests,
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
    too_few_messages,
    with_usual_limit,
)

# How many entries of prepared folds stay in memory, at some 40 bytes each; two feature settings always do.
_MAX_ENTRIES = 5_000_000


@dataclass(frozen=True)
class Candidate:
    """Named settings to train a filter with; `mail` says which settings are the defaults."""

    name: str
    features: FeatureConfig
    scoring: ScorerConfig
    mail: bool = False


@dataclass(frozen=True, eq=False)
class CountedSetting:
    """An uncalibrated model without spellings, and the sample that folds are made of."""

    model: SpamModel
    sample: Sample


class SharedCounts:
    """Counts messages for many candidates: once for each family of features that can be counted together."""

    def __init__(self, candidates: Iterable[Candidate], decision: Decision, folds: int) -> None:
        families: dict[FeatureConfig, list[Candidate]] = {}
        for c in candidates:
            SpamModel(c.features, c.scoring)  # refuses settings that cannot be combined
            if c.scoring.balance == "undersample":
                raise ConfigError(
                    f"{c.name}: balance undersample cannot be compared on the same messages",
                    hint="use balance=weight",
                )
            families.setdefault(_family(c.features), []).append(c)
        self.folds = folds
        counting = TrainingConfig(folds=folds, remember=False, refine="no")
        self._trainers = {
            family: Trainer(*_widest(members), counting, decision) for family, members in families.items()
        }
        self._counted: dict[FeatureConfig, CountedSetting] = {}

    def add_chunk(self, chunk: Chunk) -> None:
        """Counts a chunk of labelled messages."""
        words: Digests | None = None
        for trainer in self._trainers.values():
            words = trainer.add_chunk(chunk, words=words)

    def counted(self, features: FeatureConfig) -> CountedSetting:
        """Returns the result of counting with just these features."""
        family = _family(features)
        if family not in self._counted:
            model, sample = self._trainers[family].counted()
            if sample is None:
                raise too_few_messages(model.store, "give more labelled messages")
            self._counted[family] = CountedSetting(model, sample)
        return narrowed(self._counted[family], features)


def _family(features: FeatureConfig) -> FeatureConfig:
    """Features that agree in this can be counted together; undoing obfuscation changes the words."""
    return replace(features, ngrams=1, shapes=features.deobfuscate)


def _widest(candidates: Sequence[Candidate]) -> tuple[FeatureConfig, ScorerConfig]:
    """Settings whose counts contain those of each candidate."""
    ngrams = max(c.features.ngrams for c in candidates)
    shapes = any(c.features.shapes for c in candidates)
    orders = [order for c in candidates if (order := make(c.scoring).order) is not None]
    scoring = ScorerConfig(name="less-naive", order=max(orders)) if orders else ScorerConfig()
    scoring = replace(
        scoring,
        column_tree=any(c.scoring.column_tree for c in candidates),
        covariance=max(c.scoring.covariance for c in candidates),  # diagonal comes first
    )
    return replace(candidates[0].features, ngrams=ngrams, shapes=shapes), scoring


def narrowed(wide: CountedSetting, features: FeatureConfig) -> CountedSetting:
    """Returns the counts and the sample without the n-grams and shapes that `features` does not ask for.

    Every token of the sample has been counted, so the length of a message is the sum of its entries.
    """
    store, sample = wide.model.store, wide.sample
    kinds = store.kinds
    keep = (kinds <= features.ngrams) | ((kinds > MAX_NGRAM) & (kinds != SHAPE))
    rows = np.flatnonzero(keep | (kinds == SHAPE) if features.shapes else keep)
    e = sample.entries if len(rows) == len(kinds) else sample.entries.only(rows, store.vocabulary)
    lengths = np.bincount(e.rows, e.counts, e.size).astype(np.int64)
    entries = Entries(e.size, e.rows, e.ids, e.counts, lengths, e.sequence, e.sequence_rows)
    narrow_store = CountStore(
        store.labels,
        store.message_totals,
        store.keys[rows],
        store.kinds[rows],
        store.tokens[rows],
        store.messages[rows],
        StringArray.of([]),
        store.categories,
        store.numbers,
    )
    model = replace(wide.model, features=features, scoring=ScorerConfig(), store=narrow_store)
    return CountedSetting(model, replace(sample, entries=entries))


class SettingGrid:
    """Scores any candidate on any fold, with that fold and maybe another one left out of the counts."""

    def __init__(self, counts: SharedCounts, like: FeatureConfig) -> None:
        self._counts = counts
        self._first = counts.counted(like)
        self.fold = folds(self._first.sample, self.folds)
        self._counted: dict[FeatureConfig, CountedSetting] = {like: self._first}
        self._tables: dict[tuple[FeatureConfig, bool], FoldCounts] = {}
        self._prepared: dict[FeatureConfig, dict[tuple[int, int, bool], Fold]] = {}

    @property
    def folds(self) -> int:
        return self._counts.folds

    @property
    def plain_model(self) -> SpamModel:
        """The model without scorer and calibration."""
        return self._first.model

    @property
    def labels(self) -> tuple[str, ...]:
        return self._first.model.labels

    @property
    def total(self) -> int:
        """The number of messages, of which the sample may be a part."""
        return int(self._first.model.store.message_totals.sum())

    @property
    def truth(self) -> IntArray:
        return self._first.sample.labels

    @property
    def digests(self) -> Digests:
        return self._first.sample.digests

    def notes(self) -> list[str]:
        """Describes the folds for the reader of a report."""
        lines = [f"{self.folds} folds, duplicates of a text in the same fold; weights are not refined"]
        lines += duplicates_note(self.digests)
        if len(self.truth) < self.total:
            lines.append(f"tested on a sample of {len(self.truth):,} of {self.total:,} messages")
        return lines

    def counted(self, features: FeatureConfig) -> CountedSetting:
        """Returns the counts for these features; those of other features are dropped if memory is short."""
        if features not in self._counted:
            size = max(len(c.sample.entries.ids) for c in self._counted.values())
            while len(self._counted) >= max(2, _MAX_ENTRIES // (1 + size * self.folds)):
                self._drop(next(iter(self._counted)))
            self._counted[features] = self._counts.counted(features)
        return self._counted[features]

    def _drop(self, features: FeatureConfig) -> None:
        del self._counted[features]
        self._prepared.pop(features, None)
        for full_vocabulary in (False, True):
            self._tables.pop((features, full_vocabulary), None)

    def score(self, candidate: Candidate, f: int, without: int | None = None) -> tuple[FloatArray, IntArray]:
        """Returns damped scores and known tokens of fold f; fold `without` is not learned either."""
        counted, scorer = self.counted(candidate.features), make(candidate.scoring)
        other = f if without is None else without
        prepared = self._prepared.setdefault(candidate.features, {})
        key = (f, other, scorer.needs_full_vocabulary)
        if key not in prepared:
            table = self._table(candidate.features, scorer.needs_full_vocabulary)
            prepared[key] = table.take_out([f] if other == f else [f, other], [f])
        limits = EvidenceLimits.of(self._scoring(candidate), self.labels, counted.model.positive)
        return score_fold(counted.model.store, scorer, counted.sample, prepared[key], limits)[:2]

    def _scoring(self, candidate: Candidate) -> ScorerConfig:
        """Returns the scorer as training would set it."""
        store = self.counted(candidate.features).model.store
        return with_usual_limit(candidate.scoring, candidate.features, store)

    def _table(self, features: FeatureConfig, full_vocabulary: bool) -> FoldCounts:
        if (features, full_vocabulary) not in self._tables:
            counted = self.counted(features)
            store, sample = counted.model.store, counted.sample
            self._tables[features, full_vocabulary] = FoldCounts(
                store, sample.entries, sample.labels, self.fold, self.folds, full_vocabulary
            )
        return self._tables[features, full_vocabulary]

    def scores(self, candidate: Candidate, without: int | None = None) -> FoldScores:
        """Returns the scores of all folds but `without`, whose rows stay zero."""
        damped, known = np.zeros((len(self.truth), len(self.labels))), np.zeros(len(self.truth), np.int64)
        for f in range(self.folds):
            rows = np.flatnonzero(self.fold == f)
            if f != without and len(rows):
                damped[rows], known[rows] = self.score(candidate, f, without)
        return FoldScores(damped, known)

    def evaluate(self, candidate: Candidate, without: int | None = None) -> tuple[SpamModel, HeldOutScores]:
        """Returns the model, calibrated on out-of-fold scores, and its answers to all folds but `without`."""
        model = replace(self.counted(candidate.features).model, scoring=self._scoring(candidate))
        scores = self.scores(candidate, without)
        truth, fold = self.truth, self.fold
        if without is not None:
            rows = np.flatnonzero(self.fold != without)
            scores, truth, fold = FoldScores(scores.damped[rows], scores.known[rows]), truth[rows], fold[rows]
        training = TrainingConfig(folds=self.folds, refine="no")
        return calibrate_model(model, labels_only(truth), training, scores, fold)

    def evaluate_refined(self, candidate: Candidate) -> tuple[SpamModel, HeldOutScores]:
        """Returns the model as `spamnb train` makes it, corrected or not, and its out-of-fold answers."""
        counted = self.counted(candidate.features)
        model = replace(counted.model, scoring=self._scoring(candidate))
        return calibrate_model(model, counted.sample, TrainingConfig(folds=self.folds), fold=self.fold)


def labels_only(truth: IntArray) -> Sample:
    """Returns a sample of which only the labels matter."""
    none = np.zeros(0, np.int64)
    return Sample(Entries(len(truth), none, none, none), truth, np.zeros(0, np.uint64))

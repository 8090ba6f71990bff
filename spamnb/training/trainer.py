"""Training: count every message once, keep a sample for honest figures, calibrate on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from spamnb.core import FloatArray, distinct_values, release_memory
from spamnb.counts import CountStore, RawEntries, Tally
from spamnb.errors import ConfigError, DataError
from spamnb.features import extract
from spamnb.messages import Messages, Texts, as_texts
from spamnb.model import (
    USUAL,
    BaseModel,
    Decision,
    SeenMessages,
    SpamModel,
    calibration as calibrations,
    message_digests,
    word_digests,
)
from spamnb.scorers import make
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training.cross_validation import Digests, Sample
from spamnb.training.fit_base_weight import cautious_threshold, with_folds, without_folds
from spamnb.training.fit_calibration import HeldOutScores, calibrate_model, set_max_fpr
from spamnb.training.fit_min_known_words import fit_min_known_words
from spamnb.training.fit_weight_correction import MODES
from spamnb.training.sampling import (
    Order,
    PartialCounts,
    Row,
    SampleBlock,
    Sampling,
    merge_partials,
    merge_repeats,
    pick,
    remap_ids,
    row_digest,
    sample_size,
)
from spamnb.training.spool import Spool

FOLDS = 5
FEWEST = 10  # messages a class must have for folds to mean anything


@dataclass
class Trainer:
    """Feed it batches with `add`, then take the model with `finish`.

    >>> trainer = Trainer()
    >>> _ = trainer.add(Texts.of(["win a prize", "see you"]), ["spam", "ham"])
    >>> trainer.finish().labels
    ('ham', 'spam')
    """

    features: FeatureConfig = field(default_factory=FeatureConfig)
    scoring: ScorerConfig = field(default_factory=ScorerConfig)
    decision: Decision = field(default_factory=Decision)
    positive: str = "spam"
    folds: int = FOLDS  # 0: no cross-validation, no calibration
    keep: Mapping[str, float] | None = None  # under-sampling: the share of each label's messages to keep
    max_fpr: float | None = None  # the share of ham that may be called spam; it sets the decision
    remember: bool = True  # which messages were learned, 8 bytes for each
    keep_texts: bool = False  # the sample keeps its texts, for a report that shows mistakes
    partial: bool = False  # it counts a part of the data only: take `result`, not `finish`
    jobs: int = 1  # processes for the cross-validation
    refine: str = "auto"  # fit a correction of the weights: yes, no, or if cross-validation says it helps
    start: BaseModel | None = None  # a model to start from
    choose: bool = True  # let folds choose how much that counts
    stated: bool = True  # somebody asked for max_fpr; else a careful line serves while ham is scarce

    def __post_init__(self) -> None:
        _check_refine(self.refine, self.folds)
        SpamModel(self.features, self.scoring)  # refuses settings that do not go together now, not at the end
        if self.start is not None:
            self.start.check(self.features, self.scoring)
        if self.folds == 1 or self.folds < 0:
            raise ConfigError(f"--folds must be 0 or at least 2, got {self.folds}")
        self._scorer = make(self.scoring)
        self._tally = Tally()
        self._sampling = Sampling(sample_size(0, self.refine))
        self._batches = 0
        self._absorbed: list[PartialCounts] = []
        self._rows: Counter[Row] = Counter()
        self._learned: dict[int, Spool] = {}  # by the code of the label
        self.messages = 0

    def read_as(self, features: FeatureConfig) -> None:
        """Take these features instead, before the first message."""
        assert not self.messages, "features must not change while messages are counted"
        self.features = features
        SpamModel(features, self.scoring)

    def add(
        self,
        texts: Texts,
        labels: Sequence[str],
        categories: Mapping[str, list[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
        order: Order | None = None,
        words: Digests | None = None,
    ) -> Digests:
        """Count some labelled messages; `order` is their place in the data if they come in another one.

        Gives the digests of their words, by which copies are known. Whoever reads the same messages in
        another way takes these as `words`, so that both sample and fold alike.
        """
        batch, cats, nums = extract(texts, self.features), dict(categories or {}), dict(numbers or {})
        words = word_digests(batch) if words is None else words
        waiting: list[Row] = []
        digests = self.digests(words.copy(), texts, labels, cats, nums, waiting)
        if self.keep is not None:
            texts, labels, digests, cats, nums = self._thinned(texts, labels, digests, cats, nums)
            batch = extract(texts, self.features)
        ids = self._tally.add(batch, labels, cats, nums)
        if self.remember:
            learned = message_digests(texts, cats, nums)
            for code in distinct_values(self._tally.codes).tolist():
                self._learned.setdefault(code, Spool()).add(learned[self._tally.codes == code])
        self.messages += batch.size
        if self.folds:
            rows = self._sampling.rows(digests)
            some = {c: pick(v, rows) for c, v in cats.items()}, {c: v[rows] for c, v in nums.items()}
            kept = texts.select(rows) if self.keep_texts and self.keep is None else None
            entries, place = RawEntries(batch, ids).select(rows), order or (0, self._batches)
            part = SampleBlock(entries, pick(labels, rows), digests[rows], *some, place, waiting, kept)
            self._sampling.most = sample_size(self.messages, self.refine)
            self._sampling.add(part)
        self._batches += 1
        return words

    def digests(
        self,
        digests: Digests,
        texts: Texts,
        labels: Sequence[str],
        categories: Mapping[str, list[str]],
        numbers: Mapping[str, FloatArray],
        waiting: list[Row] | None = None,
    ) -> Digests:
        """Equal numbers for copies of a text, from those of their words.

        Messages without a word are told apart by their bytes; rows of a table are never copies. Which of
        equal rows it is, only who sees all the data can tell: a part of it leaves them `waiting`.
        """
        for i in np.flatnonzero(digests == 0).tolist():
            columns = *(v[i] for v in categories.values()), *(float(v[i]) for v in numbers.values())
            row: Row = (labels[i], texts[i], *columns) if columns else (texts[i],)
            if columns and self.partial and waiting is not None:
                waiting.append(row)
                continue
            self._rows[row] += len(columns) > 0
            digests[i] = row_digest(row, self._rows[row])
        return digests

    def _thinned(
        self,
        texts: Texts,
        labels: Sequence[str],
        digests: Digests,
        categories: dict[str, list[str]],
        numbers: dict[str, FloatArray],
    ) -> tuple[Texts, list[str], Digests, dict[str, list[str]], dict[str, FloatArray]]:
        """Leave out messages of large classes, chosen by digest: the same ones in any order of the data."""
        assert self.keep is not None
        share = np.array([self.keep.get(label, 1.0) for label in labels])
        rows = np.flatnonzero(digests.astype(np.float64) * 2.0**-64 < share)
        cats = {c: pick(v, rows) for c, v in categories.items()}
        nums = {c: v[rows] for c, v in numbers.items()}
        return texts.select(rows), pick(labels, rows), digests[rows], cats, nums

    def result(self) -> PartialCounts:
        """What a part of the data gave, for `absorb`."""
        store, rows = self._tally.finish()
        wanted = self._scorer.order, self._scorer.needs_lengths
        parts = [remap_ids(merge_repeats(p, *wanted), rows) for p in self._sampling.parts]
        del rows  # a large table
        return PartialCounts(store, parts, self._sampling.limit, self._known())

    def absorb(self, partials: Sequence[PartialCounts]) -> None:
        """Take over what others have counted: the model is the same as if it had been counted here."""
        self._absorbed += partials
        self.messages += sum(int(partial.store.message_totals.sum()) for partial in partials)

    @property
    def classes(self) -> set[str]:
        """The labels of all messages so far."""
        return set(self._tally.labels).union(*(partial.store.labels for partial in self._absorbed))

    def finish(self) -> SpamModel:
        """The trained model, with figures and calibration where there was enough to fold."""
        model, sample = self.counted()
        if sample is not None:
            model = self.settled(model, sample)[0]
            release_memory()  # before the model is written, which takes memory of its own
            return model
        return model if self.start is None else without_folds(model, self.choose)

    def settled(self, model: SpamModel, sample: Sample) -> tuple[SpamModel, HeldOutScores]:
        """Refined and calibrated, and with the line drawn where `max_fpr` asks for it."""
        scores, note = None, ""
        if self.start is not None:
            model, sample, scores, note = with_folds(model, sample, self.folds, self.choose)
        fitted, held = calibrate_model(model, sample, self.folds, self.refine, scores, jobs=self.jobs)
        if note:
            fitted = replace(fitted, metrics={**(fitted.metrics or {}), "started": note})
        return fit_min_known_words(self._lined(fitted, held), held, sample, self.folds)

    def _lined(self, model: SpamModel, held: HeldOutScores) -> SpamModel:
        if self.max_fpr is None or len(model.labels) > 2:
            return model
        drawn = None if self.stated else cautious_threshold(model, held)
        return set_max_fpr(model, held, self.max_fpr) if drawn is None else drawn

    def counted(self) -> tuple[SpamModel, Sample | None]:
        """The model before calibration, and the sample to calibrate on if there is one."""
        counted = self.result()
        if self._absorbed:
            counted = merge_partials([counted, *self._absorbed], sample_size(self.messages, self.refine))
            self._absorbed = []
        store, sampling = counted.store, self._sampling
        sampling.parts, sampling.limit = counted.parts, counted.limit
        release_memory()
        for part in sampling.parts:
            part.settle(self._rows)
        sampling.most = sample_size(self.messages, self.refine)
        sampling.shrink()
        if len(store.labels) < 2:
            _refuse(store)
        positive = self.positive
        if len(store.labels) == 2 and positive not in store.labels:
            positive = store.labels[1]
        if self.start is not None:
            self.start.check_labels(store.labels)
        settings = self.features, self.scoring, store, self.decision, _identity(store), positive
        return SpamModel(*settings, seen_messages=counted.known, base=self.start), sampling.taken(
            store, FEWEST
        )

    def _known(self) -> SeenMessages | None:
        if not self._learned:
            return None
        labels = self._tally.labels.items()
        return SeenMessages({label: self._learned[code].ascending() for label, code in labels})


def train(
    messages: Messages,
    labels: Iterable[str],
    *,
    features: FeatureConfig | None = None,
    scoring: ScorerConfig | None = None,
    decision: Decision | None = None,
    positive: str = "spam",
    folds: int = FOLDS,
    max_fpr: float | None = None,
    refine: str = "auto",
    start: SpamModel | None = None,
    start_weight: float | None = None,
) -> SpamModel:
    """A model trained on these messages, calibrated by cross-validation like `spamnb train`.

    Features that are not given are the usual ones, which of parsed mail are others than of texts.
    With `start` it begins with what that model knows, like `spamnb train --base FILE`.

    >>> model = train(["win a prize", "free prize", "see you", "ok see"], ["spam", "spam", "ham", "ham"])
    >>> model.predict(["a free prize"])
    ['spam']
    """
    texts, given = as_texts(messages), [str(label) for label in labels]
    if len(texts) != len(given):
        raise DataError(f"{len(texts)} messages but {len(given)} labels")
    usual = start.features if start is not None else FeatureConfig.usual(mail=bool(texts.tags))
    settings = features or usual, scoring or ScorerConfig(), decision or Decision()
    trainer = Trainer(*settings, positive, folds, max_fpr=max_fpr, refine=refine)
    if start is not None:
        begun = BaseModel.of("given model", start, USUAL if start_weight is None else start_weight)
        trainer = replace(trainer, start=begun, choose=start_weight is None)
    trainer.add(texts, given)
    return trainer.finish()


def _check_refine(mode: str, folds: int) -> None:
    if mode not in MODES:
        raise ConfigError(f"--refine must be auto, yes or no, got {mode!r}")
    if mode == "yes" and not folds:
        raise ConfigError(
            "--refine yes needs cross-validation, got --folds 0", hint="leave out --folds 0 or --refine yes"
        )


def _identity(store: CountStore) -> calibrations.Calibration:
    return calibrations.identity(len(store.labels))


def _refuse(store: CountStore) -> None:
    only = (
        f"all {int(store.message_totals.sum())} are {store.labels[0]!r}" if store.labels else "there are none"
    )
    raise DataError(
        f"training needs messages of at least two classes, but {only}",
        hint="check the label column (--label-column) and which label means spam (--spam-label)",
    )

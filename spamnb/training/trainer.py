"""Trains a model: counts every message once, keeps a sample of them, and calibrates on the sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from spamnb.core import FloatArray, IntArray, Record, distinct_values, release_memory
from spamnb.counts import CountStore, Entries, Tally
from spamnb.errors import DataError
from spamnb.features import Batch, extract
from spamnb.messages import Chunk, Messages, Texts, as_texts
from spamnb.model import (
    BaseModel,
    Decision,
    SeenMessages,
    SpamModel,
    identity,
    message_digests,
    positive_class,
    word_digests,
)
from spamnb.readers import spam_of_two
from spamnb.scorers import make
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.fit_base_weight import cautious_threshold, with_folds, without_folds
from spamnb.training.fit_min_known_words import fit_min_known_words
from spamnb.training.model_calibration import HeldOutScores, calibrate_model, set_max_fpr
from spamnb.training.sampling import (
    Digester,
    Digests,
    Order,
    PartialCounts,
    Row,
    Sample,
    SampleBlock,
    SampleCollector,
    below,
    merge_partials,
    pick,
    pick_columns,
    sample_size,
)

FEWEST = 10  # messages that each class needs for a cross-validation


class _Messages(Record):
    """Labelled messages with their columns and digests."""

    texts: Texts
    labels: Sequence[str]
    categories: dict[str, list[str]]
    numbers: dict[str, FloatArray]
    digests: Digests

    @property
    def columns(self) -> tuple[dict[str, list[str]], dict[str, FloatArray]]:
        return self.categories, self.numbers

    def select(self, rows: IntArray) -> _Messages:
        labels, columns = pick(self.labels, rows), pick_columns(*self.columns, rows)
        return _Messages(self.texts.select(rows), labels, *columns, self.digests[rows])


@dataclass
class Trainer:
    """Counts batches with `add`, then makes the model with `finish`.

    >>> trainer = Trainer()
    >>> _ = trainer.add(Texts.of(["win a prize", "see you"]), ["spam", "ham"])
    >>> trainer.finish().labels
    ('ham', 'spam')
    """

    features: FeatureConfig = field(default_factory=FeatureConfig)
    scoring: ScorerConfig = field(default_factory=ScorerConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decision: Decision = field(default_factory=Decision)
    positive: str = "spam"
    base: BaseModel | None = None
    keep: Mapping[str, float] | None = None  # under-sampling: the share of each label's messages to keep
    keep_texts: bool = False  # the sample keeps its texts, for a report that shows mistakes
    partial: bool = False  # it counts a part of the data: take `result`, not `finish`

    def __post_init__(self) -> None:
        SpamModel(self.features, self.scoring)  # refuses settings that do not go together
        if self.base is not None:
            self.base.check(self.features, self.scoring)
        self._scorer = make(self.scoring)
        self._tally = Tally()
        self._digester = Digester(self.partial)
        self._collector = SampleCollector(sample_size(0, self.training.refine))
        self._batches = 0
        self._absorbed: list[PartialCounts] = []
        self._seen: dict[int, list[Digests]] = {}  # by the code of the label
        self.messages = 0

    def part(self) -> Trainer:
        """Returns a trainer with the same settings that counts a part of the data."""
        return replace(self, partial=True)

    def add(
        self,
        texts: Texts,
        labels: Sequence[str],
        categories: Mapping[str, list[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
        order: Order | None = None,
        words: Digests | None = None,
    ) -> Digests:
        """Counts labelled messages; returns the digests of their words, which duplicates share.

        `order` is their place in the data if they come in another one. `words` are the digests of another
        trainer that reads the same messages with other features: so both sample the same ones.
        """
        batch = extract(texts, self.features)
        words = word_digests(batch) if words is None else words
        messages = _Messages(texts, labels, dict(categories or {}), dict(numbers or {}), words.copy())
        waiting = self._digester.complete(messages.digests, texts, labels, *messages.columns)
        if self.keep is not None:
            messages = messages.select(self._rows_to_keep(labels, messages.digests))
            batch = extract(messages.texts, self.features)
        ids = self._tally.add(batch, messages.labels, *messages.columns)
        self.messages += batch.size
        if self.training.remember:
            self._remember(message_digests(messages.texts, *messages.columns))
        if self.training.folds:
            self._sample(messages, batch, ids, order or (0, self._batches), waiting)
        self._batches += 1
        return words

    def add_chunk(self, chunk: Chunk, order: Order | None = None) -> None:
        """Counts a chunk of labelled messages."""
        assert chunk.labels is not None
        self.add(chunk.texts, chunk.labels, dict(chunk.categories), dict(chunk.numbers), order)

    def _rows_to_keep(self, labels: Sequence[str], digests: Digests) -> IntArray:
        """Chooses by digest which messages under-sampling keeps: the same ones in any order of the data."""
        assert self.keep is not None
        share = np.array([self.keep.get(label, 1.0) for label in labels])
        return np.flatnonzero(digests.astype(np.float64) * 2.0**-64 < share)

    def _remember(self, contents: Digests) -> None:
        for code in distinct_values(self._tally.codes).tolist():
            self._seen.setdefault(code, []).append(contents[self._tally.codes == code])

    def _sample(
        self, messages: _Messages, batch: Batch, ids: list[IntArray], order: Order, waiting: list[Row]
    ) -> None:
        """Adds those messages of a batch to the sample that belong to it so far."""
        rows = below(messages.digests, self._collector.limit)
        block = SampleBlock(
            Entries.of(*batch.select(rows, ids), self._scorer.order, self._scorer.needs_lengths),
            pick(messages.labels, rows),
            messages.digests[rows],
            *pick_columns(*messages.columns, rows),
            order,
            waiting,
            messages.texts.select(rows) if self.keep_texts else None,
        )
        self._collector.most = sample_size(self.messages, self.training.refine)
        self._collector.add(block)

    def result(self) -> PartialCounts:
        """Returns the counts and the sample so far, for `absorb`; then the trainer takes no more messages."""
        store, rows = self._tally.finish()
        blocks = [block.remap_ids(rows) for block in self._collector.blocks]
        del rows  # a large table
        return PartialCounts(store, blocks, self._collector.limit, self._seen_messages())

    def _seen_messages(self) -> SeenMessages | None:
        if not self._seen:
            return None
        codes = self._tally.labels.items()
        return SeenMessages({label: np.sort(np.concatenate(self._seen[code])) for label, code in codes})

    def absorb(self, partials: Sequence[PartialCounts]) -> None:
        """Adds what other trainers have counted; the model is the same as if it had been counted here."""
        self._absorbed += partials
        self.messages += sum(int(partial.store.message_totals.sum()) for partial in partials)

    @property
    def classes(self) -> set[str]:
        """The labels of all messages so far."""
        return set(self._tally.labels).union(*(partial.store.labels for partial in self._absorbed))

    def finish(self) -> SpamModel:
        """Returns the trained model, with metrics and calibration if there are enough messages to fold."""
        model, sample = self.counted()
        if sample is not None:
            model = self.calibrated(model, sample)[0]
            release_memory()  # before the model is written, which takes memory of its own
        elif self.base is not None:
            model = without_folds(model, self.training.base_weight)
        return model

    def counted(self) -> tuple[SpamModel, Sample | None]:
        """Returns the model before calibration, and the sample to calibrate it on if there is one."""
        partial, most = self.result(), sample_size(self.messages, self.training.refine)
        if self._absorbed:
            partial = merge_partials([partial, *self._absorbed], most)
            self._absorbed = []
        release_memory()
        collector = self._collector
        collector.blocks, collector.limit, collector.most = partial.blocks, partial.limit, most
        for block in collector.blocks:
            self._digester.settle(block)
        collector.shrink()
        return self._model(partial), collector.to_sample(partial.store, FEWEST)

    def _model(self, partial: PartialCounts) -> SpamModel:
        store = partial.store
        if len(store.labels) < 2:
            raise _one_class(store)
        sizes = dict(zip(store.labels, store.message_totals.tolist(), strict=True))
        positive = positive_class(sizes, self.positive, has_text=bool(store.vocabulary))
        if self.base is not None:
            self.base.check_labels(store.labels)
        calibration = identity(len(store.labels))
        settings = self.features, self.scoring, store, self.decision, calibration, positive
        return SpamModel(*settings, seen_messages=partial.seen, base=self.base)

    def calibrated(self, model: SpamModel, sample: Sample) -> tuple[SpamModel, HeldOutScores]:
        """Fits base weight, correction, calibration, threshold and `min_known_words` on the sample."""
        training, scores, note = self.training, None, ""
        if self.base is not None:
            model, sample, scores, note = with_folds(model, sample, training)
        fitted, held_out = calibrate_model(model, sample, training, scores)
        if note:
            fitted = replace(fitted, metrics={**(fitted.metrics or {}), "started": note})
        return fit_min_known_words(self._with_threshold(fitted, held_out), held_out, sample, training.folds)

    def _with_threshold(self, model: SpamModel, held_out: HeldOutScores) -> SpamModel:
        max_fpr = self.training.max_fpr
        if max_fpr is None or len(model.labels) > 2:
            return model
        cautious = cautious_threshold(model, held_out) if self.training.max_fpr_is_default else None
        return set_max_fpr(model, held_out, max_fpr) if cautious is None else cautious


def train(
    messages: Messages,
    labels: Iterable[str],
    *,
    features: FeatureConfig | None = None,
    scoring: ScorerConfig | None = None,
    training: TrainingConfig | None = None,
    decision: Decision | None = None,
    positive: str | None = None,
    base: SpamModel | None = None,
) -> SpamModel:
    """Trains a model on these messages and calibrates it by cross-validation, like `spamnb train`.

    The default features depend on the messages: those of parsed mail have no bigrams. `positive` is the class
    that probabilities are for. It is needed for two labels of which none is a word for spam or ham, such as
    spam, junk, 1, legit or good. With `base` the new model starts from what that model knows, like
    `spamnb train --base FILE`.

    >>> model = train(["win a prize", "free prize", "see you", "ok see"], ["spam", "spam", "ham", "ham"])
    >>> model.predict(["a free prize"])
    ['spam']
    """
    texts, names = as_texts(messages), [str(label) for label in labels]
    if len(texts) != len(names):
        raise DataError(f"{len(texts):,} messages but {len(names):,} labels")
    _check_positive(names, positive)
    usual = base.features if base is not None else FeatureConfig.usual(mail=bool(texts.tags))
    settings = features or usual, scoring or ScorerConfig(), training or TrainingConfig()
    trainer = Trainer(
        *settings,
        decision or Decision(),
        positive or "spam",
        None if base is None else BaseModel.of("given model", base),
    )
    trainer.add(texts, names)
    return trainer.finish()


def _check_positive(labels: Sequence[str], positive: str | None) -> None:
    """Refuses a positive class that no message has, and two classes that no word tells apart."""
    sizes = Counter(labels)
    names = ", ".join(sorted(sizes))
    if positive is not None and positive not in sizes:
        raise DataError(f"no message has the label {positive!r}", hint=f"the labels are {names}")
    if positive is None and len(sizes) == 2 and "spam" not in sizes and not spam_of_two(*sizes):
        raise DataError(
            f"cannot tell which label means spam: {names}",
            hint=f"pass the one that does: {' or '.join(f'positive={name!r}' for name in sorted(sizes))}",
        )


def _one_class(store: CountStore) -> DataError:
    messages = int(store.message_totals.sum())
    only = f"all {messages:,} are {store.labels[0]!r}" if store.labels else "there are none"
    return DataError(
        f"training needs messages of at least two classes, but {only}",
        hint="check the label column (--label-column) and which label means spam (--spam-label)",
    )

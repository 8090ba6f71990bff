"""Trains a model: counts every message once, keeps a sample of them, and calibrates on the sample."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spamnb.core import FloatArray, excerpt, release_memory
from spamnb.counts import CountStore
from spamnb.errors import ConfigError, DataError, InputError, type_name
from spamnb.messages import Chunk, Messages, Texts
from spamnb.model import USUAL_SLOPE, BaseModel, Decision, Platt, SpamModel, identity, positive_class
from spamnb.readers import columns_of_table, labelled_messages, spam_of_two, usable_rows
from spamnb.scorers import make
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig, field_names, named_in_python
from spamnb.training.base_choice import base_model, kind_of
from spamnb.training.default_evidence_limit import with_usual_limit
from spamnb.training.fit_base_weight import FEWEST_WITH_BASE, with_folds, without_folds
from spamnb.training.fit_min_known_words import fit_min_known_words
from spamnb.training.fit_out_of_fold import HeldOutScores, calibrate_model, with_max_fpr
from spamnb.training.message_counter import MessageCounter
from spamnb.training.sampling import Digests, Order, PartialCounts, Sample
from spamnb.training.threshold import CAUTIOUS

_CHECK_LABELS = "check the label column (--label-column) and which label means spam (--spam-label)"
FEWEST = 10  # messages that each class needs for a cross-validation
_LISTED = 5  # classes that are too small


@dataclass
class Trainer:
    """Counts batches with `add`, then makes the model with `finish`.

    >>> trainer = Trainer()
    >>> trainer.add(Texts.of(["win a prize", "see you"]), ["spam", "ham"])
    >>> trainer.finish().labels
    ('ham', 'spam')
    """

    features: FeatureConfig = field(default_factory=FeatureConfig)
    scoring: ScorerConfig = field(default_factory=ScorerConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decision: Decision = field(default_factory=Decision)
    positive: str = "spam"
    base: BaseModel | None = None
    keep: Mapping[str, int] | None = None  # under-sampling: the digest below which messages are kept
    keep_texts: bool = False  # the sample keeps its texts and places, for a report that shows mistakes

    def __post_init__(self) -> None:
        SpamModel(self.features, self.scoring)  # refuses settings that cannot be combined
        if self.base is not None:
            self.base.check(self.features, self.scoring)
        self._counter = MessageCounter(
            self.features, make(self.scoring), self.training, self.keep, self.keep_texts
        )
        self._absorbed: list[PartialCounts] = []

    def part(self) -> MessageCounter:
        """Returns a counter with the same settings that counts a part of the data, for `absorb`."""
        return self._counter.part()

    def add(
        self,
        texts: Texts,
        labels: Sequence[str],
        categories: Mapping[str, list[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> None:
        """Counts labelled messages."""
        self.add_chunk(Chunk(texts, np.arange(len(texts)), list(labels), categories or {}, numbers or {}))

    def add_chunk(self, chunk: Chunk, order: Order | None = None, words: Digests | None = None) -> Digests:
        """Counts a chunk of labelled messages as `MessageCounter.add_chunk` does."""
        return self._counter.add_chunk(chunk, order, words)

    def absorb(self, partials: Sequence[PartialCounts]) -> None:
        """Adds what other counters have counted; the model is the same as if it had been counted here."""
        self._absorbed += partials

    @property
    def messages(self) -> int:
        """The number of messages so far."""
        return self._counter.messages + sum(partial.messages for partial in self._absorbed)

    @property
    def classes(self) -> set[str]:
        """The labels of all messages so far."""
        return self._counter.labels.union(*(partial.store.labels for partial in self._absorbed))

    def finish(self) -> SpamModel:
        """Returns the trained model, with metrics and calibration if there are enough messages to fold."""
        model, sample = self.counted()
        if sample is not None:
            model = self.calibrated(model, sample)[0]
            release_memory()  # before the model is written, which takes memory of its own
        elif self.base is not None:
            model = without_folds(model, self.training.base_weight, self._default_max_fpr)
        elif self.training.folds and self.scoring.damping == 1 and self._has_text_only(model):
            model = replace(model, calibration=Platt(USUAL_SLOPE))
            if self._default_max_fpr is not None:
                model = replace(model, decision=Decision(CAUTIOUS, 0.5).with_rate(self._default_max_fpr))
        return model

    @staticmethod
    def _has_text_only(model: SpamModel) -> bool:
        """Returns whether a model has two classes and no columns, which are not damped and need no slope."""
        columns = model.features.categorical or model.features.numeric
        return len(model.labels) == 2 and bool(model.store.vocabulary) and not columns

    def counted(self) -> tuple[SpamModel, Sample | None]:
        """Returns the model before calibration, and the sample to calibrate it on if there is one."""
        absorbed, self._absorbed = self._absorbed, []
        partial, sample = self._counter.merge(absorbed, FEWEST if self.base is None else FEWEST_WITH_BASE)
        release_memory()
        return self._model(partial), sample

    def _model(self, partial: PartialCounts) -> SpamModel:
        store = partial.store
        if len(store.labels) < 2:
            label = store.labels[0] if store.labels else ""
            raise _one_class(int(store.message_totals.sum()), label, _CHECK_LABELS)
        sizes = dict(zip(store.labels, store.message_totals.tolist(), strict=True))
        positive = positive_class(sizes, self.positive, has_text=bool(store.vocabulary))
        if self.base is not None:
            self.base.check_labels(store.labels)
        _check_class_weights(self.scoring, store)
        calibration = identity(len(store.labels))
        decision = self.decision.for_classes(store.labels, positive)
        scoring = with_usual_limit(self.scoring, self.features, store)
        settings = self.features, scoring, store, decision, calibration, positive
        return SpamModel(*settings, seen_messages=partial.seen, base=self.base)

    def calibrated(self, model: SpamModel, sample: Sample) -> tuple[SpamModel, HeldOutScores]:
        """Fits base weight, correction, calibration, threshold and `min_known_words` on the sample."""
        training, scores, note = self.training, None, ""
        if self.base is not None:
            model, sample, scores, note = with_folds(model, sample, training)
        fitted, held_out = calibrate_model(model, sample, training, scores)
        if self.scoring.is_textbook:
            return fitted, held_out
        if note:
            fitted = replace(fitted, metrics={**(fitted.metrics or {}), "started": note})
        fitted = self._with_threshold(fitted, held_out)
        if int(np.bincount(sample.labels).min()) < FEWEST:  # enough for a base model's weight, not to measure
            return replace(fitted, metrics=None), held_out
        return fit_min_known_words(fitted, held_out, sample, training.folds)

    def _with_threshold(self, model: SpamModel, held_out: HeldOutScores) -> SpamModel:
        max_fpr = self.training.max_fpr
        if max_fpr is None or len(model.labels) > 2:
            return model
        return with_max_fpr(model, held_out, max_fpr, cautious=self.training.max_fpr_is_default)

    @property
    def _default_max_fpr(self) -> float | None:
        return self.training.max_fpr if self.training.max_fpr_is_default else None


def train(
    messages: Messages | Any,
    labels: Iterable[object] | None = None,
    *,
    text: str | None = None,
    label: str | None = None,
    features: FeatureConfig | None = None,
    scoring: ScorerConfig | None = None,
    training: TrainingConfig | None = None,
    decision: Decision | None = None,
    positive: object = None,
    base: SpamModel | str | os.PathLike[str] | None = None,
) -> SpamModel:
    """Trains a model on these messages and calibrates it by cross-validation, like `spamnb train`.

    `messages` may be a DataFrame; `text` and `label` name its columns, which otherwise need usual names.
    Labels are read as in a file: 1, True and words such as junk are spam. `positive` is the class that
    probabilities are for, and labels stay as written with it. It is needed for two labels of which none is a
    word for spam or ham. The default features depend on the messages: those of parsed mail have no bigrams.
    The categorical and numeric columns of `features` are those of the DataFrame.
    With `base` the new model starts from what that model knows, like `spamnb train --base`: a SpamModel, the
    name or path of one, or "ready-made" for the ready-made one that fits. The default is none, "none": unlike
    the command, `train` starts from no other model where there are few messages.

    >>> model = train(["win a prize", "free prize", "see you", "ok see"], [1, 1, 0, 0])
    >>> model.predict(["a free prize"])
    ['spam']
    """
    _check_settings(features=features, scoring=scoring, training=training, decision=decision)
    texts, read = labelled_messages(messages, labels, (text, label), as_written=positive is not None)
    positive = None if positive is None else str(positive)
    with named_in_python(field_names()):
        start = base_model(base, lambda: kind_of(texts))
        usual = start.model.features if start is not None else FeatureConfig.usual(mail=bool(texts.tags))
        settings = features or usual, scoring or ScorerConfig(), training or TrainingConfig()
        trainer = Trainer(*settings, _one_decision(decision, training), positive or "spam", start)
        chunk = usable_rows(texts, read, columns_of_table(trainer.features, messages))
        _check_positive(chunk.labels or [], positive)
        trainer.add_chunk(chunk)
        return trainer.finish()


def _check_settings(**settings: object) -> None:
    """Refuses settings of another type."""
    kinds = {
        "features": FeatureConfig,
        "scoring": ScorerConfig,
        "training": TrainingConfig,
        "decision": Decision,
    }
    for name, value in settings.items():
        kind = kinds[name]
        if value is not None and not isinstance(value, kind):
            raise InputError(
                f"{name} must be a {kind.__name__}, got {type_name(value)}",
                hint=f"for example {name}=spamnb.{kind.__name__}()",
            )


def _one_decision(decision: Decision | None, training: TrainingConfig | None) -> Decision:
    """Returns the decision; refuses one beside a false positive rate, which sets the threshold too."""
    if decision not in (None, Decision()) and training is not None and training.max_fpr is not None:
        raise ConfigError(
            "decision and max_fpr cannot be combined: each of them sets the threshold",
            hint="leave out decision, or max_fpr of TrainingConfig",
        )
    return decision or Decision()


def _check_positive(labels: Sequence[str], positive: str | None) -> None:
    """Refuses a positive class that no message has, and two classes that no word tells apart."""
    sizes = Counter(labels)
    names = ", ".join(map(excerpt, sorted(sizes)))
    if len(sizes) < 2:
        raise _one_class(len(labels), names, hint="pass messages of another class too")
    if positive is not None and positive not in sizes:
        raise DataError(f"no message has the label {positive!r}", hint=f"the labels are {names}")
    if positive is None and len(sizes) == 2 and "spam" not in sizes and not spam_of_two(*sizes):
        raise DataError(
            f"cannot tell which label means spam: {names}",
            hint=f"pass the one that does: {' or '.join(f'positive={name!r}' for name in sorted(sizes))}",
        )


def _check_class_weights(scoring: ScorerConfig, store: CountStore) -> None:
    for label, _ in scoring.class_weights:
        if label not in store.labels:
            raise ConfigError(
                f"--set class-weight names the class {label!r}, the data have {', '.join(store.labels)}",
                hint="give the weight of one of these classes",
            )


def too_few_messages(store: CountStore, hint: str) -> DataError:
    """Describes messages that are too few to cross-validate, and names classes that are too small."""
    sizes = sorted(zip(store.message_totals.tolist(), store.labels, strict=True))
    small = [f'"{excerpt(label)}" has {size:,}' for size, label in sizes if size < FEWEST]
    listed = ", ".join(small[:_LISTED] + ["..."] * (len(small) > _LISTED))
    needed = f"every class needs at least {FEWEST}" + f", but {listed}" * bool(small)
    return DataError(f"too few messages to cross-validate: {needed}", hint=hint)


def _one_class(messages: int, label: str, hint: str) -> DataError:
    only = f"all {messages:,} are {label!r}" if label else "there are none"
    return DataError(f"training needs messages of at least two classes, but {only}", hint)

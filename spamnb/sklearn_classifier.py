"""Offers the filter as an estimator for scikit-learn's tools, without importing scikit-learn."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from spamnb.core import FloatArray, log_softmax
from spamnb.errors import InputError, SpamnbError
from spamnb.messages import Messages
from spamnb.model import Decision, SpamModel
from spamnb.readers import spam_of_two
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig, named_in_python
from spamnb.training import (
    Labels,
    Trainer,
    UnderSampling,
    all_labels,
    apply_sample_weight,
    checked_inputs,
    distinct_labels,
    label_texts,
    stated_class_weights,
    to_labels,
    to_texts,
    with_usual_limit,
)

_PARAMETERS = {"pattern": "patterns", "folds": "calibrate"}  # others have the names of the settings
_CERTAIN = 1e6  # the log-odds of the only class that was learned


class NotFitted(SpamnbError, ValueError, AttributeError):
    """Nothing was learned yet; if scikit-learn is loaded, its NotFittedError is raised instead."""


class _Estimator:
    """Follows the conventions: parameters are stored unchanged and read back by name."""

    _estimator_type = "classifier"  # for scikit-learn before 1.6
    model_: SpamModel

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {p.name: p.default for p in inspect.signature(cls).parameters.values()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - no parameter is an estimator
        return {name: getattr(self, name) for name in sorted(self._defaults())}

    def set_params(self, **params: Any) -> Self:
        """Changes parameters; they take effect at the next fit."""
        names = sorted(self._defaults())
        for name in params:
            if name not in names:
                raise InputError(f"no parameter {name!r}", hint=f"choose from: {', '.join(names)}")
        vars(self).update(params)
        return self

    def __repr__(self) -> str:
        pairs = [(name, repr(getattr(self, name)), repr(d)) for name, d in self._defaults().items()]
        shown = [f"{name}={value}" for name, value, default in pairs if value != default]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_tags__(self) -> Any:
        """Returns the tags for scikit-learn (1.6 and later), which calls this, so its modules are loaded."""
        utils: Any = sys.modules["sklearn.utils"]
        return utils.Tags(
            estimator_type="classifier",
            target_tags=utils.TargetTags(required=True),
            transformer_tags=None,
            classifier_tags=utils.ClassifierTags(),
            regressor_tags=None,
            input_tags=utils.InputTags(one_d_array=True, two_d_array=False, string=True, allow_nan=True),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state to pickle: the counts, not the lookup tables made from them."""
        fresh = {"model_": replace(self.model_)} if hasattr(self, "model_") else {}
        return vars(self) | fresh

    def _fitted(self) -> SpamModel:
        if not hasattr(self, "model_"):
            message = f"this {type(self).__name__} is not fitted yet: call fit(X, y) first"
            exceptions: Any = sys.modules.get("sklearn.exceptions")
            raise exceptions.NotFittedError(message) if exceptions else NotFitted(message)
        return self.model_


class SpamClassifier(_Estimator):
    """A naive Bayes filter over texts with fit and predict, for pipelines, cross-validation and grid search.

    The parameters are the settings of `spamnb train`, with the same names and values; one that is None takes
    the default. `class_prior` is 'learned', 'uniform' or a probability for each of `classes_`; `class_weight`
    maps labels to weights; `patterns` are pairs of a name and a regular expression; `threshold` is the
    probability above which the verdict is `classes_[1]` (two classes only); `calibrate` calibrates
    probabilities by cross-validation within the training data, which `refine` ('auto', 'yes', 'no') needs
    too. `model_` is the SpamModel, to explain or save, with the labels as text: '1' and '0' of 1 and 0.

    >>> texts, labels = ["win a prize", "free prize", "see you", "ok see"], [True, True, False, False]
    >>> SpamClassifier(alpha=0.5).fit(texts, labels).predict(["a free prize", "ok you"])
    array([ True, False])
    """

    def __init__(
        self,
        scorer: str = "multinomial",
        *,
        alpha: float | None = None,
        m_estimate: float | None = None,
        counts: str | None = None,
        damping: float | None = None,
        class_prior: str | Iterable[float] | None = None,
        balance: str | None = None,
        class_weight: Mapping[Any, float] | None = None,
        order: int | None = None,
        max_evidence: int | None = None,
        max_token_weight: float | None = None,
        tokens: str = "shaped",
        ngrams: int | None = None,
        chars: int = 0,
        patterns: Iterable[tuple[str, str]] = (),
        threshold: float = 0.5,
        calibrate: bool = True,
        refine: str = "auto",
    ) -> None:
        self.scorer = scorer
        self.alpha = alpha
        self.m_estimate = m_estimate
        self.counts = counts
        self.damping = damping
        self.class_prior = class_prior
        self.balance = balance
        self.class_weight = class_weight
        self.order = order
        self.max_evidence = max_evidence
        self.max_token_weight = max_token_weight
        self.tokens = tokens
        self.ngrams = ngrams
        self.chars = chars
        self.patterns = patterns
        self.threshold = threshold
        self.calibrate = calibrate
        self.refine = refine

    @named_in_python(_PARAMETERS)
    def fit(self, X: Messages, y: Any, sample_weight: Any = None) -> Self:
        """Learns these texts and nothing else.

        Counts are whole numbers, and so are the weights of texts: a text of weight 3 is learned three times.
        Other weights are possible if they are the same for all texts of a class, as `class_weight`. A missing
        text (None or NaN) is an empty message, as in `predict`: it counts for the share of its class alone.
        """
        texts, labels = checked_inputs(X, y)
        texts, labels, weights = apply_sample_weight(texts, labels, sample_weight)
        if not len(texts):
            raise InputError("there are no messages to learn from")
        classes, names = distinct_labels(labels), label_texts(labels)
        new, keep = self._blank(classes, weights), None
        if new.scoring.balance == "undersample":
            choice = UnderSampling(new.features)
            choice.add(texts, names, {}, {})
            keep = choice.limits()
        folds = {} if self.calibrate else {"folds": 0}
        training = TrainingConfig.from_options({"refine": self.refine, **folds})
        settings = *self._settings(classes, weights), training, new.decision, new.positive
        trainer = Trainer(*settings, keep=keep)
        trainer.add(texts, names)
        self.model_ = trainer.finish() if len(classes) > 1 else new.learn(texts, names, new_classes=True)
        self.classes_ = classes
        return self

    @named_in_python(_PARAMETERS)
    def partial_fit(self, X: Messages, y: Any, classes: Any = None) -> Self:
        """Learns these texts too: counts are added, so any split of the data gives the same counts.

        `classes` may name labels that are still to come; other labels may come as well. The calibration is
        that of the last `fit`, none without it.
        """
        texts, labels = checked_inputs(X, y)
        named = labels[:0] if classes is None else to_labels(classes)
        merged = all_labels(labels, named, self.classes_ if hasattr(self, "model_") else named)
        new = self._blank(merged)
        old = self.model_ if hasattr(self, "model_") else new
        if old.features != new.features:
            raise InputError(
                "tokens, ngrams, chars and patterns cannot change between calls of partial_fit",
                hint="call fit, or partial_fit of a new classifier",
            )
        if new.scoring.balance == "undersample":
            raise InputError("partial_fit cannot undersample", hint="use balance='weight'")
        model = replace(new, store=old.store, calibration=old.calibration, correction=old.correction)
        model = replace(model, seen_messages=old.seen_messages, change_history=old.change_history)
        learned = model.learn(texts, label_texts(labels), new_classes=True)
        features, scoring = self._settings(merged)
        scoring = with_usual_limit(scoring, features, learned.store)
        self.model_, self.classes_ = replace(learned, scoring=scoring), merged
        return self

    def _blank(self, classes: Labels, weights: Mapping[str, float] | None = None) -> SpamModel:
        """Returns a model that has learned nothing, with these parameters, and maybe weights of classes."""
        names, (features, scoring) = label_texts(classes), self._settings(classes, weights)
        Trainer(features, scoring)  # refuses settings that cannot be combined
        positive = names[1] if len(names) == 2 else ""
        return SpamModel(features, scoring, decision=Decision(float(self.threshold)), positive=positive)

    def _settings(
        self, classes: Labels, weights: Mapping[str, float] | None = None
    ) -> tuple[FeatureConfig, ScorerConfig]:
        """Returns the parameters as settings, and maybe weights of classes."""
        names = label_texts(classes)
        options = self._options(names)
        if weights:
            stated = dict(options["class_weight"] or ())
            options["class_weight"] = tuple((name, w * stated.get(name, 1.0)) for name, w in weights.items())
        features, scoring = FeatureConfig.from_options(options), ScorerConfig.from_options(options)
        if len(names) != 2 or spam_of_two(*names) != names[1]:
            scoring = scoring.with_max_evidence(0)  # against spam, so only where the second class is spam
        return features, scoring

    def _options(self, names: list[str]) -> dict[str, Any]:
        """Returns the parameters as option values; grids have numpy's numbers, model files only Python's."""
        options = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in self.get_params().items()
        }
        if not isinstance(options["calibrate"], bool):
            raise InputError(f"calibrate must be True or False, got {self.calibrate!r}")
        options["pattern"] = tuple((str(name), str(pattern)) for name, pattern in self.patterns)
        options["class_weight"] = stated_class_weights(self.class_weight, names)
        prior = options["class_prior"]
        if prior is not None and not isinstance(prior, str):
            numbers = [float(p) for p in prior]
            if len(numbers) != len(names):
                raise InputError(f"class_prior gives {len(numbers)} numbers for {len(names)} classes")
            # a model has its labels in alphabetical order
            options["class_prior"] = tuple(p for _, p in sorted(zip(names, numbers, strict=True)))
        return options

    def predict(self, X: Messages) -> Labels:
        """Returns the label of each text, of the type that y had; there is no 'unsure' here."""
        if len(self._fitted().labels) > 2:
            texts = to_texts(X)
            chosen = self.model_.choose(self.model_.predict_proba(texts))
            places = [label_texts(self.classes_).index(label) for label in self.model_.labels]
            return np.asarray(self.classes_[np.array(places)[chosen]])
        proba = self.predict_proba(X)
        if len(self.classes_) != 2:
            return np.asarray(self.classes_[proba.argmax(axis=1)])
        return np.asarray(self.classes_[(proba[:, 1] > self.model_.decision.threshold).astype(np.int64)])

    def predict_proba(self, X: Messages) -> FloatArray:
        """Returns (n, K): the probability of each of `classes_`; 0 for a class without a learned text."""
        model, texts = self._fitted(), to_texts(X)
        if len(model.labels) == 1:
            return self._by_class(np.ones((len(texts), 1)), 0.0)
        return self._by_class(model.proba(model.score(texts, memory=False)), 0.0)

    def predict_log_proba(self, X: Messages) -> FloatArray:
        """Returns (n, K): log P of each of `classes_`, exact also where P itself is rounded to 0 or 1."""
        model, texts = self._fitted(), to_texts(X)
        if len(model.labels) == 1:
            return self._by_class(np.zeros((len(texts), 1)), -np.inf)
        predictions = model.score(texts, memory=False)
        if model.pair is None:
            scores = model.calibration.apply(predictions.scored.damped)
        else:
            scores = np.zeros((len(texts), 2))
            scores[:, model.pair[0]] = predictions.log_odds
        lacking, log_p = predictions.lacks_evidence, log_softmax(scores)
        log_p[lacking] = np.log(model.proba(predictions)[lacking])  # not the score, which says too much
        return self._by_class(log_p, -np.inf)

    def decision_function(self, X: Messages) -> FloatArray:
        """Returns (n,): the log-odds of `classes_[1]` if there are two classes, else `predict_log_proba`."""
        model = self._fitted()
        if len(self.classes_) == len(model.labels) == 2:
            sign = 1.0 if model.positive == label_texts(self.classes_)[1] else -1.0
            return sign * model.log_odds(to_texts(X))
        log_p = self.predict_log_proba(X)
        if log_p.shape[1] != 2:
            return log_p
        return np.asarray(np.clip(log_p[:, 1] - log_p[:, 0], -_CERTAIN, _CERTAIN))

    def score(self, X: Messages, y: Any, sample_weight: Any = None) -> float:
        """Returns the accuracy."""
        texts, labels = checked_inputs(X, y)
        right = [a == b for a, b in zip(self.predict(texts).tolist(), labels.tolist(), strict=True)]
        return float(np.average(right, weights=sample_weight))

    def _by_class(self, values: FloatArray, missing: float) -> FloatArray:
        """Columns in the order of the model's labels (sorted as text) to the order of `classes_`."""
        names = label_texts(self.classes_)
        out = np.full((len(values), len(names)), missing)
        out[:, [names.index(label) for label in self.model_.labels]] = values
        return out

"""SpamClassifier: the filter as an estimator for scikit-learn's tools, without needing scikit-learn."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray
from spamnb.errors import DataError, SpamnbError
from spamnb.messages import Messages, Texts, as_texts
from spamnb.model import Decision, SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training import FOLDS, Trainer

Labels = NDArray[Any]
_CERTAIN = 1e6  # the log-odds of a class that is the only one seen


class InputError(DataError, ValueError):
    """X, y or a parameter cannot be used; a ValueError, as the conventions of estimators ask for."""


class NotFitted(SpamnbError, ValueError, AttributeError):
    """Nothing was learned yet; where scikit-learn is loaded, its NotFittedError is raised instead."""


class _Estimator:
    """The conventions: parameters are stored as given and read back by name."""

    _estimator_type = "classifier"  # what scikit-learn before 1.6 looks for
    model_: SpamModel

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {p.name: p.default for p in inspect.signature(cls).parameters.values()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - no parameter is an estimator
        return {name: getattr(self, name) for name in sorted(self._defaults())}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; they take effect at the next fit."""
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
        """Only scikit-learn (1.6 and later) asks, so its modules are there when this runs."""
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
        """Pickles hold the counts, not the lookup tables made from them."""
        fresh = {"model_": replace(self.model_)} if hasattr(self, "model_") else {}
        return vars(self) | fresh

    def _fitted(self) -> SpamModel:
        if not hasattr(self, "model_"):
            message = f"this {type(self).__name__} is not fitted yet: call fit(X, y) first"
            known: Any = sys.modules.get("sklearn.exceptions")
            raise known.NotFittedError(message) if known else NotFitted(message)
        return self.model_


class SpamClassifier(_Estimator):
    """A naive Bayes filter over texts with fit and predict, for pipelines, cross-validation and grid search.

    A parameter that is None takes the scorer's default. `tokens` is 'shaped' (words and the shape of the
    message) or 'plain' (words alone), `ngrams` None means 2 for the first and 1 for the second; `prior` is
    'learned', 'uniform' or a probability for each of `classes_`; `threshold` is the least probability of
    `classes_[1]` to say so (two classes only); `calibrate` makes probabilities honest by cross-validation
    within the training data; `refine` ('auto', 'yes', 'no') corrects the weights by logistic regression,
    which needs `calibrate`. `model_` is the SpamModel behind, to explain or save.

    >>> texts, labels = ["win a prize", "free prize", "see you", "ok see"], [True, True, False, False]
    >>> SpamClassifier(alpha=0.5).fit(texts, labels).predict(["a free prize", "ok you"])
    array([ True, False])
    """

    def __init__(
        self,
        scorer: str = "multinomial",
        *,
        alpha: float | None = None,
        once: bool | None = None,
        damping: float | None = None,
        prior: str | Iterable[float] | None = None,
        balance: str | None = None,
        order: int | None = None,
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
        self.once = once
        self.damping = damping
        self.prior = prior
        self.balance = balance
        self.order = order
        self.tokens = tokens
        self.ngrams = ngrams
        self.chars = chars
        self.patterns = patterns
        self.threshold = threshold
        self.calibrate = calibrate
        self.refine = refine

    def fit(self, X: Messages, y: Any) -> Self:
        """Learn these texts and nothing else."""
        texts, labels = _checked(X, y)
        if not len(texts):
            raise InputError("there are no messages to learn from")
        classes, names = _classes(labels), _names(labels)
        new, sizes = self._blank(classes), Counter(names)
        shares = {name: min(sizes.values()) / size for name, size in sizes.items()}
        keep = shares if new.scoring.balance == "undersample" else None
        folds = FOLDS if self.calibrate else 0
        settings = new.features, new.scoring, new.decision, new.positive
        trainer = Trainer(*settings, folds, keep, refine=self.refine)
        trainer.add(texts, names)
        self.model_ = trainer.finish() if len(classes) > 1 else new.learn(texts, names)
        self.classes_ = classes
        return self

    def partial_fit(self, X: Messages, y: Any, classes: Any = None) -> Self:
        """Learn these texts too: counts are added, so any split of the data gives the same counts.

        `classes` may name labels that are still to come; labels that were not named are welcome all the same.
        The calibration stays what the last `fit` made it, and is none if there was no `fit`.
        """
        texts, labels = _checked(X, y)
        named = labels[:0] if classes is None else _labels(classes)
        merged = _merged(labels, named, self.classes_ if hasattr(self, "model_") else named)
        new = self._blank(merged)
        old = self.model_ if hasattr(self, "model_") else new
        if old.features != new.features:
            raise InputError(
                "tokens, ngrams, chars and patterns cannot change between calls of partial_fit",
                hint="call fit, or partial_fit of a new classifier",
            )
        if new.scoring.balance == "undersample":
            raise InputError("partial_fit cannot undersample", hint="use balance='weight'")
        kept = replace(new, store=old.store, calibration=old.calibration, correction=old.correction)
        kept = replace(kept, seen_messages=old.seen_messages, change_history=old.change_history)
        learned = kept.learn(texts, _names(labels))
        self.model_, self.classes_ = learned, merged
        return self

    def _blank(self, classes: Labels) -> SpamModel:
        """A model that has learned nothing, with these parameters."""
        if self.tokens not in ("shaped", "plain"):
            raise InputError(f"tokens must be 'shaped' or 'plain', got {self.tokens!r}")
        shaped, names = self.tokens == "shaped", _names(classes)
        ngrams = (2 if shaped else 1) if self.ngrams is None else int(self.ngrams)
        patterns = tuple((str(name), str(pattern)) for name, pattern in self.patterns)
        features, scoring = FeatureConfig(ngrams, shaped, int(self.chars), patterns), self._scoring(names)
        Trainer(features, scoring)  # refuses what does not go together
        positive = names[1] if len(names) == 2 else ""
        return SpamModel(features, scoring, decision=Decision(float(self.threshold)), positive=positive)

    def _scoring(self, names: list[str]) -> ScorerConfig:
        given = {name: getattr(self, name) for name in ("alpha", "once", "damping", "balance", "order")}
        # A grid hands in numpy's numbers, but a model file holds Python's alone.
        plain = {name: v.item() if isinstance(v, np.generic) else v for name, v in given.items()}
        prior: Any = self.prior
        if prior is not None and not isinstance(prior, str):
            listed = [float(p) for p in prior]
            if len(listed) != len(names):
                raise InputError(f"prior gives {len(listed)} numbers for {len(names)} classes")
            prior = tuple(p for _, p in sorted(zip(names, listed, strict=True)))  # the core sorts by name
        alike = 1.0 if self.tokens == "plain" else None
        return ScorerConfig.of(str(self.scorer), prior=prior, ngram_smoothing_ratio=alike, **plain)

    def predict(self, X: Messages) -> Labels:
        """The label of each text, of the kind that y had; there is no 'unsure' here."""
        proba = self.predict_proba(X)
        if len(self.classes_) != 2:
            return np.asarray(self.classes_[proba.argmax(axis=1)])
        return np.asarray(self.classes_[(proba[:, 1] >= self.model_.decision.threshold).astype(np.int64)])

    def predict_proba(self, X: Messages) -> FloatArray:
        """(n, K): the probability of each of `classes_`; 0 for a class that no text was seen of."""
        model, texts = self._fitted(), _texts(X)
        known = np.ones((len(texts), 1)) if len(model.labels) == 1 else model.predict_proba(texts)
        return self._by_class(known, 0.0)

    def predict_log_proba(self, X: Messages) -> FloatArray:
        """(n, K): log P of each of `classes_`, exact also where P itself is rounded to 0 or 1."""
        model, texts = self._fitted(), _texts(X)
        scores = np.zeros((len(texts), len(model.labels)))
        if len(model.labels) == 2:
            plus = model.labels.index(model.positive) if model.positive in model.labels else 1
            scores[:, plus] = model.log_odds(texts)
        elif len(model.labels) > 2:
            scores = model.calibration.apply(model.score(texts).scored.damped)
        return self._by_class(_log_softmax(scores), -np.inf)

    def decision_function(self, X: Messages) -> FloatArray:
        """(n,): the log-odds of `classes_[1]` where there are two classes, else `predict_log_proba`."""
        log_p = self.predict_log_proba(X)
        if log_p.shape[1] != 2:
            return log_p
        return np.asarray(np.clip(log_p[:, 1] - log_p[:, 0], -_CERTAIN, _CERTAIN))

    def score(self, X: Messages, y: Any, sample_weight: Any = None) -> float:
        """The share of texts that get their label."""
        texts, labels = _checked(X, y)
        right = [a == b for a, b in zip(self.predict(texts).tolist(), labels.tolist(), strict=True)]
        return float(np.average(right, weights=sample_weight))

    def _by_class(self, values: FloatArray, missing: float) -> FloatArray:
        """Columns in the order of the model's labels (sorted as text) to the order of `classes_`."""
        names = _names(self.classes_)
        out = np.full((len(values), len(names)), missing)
        out[:, [names.index(label) for label in self.model_.labels]] = values
        return out


def _log_softmax(scores: FloatArray) -> FloatArray:
    """Rows of log scores to rows of log probabilities; all are alike in a row that no class can produce."""
    with np.errstate(invalid="ignore"):  # -inf - -inf
        below = scores - scores.max(axis=1, keepdims=True)
    log_p: FloatArray = below - np.log(np.exp(below).sum(axis=1, keepdims=True))
    return np.where(np.isnan(log_p), -np.log(scores.shape[1]), log_p)


def _checked(X: Any, y: Any) -> tuple[Texts, Labels]:
    if y is None:
        raise InputError("SpamClassifier requires y to be passed, but the target y is None")
    texts, labels = _texts(X), _labels(y)
    if len(texts) != len(labels):
        raise InputError(f"{len(texts)} messages but {len(labels)} labels")
    return texts, labels


def _texts(X: Any) -> Texts:
    if isinstance(X, (str, bytes)):
        raise InputError("expected a list of messages, got one string", hint="wrap it: [message]")
    if getattr(X, "ndim", 1) != 1 or hasattr(X, "nnz"):
        what = f"a {type(X).__name__} of shape {X.shape}; tables and sparse matrices hold no text"
        raise InputError(f"expected a list of messages, got {what}", hint="pass one column: X['text']")
    return as_texts(X)


def _labels(y: Any) -> Labels:
    """One-dimensional, and of numpy's own type for it; tuples and a mix of types stay whole as objects."""
    array = np.asarray(y)
    mixed = array.ndim == 1 and array.dtype.kind == "U" and not all(isinstance(label, str) for label in y)
    if mixed or (array.ndim == 2 and all(isinstance(label, tuple) for label in y)):
        array = np.fromiter(y, object, len(y))  # numpy writes 1 beside 'a' as '1', and a tuple as a row
    if array.ndim != 1:
        raise InputError(f"expected one label for each message, got y of shape {array.shape}")
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.floor(array))).all():
        raise InputError("labels must be names of classes, got continuous numbers or nan")
    if array.dtype.kind == "O" and any(label is None or label != label for label in array.tolist()):
        raise InputError("a label is missing (None or nan)")
    return array


def _classes(labels: Labels) -> Labels:
    """The distinct labels in ascending order; those that have no order go by their names."""
    distinct = list(dict.fromkeys(labels.tolist()))
    if len(set(map(str, distinct))) < len(distinct):
        raise InputError(f"different labels must not look the same, got {distinct!r:.80}")
    try:
        distinct.sort()
    except TypeError:
        distinct.sort(key=str)
    return np.fromiter(distinct, labels.dtype, len(distinct))


def _merged(*parts: Labels) -> Labels:
    classes = _classes(np.concatenate(parts))
    if set(_names(classes)) != {name for part in parts for name in _names(part)}:
        raise InputError(f"labels must be of one kind in all calls, got {classes.tolist()!r:.80} in the end")
    return classes


def _names(labels: Labels) -> list[str]:
    """What the core calls these labels."""
    return [str(label) for label in labels.tolist()]

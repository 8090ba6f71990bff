"""A naive Bayes spam filter for SMS and e-mail.

    >>> import spamnb
    >>> labels = ["spam", "spam", "ham", "ham"]
    >>> model = spamnb.train(["win a prize", "free prize", "see you", "ok see"], labels)
    >>> model.predict(["a free prize"])
    ['spam']

Names are imported when they are first used, so that `import spamnb` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spamnb._version import __version__

if TYPE_CHECKING:
    from spamnb.errors import SpamnbError
    from spamnb.lab_filters import NaiveBayesFilter, PoissonBayesFilter
    from spamnb.messages import Texts
    from spamnb.model.decision import Decision
    from spamnb.model.model_merge import merge_models
    from spamnb.model.spam_model import SpamModel
    from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
    from spamnb.sklearn_classifier import SpamClassifier
    from spamnb.training.incremental import Learner
    from spamnb.training.trainer import train

_HOME = {
    "Decision": "model.decision",
    "FeatureConfig": "settings",
    "Learner": "training.incremental",
    "NaiveBayesFilter": "lab_filters",
    "PoissonBayesFilter": "lab_filters",
    "ScorerConfig": "settings",
    "SpamClassifier": "sklearn_classifier",
    "SpamModel": "model.spam_model",
    "SpamnbError": "errors",
    "Texts": "messages",
    "TrainingConfig": "settings",
    "merge_models": "model.model_merge",
    "train": "training.trainer",
}

__all__ = [
    "Decision",
    "FeatureConfig",
    "Learner",
    "NaiveBayesFilter",
    "PoissonBayesFilter",
    "ScorerConfig",
    "SpamClassifier",
    "SpamModel",
    "SpamnbError",
    "Texts",
    "TrainingConfig",
    "__version__",
    "merge_models",
    "train",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(f"spamnb.{_HOME[name]}"), name)
    raise AttributeError(f"module 'spamnb' has no attribute {name!r}")

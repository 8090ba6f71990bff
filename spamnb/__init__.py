"""A naive Bayes spam filter for SMS and email.

    >>> import spamnb
    >>> model = spamnb.load("sms")
    >>> model.predict(["WIN a FREE prize! Call 0909 879 0123 now", "running late, home by 7"])
    ['spam', 'ham']
    >>> own = spamnb.train(["win a prize", "free prize", "see you", "ok see"], [1, 1, 0, 0])
    >>> own.predict(["a free prize"])
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
    from spamnb.mail.parse import parse_mails as parse_mail
    from spamnb.messages import Texts
    from spamnb.model.decision import Decision
    from spamnb.model.default_model import load
    from spamnb.model.model_merge import merge_models
    from spamnb.model.spam_model import SpamModel
    from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
    from spamnb.sklearn_classifier import SpamClassifier
    from spamnb.training.incremental import Learner
    from spamnb.training.trainer import train
    from spamnb.training.undo_lessons import history, undo

# Name -> its module, and its name there if that is another one.
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
    "history": "training.undo_lessons",
    "load": "model.default_model",
    "merge_models": "model.model_merge",
    "parse_mail": "mail.parse:parse_mails",
    "train": "training.trainer",
    "undo": "training.undo_lessons",
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
    "history",
    "load",
    "merge_models",
    "parse_mail",
    "train",
    "undo",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name in _HOME:
        module, _, other = _HOME[name].partition(":")
        return getattr(import_module(f"spamnb.{module}"), other or name)
    raise AttributeError(f"module 'spamnb' has no attribute {name!r}")

"""Decides all settings of a training run from the flags, and from whether the messages are mail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spamnb.cli import base_options, max_fpr_option, options
from spamnb.core import Record

if TYPE_CHECKING:
    from spamnb.model import BaseModel
    from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
    from spamnb.training import Trainer


class TrainingSetup(Record):
    """The flags of a command that trains, and the base model that they name."""

    given: dict[str, Any]
    folds: int
    scoring: ScorerConfig
    base: BaseModel | None

    @classmethod
    def of(
        cls, given: dict[str, Any], folds: int, sources: Callable[[], list[Any]], quiet: bool
    ) -> TrainingSetup:
        """Reads the flags; refuses settings that do not go together before any message is read."""
        scoring = options.scorer_config(given)
        base = base_options.base_of(given, sources, options.feature_config(given), scoring, quiet)
        setup = cls(given, folds, scoring, base)
        setup.trainer(mail=False)
        return setup

    def trainer(
        self,
        mail: bool,
        *,
        limited: bool = True,
        keep: Mapping[str, float] | None = None,
        keep_texts: bool = False,
    ) -> Trainer:
        """Makes a trainer; with `limited` the false positive rate sets its threshold."""
        from spamnb.training import Trainer

        training = training_config(self.given, mail, self.folds)
        training = training if limited else replace(training, max_fpr=None)
        settings = self.features(mail), self.scoring, training, options.decision(self.given)
        return Trainer(*settings, base=self.base, keep=keep, keep_texts=keep_texts)

    def features(self, mail: bool) -> FeatureConfig:
        """Returns the features: those that suit the messages, or the base model if there is one."""
        if self.base is None:
            return options.feature_config(self.given, mail)
        return base_options.features_like(self.base, options.feature_config(self.given), self.given)


def training_config(given: dict[str, Any], mail: bool, folds: int) -> TrainingConfig:
    """Reads the flags about training; mail gets a low false positive rate unless they set the threshold."""
    from spamnb.settings import TrainingConfig

    return TrainingConfig(
        folds=folds,
        refine=given.get("refine", "auto"),
        max_fpr=max_fpr_option.of_data({"max_fpr": None, **given}, mail),
        base_weight=given.get("prior_weight"),
        remember=not given.get("no_digests"),
        jobs=given.get("jobs", 1),
        max_fpr_is_default=given.get("max_fpr") is None,
    )

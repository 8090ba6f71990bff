"""Decides the settings of a training run from the options, before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spamnb.cli.base_options import Sources, load_base
from spamnb.cli.decision_rule import (
    check_decision,
    check_max_fpr,
    check_threshold_set,
    decision,
    default_max_fpr,
    stated_max_fpr,
)
from spamnb.cli.options import Params, feature_config
from spamnb.cli.output import print_status
from spamnb.errors import ConfigError
from spamnb.settings import (
    FEW_MESSAGES,
    READY_MADE,
    FeatureConfig,
    ScorerConfig,
    TrainingConfig,
    check_used,
)

if TYPE_CHECKING:
    from spamnb.model import BaseModel, Decision, SpamModel
    from spamnb.training import Trainer


@dataclass(frozen=True)
class TrainingSetup:
    """The settings of a training run; the defaults depend on whether the messages are mail."""

    params: Params
    features: FeatureConfig
    scoring: ScorerConfig
    training: TrainingConfig
    decision: Decision
    base: BaseModel | None = None
    mail_features: FeatureConfig | None = None  # those for mail, where they are others

    @classmethod
    def of(cls, params: Params, sources: Sources, quiet: bool) -> TrainingSetup:
        """Reads the settings that options ask for; refuses, before anything is read, wrong combinations."""
        check_used(params)
        stated_max_fpr(params)
        setup = cls(
            params,
            feature_config(params),
            ScorerConfig.from_options(params),
            TrainingConfig.from_options(params),
            decision(params),
            mail_features=feature_config(params, mail=True),
        )
        base = load_base(params, sources, quiet)
        if base is not None:
            setup = setup._based_on(base)
        setup.trainer()
        return setup

    def _based_on(self, base: BaseModel) -> TrainingSetup:
        """Takes n-grams, unless stated, and punctuation from the base, which has to know the same tokens."""
        theirs, features = base.model.features, self.features
        if self.params["ngrams"] is None and features.shapes:
            features = replace(features, ngrams=theirs.ngrams)
        features = replace(features, punctuation=theirs.punctuation)
        base.check(features, self.scoring)
        weight = self.training.base_weight
        base = base if weight is None else base.replace(weight=weight)
        return replace(self, features=features, base=base, mail_features=None)

    def is_default_base(self, trainer: Trainer) -> bool:
        """Returns whether these messages are so few that the ready-made model is their default base."""
        from spamnb.training import suits_ready_made

        return self.params["base"] is None and suits_ready_made(trainer)

    def with_default_base(self, trainer: Trainer, sources: Sources) -> TrainingSetup | None:
        """Returns these settings with the ready-made model as the base, if there are few messages; else None.

        A base model needs the classes and the settings that it was built with.
        """
        if not self.is_default_base(trainer):
            return None
        base = load_base({"base": READY_MADE}, sources, quiet=True)
        assert base is not None
        try:
            setup = self._based_on(base)
        except ConfigError:  # other tokens
            return None
        text = f"fewer than {FEW_MESSAGES} messages: starting from the {base.name}; --base none does not"
        print_status(text, self.params["quiet"])
        return setup

    def trainer(
        self,
        mail: bool = False,
        keep: Mapping[str, int] | None = None,
        keep_texts: bool = False,
    ) -> Trainer:
        """Returns a trainer with these settings; `keep` has the digest below which messages are kept."""
        from spamnb.training import Trainer

        training = self.training
        if training.max_fpr is None:
            rate = default_max_fpr(self.params, mail)
            training = replace(training, max_fpr=rate, max_fpr_is_default=True)
        features = self.mail_features if mail and self.mail_features is not None else self.features
        settings = features, self.scoring, training, self.decision
        return Trainer(*settings, base=self.base, keep=keep, keep_texts=keep_texts)

    def refuse_undersampling(self, flag: str) -> None:
        if self.scoring.balance == "undersample":
            raise ConfigError(
                f"--set balance=undersample cannot be combined with {flag}", hint="use --set balance=weight"
            )

    def check_classes(self, labels: tuple[str, ...]) -> None:
        """Refuses settings that cannot be combined with the classes of the data."""
        check_decision(self.params, labels)
        check_max_fpr(self.training.max_fpr, labels)
        prior = self.scoring.prior
        if not isinstance(prior, str) and len(prior) != len(labels):
            raise ConfigError(
                f"--class-prior gives {len(prior):,} numbers, the model has {len(labels):,} classes",
                hint=f"give one number for each of {', '.join(labels)}",
            )

    def check_model(self, model: SpamModel) -> None:
        """Refuses a model that has not got what the options ask for."""
        self.check_classes(model.labels)
        check_threshold_set(self.training.max_fpr, model.decision)

"""Settings as flags of `spamnb train`: only those that differ from what it does by itself."""

from __future__ import annotations

from spamnb.config import FeatureConfig, ScorerConfig


def flags(features: FeatureConfig, scoring: ScorerConfig, mail: bool = False) -> list[str]:
    """The flags that train with these settings, on mail or on other messages.

    >>> flags(FeatureConfig(), ScorerConfig(alpha=0.03))
    ['--alpha', '0.03']
    >>> flags(FeatureConfig.plain(), ScorerConfig.of("bernoulli"))
    ['--tokens', 'plain', '--scorer', 'bernoulli']
    >>> flags(FeatureConfig(), ScorerConfig(), mail=True)
    ['--ngrams', '2']
    """
    return _feature_flags(features, scoring, mail) + _scorer_flags(scoring)


def _feature_flags(features: FeatureConfig, scoring: ScorerConfig, mail: bool) -> list[str]:
    order = scoring.order if scoring.name == "less-naive" else 0
    plain = not features.shapes and not order
    usual = order + 1 if order else 1 if plain else FeatureConfig.usual(mail).ngrams
    words = ["--tokens", "plain"] if plain else []
    if features.ngrams != usual:
        words += ["--ngrams", str(features.ngrams)]
    if features.chars:
        words += ["--chars", str(features.chars)]
    for name, pattern in features.patterns:
        words += ["--pattern", f"{name}={pattern}"]
    for column in features.categorical:
        words += ["--categorical", column]
    for column in features.numeric:
        words += ["--numeric", column]
    return words


def _scorer_flags(scoring: ScorerConfig) -> list[str]:
    usual = ScorerConfig.of(scoring.name)
    words = [] if scoring.name == ScorerConfig().name else ["--scorer", scoring.name]
    for flag, mine, its in (
        ("--alpha", f"{scoring.alpha:g}", f"{usual.alpha:g}"),
        ("--counts", _counts(scoring), _counts(usual)),
        ("--damping", f"{scoring.damping:g}", f"{usual.damping:g}"),
        ("--prior", _prior(scoring), _prior(usual)),
        ("--balance", scoring.balance, usual.balance),
        ("--order", str(scoring.order), str(usual.order)),
        ("--ddof", str(scoring.ddof), str(usual.ddof)),
    ):
        words += [] if mine == its else [flag, mine]
    return words


def _counts(scoring: ScorerConfig) -> str:
    return "once" if scoring.once else "all"


def _prior(scoring: ScorerConfig) -> str:
    prior = scoring.prior
    return prior if isinstance(prior, str) else ",".join(f"{p:g}" for p in prior)

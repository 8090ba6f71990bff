"""The settings of a model as frozen dataclasses: what is read out of a message and how it is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from spamnb.errors import ConfigError

MAX_NGRAM = 5
MAX_CHARS = 8


# What each setting in a model file has to be; the values are checked when the settings are made.
_FEATURE_KINDS: dict[str, tuple[type, ...]] = {
    "ngrams": (int,),
    "shapes": (bool,),
    "chars": (int,),
    "patterns": (tuple,),
    "categorical": (tuple,),
    "numeric": (tuple,),
    "unmask": (bool,),
    "signs": (bool,),
}
_SCORER_KINDS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "alpha": (int, float),
    "ngram_smoothing_ratio": (int, float),
    "once": (bool,),
    "damping": (int, float),
    "prior": (str, tuple),
    "balance": (str,),
    "order": (int,),
    "ddof": (int,),
    "max_evidence": (int,),
    "max_token_weight": (int, float),
}


def _check_kinds(state: Mapping[str, Any], kinds: Mapping[str, tuple[type, ...]]) -> None:
    """Exactly these kinds: a truth value is no number here, and an array nothing at all."""
    for name, value in state.items():
        if name in kinds and type(value) not in kinds[name]:
            raise TypeError(f"{name} is {value!r:.40}")


@dataclass(frozen=True, slots=True)
class FeatureConfig:
    r"""What becomes a token. `plain()` is exactly the stream `re.findall(r"\w+", text.lower())`.

    >>> FeatureConfig.plain() == FeatureConfig(ngrams=1, shapes=False, unmask=False, signs=False)
    True
    """

    ngrams: int = 2
    shapes: bool = True
    chars: int = 0  # longest character n-gram (from 2), 0 for none
    patterns: tuple[tuple[str, str], ...] = ()
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    unmask: bool = True  # with shapes: undo disguises of words; n-grams for scripts without spaces
    signs: bool = True  # with these: runs of signs, and how a message ends

    def __post_init__(self) -> None:
        object.__setattr__(self, "unmask", self.unmask and self.shapes)
        object.__setattr__(self, "signs", self.signs and self.unmask)
        if not 1 <= self.ngrams <= MAX_NGRAM:
            raise ConfigError(f"--ngrams must be between 1 and {MAX_NGRAM}, got {self.ngrams}")
        if self.chars and not 2 <= self.chars <= MAX_CHARS:
            raise ConfigError(f"--chars must be 0 or between 2 and {MAX_CHARS}, got {self.chars}")

    @classmethod
    def usual(cls, mail: bool = False) -> FeatureConfig:
        """What `spamnb train` reads out of messages by itself; mail has words enough without pairs, signs."""
        return cls(ngrams=1, signs=False) if mail else cls()

    @classmethod
    def plain(cls, ngrams: int = 1) -> FeatureConfig:
        return cls(ngrams=ngrams, shapes=False)

    def to_dict(self) -> dict[str, Any]:
        """Builtins only, for the model file."""
        state = asdict(self)
        state["patterns"] = [list(pair) for pair in self.patterns]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in state.items()}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> FeatureConfig:
        fixed: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in state.items()}
        _check_kinds(fixed, _FEATURE_KINDS)
        fixed["patterns"] = tuple((str(n), str(p)) for n, p in fixed.get("patterns", ()))
        if not all(isinstance(c, str) for name in ("categorical", "numeric") for c in fixed.get(name, ())):
            raise TypeError("a column's name is no text")
        for later in ("unmask", "signs"):
            fixed.setdefault(later, False)  # a model file from before
        return cls(**fixed)


@dataclass(frozen=True, slots=True)
class ScorerConfig:
    """How counts become log-odds.

    `alpha` is the smoothing (0 = maximum likelihood), `ngram_smoothing_ratio` how many times
    as much as other tokens multinomial smooths n-grams, alpha being the geometric mean of both (None: 4 with
    the default alpha, else 1), `once` counts a token once per message, `damping` d divides a message's
    log-odds by its number of tokens to the power d (a long message repeats its evidence; calibration restores
    the scale), `order` is k of less-naive, `ddof` the variance's divisor; `max_evidence` and
    `max_token_weight` limit the evidence of a message and of a token (0: no limit; see
    scorers/evidence_limits.py).
    """

    name: str = "multinomial"
    alpha: float = 0.1
    once: bool = True
    damping: float = 1.0
    prior: str | tuple[float, ...] = "learned"
    balance: str = "none"
    order: int = 1
    ddof: int = 0
    max_evidence: int = 0
    max_token_weight: float = 0.0
    ngram_smoothing_ratio: float | None = None

    def __post_init__(self) -> None:
        if not self.alpha >= 0 or self.alpha == float("inf"):
            raise ConfigError(f"--alpha must be 0 or more, got {self.alpha}")
        if not 0 < self.ratio < float("inf"):
            raise ConfigError(f"ngram_smoothing_ratio must be more than 0, got {self.ngram_smoothing_ratio}")
        if self.ngram_smoothing_ratio == self._usual_ratio:  # so that equal settings are equal
            object.__setattr__(self, "ngram_smoothing_ratio", None)
        if not 0 <= self.damping <= 1:
            raise ConfigError(f"--damping must be between 0 and 1, got {self.damping}")
        if self.order not in (1, 2):
            raise ConfigError(f"--order must be 1 or 2, got {self.order}")
        if self.ddof not in (0, 1):
            raise ConfigError(f"--ddof must be 0 or 1, got {self.ddof}")
        if self.max_evidence < 0:
            raise ConfigError(f"--strongest must be 0 or more, got {self.max_evidence}")
        if not 0 <= self.max_token_weight < float("inf"):
            raise ConfigError(f"--clip must be 0 or more, got {self.max_token_weight}")
        if self.balance not in ("none", "undersample", "weight"):
            raise ConfigError(f"--balance must be none, undersample or weight, got {self.balance!r}")
        if isinstance(self.prior, str):
            if self.prior not in ("learned", "uniform"):
                raise ConfigError(f"--prior must be learned, uniform or numbers, got {self.prior!r}")
        elif not all(p > 0 for p in self.prior) or abs(sum(self.prior) - 1) > 1e-6:
            raise ConfigError(f"--prior must be positive and sum to 1, got {list(self.prior)}")

    @property
    def ratio(self) -> float:
        """How many times as much as others tokens of several words are smoothed.

        >>> ScorerConfig().ratio, ScorerConfig(alpha=1.0).ratio, ScorerConfig(ngram_smoothing_ratio=1.0).ratio
        (4.0, 1.0, 1.0)
        """
        return self._usual_ratio if self.ngram_smoothing_ratio is None else self.ngram_smoothing_ratio

    @property
    def _usual_ratio(self) -> float:
        return 4.0 if (self.name, self.alpha) == ("multinomial", 0.1) else 1.0

    @classmethod
    def of(cls, name: str, **given: Any) -> ScorerConfig:
        """The settings of a scorer: its own defaults, overridden by what was given and is not None.

        Only the default scorer is tuned for filtering; the others start as their source documents state them.
        """
        base = cls() if name == cls().name else cls(name=name, alpha=1.0, once=False, damping=0.0)
        return replace(base, **{k: v for k, v in given.items() if v is not None})

    def to_dict(self) -> dict[str, Any]:
        told = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
        return told | {"ngram_smoothing_ratio": self.ratio}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> ScorerConfig:
        fixed: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in state.items()}
        _check_kinds(fixed, _SCORER_KINDS)
        fixed.setdefault("ngram_smoothing_ratio", 1.0)  # a model file from before
        return cls(**fixed)


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

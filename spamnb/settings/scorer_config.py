"""Declares the settings of scorers: how counts become log-odds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from spamnb.errors import ConfigError
from spamnb.settings import setting_field
from spamnb.settings.setting_field import (
    NOT_NEGATIVE,
    TextForm,
    ValueRule,
    between,
    check_settings,
    one_of,
    setting,
    stated_fields,
)
from spamnb.settings.textbook import NO_TEXTBOOK, TEXTBOOKS, with_textbook

LESS_NAIVE = "less-naive"  # the scorer whose tokens depend on the words before them
MAX_ORDER = 4
Prior = str | tuple[float, ...]


def _parse_prior(text: str) -> Prior:
    try:
        return text if text in ("learned", "uniform") else tuple(float(p) for p in text.split(","))
    except ValueError:
        raise ConfigError(
            f"--class-prior must be learned, uniform or numbers with commas, got {text!r}",
            hint="for example --class-prior 0.8,0.2 for ham and spam",
        ) from None


def _write_prior(prior: Prior) -> str:
    return prior if isinstance(prior, str) else ",".join(f"{p:g}" for p in prior)


def _parse_class_weight(text: str) -> tuple[str, float]:
    label, equals, weight = text.rpartition("=")
    try:
        if equals and label:
            return label, float(weight)
    except ValueError:
        pass
    raise ConfigError(
        f"--set class-weight must be LABEL=NUMBER, got {text!r}",
        hint="for example --set class-weight=spam=10",
    )


def _is_prior(prior: Prior) -> bool:
    if isinstance(prior, str):
        return prior in ("learned", "uniform")
    return all(p > 0 for p in prior) and abs(sum(prior) - 1) <= 1e-6


@dataclass(frozen=True, slots=True)
class ScorerConfig:
    """How counts become log-odds.

    `once` counts a token once per message. `damping` d divides a message's log-odds by its number of tokens
    to the power d: a long message repeats its evidence. Calibration restores the scale, so a model that is
    not calibrated is not damped.
    `ngram_smoothing_ratio` is how many times as much as words multinomial smooths n-grams, of which alpha
    then is the geometric mean (None: 4 with the default alpha, else 1). `max_evidence` is how much
    all tokens of a message may count against spam, as a multiple of the strongest of them;
    `max_token_weight` is the most that one token may count against it. 0 is no limit, and training decides a
    `max_evidence` of None.

    >>> ScorerConfig("bernoulli", alpha=1.0).alpha
    1.0
    """

    name: str = setting(
        "multinomial", "--scorer", "How counts become probabilities.", metavar="NAME", advanced=False
    )
    textbook: str = setting(
        NO_TEXTBOOK,
        "--textbook",
        "Train this scorer as its textbook states it: plain tokens, every occurrence, add-one smoothing, no "
        "damping, calibration or correction. Other options override it.",
        metavar="NAME",
        choices=(NO_TEXTBOOK, *TEXTBOOKS),
        advanced=False,
    )
    alpha: float = setting(
        0.1,
        "--alpha",
        "Additive smoothing for all tokens. "
        "[default: 0.05 for words and 0.2 for n-grams, 0.1 for words alone; 1 for other scorers]",
        metavar="X",
        rule=NOT_NEGATIVE,
    )
    m_estimate: float | None = setting(
        None,
        "--set m-estimate",
        "Smooth by the m-estimate (n + M/K) / (N + M) for K possible values, in place of --alpha.",
        metavar="M",
        type=float,
        rule=NOT_NEGATIVE,
        stored=(int, float, type(None)),
    )
    once: bool = setting(
        True,
        "--set counts",
        "Count a word once per message or every time it occurs. [default: once; all for other scorers]",
        choices=("all", "once"),
    )
    damping: float = setting(
        1.0,
        "--set damping",
        "Divide log-odds by (number of tokens)^X, 0 to 1, before calibration. [default: 1; 0 for other "
        "scorers]",
        metavar="X",
        rule=between(0, 1),
    )
    prior: str | tuple[float, ...] = setting(
        "learned",
        "--class-prior",
        "Class priors before calibration; numbers go in the alphabetical order of labels.",
        metavar="learned|uniform|P,Q,..",
        rule=ValueRule("learned, uniform or positive numbers with sum 1", _is_prior),
        text_form=TextForm(_parse_prior, _write_prior),
        stored=(str, tuple),
    )
    balance: str = setting(
        "none",
        "--set balance",
        "Treat classes of very different size alike.",
        choices=("none", "undersample", "weight"),
    )
    class_weights: tuple[tuple[str, float], ...] = setting(
        (),
        "--set class-weight",
        "Count each message of a class so many times, for example spam=10. Repeatable.",
        metavar="LABEL=X",
        rule=ValueRule("positive numbers", lambda pairs: all(0 < x < inf for _, x in pairs)),
        text_form=TextForm(_parse_class_weight, lambda pair: f"{pair[0]}={pair[1]:g}"),
    )
    order: int = setting(
        1,
        "--set order",
        "less-naive: number of words before it that a word depends on, 0 to 4.",
        metavar="K",
        rule=between(0, MAX_ORDER),
        scorer=LESS_NAIVE,
    )
    ddof: int = setting(
        0,
        "--set ddof",
        "Divide variances of numeric columns by N or N-1.",
        metavar="0|1",
        rule=one_of(0, 1),
    )
    covariance: str = setting(
        "diagonal",
        "--set covariance",
        "How numeric columns vary together. diagonal: each alone. full: by a covariance matrix for each "
        "class. shared: by one for all classes.",
        choices=("diagonal", "full", "shared"),
    )
    column_tree: bool = setting(
        False,
        "--set dependence",
        "How categorical columns depend on each other. tree: each one on another one (tree-augmented naive "
        "Bayes).",
        choices=("none", "tree"),
    )
    max_evidence: int | None = setting(
        None,
        "--max-evidence",
        "Limit the total evidence against spam in a message to N times that of its strongest token; 0: no "
        "limit. [default: 8 for short messages; none for email, plain tokens and other scorers]",
        metavar="N",
        type=int,
        rule=NOT_NEGATIVE,
        stored=(int, type(None)),
    )
    max_token_weight: float = setting(
        0.0,
        "--set max-token-weight",
        "Limit the weight of one token against spam to X. [default: no limit]",
        metavar="X",
        rule=NOT_NEGATIVE,
    )
    ngram_smoothing_ratio: float | None = field(default=None, metadata={"stored": (int, float)})

    def __post_init__(self) -> None:
        check_settings(self)
        if not 0 < self.ratio < float("inf"):
            raise ConfigError(f"ngram_smoothing_ratio must be more than 0, got {self.ngram_smoothing_ratio}")
        if self.ngram_smoothing_ratio == self._usual_ratio:  # so that equal settings are equal
            object.__setattr__(self, "ngram_smoothing_ratio", None)

    @property
    def is_textbook(self) -> bool:
        """Whether the formula stays as its document states it: no calibration, and no message is unsure."""
        return self.textbook != NO_TEXTBOOK

    @property
    def ratio(self) -> float:
        """How many times as much as words n-grams are smoothed.

        >>> ScorerConfig().ratio, ScorerConfig(alpha=1.0).ratio
        (4.0, 1.0)
        """
        return self._usual_ratio if self.ngram_smoothing_ratio is None else self.ngram_smoothing_ratio

    @property
    def _usual_ratio(self) -> float:
        usual = (self.name, self.alpha, self.m_estimate) == ("multinomial", 0.1, None)
        return 4.0 if usual else 1.0

    def with_max_evidence(self, limit: int) -> ScorerConfig:
        """Returns these settings with a limit, unless they have one.

        >>> ScorerConfig().with_max_evidence(8).max_evidence
        8
        >>> ScorerConfig(max_evidence=0).with_max_evidence(8).max_evidence
        0
        """
        return self if self.max_evidence is not None else replace(self, max_evidence=limit)

    def smoothing(self, outcomes: int) -> float:
        """Returns what is added to the count of each of so many possible outcomes: alpha, or M / K.

        >>> ScorerConfig(alpha=0.5).smoothing(3), ScorerConfig(m_estimate=1.0).smoothing(4)
        (0.5, 0.25)
        """
        return self.alpha if self.m_estimate is None else self.m_estimate / max(outcomes, 1)

    def smoothing_text(self, ngrams: bool) -> str:
        """Describes the smoothing of words and, if there are any, of n-grams.

        >>> ScorerConfig().smoothing_text(ngrams=True), ScorerConfig().smoothing_text(ngrams=False)
        ('alpha 0.05 (n-grams 0.2)', 'alpha 0.1')
        """
        if self.m_estimate is not None:
            return f"m-estimate {self.m_estimate:g}"
        root = self.ratio**0.5 if ngrams else 1.0
        return f"alpha {self.alpha / root:g}" + (f" (n-grams {self.alpha * root:g})" if root != 1.0 else "")

    @classmethod
    def of(cls, name: str, **values: Any) -> ScorerConfig:
        """Returns the settings of a scorer: its own defaults, overridden by the values that are not None.

        Only the default scorer is tuned for filtering; the others start as their source documents state them.
        """
        usual = cls() if name == cls().name else cls(name=name, alpha=1.0, once=False, damping=0.0)
        return replace(usual, **{k: v for k, v in values.items() if v is not None})

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> ScorerConfig:
        """Returns the scorer that options ask for; plain tokens are smoothed as in textbooks, all alike.

        >>> ScorerConfig.from_options({"scorer": "poisson", "counts": "once"}).once
        True
        """
        if {"alpha", "m_estimate"} <= stated_fields(cls, options).keys():
            raise ConfigError(
                "--alpha and --set m-estimate cannot be combined: each of them sets the smoothing",
                hint="leave out one of them",
            )
        options = with_textbook(options)
        stated = stated_fields(cls, options)
        ratio = 1.0 if options.get("tokens") == "plain" or "textbook" in stated else None
        return cls.of(stated.pop("name", cls().name), ngram_smoothing_ratio=ratio, **stated)

    def to_state(self) -> dict[str, Any]:
        """Builtins only, for the model file."""
        return setting_field.to_state(self) | {"ngram_smoothing_ratio": self.ratio}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ScorerConfig:
        values = setting_field.from_state(cls, state)
        pairs = values.get("class_weights", ())
        if not all(isinstance(label, str) and type(weight) in (int, float) for label, weight in pairs):
            raise TypeError(f"class_weights are {pairs!r:.40}")
        return cls(**values)

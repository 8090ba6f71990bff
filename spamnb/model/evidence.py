"""Defines what an explanation states: the evidence of tokens and columns, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from spamnb.features import token_label


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a token or column adds to the log-odds, and the counts of each class that P(token|c) comes from.

    `counts` are messages that have the token, or its occurrences: `Basis.counted` says which. They are in the
    order of `Basis.classes`, and the sum of `own_counts` and `base_counts`, those of a base model. A column
    has none.

    >>> item = Evidence("shape:sign=://", 1, 2.5, own_counts=(0, 2), base_counts=(1, 30))
    >>> item.name, item.counts
    ('punctuation "://"', (1, 32))
    """

    token: str
    times: int
    log_odds: float
    own_counts: tuple[int, ...]
    base_counts: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """Returns the token as readers understand it: `5-digit number` for `shape:number=5`."""
        return token_label(self.token) or self.token

    @property
    def counts(self) -> tuple[int, ...]:
        """Returns the counts of the model and its base model together."""
        if self.base_counts is None:
            return self.own_counts
        return tuple(map(sum, zip(self.own_counts, self.base_counts, strict=True)))


@dataclass(frozen=True, slots=True)
class Basis:
    """What the evidence of a message rests on.

    `classes` are all classes of the model, in the order of `Evidence.counts`. `log_evidence` is log p(x),
    `known` and `unknown` are numbers of tokens. `counted` and `base_counted` name the counts of the evidence,
    messages or occurrences, in the model and its base model; `bias_parts` names the parts of the bias.
    `listed` is the entry of an allow or block list that decides the verdict, whatever the evidence is.
    """

    classes: tuple[str, ...]
    log_evidence: float
    known: int
    unknown: int
    counted: str = "messages"
    base_counted: str = "messages"
    bias_parts: tuple[str, ...] = ("prior", "calibration")
    listed: str = ""

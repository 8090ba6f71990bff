"""Defines what an explanation states: the evidence of tokens and columns, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a token or column adds to the log-odds, and the counts of each class that P(token|c) comes from.

    They are messages that have the token, or its occurrences: `Basis.counted` says which. Counts are in the
    order of `Basis.classes`, and so are `base_counts`, those of a base model. A column has none.
    """

    token: str
    times: int
    log_odds: float
    counts: tuple[int, ...]
    base_counts: tuple[int, ...] | None = None


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

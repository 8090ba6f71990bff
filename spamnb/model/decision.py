"""Turns a probability into a verdict: by a threshold, a band of unsure ones, or the least expected cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spamnb.core import FloatArray, IntArray
from spamnb.errors import ConfigError, ModelError
from spamnb.model.class_choice import highest, least_cost
from spamnb.model.decision_options import (
    check_alone,
    check_cost,
    check_probability,
    check_unsure,
    parse_cost,
)
from spamnb.storage import finite_number

HAM, SPAM, UNSURE = 0, 1, 2
_CERTAIN = 700.0  # log-odds of a probability that rounds to 1
_COST_HINT = "for example --cost ham:spam=9: flagging ham as spam is 9 times as bad as missing spam"


def _stored_cost(truth: object, verdict: object, cost: object) -> tuple[str, str, float]:
    """Checks a cost of a model file."""
    if not (isinstance(truth, str) and isinstance(verdict, str)):
        raise TypeError("costs")
    return truth, verdict, finite_number(cost)


@dataclass(frozen=True, slots=True)
class Decision:
    """The rule that turns a probability into a verdict.

    Spam is strictly above `threshold`, so a tie is ham, as textbooks have it. With `unsure_from`, messages
    above that and not above `threshold` are unsure. With costs, `threshold` follows from them. With
    `max_fpr`, spam lies above the log-odds `log_odds_threshold`, which aims at a false positive rate of at
    most that; probabilities near 1 are too close together to distinguish. Lessons move that threshold away
    from `trained_log_odds`.

    >>> round(Decision.from_costs(cost_fp=100, cost_fn=10).threshold, 3)
    0.909
    """

    threshold: float = 0.5
    unsure_from: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    log_odds_threshold: float | None = None
    max_fpr: float | None = None
    costs: tuple[tuple[str, str, float], ...] = ()  # truth, verdict, cost; others cost 1
    trained_log_odds: float | None = None  # the log-odds threshold before any lesson

    def __post_init__(self) -> None:
        for field in fields(self):
            if isinstance(number := getattr(self, field.name), np.generic):
                object.__setattr__(self, field.name, number.item())  # a model file keeps those of Python
        for name, value in (("threshold", self.threshold), ("unsure_from", self.unsure_from)):
            if value is not None:
                check_probability(name, value)
        if self.unsure_from is not None and self.unsure_from >= self.threshold:
            raise ConfigError(
                f"unsure_from must be below threshold, got {self.unsure_from:g} and {self.threshold:g}",
                hint="what lies between them is unsure: Decision(0.9, unsure_from=0.2)",
            )
        for *names, cost in self.costs:
            check_cost(f"the cost of {':'.join(names)}", cost)
        self._check_pair_costs()
        if self.max_fpr is not None and self.log_odds_threshold is None:
            raise ConfigError(
                "max_fpr needs a log_odds_threshold, got none",
                hint="training finds it: train(..., training=TrainingConfig(max_fpr=0.001))",
            )

    def _check_pair_costs(self) -> None:
        """Refuses one cost without the other; the threshold follows from both unless it is stated."""
        stated = [cost for cost in (self.cost_fp, self.cost_fn) if cost is not None]
        for name, cost in (("cost_fp", self.cost_fp), ("cost_fn", self.cost_fn)):
            if cost is not None:
                check_cost(name, cost)
        if len(stated) == 1:
            raise ConfigError(
                "cost_fp and cost_fn need each other", hint="for example Decision.from_costs(9, 1)"
            )
        if stated and self.threshold == 0.5:
            object.__setattr__(self, "threshold", stated[0] / sum(stated))

    @classmethod
    def from_options(
        cls,
        threshold: float | None = None,
        unsure: tuple[float, float] | None = None,
        cost: Sequence[str] = (),
    ) -> Decision:
        """Makes a decision from the options of the command line; a cost that is left out is 1.

        >>> Decision.from_options(cost=["ham:spam=9"]).for_classes(("ham", "spam"), "spam").threshold
        0.9
        """
        check_alone({"--threshold": threshold, "--unsure": unsure, "--cost": tuple(cost)})
        if cost:
            costs = tuple(map(parse_cost, cost))
            for _, _, number in costs:
                check_cost("--cost", number, _COST_HINT)
            return cls(costs=costs)
        if unsure is not None:
            check_unsure(*unsure)
            return cls(threshold=unsure[1], unsure_from=unsure[0])
        if threshold is None:
            return cls()
        check_probability("--threshold", threshold)
        return cls(threshold)

    @classmethod
    def from_costs(cls, cost_fp: float, cost_fn: float) -> Decision:
        """Chooses spam where (1 - p) cost_fp < p cost_fn, that is p > cost_fp / (cost_fp + cost_fn)."""
        for name, cost in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
            check_cost(name, cost)
        return cls(cost_fp / (cost_fp + cost_fn), None, cost_fp, cost_fn)

    @classmethod
    def from_cutoff(cls, cutoff: float, max_fpr: float) -> Decision:
        """Chooses spam above these log-odds, and unsure for messages below that are likelier spam than ham.

        >>> Decision.from_cutoff(40.0, 0.001).verdicts([1.0, 1.0, 0.4], log_odds=[39.9, 40.1, -0.4]).tolist()
        [2, 1, 0]
        """
        threshold = 1 / (1 + math.exp(-max(cutoff, -700.0)))
        return cls(threshold, 0.5 if threshold > 0.5 else None, None, None, cutoff, max_fpr)

    def with_rate(self, max_fpr: float | None) -> Decision:
        """Returns the same threshold, aiming at another false positive rate or at none.

        >>> Decision(0.9, 0.4).with_rate(0.001).log_odds_threshold
        2.1972245773362196
        """
        if max_fpr is None:
            return replace(self, log_odds_threshold=None, max_fpr=None, trained_log_odds=None)
        threshold = self.log_odds_threshold
        if threshold is None:
            threshold = math.log(self.threshold / (1 - self.threshold)) if self.threshold < 1 else _CERTAIN
        return replace(self, log_odds_threshold=threshold, max_fpr=max_fpr, trained_log_odds=None)

    def after_lessons(self, ham: int, lost: int) -> Decision:
        """Moves the threshold by how many of the ham that were learned had been called spam.

            log-odds threshold = trained one + log((lost + 1) / (max_fpr ham + 1))      at least 0

        The tail of ham scores falls off about as exp(-log-odds), so the second term is the logarithm of the
        observed rate by the wanted one, with one message as wanted added to both.

        >>> rule = Decision.from_cutoff(3.0, 0.001)
        >>> lessons = (0, 0), (5, 5), (5000, 5), (5000, 0)
        >>> [round(rule.after_lessons(*n).log_odds_threshold, 2) for n in lessons]
        [3.0, 4.79, 3.0, 1.21]
        """
        if self.max_fpr is None or self.log_odds_threshold is None:
            return self
        if not ham and self.trained_log_odds is None:
            return self
        trained = self.log_odds_threshold if self.trained_log_odds is None else self.trained_log_odds
        threshold = max(trained + math.log((lost + 1) / (self.max_fpr * ham + 1)), 0.0)
        p = 1 / (1 + math.exp(-threshold))
        unsure = low if (low := self.unsure_from or 0.5) < p else None
        return replace(
            self,
            threshold=p,
            unsure_from=unsure,
            log_odds_threshold=threshold,
            trained_log_odds=trained if ham else None,  # undone lessons leave no trace
        )

    def for_classes(self, labels: tuple[str, ...], positive: str) -> Decision:
        """Makes a threshold of costs where there are two classes; refuses costs of unknown ones."""
        if not self.costs:
            return self
        table = self.cost_table(labels)
        if len(labels) != 2:
            return self
        plus = labels.index(positive) if positive in labels else 1
        return self.from_costs(float(table[1 - plus, plus]), float(table[plus, 1 - plus]))

    def cost_table(self, labels: tuple[str, ...]) -> FloatArray:
        """Returns (K, K): the cost of each verdict by true class, 1 unless stated, 0 for the right one."""
        table = 1.0 - np.eye(len(labels))
        for truth, verdict, cost in self.costs:
            if unknown := [label for label in (truth, verdict) if label not in labels]:
                raise ConfigError(
                    f"--cost names the class {unknown[0]!r}, the model has {', '.join(labels)}",
                    hint=f"for example --cost {labels[0]}:{labels[-1]}=10",
                )
            table[labels.index(truth), labels.index(verdict)] = cost
        return table

    def cost_table_of(self, labels: tuple[str, ...], positive: str) -> FloatArray | None:
        """Returns (K, K): the cost of each verdict for each true class; None if no cost is stated.

        >>> Decision.from_costs(cost_fp=100, cost_fn=10).cost_table_of(("ham", "spam"), "spam").tolist()
        [[0.0, 100.0], [10.0, 0.0]]
        """
        if self.costs:
            return self.cost_table(labels)
        if self.cost_fp is None or self.cost_fn is None:
            return None
        plus = labels.index(positive)
        table = np.zeros((2, 2))
        table[1 - plus, plus], table[plus, 1 - plus] = self.cost_fp, self.cost_fn
        return table

    def choose(
        self, proba: FloatArray, labels: tuple[str, ...], preference: Sequence[int] | None = None
    ) -> IntArray:
        """Chooses the class of least expected cost for each row of (n, K), the likeliest without costs.

        Among equal ones it is the first of `preference`.
        """
        if self.costs:
            return least_cost(proba, self.cost_table(labels), preference)
        return highest(proba, preference)

    def verdicts(
        self,
        p: ArrayLike,
        known: ArrayLike | None = None,
        log_odds: ArrayLike | None = None,
    ) -> NDArray[np.int8]:
        """Returns HAM, SPAM or UNSURE for each message.

        Messages without evidence are unsure too: `known` == 0 (no feature was seen in training), or p is NaN.

        >>> Decision(0.9, unsure_from=0.2).verdicts([0.1, 0.5, 0.95, 0.95], known=[3, 3, 3, 0]).tolist()
        [0, 2, 1, 2]
        """
        values = np.asarray(p, np.float64)
        spam = values > self.threshold
        if self.log_odds_threshold is not None and log_odds is not None:
            spam = np.asarray(log_odds, np.float64) > self.log_odds_threshold
        doubt = np.isnan(values)
        if self.unsure_from is not None:
            doubt |= (values > self.unsure_from) & ~spam
        if known is not None:
            doubt |= np.asarray(known) == 0
        codes = spam.astype(np.int8)
        codes[doubt] = UNSURE
        return codes

    def to_state(self) -> dict[str, Any]:
        """Builtins only, for the model file; costs and the trained threshold only if there are any."""
        state = asdict(self)
        costs = [list(cost) for cost in state.pop("costs")]
        if state["trained_log_odds"] is None:
            del state["trained_log_odds"]
        return state | ({"costs": costs} if costs else {})

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Decision:
        """Reverses `to_state`; refuses a damaged state."""
        try:
            if state.keys() | {"costs", "trained_log_odds"} != set(cls.__slots__):
                raise ValueError("names")
            costs = tuple(_stored_cost(*cost) for cost in state.get("costs", ()))
            numbers = {name: n for name, n in state.items() if name != "costs"}
            values = {name: None if n is None else finite_number(n) for name, n in numbers.items()}
            rate = values["max_fpr"]
            if (values["log_odds_threshold"] is None) != (rate is None) or not 0 <= (rate or 0.0) <= 1:
                raise ValueError("max_fpr")
            return cls(finite_number(values.pop("threshold")), **values, costs=costs)
        except (TypeError, ValueError, ConfigError) as error:
            raise ModelError(
                f"the decision settings in the model are damaged: got {state!r:.200}",
                hint="train the model again",
            ) from error

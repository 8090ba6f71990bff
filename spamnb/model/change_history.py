"""Counts the changes to a model since its metrics were measured, and how it classified what it learned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from spamnb.core import Record
from spamnb.errors import ModelError

MAX_GROWTH = 0.25  # changes as a share of the messages behind the metrics, beyond which these are outdated
MAX_ERRORS = 3.0  # standard errors by which the error rate may exceed that of the metrics
MAX_CHANGES = 1 << 80  # a model counts fewer than 2^63 messages; they may be learned and forgotten often
_HAM = {"ham", "lost_ham"}
LOSS_UNIT = 2.0**-24
MIN_CLASSIFIED = 30  # messages from which on an error rate means something


class ChangeHistory(Record):
    """Counts of messages; `loss` is the sum of -log P(true class) over the `classified` ones.

    `classified` are new messages that were to be learned. The model classified each before it learned it (the
    prequential way): `wrong` and `unsure` count the results. `--mode on-error` keeps none of this: messages
    that are classified correctly are not remembered there, and would count again with every run. Of two
    classes `ham` counts the classified messages of the negative one, `lost_ham` those of them called spam.
    """

    learned: int = 0
    forgotten: int = 0
    relabelled: int = 0
    classified: int = 0
    wrong: int = 0
    unsure: int = 0
    loss: float = 0.0  # a multiple of LOSS_UNIT, so that sums and differences are exact
    ham: int = 0
    lost_ham: int = 0

    def plus(self, other: ChangeHistory) -> ChangeHistory:
        return ChangeHistory(*(getattr(self, name) + getattr(other, name) for name in self._fields))

    def negated(self) -> ChangeHistory:
        return ChangeHistory(*(-getattr(self, name) for name in self._fields))

    def to_state(self) -> dict[str, Any]:
        """Builtins only, for the model file; the counts of ham only if there are any."""
        state = {name: getattr(self, name) for name in self._fields}
        return {name: n for name, n in state.items() if n or name not in _HAM}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, signed: bool = False) -> ChangeHistory:
        """Reads what `to_state` gave; that of a change may be below zero (`signed`).

        >>> ChangeHistory.from_state(ChangeHistory(learned=2).to_state()).learned
        2
        """
        if (
            not isinstance(state, Mapping)
            or state.keys() | _HAM != set(cls._fields)
            or not _are_possible(signed, **state)
        ):
            raise ModelError(
                f"the model's change history is damaged: got {state!r:.120}", hint="train the model again"
            )
        return cls(**state)

    @property
    def changed(self) -> bool:
        return bool(self.learned or self.forgotten or self.relabelled or self.classified)

    def outdated_because(self, metrics: Mapping[str, Any] | None) -> str:
        """Returns why the stored metrics no longer describe the model; "" while they do.

        error rate - expected > 3 sqrt(expected (1 - expected) / classified)
        """
        if metrics is None:
            return ""
        if before := metrics.get("before"):
            return f"the metrics were measured before {', '.join(before)}"
        if not self.changed:
            return ""
        messages, changes = int(metrics["of"]), self.learned + self.forgotten + self.relabelled
        if changes > MAX_GROWTH * messages:
            return f"{changes:,} changes to the {messages:,} messages that the metrics are about"
        expected = 1.0 - float(metrics["accuracy"])
        if self.classified < MIN_CLASSIFIED or self.error_rate <= expected:
            return ""
        error = math.sqrt(max(expected, 1 / messages) * (1 - expected) / self.classified)
        if self.error_rate - expected > MAX_ERRORS * error:
            rate = f"{self.error_rate:.1%} of the new messages were misclassified"
            return f"{rate}, the metrics say {expected:.1%}"
        return ""

    @property
    def error_rate(self) -> float:
        """The share of classified messages with a wrong verdict; unsure ones are not wrong."""
        return self.wrong / self.classified if self.classified else math.nan


def _are_possible(signed: bool, loss: object, **counts: object) -> bool:
    least = -MAX_CHANGES if signed else -1
    possible = all(type(n) is int and least < n < MAX_CHANGES for n in counts.values())
    return possible and type(loss) is float and (-math.inf if signed else -0.0) <= loss < math.inf

"""What has happened since a model's figures were made, and how it judged messages before it learned them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from spamnb.core import Record
from spamnb.errors import ModelError

GROWN = 0.25  # learned since, as a share of what the figures are about, from which on they are old
DOUBT = 3.0  # standard errors by which messages are misjudged more often than the figures say
FEWEST = 30  # judged messages from which on a rate says something


class ChangeHistory(Record):
    """Counts of messages; `loss` is the sum of -log P(right class) over the `judged` ones.

    `judged` are the new messages that came to be learned. Each was judged by the model as it was before (that
    is the prequential way): `wrong` and `unsure` say how that went. With `--mode on-error` nothing of this is
    kept: what is judged right is not remembered, and would count anew with every run.
    """

    learned: int = 0
    forgotten: int = 0
    relabelled: int = 0
    judged: int = 0
    wrong: int = 0
    unsure: int = 0
    loss: float = 0.0

    def plus(self, other: ChangeHistory) -> ChangeHistory:
        return ChangeHistory(*(x + y for x, y in zip(self.values, other.values, strict=True)))

    @property
    def values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields)

    def to_dict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self.values, strict=True))

    @classmethod
    def from_dict(cls, state: object) -> ChangeHistory:
        """The inverse of `to_dict`; nothing for a model that has not changed.

        >>> ChangeHistory.from_dict(ChangeHistory(learned=2).to_dict()).learned
        2
        """
        if state is None:
            return cls()
        good = isinstance(state, Mapping) and set(state) == set(cls._fields)
        if good:
            assert isinstance(state, Mapping)
            *whole, loss = (state[name] for name in cls._fields)
            good = all(type(n) is int and n >= 0 for n in whole) and isinstance(loss, float) and loss >= 0
        if not good:
            raise ModelError(
                f"the model's account of changes is damaged: got {state!r:.120}", hint="train the model again"
            )
        assert isinstance(state, Mapping)
        return cls(**state)

    @property
    def changed(self) -> bool:
        return bool(self.learned or self.forgotten or self.relabelled or self.judged)

    def stale(self, figures: Mapping[str, Any] | None) -> str:
        """Why the stored figures no longer tell how good the model is; "" if nothing speaks against them."""
        if figures is None or not self.changed:
            return ""
        then, now = int(figures["of"]), self.learned + self.forgotten + self.relabelled
        if now > GROWN * then:
            return f"{now:,} changes to the {then:,} messages that the figures are about"
        expected = 1.0 - float(figures["accuracy"])
        if self.judged < FEWEST or self.rate <= expected:
            return ""
        error = math.sqrt(max(expected, 1 / then) * (1 - expected) / self.judged)
        if self.rate - expected > DOUBT * error:
            return f"{self.rate:.1%} of the new messages were misjudged, the figures say {expected:.1%}"
        return ""

    @property
    def rate(self) -> float:
        """The share of judged messages that were misjudged; unsure ones are not."""
        return self.wrong / self.judged if self.judged else math.nan

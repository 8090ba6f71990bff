"""What a model says about some messages, as arrays."""

from __future__ import annotations

from spamnb.message import FloatArray, IntArray
from spamnb.record import Record
from spamnb.scoring import Scored

UNSURE_LABEL = "unsure"


class Predictions(Record):
    """What the model says about n messages.

    `log_odds` and `probability` (n,) are those of the positive class, or with more than two classes of the
    likeliest one; `codes` index `names`, whose last is "unsure"; `known` (n,) counts what the model knows of
    each message; `scored` has the raw scores.
    """

    names: tuple[str, ...]
    codes: IntArray
    probability: FloatArray
    log_odds: FloatArray
    known: IntArray
    scored: Scored

    @property
    def labels(self) -> list[str]:
        return [self.names[code] for code in self.codes.tolist()]

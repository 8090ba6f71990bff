"""What a linear model adds to the weights of naive Bayes: one number for each token, kept beside the counts.

    log-odds before calibration = (b + sum_i n_i (w_i + v_i)) / m^d + v_0

w_i comes from the counts and moves with them. v_i was fitted once (`refine`) and stays with its token.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, Record
from spamnb.counts import CountStore
from spamnb.errors import ModelError
from spamnb.features import KeyArray


class Correction(Record):
    """`weights[i]` belongs to the token `keys[i]` (ascending) and speaks for `label`; `bias` is v_0.

    `messages` is how many messages the model had learned when this was fitted.
    """

    keys: KeyArray
    weights: NDArray[np.float32]
    bias: float
    label: str
    messages: int

    def of(self, keys: KeyArray) -> FloatArray:
        """What is added to each token's weight: 0 for a token that was not there when this was fitted."""
        if keys is self.keys:
            return self.weights.astype(np.float64)
        if not len(self.keys):
            return np.zeros(len(keys))
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.weights[at], np.float32(0)).astype(np.float64)

    def times(self, share: float) -> Correction:
        """A part of it."""
        if share == 1.0:
            return self
        weights = (self.weights * share).astype(np.float32)
        return Correction(self.keys, weights, self.bias * share, self.label, self.messages)

    def to_state(self, store: CountStore) -> dict[str, Any]:
        """Builtins and one array along the store's keys; what the store has forgotten is left out."""
        weights = self.of(store.keys).astype(np.float32)
        return {"weights": weights, "bias": self.bias, "label": self.label, "messages": self.messages}


def from_state(state: Mapping[str, Any], store: CountStore) -> Correction:
    """The inverse of `to_state`; what does not fit is a damaged model."""
    try:
        weights, bias, messages = state["weights"], float(state["bias"]), int(state["messages"])
        fits = weights.dtype == np.float32 and weights.shape == (store.vocabulary,)
        if not (fits and np.isfinite(bias) and messages >= 0 and state["label"] in store.labels):
            raise ValueError("weights, bias, label or messages do not fit")
        # A sum is not finite where one of its numbers is not, and takes no array of flags.
        with np.errstate(invalid="ignore"):
            total = weights.sum(dtype=np.float64)
        if not np.isfinite(total):
            raise ValueError("a weight is not finite")
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(
            f"the correction in the model is damaged: {error}", hint="train the model again"
        ) from None
    return Correction(store.keys, weights, bias, str(state["label"]), messages)

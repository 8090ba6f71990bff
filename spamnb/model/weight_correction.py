"""Corrects the weights of naive Bayes by a linear model: one number for each token, beside the counts.

    log-odds before calibration = (b + sum_i n_i (w_i + v_i)) / m^d + v_0

w_i comes from the counts and changes with them. v_i is fitted once, by training, and stays with its token.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, Record
from spamnb.counts import LARGEST, CountStore
from spamnb.errors import ModelError
from spamnb.features import KeyArray
from spamnb.storage import finite_number

_LARGEST_BIAS = 1e100  # in a model file: far beyond any that is fitted, and no product overflows


class Correction(Record):
    """`weights[i]` is evidence of the token `keys[i]` (ascending) for `label`; `bias` is v_0.

    `messages` is the number of messages that the model had learned when this was fitted.
    """

    keys: KeyArray
    weights: NDArray[np.float32]
    bias: float
    label: str
    messages: int

    def of(self, keys: KeyArray) -> FloatArray:
        """Returns what is added to each token's weight: 0 for a token that is newer than the correction."""
        if keys is self.keys:
            return self.weights.astype(np.float64)
        if not len(self.keys):
            return np.zeros(len(keys))
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.weights[at], np.float32(0)).astype(np.float64)

    def times(self, share: float) -> Correction:
        """Returns the correction multiplied by a share."""
        if share == 1.0:
            return self
        return self.replace(weights=(self.weights * share).astype(np.float32), bias=self.bias * share)

    def aligned(self, keys: KeyArray) -> Correction:
        """Returns the correction of these tokens; what was fitted for others is dropped."""
        return self.replace(keys=keys, weights=self.of(keys).astype(np.float32))

    def with_weights(self, keys: KeyArray, weights: NDArray[np.float32]) -> Correction:
        """Returns the correction with the weights of tokens that it lacks: they had left the model."""
        new = ~np.isin(keys, self.keys)
        if not new.any():
            return self
        at = np.searchsorted(self.keys, keys[new])
        return self.replace(
            keys=np.insert(self.keys, at, keys[new]), weights=np.insert(self.weights, at, weights[new])
        )

    def to_state(self) -> dict[str, Any]:
        """Leaves out the keys: in a model file the correction is aligned with the counts."""
        return {"weights": self.weights, "bias": self.bias, "label": self.label, "messages": self.messages}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], store: CountStore) -> Correction:
        """Reverses `to_state` for a correction of the tokens of this store; refuses a damaged state."""
        try:
            weights, bias, messages = state["weights"], finite_number(state["bias"]), state["messages"]
            fits = weights.dtype == np.float32 and weights.shape == (store.vocabulary,)
            known = type(messages) is int and 0 <= messages <= LARGEST and state["label"] in store.labels
            if not (fits and known and abs(bias) < _LARGEST_BIAS):
                raise ValueError("weights, bias, label or messages do not fit")
            # A sum is not finite where one of its numbers is not, and takes no array of flags.
            with np.errstate(invalid="ignore"):
                total = weights.sum(dtype=np.float64)
            if not np.isfinite(total):
                raise ValueError("a weight is not finite")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"the correction in the model is damaged: {error}", hint="train the model again"
            ) from None
        return cls(store.keys, weights, bias, str(state["label"]), messages)

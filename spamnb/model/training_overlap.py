"""Counts the messages of data that a model was trained on: metrics on these are optimistic.

A model of the user's own remembers the digests of its messages. Those of a ready-made model lie beside it,
in a file of their own that only evaluation reads: the first `WIDTH` bytes of each digest, ascending, without
labels. Of a million other messages about `n / 2**40 * 10**6` match one of n by chance: 0.03 for mail.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from spamnb.core import Record
from spamnb.features import KeyArray
from spamnb.messages import Chunk
from spamnb.model.message_digest import message_digests
from spamnb.model.model_paths import READY_MADE_NAMES, is_shipped, shipped_model

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

WIDTH = 5  # bytes
_SHIFT = np.uint64(64 - 8 * WIDTH)
_FEW_SEEN = 0.05  # the share of messages that may be in the training data by chance: "ok", "see you"
_SOME_SEEN = "results are optimistic (the same texts are in both; "
_MOST_SEEN = 0.5  # from this share on the metrics are about memory


class TrainingOverlap(Record):
    """Recognises messages that a model, or its base model, has learned, with any label."""

    model: SpamModel
    shortened: tuple[KeyArray, ...] = ()  # of ready-made models

    @classmethod
    def of(cls, model: SpamModel, path: str = "") -> TrainingOverlap:
        """Returns the messages of the model at `path`, and of its base model if that is ready-made."""
        paths = [path] if path and is_shipped(path) else []
        base = "" if model.active_base is None else model.active_base.name
        paths += [shipped_model(kind) for kind, name in READY_MADE_NAMES.items() if name == base]
        return cls(model, tuple(map(read_digests, filter(os.path.exists, map(digest_file, paths)))))

    def count(self, chunk: Chunk) -> int | None:
        """Counts the messages that were learned; None if neither model nor base model remembers any."""
        model = self.model
        if model.seen_messages is None and not self.shortened:
            return None
        categories = {name: chunk.categories[name] for name in model.features.categorical}
        numbers = {name: chunk.numbers[name] for name in model.features.numeric}
        digests = message_digests(chunk.texts, categories, numbers)
        learned = np.zeros(len(digests), bool)
        if model.seen_messages is not None:
            learned |= model.seen_messages.contains(digests)
        for ascending in filter(len, self.shortened):
            at = np.searchsorted(ascending, digests >> _SHIFT)
            learned |= ascending.take(at, mode="clip") == digests >> _SHIFT
        return int(np.count_nonzero(learned))


def overlap_warning(seen: int, total: int, advice: str) -> str:
    """Words how many of `total` messages were in the training data, if more than a few; else empty.

    >>> overlap_warning(2, 3, "drop them"), overlap_warning(1, 100, "drop them")
    ('2 of 3 test messages (67%) were in the training data; this says little about new messages', '')
    """
    if seen <= total * _FEW_SEEN:
        return ""
    share = f"{seen:,} of {total:,} test messages ({seen / total:.0%})"
    much = "this says little about new messages" if seen >= total * _MOST_SEEN else f"{_SOME_SEEN}{advice})"
    return f"{share} were in the training data; {much}"


def digest_file(model_path: str) -> str:
    """Returns the file of digests beside a ready-made model."""
    return f"{os.path.splitext(model_path)[0]}.digests"


def write_digests(path: str, digests: Iterable[KeyArray]) -> int:
    """Writes the beginnings of all digests, ascending and each once; returns their number."""
    shortened = np.unique(np.concatenate(list(digests)) >> _SHIFT)
    with open(path, "wb") as file:
        file.write(shortened.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - WIDTH :].tobytes())
    return len(shortened)


def read_digests(path: str) -> KeyArray:
    """Reads the beginnings of digests as numbers, ascending."""
    with open(path, "rb") as file:
        data = np.frombuffer(file.read(), np.uint8)
    wide = np.zeros((len(data) // WIDTH, 8), np.uint8)
    wide[:, 8 - WIDTH :] = data[: len(wide) * WIDTH].reshape(-1, WIDTH)
    return wide.view(">u8")[:, 0].astype(np.uint64)

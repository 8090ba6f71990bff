"""Writes a model as JSON lines, from which text_import reads it back bit for bit.

    first line   {"format": "spamnb-counts", "version": 1, "tokens": 6, settings, messages of each class, ...}
    a token      {"token": "win", "kind": 1, "occurrences": [0, 3], "messages": [0, 2], "key": "..."}
    last line    {"rest": ...}: what only programs read, digests of messages and the base model

The most frequent tokens come first. Those of a model with a weight correction have a number `correction`, in
the fewest digits that give its 32 bits again. Bytes that are no UTF-8 are the lone surrogates U+DC80 to
U+DCFF. The first line states how many tokens follow and what the last line holds, so that an import notices
what is missing.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from spamnb.model.spam_model import SpamModel

FORMAT = "spamnb-counts"
VERSION = 1
REST = b'{"rest":'
# What the last line holds, and how a note names it.
IN_LAST_LINE = {"seen_messages": "which messages were learned", "base": "the base model"}


def export_lines(model: SpamModel) -> Iterator[bytes]:
    """Yields the lines of a model."""
    head = _header(model)
    rest = {name: value for name in IN_LAST_LINE if (value := head.pop(name)) is not None}
    title = {"format": FORMAT, "version": VERSION, "tokens": model.store.vocabulary, "last_line": list(rest)}
    yield _json_line(title | head)
    yield from _token_lines(model)
    if rest:
        yield _json_line({"rest": rest})


def _header(model: SpamModel) -> dict[str, Any]:
    """Returns the state without what the lines of the tokens hold."""
    state, store = model.to_state(), model.store
    state["counts"] = {
        "labels": list(store.labels),
        "message_totals": store.message_totals.tolist(),
        "categories": store.categories,
        "numbers": state["counts"]["numbers"],
    }
    state["metrics"] = model.metrics
    if state["correction"] is not None:
        del state["correction"]["weights"]
    head: dict[str, Any] = encode_arrays(state)
    return head


def _token_lines(model: SpamModel) -> Iterator[bytes]:
    store, correction = model.store, model.active_correction
    added = None if correction is None else correction.aligned(store.keys).weights
    spelled = list(store.spellings)
    for i in np.lexsort((store.keys, -store.messages.sum(axis=1, dtype=np.int64))).tolist():
        line: dict[str, Any] = {
            "token": spelled[i].decode("utf-8", "surrogateescape"),
            "kind": int(store.kinds[i]),
            "occurrences": store.tokens[i].tolist(),
            "messages": store.messages[i].tolist(),
        }
        if added is not None:
            line["correction"] = shortest(added[i])
        yield _json_line(line | {"key": f"{int(store.keys[i]):016x}"})


def _json_line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def shortest(number: np.float32) -> float:
    """Returns the number with the fewest digits that has these 32 bits.

    >>> shortest(np.float32(0.1))
    0.1
    """
    short = float(str(number))
    # Readers round to 64 bits first, which could in principle end at a neighbour.
    return short if np.float32(short) == number else float(number)


def encode_arrays(value: Any) -> Any:
    """Replaces arrays, at any depth, by their type, shape and bytes."""
    if isinstance(value, np.ndarray):
        data = b64encode(value.tobytes()).decode()
        return {"array": value.dtype.str, "shape": list(value.shape), "base64": data}
    if isinstance(value, Mapping):
        return {key: encode_arrays(item) for key, item in value.items()}
    return [encode_arrays(item) for item in value] if isinstance(value, (list, tuple)) else value

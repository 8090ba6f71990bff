"""Reads the records of a journal by the description of their format, and adds them up in Python integers."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

from spamnb.counts import CountStore

Counts = dict[Any, tuple[int, ...]]
WIDTHS = {"<i1": "b", "<i2": "h", "<i4": "i", "<i8": "q"}


class Refused(Exception):
    """A record that no journal of spamnb can hold, or counts that no messages can have."""


def counts_of(store: CountStore) -> Counts:
    """All integers of a store by what they count."""
    counts: Counts = {"messages": tuple(store.message_totals.tolist())}
    for row, key in enumerate(store.keys.tolist()):
        counts["N", key] = tuple(int(n) for n in store.tokens[row])
        counts["D", key] = tuple(int(n) for n in store.messages[row])
    for column, values in store.categories.items():
        counts.update({("value", column, value): tuple(row) for value, row in values.items()})
    for column, moments in store.numbers.items():
        for name in ("count", "total", "squares"):
            counts[name, column] = tuple(getattr(m, name) for m in moments)
    return {name: row for name, row in counts.items() if any(row)}


def decoded(payload: bytes) -> tuple[list[str], Counts]:
    """A record by the description of the format: a length, a JSON object, then arrays."""
    try:
        return _decoded(payload)
    except (ValueError, LookupError, TypeError, AttributeError, struct.error, ArithmeticError) as error:
        raise Refused(str(error)) from None


def _decoded(payload: bytes) -> tuple[list[str], Counts]:
    (size,) = struct.unpack_from("<I", payload)
    head = json.loads(payload[4 : 4 + size].decode("utf-8", "surrogatepass"))
    at = 4 + size

    def take(code: str, count: int) -> tuple[int, ...]:
        nonlocal at
        values = struct.unpack_from(f"<{whole(count)}{code}", payload, at)
        at += struct.calcsize(f"<{count}{code}")
        return values

    labels, rows, code = head["labels"], whole(head["rows"]), WIDTHS[head["width"]]
    keys, _ = take("Q", rows), take("B", rows)
    tokens, messages = take(code, rows * len(labels)), take(code, rows * len(labels))
    spelled, sizes = take("I", whole(head["spelled"])), take("I", head["spelled"])
    for digests in ("learned", "forgotten", "stale_removed", "stale_added", "taught", "untaught"):
        for many in head[digests].values():
            take("Q", whole(many))
    weighted = take("Q", whole(head["weights"]))
    if not all(map(math.isfinite, take("f", head["weights"]))) or list(weighted) != sorted(set(weighted)):
        raise Refused("weights")
    take("B", sum(sizes))
    if at != len(payload) or list(keys) != sorted(set(keys)) or list(labels) != sorted(set(labels)):
        raise Refused("order")
    if list(spelled) != sorted(set(spelled)) or max(spelled, default=-1) >= rows:
        raise Refused("spellings")
    counts: Counts = {"messages": tuple(map(whole, head["totals"]))}
    for row, key in enumerate(keys):
        part = slice(row * len(labels), (row + 1) * len(labels))
        counts["N", key], counts["D", key] = tokens[part], messages[part]
    for column, values in head["categories"].items():
        counts.update({("value", column, v): tuple(map(whole, row)) for v, row in values.items()})
    for column, moments in head["numbers"].items():
        for i, name in enumerate(("count", "total", "squares")):
            counts[name, column] = tuple(whole(m[i]) for m in moments)
    return labels, counts


def whole(value: object) -> int:
    if type(value) is not int:
        raise Refused(f"{value!r} is no whole number")
    return value


def check_possible(counts: Counts) -> None:
    """0 <= D <= messages, D <= N, and N = 0 where D = 0."""
    totals = counts["messages"]
    for name, row in counts.items():
        if name[0] != "D":
            if name[0] == "N" and any(n and not d for n, d in zip(row, counts["D", name[1]], strict=True)):
                raise Refused("N without D")
            if min(row) < 0 and name[0] != "total":
                raise Refused("below zero")
            continue
        tokens = counts["N", name[1]]
        if any(not 0 <= d <= m or n < d for d, m, n in zip(row, totals, tokens, strict=True)):
            raise Refused("D")


def added_up(base: Counts, classes: tuple[str, ...], payloads: list[bytes]) -> Counts:
    """The counts of a model file and of records, one after the other."""
    total = dict(base)
    for payload in payloads:
        labels, change = decoded(payload)
        if not set(labels) <= set(classes) or any(len(row) != len(labels) for row in change.values()):
            raise Refused("classes")
        for name, row in change.items():
            wide = dict(zip(labels, row, strict=True))
            old = total.get(name, (0,) * len(classes))
            total[name] = tuple(n + wide.get(c, 0) for c, n in zip(classes, old, strict=True))
    check_possible(total)
    return {name: row for name, row in total.items() if any(row)}

"""Which learned messages can be taken out of the counts again.

Not those from before the model was aged, nor those of whose tokens some were pruned away.
"""

from __future__ import annotations

from collections import Counter

from spamnb.changes import negative
from spamnb.counts import CountStore
from spamnb.digests import Known
from spamnb.errors import DataError
from spamnb.given import Given
from spamnb.patch import patched
from spamnb.plan import Pair, Plan


def whole_ones(known: Known, given: Given, plan: Plan) -> list[Pair]:
    """Of what a plan takes out, what has not faded: what is known as whole, and what the plan itself adds."""
    assert given.digests is not None
    if not known.faded or not plan.minus:
        return plan.minus
    digests = given.digests.tolist()
    left = Counter((digests[i], label) for i, label in plan.plus)
    for label in {label for _, label in plan.minus}:
        times = known.count(label, given.digests).tolist()
        left.update({(digests[i], label): times[i] for i in {i for i, old in plan.minus if old == label}})
    found = []
    for i, label in plan.minus:
        if left[digests[i], label] > 0:
            left[digests[i], label] -= 1
            found.append((i, label))
    return found


def possible_ones(store: CountStore, given: Given, plan: Plan, wanted: list[Pair]) -> list[Pair]:
    """Of what is to be taken out, what the counts still hold, tried one after the other."""
    store, found = patched(store, given.counted(plan.plus)) if plan.plus else store, []
    for pair in wanted:
        try:
            store = patched(store, negative(given.counted([pair])))
        except DataError:
            continue
        found.append(pair)
    return found

"""Which learned messages can be taken out of the counts again.

Not those from before the model was aged, nor those of whose tokens some were pruned away.
"""

from __future__ import annotations

from collections import Counter

from spamnb.changes import Change, negative, sum_counts
from spamnb.counts import CountStore
from spamnb.digests import Known
from spamnb.errors import DataError
from spamnb.given import Given
from spamnb.model import SpamModel
from spamnb.patch import patched
from spamnb.plan import Pair, Plan
from spamnb.since import Since


def applied(model: SpamModel, given: Given, plan: Plan, since: Since) -> tuple[SpamModel, Change, int]:
    """The model after a plan, the change that this is, and how many messages left counts that should go."""
    if model.known is None:
        whole, struck = plan.minus, list[Pair]()
    else:
        whole, struck = whole_ones(model.known, given, plan)

    def change(minus: list[Pair]) -> Change:
        counts = sum_counts([given.counted(plan.plus), negative(given.counted(minus))], model.labels)
        learned, forgotten, gone = (given.digests_of(part) for part in (plan.plus, whole, struck))
        return Change(counts, learned, forgotten, since, gone)

    try:
        found = change(whole)
        return model.changed(found), found, len(struck)
    except DataError:
        if model.known is None:
            raise
    there = possible_ones(model.store, given, plan.plus, whole)
    found = change(there)
    return model.changed(found), found, len(struck) + len(whole) - len(there)


def whole_ones(known: Known, given: Given, plan: Plan) -> tuple[list[Pair], list[Pair]]:
    """Of what a plan takes out, what is whole (or what the plan itself adds), and what has faded."""
    assert given.digests is not None
    if not known.faded or not plan.minus:
        return plan.minus, []
    digests = given.digests.tolist()
    left = Counter((digests[i], label) for i, label in plan.plus)
    for label in {label for _, label in plan.minus}:
        times = known.count(label, given.digests).tolist()
        left.update({(digests[i], label): times[i] for i in {i for i, old in plan.minus if old == label}})
    whole, faded = list[Pair](), list[Pair]()
    for i, label in plan.minus:
        left[digests[i], label] -= 1
        (whole if left[digests[i], label] >= 0 else faded).append((i, label))
    return whole, faded


def possible_ones(store: CountStore, given: Given, plus: list[Pair], wanted: list[Pair]) -> list[Pair]:
    """Of what is to be taken out, what the counts still hold, tried one after the other."""
    found: list[Pair] = []
    store = patched(store, given.counted(plus)) if plus else store
    for pair in wanted:
        less = given.counted([pair])
        if (store.find(less.keys) < 0).any():  # which most of them are found out by, in no time
            continue
        try:
            store = patched(store, negative(less))
        except DataError:
            continue
        found.append(pair)
    return found

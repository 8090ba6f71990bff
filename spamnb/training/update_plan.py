"""What is to be done with each message: learned, left alone, moved to another label or taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import CountStore, add_delta, count, merge_stores
from spamnb.errors import DataError
from spamnb.features import KeyArray, extract
from spamnb.messages import Texts
from spamnb.model import (
    Change,
    ChangeHistory,
    SeenMessages,
    SpamModel,
    by_label,
    content_digests,
)


@dataclass
class LearnResult:
    """Messages by label, or by (old label, new label); see `Learner`.

    `known`: learned before, left alone. `unknown`: nothing to forget or to relabel. `unclear`: known with
    several labels, or called two different things in one run. `right`: left out by mode "on-error".
    `faded` of those forgotten or relabelled were learned before the model was aged or pruned: what is left of
    their counts stays.
    `misjudged` of the `judged` ones got another verdict than their label, before they were learned.
    """

    learned: dict[str, int] = field(default_factory=dict)
    forgotten: dict[str, int] = field(default_factory=dict)
    relabelled: dict[tuple[str, str], int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    unknown: int = 0
    unclear: int = 0
    right: int = 0
    faded: int = 0
    judged: int = 0
    misjudged: int = 0

    @property
    def changes(self) -> int:
        counts = (self.learned, self.forgotten, self.relabelled)
        return sum(sum(c.values()) for c in counts)

    def to_dict(self) -> dict[str, Any]:
        """Stable names, builtins only."""
        moved = [{"from": a, "to": b, "messages": n} for (a, b), n in sorted(self.relabelled.items())]
        return asdict(self) | {"relabelled": moved}


Times = Mapping[str, IntArray]
Pair = tuple[int, str]  # a message and a label


@dataclass
class Plan:
    """Rows by what happens to them; `plus` and `minus` are what that does to the counts."""

    new: list[int] = field(default_factory=list)
    forgotten: list[Pair] = field(default_factory=list)
    moved: list[tuple[int, str, str]] = field(default_factory=list)  # once for every copy
    known: list[int] = field(default_factory=list)
    unknown: int = 0
    unclear: int = 0
    labels: list[str] = field(default_factory=list)

    def without(self, rows: list[int]) -> Plan:
        """The plan that leaves out some of the new messages."""
        out = set(rows)
        self.new = [i for i in self.new if i not in out]
        return self

    @property
    def plus(self) -> list[Pair]:
        return [*((i, self.labels[i]) for i in self.new), *((i, new) for i, _, new in self.moved)]

    @property
    def minus(self) -> list[Pair]:
        return [*self.forgotten, *((i, old) for i, old, _ in self.moved)]

    @property
    def since(self) -> ChangeHistory:
        return ChangeHistory(learned=len(self.new), forgotten=len(self.forgotten), relabelled=len(self.moved))

    def report(self, outcome: LearnResult, labels: list[str]) -> None:
        """Add this to the numbers of a learner."""
        for name, found in (
            ("learned", Counter(labels[i] for i in self.new)),
            ("known", Counter(labels[i] for i in self.known)),
            ("forgotten", Counter(label for _, label in self.forgotten)),
            ("relabelled", Counter((old, new) for _, old, new in self.moved)),
        ):
            setattr(outcome, name, dict(Counter(getattr(outcome, name)) + found))
        outcome.unknown += self.unknown
        outcome.unclear += self.unclear


class _Memory:
    """How often each message of a batch is known, kept up to date while the plan is made."""

    def __init__(self, digests: KeyArray | None, times: Times) -> None:
        self._digests = None if digests is None else digests.tolist()
        self._times = {label: found.tolist() for label, found in times.items() if found.any()}
        self._changed: dict[int, Counter[str]] = {}

    def digest(self, i: int) -> int | None:
        return None if self._digests is None else self._digests[i]

    def of(self, i: int) -> dict[str, int]:
        """Label -> times."""
        if self._digests is None:
            return {}
        found = Counter({label: times[i] for label, times in self._times.items() if times[i]})
        found.update(self._changed.get(self._digests[i], {}))
        return {label: found[label] for label in sorted(found) if found[label] > 0}

    def add(self, i: int, label: str, times: int) -> None:
        if self._digests is not None:
            changed = self._changed.setdefault(self._digests[i], Counter())
            changed[label] += times


def learning(
    digests: KeyArray | None,
    labels: list[str],
    times: Times,
    again: bool = False,
    said: MutableMapping[int, str] | None = None,
) -> Plan:
    """Learn the unknown, move what has another label, leave the rest."""
    plan, memory = Plan(labels=labels), _Memory(digests, times)
    for i, label in enumerate(labels):
        if _contradicted(said, memory.digest(i), label):
            plan.unclear += 1
            continue
        found = {} if again else memory.of(i)
        if not found:
            plan.new.append(i)
            memory.add(i, label, 1)
        elif not _move(plan, memory, i, label, found):
            plan.known.append(i)
    return plan


def _contradicted(said: MutableMapping[int, str] | None, digest: int | None, label: str) -> bool:
    return said is not None and digest is not None and said.setdefault(digest, label) != label


def _move(plan: Plan, memory: _Memory, i: int, label: str, found: dict[str, int]) -> bool:
    """Give all copies of a message this label; False if they have it."""
    others = [(old, times) for old, times in found.items() if old != label]
    for old, times in others:
        plan.moved += [(i, old, label)] * times
        memory.add(i, old, -times)
        memory.add(i, label, times)
    return bool(others)


def relabelling(digests: KeyArray, labels: list[str], times: Times) -> Plan:
    """Move what has another label; what is not known is only counted."""
    plan, memory = Plan(labels=labels), _Memory(digests, times)
    for i, label in enumerate(labels):
        found = memory.of(i)
        if not found:
            plan.unknown += 1
        elif not _move(plan, memory, i, label, found):
            plan.known.append(i)
    return plan


def forgetting(digests: KeyArray | None, labels: list[str], times: Times) -> Plan:
    """Take each message out once; a label of "" means the one that it is known with."""
    plan, memory = Plan(labels=labels), _Memory(digests, times)
    for i, label in _wanted(plan, memory, digests, labels):
        plan.forgotten.append((i, label))
        memory.add(i, label, -1)
    return plan


def _wanted(plan: Plan, memory: _Memory, digests: KeyArray | None, labels: list[str]) -> Iterator[Pair]:
    for i, label in enumerate(labels):
        found = memory.of(i)
        if digests is None or label in found:
            yield i, label
        elif label or not found:
            plan.unknown += 1
        elif len(found) > 1:
            plan.unclear += 1
        else:
            yield i, next(iter(found))


class UpdateBatch:
    """Messages as the learner sees them: with their digests where the model remembers any."""

    def __init__(
        self,
        model: SpamModel,
        texts: Texts,
        labels: list[str],
        categories: Mapping[str, Sequence[str]],
        numbers: Mapping[str, FloatArray],
    ) -> None:
        self._model = model
        self.texts, self.labels = texts, labels
        features = model.features
        self.categories = {c: v for c, v in categories.items() if c in features.categorical}
        self.numbers = {c: v for c, v in numbers.items() if c in features.numeric}
        self.batch = extract(texts, features)
        self.digests = None
        if model.seen_messages is not None:
            self.digests = content_digests(self.batch, None, self.categories, self.numbers)

    def rows(self, rows: list[int]) -> UpdateBatch:
        """Some of the messages, a message as often as its row is given."""
        if rows == list(range(len(self.texts))):
            return self
        at = np.array(rows, np.int64)
        return UpdateBatch(
            self._model,
            self.texts.select(at),
            [self.labels[i] for i in rows],
            {c: [v[i] for i in rows] for c, v in self.categories.items()},
            {c: np.asarray(v)[at] for c, v in self.numbers.items()},
        )

    def counted(self, pairs: list[tuple[int, str]]) -> CountStore:
        """The counts of some messages with these labels."""
        if not pairs:
            return CountStore.empty()
        some = self.rows([i for i, _ in pairs])
        return count(some.batch, [label for _, label in pairs], some.categories, some.numbers)

    def digests_of(self, pairs: list[tuple[int, str]]) -> dict[str, KeyArray]:
        if self.digests is None or not pairs:
            return {}
        return by_label(self.digests[[i for i, _ in pairs]], [label for _, label in pairs])


def apply_plan(
    model: SpamModel, given: UpdateBatch, plan: Plan, since: ChangeHistory
) -> tuple[SpamModel, Change, int]:
    """The model after a plan, the change that this is, and how many messages left counts that should go."""
    if model.seen_messages is None:
        whole, struck = plan.minus, list[Pair]()
    else:
        whole, struck = whole_ones(model.seen_messages, given, plan)

    def change(minus: list[Pair]) -> Change:
        counts = merge_stores([given.counted(plan.plus), given.counted(minus)], [1, -1])
        learned, forgotten, gone = (given.digests_of(part) for part in (plan.plus, whole, struck))
        return Change(counts, learned, forgotten, since, gone)

    try:
        found = change(whole)
        return model.changed(found), found, len(struck)
    except DataError:
        if model.seen_messages is None:
            raise
    there = possible_ones(model.store, given, plan.plus, whole)
    found = change(there)
    return model.changed(found), found, len(struck) + len(whole) - len(there)


def whole_ones(known: SeenMessages, given: UpdateBatch, plan: Plan) -> tuple[list[Pair], list[Pair]]:
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


def possible_ones(store: CountStore, given: UpdateBatch, plus: list[Pair], wanted: list[Pair]) -> list[Pair]:
    """Of what is to be taken out, what the counts still hold, tried one after the other."""
    found: list[Pair] = []
    store = add_delta(store, given.counted(plus)) if plus else store
    for pair in wanted:
        less = given.counted([pair])
        if (store.find(less.keys) < 0).any():  # which most of them are found out by, in no time
            continue
        try:
            store = add_delta(store, merge_stores([less], [-1]))
        except DataError:
            continue
        found.append(pair)
    return found

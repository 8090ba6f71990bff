"""What is to be done with each message: learned, left alone, moved to another label or taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field

from spamnb.message import IntArray
from spamnb.outcome import Outcome
from spamnb.since import Since
from spamnb.sparse import KeyArray

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
    def since(self) -> Since:
        return Since(learned=len(self.new), forgotten=len(self.forgotten), relabelled=len(self.moved))

    def report(self, outcome: Outcome, labels: list[str]) -> None:
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

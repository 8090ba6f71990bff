"""How many steps one try of a regular expression can take at most, read off the pattern itself.

Python's engine tries one way to match after the other. Where a repeat can stop at several places (`.*` before
a word), all that follows is tried for each of them, and the numbers multiply. A repeat can stop at one place
only if what follows never begins with a character that it could take as well: then nothing multiplies. So
this counts the ways to match, the steps for them, and how soon a wrong way is noticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations
from re import (
    _constants as op,  # private, but the same since Python 3.11
    _parser,
)
from typing import Any, NamedTuple

from spamnb.features.regex_limits import REACH, Work
from spamnb.features.regex_sets import Sets

HUGE = 1 << 40
_LEAVES = (op.LITERAL, op.NOT_LITERAL, op.RANGE, op.SUBPATTERN)
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


class UnknownError(Exception):
    """The pattern has a part whose work cannot be told."""


class Cost(NamedTuple):
    """In how many ways a part can match at one place, and what that takes.

    `steps` try all the ways, `win` finds the first, `lose` finds that there is none (0: there always is one).
    `size` are the steps for each character that is matched, as long as there is one way. `first` are the
    characters that it can begin with, `empty` whether it can match nothing, `fail` the steps to see that it
    does not begin here.
    """

    ways: int = 1
    steps: int = 0
    win: int = 0
    lose: int = 0
    size: int = 0
    first: int = 0
    empty: bool = True
    fail: int = 0

    @property
    def once(self) -> Cost:
        """The same, if nothing ever comes back for another way."""
        return self._replace(ways=1, steps=max(self.win, self.lose))


class _Next(NamedTuple):
    """What comes after a part: how it can begin, and the steps to see that it does not."""

    first: int = 0
    fail: int = 0


_END = _Next()


class Meter:
    """Adds up the parts of a parsed pattern."""

    def __init__(self, named: set[int], groups: dict[int, Any]) -> None:
        self._sets = Sets(named)
        self._groups = groups
        self._known: dict[tuple[int, int], Cost] = {}

    def sequence(self, items: Any, after: _Next, flags: int) -> Cost:
        """Parts one after the other: with each way of one, all that follow are tried."""
        whole = Cost()
        for item in reversed(list(items)):
            first = whole.first | (after.first if whole.empty else 0)
            part = self.part(item, _Next(first, whole.fail + after.fail * whole.empty), flags)
            whole = _joined(part, whole)
        return whole

    def part(self, item: Any, after: _Next, flags: int) -> Cost:
        kind, value = item
        if (single := self.single(item, flags)) is not None:
            return Cost(1, 1, 1, 1, 1, single, False, 1)
        if kind in _REPEATS:
            return self._repeat(kind, value, after, flags)
        if kind is op.SUBPATTERN:
            _, more, less, inside = value
            return self.sequence(inside, after, (flags | more) & ~less)
        if kind is op.BRANCH:
            return self._branch(value[1], after, flags)
        return self._other(kind, value, flags)

    def _other(self, kind: Any, value: Any, flags: int) -> Cost:
        if kind is op.AT:
            return Cost(1, 1, 1, 1, 1, 0, True, 1)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            steps = self.sequence(value[1], _END, flags).once.steps + 1
            return Cost(1, steps, steps, steps, steps, 0, True, steps)
        if kind is op.ATOMIC_GROUP:
            return self.sequence(value, _END, flags).once
        if kind is op.GROUPREF and value in self._groups:
            inside, flags = self._groups[value], flags | re.IGNORECASE
            steps = min(inside.getwidth()[1], REACH)
            known = self._alone(inside, flags)
            return Cost(1, steps, steps, steps, steps, known.first, known.empty, 1)
        raise UnknownError(f"{str(kind).lower()} is not supported")

    def single(self, item: Any, flags: int) -> int | None:
        """The characters of a part that is exactly one character; None for other parts."""
        kind, value = item
        if kind is op.ANY:
            return self._sets.all & ~(0 if flags & re.DOTALL else self._sets.literal(10))
        if kind is op.IN:
            return self._sets.one_of(value, flags)
        if kind is op.LITERAL or kind is op.NOT_LITERAL:
            found = [(op.NEGATE, None)] if kind is op.NOT_LITERAL else []
            return self._sets.one_of([*found, (op.LITERAL, value)], flags)
        return None

    def _branch(self, choices: list[Any], after: _Next, flags: int) -> Cost:
        """One of several; if no two of them can begin alike, at most one of them matches."""
        costs = [self.sequence(choice, after, flags) for choice in choices]
        alike = _meet([self._lead(choice, flags) for choice in choices])
        ways = (sum if alike else max)(cost.ways for cost in costs)
        steps, win, lose, size, fail = (
            min(sum(getattr(cost, name) for cost in costs), HUGE)
            for name in ("steps", "win", "lose", "size", "fail")
        )
        lose = lose if all(cost.lose for cost in costs) else 0
        first, empty = _union(cost.first for cost in costs), any(cost.empty for cost in costs)
        return Cost(min(ways, HUGE), steps, win, lose, size, first, empty, fail)

    def _lead(self, items: Any, flags: int) -> list[int]:
        """The sets of the single characters that a sequence begins with."""
        found: list[int] = []
        for item in items:
            single = self.single(item, flags)
            if single is None:
                break
            found.append(single)
        return found

    def _repeat(self, kind: Any, value: Any, after: _Next, flags: int) -> Cost:
        least, most, body = value
        least, most = min(int(least), REACH), min(int(most), REACH)
        if most == 0:
            return Cost()
        first = self._alone(body, flags).first
        alone = kind is op.POSSESSIVE_REPEAT
        after = _END if alone else after
        inside = self.sequence(body, _Next(after.first | (first if most > 1 else 0), after.fail), flags)
        ways = _power(inside.ways, most)
        if most > least and first & after.first:
            ways *= most - least + 1
        size = inside.size + inside.fail + after.fail + 1
        steps = _several(inside, most, size) + (most + 1) * after.fail
        lose = _several(inside, least, size) if inside.lose else 0
        empty = least == 0 or inside.empty
        found = Cost(
            min(ways, HUGE), min(steps, HUGE), min(steps, HUGE), lose, size, first, empty, inside.fail
        )
        return found.once if alone else found

    def _alone(self, body: Any, flags: int) -> Cost:
        """A body by itself; remembered, or repeats in repeats would take for ever."""
        known = self._known.get((id(body), flags))
        if known is None:
            known = self._known[id(body), flags] = self.sequence(body, _END, flags)
        return known


def _joined(part: Cost, rest: Cost) -> Cost:
    """A part and all that follows it. If the rest cannot fail, nobody comes back for another way."""
    tried = part.steps + part.ways * rest.lose
    return Cost(
        min(part.ways * rest.ways, HUGE),
        min(part.steps + part.ways * rest.steps, HUGE),
        min((tried - rest.lose if rest.lose else part.win) + rest.win, HUGE),
        min(max(part.lose, tried if rest.lose else 0), HUGE),
        min(part.size + rest.size, HUGE),
        part.first | (rest.first if part.empty else 0),
        part.empty and rest.empty,
        min(part.fail + rest.fail * part.empty, HUGE),
    )


def _union(sets: Iterable[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found


def _meet(leads: list[list[int]]) -> bool:
    """Can any two of these beginnings stand in the same place?"""
    pairs = combinations(leads, 2)
    return any(all(x & y for x, y in zip(one, other, strict=False)) for one, other in pairs)


def _power(ways: int, times: int) -> int:
    return 1 if ways == 1 else HUGE if times * (ways.bit_length() - 1) >= 40 else ways**times


def _several(inside: Cost, times: int, size: int) -> int:
    """The steps of a body that comes so often; with one way, no character is matched twice."""
    if inside.ways == 1:
        return min(times * inside.steps, (REACH + 1) * size)
    return min(times * inside.steps * _power(inside.ways, times - 1), HUGE)


def _leaves(parsed: Any) -> Iterator[tuple[Any, Any]]:
    """All literals, ranges and groups of a parsed pattern, wherever they stand."""
    todo: list[Any] = [parsed]
    while todo:
        value = todo.pop()
        leaf = isinstance(value, tuple) and len(value) == 2
        if leaf and value[0] in _LEAVES:
            yield value
        if isinstance(value, (tuple, list, _parser.SubPattern)):
            todo.extend(value)


def parse(pattern: str) -> Work:
    """The work that a pattern can make; what is no pattern raises what `re` raises."""
    parsed = _parser.parse(pattern)
    found: dict[Any, list[Any]] = {kind: [] for kind in _LEAVES}
    for kind, value in _leaves(parsed):
        found[kind].append(value)
    ranges = found[op.RANGE]
    named = {*found[op.LITERAL], *found[op.NOT_LITERAL]}.union(*ranges)
    meter = Meter(named, {value[0]: value[3] for value in found[op.SUBPATTERN]})
    whole = meter.sequence(parsed, _END, parsed.state.flags)
    return Work(max(whole.once.steps, 1), sum(high - low for low, high in ranges))

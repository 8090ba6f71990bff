"""Matches CSS selectors against elements and their places among the children of their parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from spamnb.mail.css_values import Values


class AttributeStyles(NamedTuple):
    """What the attributes of an element set: `hints` such as bgcolor, and the declarations of its style."""

    hints: Values
    normal: Values
    important: Values


class Element(NamedTuple):
    """What selectors test of an element, and what its attributes set."""

    tag: str
    id: str
    classes: frozenset[str]
    attributes: Mapping[str, str]
    styles: AttributeStyles
    source: bytes  # the tag as it is written
    is_styled: bool  # the tag or its attributes set anything
    keys: tuple[str, ...]  # the tag, .classes and #id: by one of these a selector is looked up


class Family:
    """The children of an element as far as the page is read; `whole` has all of them."""

    def __init__(self, whole: Family | None = None) -> None:
        self._whole = whole
        self.children: list[Element] = []
        self._of_type: list[int] = []  # of each child, its number among those of its type
        self._types: dict[str, int] = {}

    def add(self, child: Element) -> None:
        number = self._types[child.tag] = self._types.get(child.tag, 0) + 1
        self.children.append(child)
        self._of_type.append(number)

    def place(self, at: int, of_type: bool, from_end: bool) -> int:
        """Returns the number of a child, from 1, among all children or those of its type."""
        place = self._of_type[at] if of_type else at + 1
        if not from_end:
            return place
        whole = self._whole or self
        most = whole._types.get(self.children[at].tag, 0) if of_type else len(whole.children)
        return most - place + 1


class PlaceTest(NamedTuple):
    """A test of the place of an element: its number is `step` * n + `offset` for an n from 0."""

    step: int
    offset: int
    of_type: bool
    from_end: bool = False

    def matches(self, place: int) -> bool:
        """Tests the number of an element.

        >>> [place for place in range(1, 8) if PlaceTest(2, 1, False).matches(place)]
        [1, 3, 5, 7]
        """
        beyond = place - self.offset
        return beyond % self.step == 0 and beyond // self.step >= 0 if self.step else not beyond


class Compound(NamedTuple):
    """The tests of one element in a selector, as in `p.note[lang=en]`."""

    tag: str = "*"
    ids: tuple[str, ...] = ()
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    places: tuple[PlaceTest, ...] = ()
    excluded: tuple[Compound, ...] = ()
    lists: tuple[tuple[Compound, ...], ...] = ()  # of each, one must match

    def matches(self, family: Family, at: int) -> bool:
        """Returns whether the child at this position of a family fits."""
        element = family.children[at]
        return (
            self.tag in ("*", element.tag)
            and self.classes <= element.classes
            and all(name == element.id for name in self.ids)
            and all(test.matches(family.place(at, test.of_type, test.from_end)) for test in self.places)
            and all(_has(element, *test) for test in self.attributes)
            and not any(compound.matches(family, at) for compound in self.excluded)
            and all(any(compound.matches(family, at) for compound in one) for one in self.lists)
        )

    def key(self) -> str:
        """Returns one test that is easy to look up: an id, a class, a type, or "*"."""
        if self.ids:
            return "#" + self.ids[0]
        return "." + min(self.classes) if self.classes else self.tag


class Selector(NamedTuple):
    """Compounds from the last one back; `combinators[i]` stands between compound i and the next one."""

    compounds: tuple[Compound, ...]
    combinators: str  # blank, ">", "+" and "~"
    specificity: tuple[int, int, int]
    uncertain: bool = False
    tests: int = 1  # of one element, with those of its lists


def _has(element: Element, name: str, how: str, value: str) -> bool:
    actual = element.attributes.get(name)
    if actual is None or not how:
        return actual is not None
    if how.endswith("i"):
        actual, how = actual.lower(), how[:-1]
    if how == "=":
        return actual == value
    if how == "~=":
        return value in actual.split()
    if how == "|=":
        return actual == value or actual.startswith(value + "-")
    tests = {"^=": actual.startswith, "$=": actual.endswith, "*=": actual.__contains__}
    return bool(value) and tests[how](value)


def matches_others(selector: Selector, families: Sequence[Family]) -> tuple[bool, int]:
    """Returns whether the compounds beyond the first match for the last child of the last family.

    Also returns the number of tests that this took. The last child of every other family is an ancestor.
    Every compound takes the nearest element that fits; a selector that would need a farther one for a `>` or
    `+` before it is read as one that does not match.
    """
    depth, at, tests = len(families) - 1, len(families[-1].children) - 1, 0
    for compound, combinator in zip(selector.compounds[1:], selector.combinators, strict=True):
        for place in _candidates(combinator, depth, at, families):
            tests += 1
            if compound.matches(families[place[0]], place[1]):
                depth, at = place
                break
        else:
            return False, tests
    return True, tests


def _candidates(
    combinator: str, depth: int, at: int, families: Sequence[Family]
) -> Iterator[tuple[int, int]]:
    """Yields the places of the elements that a combinator leads to, the nearest first."""
    if combinator in "+~":
        last = max(at - 1, 0) if combinator == "+" else 0
        yield from ((depth, sibling) for sibling in range(at - 1, last - 1, -1))
    else:
        last = max(depth - 1, 0) if combinator == ">" else 0
        yield from ((up, len(families[up].children) - 1) for up in range(depth - 1, last - 1, -1))

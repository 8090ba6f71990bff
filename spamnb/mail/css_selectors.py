"""Reads CSS selectors and matches them against elements.

Supported are types, classes, ids, attributes, `:first-child`, descendants, children, and lists of such tests
of one element in `:is()`, `:where()` and `:not()`. A selector with anything else is `uncertain`: only its
last compound is known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spamnb.mail.css_declarations import Values
from spamnb.mail.html_tokens import name_set

_COMPOUND = re.compile(
    r"""(?P<type>[a-z_][\w-]*|\*)|\#(?P<id>[\w-]+)|\.(?P<class>-?[^\W\d][\w-]*|--[\w-]*)
    |\[\s*(?P<name>[\w:-]+)\s*(?:(?P<how>[~^$*|]?=)\s*["']?(?P<value>[^\]"']*)["']?\s*(?:\s[is]\s*)?)?\]
    |::?(?P<pseudo>[\w-]+)(?:\((?P<argument>(?:[^()]++|\([^()]*+\))*+)\))?|\s*(?P<combinator>[>+~]|\s(?![\s>+~,]|\Z))\s*""",
    re.VERBOSE,
)
_ALTERNATIVE = re.compile(r"(?:[^,(\[]++|\((?:[^()]++|\([^()]*+\))*+\)?|\[[^\]]*+\]?)++")
_ALWAYS = frozenset(("root", "read-only", "scope", "defined"))
_LINKS = frozenset(("link", "any-link"))
_LISTS = frozenset(("is", "where", "not", "-webkit-any", "-moz-any"))
_NEVER = name_set(
    "hover active focus focus-within focus-visible target checked disabled visited before after first-line"
    " first-letter selection placeholder marker backdrop"
)
MOST_COMPOUNDS = 8
_LONGEST_LIST = 16  # selectors in :is(), :where() or :not()


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
    first: bool = False  # the first child of its parent


class Compound(NamedTuple):
    """The tests of one element in a selector, as in `p.note[lang=en]`."""

    tag: str = "*"
    ids: tuple[str, ...] = ()
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    first: bool = False
    excluded: tuple[Compound, ...] = ()
    lists: tuple[tuple[Compound, ...], ...] = ()  # of each, one must match

    def matches(self, element: Element) -> bool:
        return (
            self.tag in ("*", element.tag)
            and self.classes <= element.classes
            and all(name == element.id for name in self.ids)
            and (not self.first or element.first)
            and all(_has(element, *test) for test in self.attributes)
            and not any(compound.matches(element) for compound in self.excluded)
            and all(any(compound.matches(element) for compound in one) for one in self.lists)
        )

    def key(self) -> str:
        """Returns one test that is easy to look up: an id, a class, a type, or "*"."""
        if self.ids:
            return "#" + self.ids[0]
        return "." + min(self.classes) if self.classes else self.tag


class Selector(NamedTuple):
    """Compounds from the last one back; `children[i]`: the next one must be the parent, not any ancestor."""

    compounds: tuple[Compound, ...]
    children: tuple[bool, ...]
    specificity: tuple[int, int, int]
    uncertain: bool = False
    tests: int = 1  # of one element, with those of its lists


def _has(element: Element, name: str, how: str, value: str) -> bool:
    actual = element.attributes.get(name)
    if actual is None or not how:
        return actual is not None
    actual = actual.lower()
    if how == "=":
        return actual == value
    if how == "~=":
        return value in actual.split()
    if how == "|=":
        return actual == value or actual.startswith(value + "-")
    tests = {"^=": actual.startswith, "$=": actual.endswith, "*=": actual.__contains__}
    return bool(value) and tests[how](value)


def parse_selector(text: str) -> Selector | None:
    """Reads one selector in lower case, without a comma; None if it never matches. ValueError if it is none.

    >>> selector = parse_selector("#top > p.note")
    >>> [compound.key() for compound in selector.compounds], selector.children, selector.specificity
    (['.note', '#top'], (True,), (1, 1, 1))
    """
    reader = _SelectorReader()
    at, text = 0, text.strip()
    while at < len(text):
        match = _COMPOUND.match(text, at)
        if match is None:
            raise ValueError(text)
        if not reader.add(match):
            return None
        at = match.end()
    if not text:
        raise ValueError(text)
    return reader.finish()


def split_selectors(text: str) -> list[str]:
    """Splits a list of selectors at its commas.

    >>> split_selectors("p:is(.a, .b), [title='x'], ")
    ['p:is(.a, .b)', " [title='x']", ' ']
    """
    parts = [match[0] for match in _ALTERNATIVE.finditer(text)]
    return [*parts, ""] if text.endswith(",") else parts


class _SelectorReader:
    def __init__(self) -> None:
        self._compounds: list[Compound] = []
        self._children: list[bool] = []
        self._now = Compound()
        self._ranks = [0, 0, 0]
        self._uncertain = False
        self._tests = 1

    def add(self, match: re.Match[str]) -> bool:
        """Adds one test; returns False if the selector can match nothing."""
        kind, now = match.lastgroup, self._now
        if match["type"]:
            self._now = now._replace(tag=match["type"])
            self._ranks[2] += match["type"] != "*"
        elif match["id"]:
            self._now = now._replace(ids=(*now.ids, match["id"]))
            self._ranks[0] += 1
        elif match["class"]:
            self._now = now._replace(classes=now.classes | {match["class"]})
            self._ranks[1] += 1
        elif match["name"]:
            test = (match["name"], match["how"] or "", (match["value"] or "").strip())
            self._now = now._replace(attributes=(*now.attributes, test))
            self._ranks[1] += 1
        elif match["pseudo"]:
            return self._add_pseudo(match["pseudo"], match["argument"])
        elif kind == "combinator":
            self._compounds.append(now)
            self._children.append(match["combinator"] == ">")
            self._uncertain |= match["combinator"] in "+~"
            self._now = Compound()
        return len(self._compounds) < MOST_COMPOUNDS

    def _add_pseudo(self, name: str, argument: str | None) -> bool:
        if name in _NEVER:
            return False
        if name in _LISTS and argument:
            return self._add_list(name, argument)
        self._ranks[1] += 1
        if name == "first-child" or (name, argument) == ("nth-child", "1"):
            self._now = self._now._replace(first=True)
        elif name in _LINKS:
            self._now = self._now._replace(attributes=(*self._now.attributes, ("href", "", "")))
        elif name not in _ALWAYS:
            self._uncertain = True
        return True

    def _add_list(self, name: str, argument: str) -> bool:
        """Adds the tests of `:is()`, `:where()` or `:not()`."""
        parsed = _parse_list(argument, forgiving=name != "not")
        if name != "where" and parsed:
            highest = max(selector.specificity for selector in parsed)
            self._ranks = [rank + more for rank, more in zip(self._ranks, highest, strict=True)]
        if any(len(selector.compounds) > 1 or selector.uncertain for selector in parsed):
            self._uncertain = True
            return True
        self._tests += sum(selector.tests for selector in parsed)
        now, compounds = self._now, tuple(selector.compounds[0] for selector in parsed)
        if name == "not":
            self._now = now._replace(excluded=(*now.excluded, *compounds))
        else:
            self._now = now._replace(lists=(*now.lists, compounds))
        return name == "not" or bool(compounds)

    def finish(self) -> Selector:
        compounds = (self._now, *reversed(self._compounds))
        specificity = (self._ranks[0], self._ranks[1], self._ranks[2])
        if self._uncertain:
            return Selector(compounds[:1], (), specificity, True, self._tests)
        return Selector(compounds, tuple(reversed(self._children)), specificity, tests=self._tests)


def _parse_list(argument: str, *, forgiving: bool) -> list[Selector]:
    """Reads the selectors of a list that may match; a `forgiving` list may have wrong ones."""
    parsed = []
    for text in split_selectors(argument)[:_LONGEST_LIST]:
        try:
            selector = parse_selector(text)
        except ValueError:
            if not forgiving:
                raise
            continue
        if selector is not None:
            parsed.append(selector)
    return parsed


def matches_ancestors(selector: Selector, ancestors: Sequence[Element]) -> tuple[bool, int]:
    """Returns whether the compounds beyond the first match the ancestors, and the number of tests this took.

    Every compound takes the nearest ancestor that fits; a selector that would need a farther one for a `>`
    before it is read as one that does not match.
    """
    at, tests = len(ancestors) - 1, 0
    for compound, child in zip(selector.compounds[1:], selector.children, strict=True):
        last = max(at - 1, -1) if child else -1
        while at > last:
            tests += 1
            if compound.matches(ancestors[at]):
                break
            at -= 1
        if at <= last:
            return False, tests
        at -= 1
    return True, tests

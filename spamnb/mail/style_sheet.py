"""Reads style sheets into rules, and finds the rules that match an element."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from spamnb.mail.css_declarations import Values, parse_declarations
from spamnb.mail.css_selectors import Element, Selector, matches_ancestors, parse_selector

DESKTOP, PHONE = 1280.0, 375.0  # pixels of width for which a page is laid out
# Text up to a brace or semicolon; quoted text and parentheses may have these in them.
_PIECE = re.compile(r"""((?:[^{};"'(]++|"[^"\n]*+"?|'[^'\n]*+'?|\([^()]*+\)?)*+)([{};]|\Z)""")
_SELECTOR = re.compile(r"(?:[^,(]++|\([^()]*+\)?)++")
_FEATURE = re.compile(r"\(\s*+([a-z-]+)\s*+(?::([^()]*+))?\)")
_LONGEST = 300  # characters of a selector or a media query
_PIXELS = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)(px|em|rem)?")
_OPEN, _CLOSED = True, False  # whether the rules in a block are read


class Rule(NamedTuple):
    """A selector, what it sets, and the media queries around it."""

    selector: Selector
    normal: Values
    important: Values
    media: tuple[str, ...]


def parse_rules(sheet: str, media: str = "") -> Iterator[Rule]:
    """Yields the rules of a clean style sheet in lower case that decide whether text can be seen.

    >>> [rule.media for rule in parse_rules("p{color:red}@media print{p{color:red}}@font-face{src:url(x)}")]
    [(), ('print',)]
    """
    for selectors, declarations, queries in _blocks(sheet.replace("<!--", " ").replace("-->", " ")):
        normal, important = parse_declarations(declarations)
        if normal or important:
            around = (media, *queries) if media else queries
            for text in map(itemgetter(0), _SELECTOR.finditer(selectors)):
                selector = parse_selector(text) if len(text) <= _LONGEST else None
                if selector:
                    yield _rule(selector, normal, important, around)


def _rule(selector: Selector, normal: Values, important: Values, media: tuple[str, ...]) -> Rule:
    if selector.uncertain:  # it may give the element any colours, and hides nothing
        values: Values = {}
        if any(name.startswith("background") for name in (*normal, *important)):
            values["background-image"] = True
        if "color" in normal or "color" in important:
            values["color"] = None
        return Rule(selector, values, {}, media)
    return Rule(selector, normal, important, media)


def _blocks(sheet: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yields selectors, declarations and the media queries around them; leaves out rules inside of rules."""
    stack: list[tuple[str, bool]] = []  # the query of each open block, and whether it is read
    selectors, declarations = "", [""]
    at, inside = 0, 0  # `inside`: depth of blocks within a rule
    while at < len(sheet):
        piece = _PIECE.match(sheet, at)
        if piece is None:
            return
        at = max(piece.end(), at + 1)
        text, end = piece[1].strip(), piece[2]
        if inside:
            if inside == 1 and end != "{":
                declarations.append(text)
            inside += (end == "{") - (end == "}")
            if not inside and all(read for _, read in stack):
                yield selectors, ";".join(declarations), tuple(query for query, _ in stack if query)
        elif end == "{" and text.startswith("@"):
            stack.append(_at_rule(text))
        elif end == "{":
            selectors, declarations, inside = text, [], 1
        elif end == "}" and stack:
            stack.pop()
    if inside:  # the end of the sheet closes what is open
        yield selectors, ";".join(declarations), tuple(query for query, _ in stack if query)


def _at_rule(text: str) -> tuple[str, bool]:
    """Returns the media query of a block, and whether its rules are read at all."""
    name, _, condition = text.partition(" ")
    if name.startswith("@media"):
        return text[len("@media") :].strip(), len(text) <= _LONGEST
    return "", _OPEN if name in ("@layer", "@supports") and "not " not in condition else _CLOSED


def matches_media(queries: Iterable[str], width: float) -> bool:
    """Returns whether a screen of a width fulfils media queries; what is not known is not fulfilled.

    >>> [matches_media(["only screen and (max-width: 480px)"], width) for width in (DESKTOP, PHONE)]
    [False, True]
    """
    return all(any(_matches_query(part.strip(), width) for part in query.split(",")) for query in queries)


def _matches_query(query: str, width: float) -> bool:
    words = _FEATURE.sub(" ", query).replace(" and ", " ").split()
    if not set(words) <= {"only", "all", "screen", "and"}:
        return False
    return all(_has_feature(name, value, width) for name, value in _FEATURE.findall(query))


def _has_feature(name: str, value: str, width: float) -> bool:
    value = value.strip()
    pixels = _PIXELS.fullmatch(value)
    limit = float(pixels[1]) * (1.0 if pixels[2] == "px" or not pixels[2] else 16.0) if pixels else 0.0
    if name in ("min-width", "min-device-width"):
        return pixels is not None and width >= limit
    if name in ("max-width", "max-device-width"):
        return pixels is not None and width <= limit
    return (name, value) == ("prefers-color-scheme", "light")


class RuleIndex:
    """Finds the rules that match an element; `budget` is the number of tests that are made in all."""

    def __init__(self, rules: Sequence[Rule], budget: int) -> None:
        self._rules: dict[str, list[tuple[int, Rule]]] = {}
        for order, rule in enumerate(rules):
            self._rules.setdefault(rule.selector.compounds[0].key(), []).append((order, rule))
        self.budget = budget
        self.tests_first = any(compound.first for rule in rules for compound in rule.selector.compounds)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def matching(
        self, element: Element, ancestors: Sequence[Element], open_keys: Mapping[str, int]
    ) -> list[Rule]:
        """Returns the matching rules, the weakest first; `open_keys` counts the keys of all ancestors."""
        if self.budget < 0:
            return []
        candidates = [self._rules[key] for key in ("*", *element.keys) if key in self._rules]
        if not candidates:
            return []
        if sum(map(len, candidates)) > self.budget:
            self.budget = -1
            return []
        found = [
            (rule.selector.specificity, order, rule)
            for rules in candidates
            for order, rule in rules
            if self._matches(rule.selector, element, ancestors, open_keys)
        ]
        return [rule for _, _, rule in sorted(found, key=itemgetter(0, 1))]

    def _matches(
        self,
        selector: Selector,
        element: Element,
        ancestors: Sequence[Element],
        open_keys: Mapping[str, int],
    ) -> bool:
        self.budget -= 1
        if not selector.compounds[0].matches(element):
            return False
        if len(selector.compounds) == 1:
            return True
        others = (compound.key() for compound in selector.compounds[1:])
        if not all(key == "*" or open_keys.get(key) for key in others):
            return False
        matches, tests = matches_ancestors(selector, ancestors)
        self.budget -= tests
        return matches

"""Reads style sheets into rules, and finds the rules that match an element."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from spamnb.mail.css_declarations import Values, parse_declarations
from spamnb.mail.css_selectors import Element, Selector, matches_ancestors, parse_selector, split_selectors
from spamnb.mail.media_queries import is_supported

# Text up to a brace or semicolon; quoted text and parentheses may have these in them.
_PIECE = re.compile(r"""((?:[^{};"'(]++|"[^"\n]*+"?|'[^'\n]*+'?|\([^()]*+\)?)*+)([{};]|\Z)""")
_LONGEST = 300  # characters of a selector or a media query
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
            for selector in _selectors(selectors):
                yield _rule(selector, normal, important, around)


def _selectors(text: str) -> list[Selector]:
    """Reads the selectors of a rule; if one of them is wrong, the rule does not count."""
    try:
        parsed = [parse_selector(part) for part in split_selectors(text) if len(part) <= _LONGEST]
    except ValueError:
        return []
    return [selector for selector in parsed if selector]


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
    stray = broken = False  # whether the selectors of the rule come after what belongs to no rule
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
            if not inside and not broken and all(read for _, read in stack):
                yield selectors, ";".join(declarations), tuple(query for query, _ in stack if query)
        elif end == "{" and text.startswith("@"):
            stack.append(_at_rule(text))
        elif end == "{":
            selectors, declarations, inside = text, [], 1
            broken, stray = stray, False
        elif end == "}" and stack:
            stack.pop()
        elif not stack:
            stray |= not text.startswith("@")
    if inside and not broken:  # the end of the sheet closes what is open
        yield selectors, ";".join(declarations), tuple(query for query, _ in stack if query)


def _at_rule(text: str) -> tuple[str, bool]:
    """Returns the media query of a block, and whether its rules are read at all."""
    if text.startswith("@media"):
        return text[len("@media") :].strip() or "all", len(text) <= _LONGEST
    if text.startswith("@supports"):
        return "", len(text) <= _LONGEST and is_supported(text[len("@supports") :]) is True
    return "", _OPEN if text.split(maxsplit=1)[0] == "@layer" else _CLOSED


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
        matches = [
            (rule.selector.specificity, order, rule)
            for rules in candidates
            for order, rule in rules
            if self._matches(rule.selector, element, ancestors, open_keys)
        ]
        return [rule for _, _, rule in sorted(matches, key=itemgetter(0, 1))]

    def _matches(
        self,
        selector: Selector,
        element: Element,
        ancestors: Sequence[Element],
        open_keys: Mapping[str, int],
    ) -> bool:
        self.budget -= selector.tests
        if not selector.compounds[0].matches(element):
            return False
        if len(selector.compounds) == 1:
            return True
        others = (compound.key() for compound in selector.compounds[1:])
        if not all(key == "*" or open_keys.get(key) for key in others):
            return False
        matches, tests = matches_ancestors(selector, ancestors)
        self.budget -= tests * selector.tests
        return matches

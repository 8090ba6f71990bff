"""Reads style sheets into rules, and finds the rules that match an element."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from spamnb.mail.css_declarations import parse_declarations
from spamnb.mail.css_selector_reader import parse_selector, split_selectors
from spamnb.mail.css_selectors import Family, Selector, matches_others
from spamnb.mail.css_values import Values
from spamnb.mail.media_queries import is_supported

# Text up to a brace or semicolon; quoted text and parentheses may have these in them.
_PIECE = re.compile(r"""((?:[^{};"'(]++|"[^"\n]*+"?|'[^'\n]*+'?|\([^()]*+\)?)*+)([{};]|\Z)""")
_LONGEST = 300  # characters of a selector or a media query
_MOST_NESTED = 16  # selectors of a rule inside of another one
_LAYER = "@layer"
_OPEN, _CLOSED = True, False  # whether the rules in a block are read


class Rule(NamedTuple):
    """A selector, what it sets, and the media queries around it."""

    selector: Selector
    normal: Values
    important: Values
    media: tuple[str, ...]
    layered: bool = False  # rules in no layer come after those in a layer


def parse_rules(sheet: str, media: str = "") -> Iterator[Rule]:
    """Yields the rules of a clean style sheet that decide whether text can be seen.

    >>> [rule.media for rule in parse_rules("p{color:red}@media print{p{color:red}}@font-face{src:url(x)}")]
    [(), ('print',)]
    """
    for selectors, declarations, queries in _blocks(sheet.replace("<!--", " ").replace("-->", " ")):
        normal, important = parse_declarations(declarations.lower())
        if normal or important:
            around = tuple(query for query in (media, *queries) if query not in ("", _LAYER))
            for selector in _selectors(selectors):
                yield _rule(selector, normal, important, around)._replace(layered=_LAYER in queries)


def _selectors(texts: Sequence[str]) -> list[Selector]:
    """Reads the selectors of a rule; if one of them is wrong, the rule does not count."""
    try:
        parsed = [parse_selector(text) for text in texts if len(text) <= _LONGEST]
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


class _Block(NamedTuple):
    """An open block: of a rule with its selectors, or of an at-rule."""

    selectors: list[str]
    declarations: list[str]
    query: str = ""
    read: bool = True


def _blocks(sheet: str) -> Iterator[tuple[list[str], str, tuple[str, ...]]]:
    """Yields selectors, declarations and the media queries around them, in the order in which they count."""
    stack: list[_Block] = []
    at, stray = 0, False  # `stray`: the next selectors come after text that belongs to no rule
    while at < len(sheet):
        piece = _PIECE.match(sheet, at)
        if piece is None:
            return
        at = max(piece.end(), at + 1)
        text, end = piece[1].strip(), piece[2]
        if end == "{":
            yield from _declared(stack)  # before the rules inside of this one
            stack.append(_opened(text, stack[-1].selectors if stack else [], stray))
            stray = False
        elif stack:
            stack[-1].declarations.append(text)
            if end == "}":
                yield from _declared(stack)
                stack.pop()
        else:
            stray |= not text.startswith("@")
    while stack:  # the end of the sheet closes what is open
        yield from _declared(stack)
        stack.pop()


def _declared(stack: Sequence[_Block]) -> Iterator[tuple[list[str], str, tuple[str, ...]]]:
    """Yields what the innermost block declares, and empties it."""
    if stack and stack[-1].declarations and stack[-1].selectors and all(block.read for block in stack):
        yield stack[-1].selectors, ";".join(stack[-1].declarations), tuple(b.query for b in stack if b.query)
    if stack:
        stack[-1].declarations.clear()


def _opened(text: str, around: list[str], stray: bool) -> _Block:
    """Returns the block that a text opens inside of a rule with the selectors `around`, if there are any."""
    if text.startswith("@"):
        query, read = _at_rule(text)
        return _Block(around, [], query, read)
    selectors = split_selectors(text) if not stray else []
    return _Block(_nested(selectors, around) if around else selectors, [], read=not stray)


def _nested(selectors: Sequence[str], around: Sequence[str]) -> list[str]:
    """Returns the selectors of a rule inside of another one.

    >>> _nested(["p", "&.x", "> b"], [".a"])
    ['.a p', '.a.x', '.a > b']
    """
    full = [one if "&" in one else f"& {one}" for one in map(str.strip, selectors)]
    return [one.replace("&", outer.strip()) for outer in around for one in full][:_MOST_NESTED]


def _at_rule(text: str) -> tuple[str, bool]:
    """Returns the media query of a block, and whether its rules are read at all."""
    text = text.lower()
    if text.startswith("@media"):
        return text[len("@media") :].strip() or "all", len(text) <= _LONGEST
    if text.startswith("@supports"):
        return "", len(text) <= _LONGEST and is_supported(text[len("@supports") :]) is True
    return (_LAYER, _OPEN) if text.split(maxsplit=1)[0] == _LAYER else ("", _CLOSED)


class RuleIndex:
    """Finds the rules that match an element; `budget` is the number of tests that are made in all."""

    def __init__(self, rules: Sequence[Rule], budget: int) -> None:
        self._rules: dict[str, list[tuple[int, Rule]]] = {}
        for order, rule in enumerate(rules):
            self._rules.setdefault(rule.selector.compounds[0].key(), []).append((order, rule))
        self.budget = budget

    def __bool__(self) -> bool:
        return bool(self._rules)

    def matching(self, families: Sequence[Family], open_keys: Mapping[str, int]) -> list[Rule]:
        """Returns the rules that match the last child of the last family, the weakest first.

        `open_keys` counts the keys of all ancestors.
        """
        if self.budget < 0:
            return []
        keys = families[-1].children[-1].keys
        candidates = [self._rules[key] for key in ("*", *keys) if key in self._rules]
        if not candidates:
            return []
        if sum(map(len, candidates)) > self.budget:
            self.budget = -1
            return []
        matching = [
            ((not rule.layered, rule.selector.specificity), order, rule)
            for rules in candidates
            for order, rule in rules
            if self._matches(rule.selector, families, open_keys)
        ]
        return [rule for _, _, rule in sorted(matching, key=itemgetter(0, 1))]

    def _matches(self, selector: Selector, families: Sequence[Family], open_keys: Mapping[str, int]) -> bool:
        self.budget -= selector.tests
        family = families[-1]
        if not selector.compounds[0].matches(family, len(family.children) - 1):
            return False
        if len(selector.compounds) == 1:
            return True
        others = zip(selector.compounds[1:], selector.combinators, strict=True)
        keys = [compound.key() for compound, combinator in others if combinator in " >"]
        if not all(key == "*" or open_keys.get(key) for key in keys):
            return False
        matches, tests = matches_others(selector, families)
        self.budget -= tests * selector.tests
        return matches

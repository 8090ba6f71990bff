"""Reads CSS selectors.

Supported are types, classes, ids, attributes, places among the children (`:nth-child()`,
`:last-of-type`), descendants, children, siblings, and lists of such tests of one element in `:is()`,
`:where()` and `:not()`. A selector with anything else is `uncertain`: only its last compound is known.
"""

from __future__ import annotations

import re

from spamnb.mail.css_selectors import Compound, PlaceTest, Selector
from spamnb.mail.html_tokens import name_set

_COMPOUND = re.compile(
    r"""(?:\*\|)?(?P<type>[a-zA-Z_][\w-]*|\*)|\#(?P<id>[\w\x80-\U0010ffff-]+)
    |\.(?P<class>-?[a-zA-Z_\x80-\U0010ffff][\w\x80-\U0010ffff-]*|--[\w\x80-\U0010ffff-]*)
    |\[\s*(?P<name>[\w:-]+)\s*(?:(?P<how>[~^$*|]?=)\s*(?:["'](?P<quoted>[^\]"']*)["']|(?P<value>[^\]"'\s]*))\s*(?:(?P<flag>[isIS])\s*)?)?\]
    |::?(?P<pseudo>[\w-]+)(?:\((?P<argument>(?:[^()]++|\([^()]*+\))*+)\))?|\s*(?P<combinator>[>+~]|\s(?![\s>+~,]|\Z))\s*""",
    re.VERBOSE,
)
_ALTERNATIVE = re.compile(r"(?:[^,(\[]++|\((?:[^()]++|\([^()]*+\))*+\)?|\[[^\]]*+\]?)*+")
_NUMBERS = re.compile(r"\s*(?:([+-]?\d{0,6})n\s*(?:([+-])\s*(\d{1,6}))?|([+-]?\d{1,6}))\s*")  # an+b, or b
_NUMBER_WORDS = {"odd": (2, 1), "even": (2, 0)}
# Pseudo-class -> its argument if it takes none; whether it counts one type alone, and from the last one.
_PLACES = {
    "first-child": ("1", False, False),
    "nth-child": (None, False, False),
    "first-of-type": ("1", True, False),
    "nth-of-type": (None, True, False),
    "last-child": ("1", False, True),
    "nth-last-child": (None, False, True),
    "last-of-type": ("1", True, True),
    "nth-last-of-type": (None, True, True),
}
_ALONE = {"only-child": ("first-child", "last-child"), "only-of-type": ("first-of-type", "last-of-type")}
_ALWAYS = frozenset(("root", "read-only", "scope", "defined"))
_LINKS = frozenset(("link", "any-link"))
_LISTS = frozenset(("is", "where", "not", "-webkit-any", "-moz-any"))
_NEVER = name_set(
    "hover active focus focus-within focus-visible target checked disabled visited before after first-line"
    " first-letter selection placeholder marker backdrop"
)
_NOT_UNDERSTOOD = (
    name_set(
        "empty has lang dir"
        " enabled default indeterminate in-range out-of-range valid invalid required optional read-write"
        " user-valid user-invalid autofill placeholder-shown fullscreen modal popover-open open host"
        " host-context slotted part file-selector-button cue target-text spelling-error grammar-error"
        " highlight details-content current past future playing paused left right first blank local-link"
        " target-within nth-child nth-of-type first-child first-of-type is where not picture-in-picture"
    )
    | _NEVER
)
# Attributes of HTML whose values have no case.
_ANY_CASE = name_set(
    "align alink bgcolor charset clear color compact dir disabled face frame hreflang http-equiv lang link"
    " media nowrap rel rev rules scope shape target text type valign vlink"
)
MOST_COMPOUNDS = 8
_LONGEST_LIST = 16  # selectors in :is(), :where() or :not()


def parse_selector(text: str) -> Selector | None:
    """Reads one selector, without a comma; None if it never matches. ValueError if it is none.

    >>> selector = parse_selector("#top > p.note")
    >>> [compound.key() for compound in selector.compounds], selector.combinators, selector.specificity
    (['.note', '#top'], '>', (1, 1, 1))
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
    parts, at = [], 0
    while at <= len(text):
        match = _ALTERNATIVE.match(text, at)
        parts.append(match[0] if match else "")
        at += len(parts[-1]) + 1
    return parts


class _SelectorReader:
    def __init__(self) -> None:
        self._compounds: list[Compound] = []
        self._combinators: list[str] = []
        self._now = Compound()
        self._ranks = [0, 0, 0]
        self._uncertain = False
        self._tests = 1

    def add(self, match: re.Match[str]) -> bool:
        """Adds one test; returns False if the selector can match nothing."""
        kind, now = match.lastgroup, self._now
        if match["type"]:
            self._now = now._replace(tag=match["type"].lower())
            self._ranks[2] += match["type"] != "*"
        elif match["id"]:
            self._now = now._replace(ids=(*now.ids, match["id"]))
            self._ranks[0] += 1
        elif match["class"]:
            self._now = now._replace(classes=now.classes | {match["class"]})
            self._ranks[1] += 1
        elif match["name"]:
            self._now = now._replace(attributes=(*now.attributes, _attribute_test(match)))
            self._ranks[1] += 1
        elif match["pseudo"]:
            return self._add_pseudo(match["pseudo"].lower(), match["argument"])
        elif kind == "combinator":
            self._compounds.append(now)
            self._combinators.append(match["combinator"].strip() or " ")
            self._now = Compound()
        return len(self._compounds) < MOST_COMPOUNDS

    def _add_pseudo(self, name: str, argument: str | None) -> bool:
        if name in _NEVER:
            return False
        if name in _LISTS and argument:
            return self._add_list(name, argument)
        self._ranks[1] += 1
        tests = [_place_test(each, argument) for each in _ALONE.get(name, (name,)) if each in _PLACES]
        known = [test for test in tests if test]
        if known:
            self._now = self._now._replace(places=(*self._now.places, *known))
        elif name in _LINKS:
            self._now = self._now._replace(attributes=(*self._now.attributes, ("href", "", "")))
        elif name not in _ALWAYS:
            if name not in _NOT_UNDERSTOOD and not name.startswith("-"):
                raise ValueError(name)  # browsers leave out the whole rule
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
            return Selector(compounds[:1], "", specificity, True, self._tests)
        return Selector(compounds, "".join(reversed(self._combinators)), specificity, tests=self._tests)


def _attribute_test(match: re.Match[str]) -> tuple[str, str, str]:
    """Reads `[name=value i]`; the comparison ends with `i` where the case of letters does not count."""
    name, how, value = match["name"].lower(), match["how"] or "", match["quoted"] or match["value"] or ""
    if how and (name in _ANY_CASE or (match["flag"] or "").lower() == "i"):
        return name, how + "i", value.lower()
    return name, how, value


def _place_test(name: str, argument: str | None) -> PlaceTest | None:
    """Reads the argument of `:nth-child()` and the like; None if it is not understood.

    >>> _place_test("nth-last-child", "-2n + 3")
    PlaceTest(step=-2, offset=3, of_type=False, from_end=True)
    """
    usual, of_type, from_end = _PLACES[name]
    text = (usual or argument or "").strip().lower()
    if text in _NUMBER_WORDS:
        return PlaceTest(*_NUMBER_WORDS[text], of_type, from_end)
    match = _NUMBERS.fullmatch(text)
    if match is None or (usual and argument is not None):
        return None
    step, sign, offset, number = match.groups()
    if number:
        return PlaceTest(0, int(number), of_type, from_end)
    return PlaceTest(
        int(step + "1" if step in ("", "+", "-") else step),
        int((sign or "") + (offset or "0")),
        of_type,
        from_end,
    )


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

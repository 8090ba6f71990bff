"""Finds the texts of an HTML page that a reader cannot see: a small style evaluator.

Inline styles, attributes and style sheets apply as in browsers: specificity, order and !important count.
What is not understood hides nothing. A text is hidden if it is so on a desktop and on a phone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice, pairwise

from spamnb.core import BoundedCache
from spamnb.mail.computed_style import Style, compute
from spamnb.mail.css_colors import LINK, Color, parse_legacy_color
from spamnb.mail.css_declarations import Values, clean, variables
from spamnb.mail.css_selectors import Element
from spamnb.mail.html_elements import NOT_SHOWN, ORDINARY, parse_attributes, read_element
from spamnb.mail.html_tokens import Token, name_set
from spamnb.mail.open_elements import SPECIAL, OpenElements
from spamnb.mail.style_sheet import DESKTOP, PHONE, Rule, RuleIndex, matches_media, parse_rules

_WITHOUT_CONTENT = name_set(
    "head area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
)
_WHOLE_PAGE = ("html", "body")  # always open, with or without their tags
_MOST_INSIDE = 8  # elements that are open before the tag of the body
# Tests of selectors: so many, and one more for each byte of the page. Of 16,721 real mails none takes more
# than 2,144, nor more than one for 20 bytes. No text of a page that takes more, or has more rules, is read.
_TESTS = 20_000
_MOST_RULES = 5_000
_STYLING = re.compile(rb"style|hidden|color|background|text|size|open|link", re.IGNORECASE)  # attributes
_HREF = re.compile(rb"href", re.IGNORECASE)
_TAG_BYTES = 1 << 13  # of attributes that are read
_CACHED_BYTES = 512
_elements = BoundedCache(partial(read_element, {}), limit=2048, longest=_CACHED_BYTES)


def hidden_texts(tokens: Sequence[Token], lower: bytes) -> tuple[list[bool], bool]:
    """Returns for the text of each token whether it is hidden, and whether a style hides any letters.

    >>> from spamnb.mail.html_tokens import tokenize
    >>> source = b'a<p style="display:none">b</p>c'
    >>> hidden_texts(tokenize(source, source), source)
    ([False, True, False], True)
    """
    custom = variables(lower.decode("latin-1"))
    rules = _rules(tokens, custom)
    read = BoundedCache(partial(read_element, custom), longest=_CACHED_BYTES) if custom else _elements
    budget = _TESTS + len(lower) if len(rules) <= _MOST_RULES else -1
    desktop, phone = (
        [rule for rule in rules if matches_media(rule.media, width)] for width in (DESKTOP, PHONE)
    )
    hidden, hides = Page(RuleIndex(desktop, budget), read).hidden_texts(tokens)
    if hides and [*map(id, desktop)] != [*map(id, phone)]:
        on_phone, hides = Page(RuleIndex(phone, budget), read).hidden_texts(tokens)
        hidden = [one and other for one, other in zip(hidden, on_phone, strict=True)]
    return hidden, hides


def _rules(tokens: Sequence[Token], custom: dict[str, str]) -> list[Rule]:
    """Returns the rules of all style sheets of a page."""
    rules: list[Rule] = []
    for (_, name, raw), (sheet, _, _) in pairwise(tokens):
        if name == b"style" and len(rules) <= _MOST_RULES:
            attributes = parse_attributes(raw.decode("latin-1"))
            if attributes.get("type", "text/css").strip().lower() in ("text/css", ""):
                text = clean(sheet.decode("utf-8", "replace").lower(), custom)
                rules += islice(parse_rules(text, attributes.get("media", "").lower()[:200]), _MOST_RULES + 1)
    return rules


class Page:
    """One walk through a page: computes the style of every element."""

    def __init__(self, rules: RuleIndex, read: BoundedCache[Element]) -> None:
        self._rules = rules
        self._read = read
        self._open = OpenElements(keyed=bool(rules))
        self._styles: dict[tuple[object, ...], Style] = {}
        self._link: Color = LINK
        for tag in _WHOLE_PAGE:
            self._push(read[tag.encode() + b" "])

    def hidden_texts(self, tokens: Sequence[Token]) -> tuple[list[bool], bool]:
        """Returns for the text of each token whether it is hidden, and whether a style hides any letters."""
        hidden, hides = [], False
        for text, name, attributes in tokens:
            blank = not text or text.isspace()
            is_hidden = not blank and self._hides_text()
            hidden.append(is_hidden)
            if is_hidden and not hides:
                ordinary = self._open.elements[-1].tag in ORDINARY
                hides = not ordinary and not text.replace(b"&nbsp;", b" ").isspace()
            if name[:1].isalpha():
                self._start(name, attributes[:_TAG_BYTES])
            elif name[:1] == b"/":
                self._end(name[1:].decode("latin-1"))
        return hidden, hides

    def _hides_text(self) -> bool:
        self._resume()
        if self._rules.budget < 0:
            return True
        return self._open.parent_style("").hides or _is_closed(self._open.elements[-1])

    def _resume(self) -> None:
        for element in self._open.resume():
            self._push(element)

    def _start(self, name: bytes, attributes: bytes) -> None:
        tag = name.decode("utf-8", "replace")
        if tag in _WHOLE_PAGE:
            self._start_page(tag, self._read[name + b" " + attributes])
        elif tag not in _WITHOUT_CONTENT:
            if not self._rules and not _STYLING.search(attributes):
                attributes = b"href" if tag == "a" and _HREF.search(attributes) else b""
            if tag in SPECIAL:
                self._open.start(tag)
            elif not attributes and self._changes_nothing(tag):
                return
            else:
                self._resume()
            self._push(self._read[name + b" " + attributes])

    def _changes_nothing(self, tag: str) -> bool:
        """Returns whether a tag without attributes, as <b>, can be ignored together with its end tag."""
        return not self._rules and tag not in NOT_SHOWN and not self._open.needs(tag)

    def _start_page(self, tag: str, element: Element) -> None:
        """Replaces the html or body that is open from the start; what is open in it stays open."""
        at = _WHOLE_PAGE.index(tag)
        inside = self._open.elements[len(_WHOLE_PAGE) :]
        if self._open.elements[at].source != tag.encode() + b" " or len(inside) > _MOST_INSIDE:
            return  # the first tag counts
        body = [self._open.elements[1]] if tag == "html" else []
        self._link = parse_legacy_color(element.attributes.get("link", "")) or self._link
        self._open.close_to(at, goes_on=False)
        for each in (element, *body, *inside):
            self._push(each)

    def _end(self, tag: str) -> None:
        if tag not in _WHOLE_PAGE:
            for element in self._open.end(tag):
                self._push(element)

    def _push(self, element: Element) -> None:
        parent = self._open.parent_style(element.tag)
        if self._rules.tests_first and self._open.is_first():
            element = element._replace(first=True)
        rules = self._rules.matching(element, self._open.elements, self._open.keys) if self._rules else []
        elements = self._open.elements
        closed = bool(elements) and _is_closed(elements[-1]) and element.tag != "summary"
        key = (
            (id(parent), element.source, closed, *map(id, rules))
            if rules
            else (id(parent), element.source, closed)
        )
        style = self._styles.get(key)
        if style is None:
            values = self._values(element, rules, closed)
            style = compute(parent, values, tag=element.tag, inline=element.tag not in SPECIAL)
            self._styles[key] = style
        self._open.push(element, style)

    def _values(self, element: Element, rules: Sequence[Rule], closed: bool) -> Values:
        """Returns the values of an element by the cascade: what comes later replaces what came before."""
        values: Values = {"color": self._link} if element.tag == "a" and "href" in element.attributes else {}
        values.update(element.hints)
        for rule in rules:
            values.update(rule.normal)
        values.update(element.normal)
        for rule in rules:
            values.update(rule.important)
        values.update(element.important)
        if closed:
            values["content-visibility"] = "hidden"
        return values


def _is_closed(element: Element) -> bool:
    """Returns whether an element shows its summary alone."""
    return element.tag == "details" and "open" not in element.attributes

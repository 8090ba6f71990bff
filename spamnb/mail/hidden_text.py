"""Finds the texts of an HTML page that a reader cannot see: a small style evaluator.

Inline styles, attributes and style sheets apply as in browsers: specificity, order and !important count.
What is not understood hides nothing. A text is hidden if it is so on a desktop and on a phone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from spamnb.core import BoundedCache
from spamnb.mail.computed_style import Style, StyleTree, compute
from spamnb.mail.css_escapes import clean
from spamnb.mail.css_selectors import Element, Family
from spamnb.mail.css_values import Values
from spamnb.mail.html_elements import (
    LETTERS_DRAWN,
    NOT_SHOWN,
    ORDINARY,
    parse_attributes,
    read_element,
)
from spamnb.mail.html_tokens import COMMENT, Markup, name_set
from spamnb.mail.media_queries import DESKTOP, PHONE, matches_media
from spamnb.mail.open_elements import SPECIAL, TABLE_PARTS, OpenElements, implied_parents
from spamnb.mail.style_sheet import Rule, RuleIndex, parse_rules

_WITHOUT_CONTENT = name_set(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
)
_IN_HEAD = name_set("base basefont bgsound link meta noframes noscript script style template title")
_WHOLE_PAGE = ("html", "body")  # always open, with or without their tags
_WHOLE_PAGE_TAGS = (b"html", b"body")
_MOST_INSIDE = 8  # elements that are open before the tag of the body
# Tests of selectors: so many, and one more for each byte of the page. Of 16,721 real mails none takes more
# than 2,144, nor more than one for 20 bytes. No text of a page that takes more, or has more rules, is read.
_TESTS = 20_000
_MOST_RULES = 5_000
_STYLING = re.compile(
    rb"style|hidden|color|background|text|size|open|link|popover", re.IGNORECASE
)  # attributes
_DRAWING_TAGS = ("svg", "math")
_MAY_BE_EMPTY = (b"svg", b"math")  # with a slash at the end of their tag
_INERT = (b"template", b"math")  # style sheets in them do not apply
_CLOSE_THEMSELVES = ("a", "nobr")
_FROM_END = re.compile(rb":(?:nth-)?last-|:only-|\\")  # counts from the last child; or an escape
_HREF = re.compile(rb"href", re.IGNORECASE)
_TAG_BYTES = 1 << 13  # of attributes that are read
_CACHED_BYTES = 512
_SLASH = 47
Elements = dict[tuple[bytes, bytes], Element]  # by the name and the attributes of a start tag
_elements = BoundedCache(read_element, limit=1 << 20, longest=_CACHED_BYTES)
_shared_styles = StyleTree()  # of pages without style sheets


def _ended_tag(name: bytes) -> str:
    """Returns the element that an end tag closes: html and body stay open."""
    return "" if name[1:] in _WHOLE_PAGE_TAGS else name[1:].decode("latin-1")


_ended_tags = BoundedCache(_ended_tag)


def hidden_texts(markup: Markup, lower: bytes) -> tuple[list[int], bool]:
    """Returns which texts of a page are hidden, and whether a style hides any letters.

    >>> from spamnb.mail.html_tokens import split_markup
    >>> source = b'a<p style="display:none">b</p>c'
    >>> hidden_texts(split_markup(source, source), source)
    ([1], True)
    """
    rules = _rules(markup) if b"style" in markup.names else []
    desktop = [rule for rule in rules if matches_media(rule.media, DESKTOP)]
    elements = _read_elements(markup, bool(desktop))
    budget = _TESTS + len(lower) if len(rules) <= _MOST_RULES else -1
    whole: Sequence[Family] = ()
    if rules and _FROM_END.search(lower):
        first = Page(rules, elements, -1)
        first.hidden_texts(markup)
        whole = first.families
    hidden, hides = Page(desktop, elements, budget, whole).hidden_texts(markup)
    phone = [rule for rule in rules if matches_media(rule.media, PHONE)] if hides else desktop
    if [*map(id, desktop)] != [*map(id, phone)]:
        elements = _read_elements(markup, bool(phone))
        on_phone, hides = Page(phone, elements, budget, whole).hidden_texts(markup)
        hidden = sorted({*hidden} & {*on_phone})
    return hidden, hides


def _rules(markup: Markup) -> list[Rule]:
    """Returns the rules of all style sheets of a page."""
    rules: list[Rule] = []
    inert = 0
    for name, raw, sheet in zip(markup.names, markup.attributes, markup.texts[1:], strict=True):
        inert += (name in _INERT) - (name[1:] in _INERT and inert > 0)
        if name == b"style" and not inert and len(rules) <= _MOST_RULES:
            attributes = parse_attributes(raw.decode("latin-1"))
            if attributes.get("type", "text/css").strip().lower() in ("text/css", ""):
                text = clean(sheet.decode("utf-8", "replace"))
                rules += islice(parse_rules(text, attributes.get("media", "").lower()[:200]), _MOST_RULES + 1)
    return rules


def _read_elements(markup: Markup, has_rules: bool) -> Elements:
    """Reads the different start tags of a page that open an element, with rules also those of void ones."""
    elements: Elements = {}
    for tag in dict.fromkeys(zip(markup.names, markup.attributes, strict=True)):
        name, attributes = tag[0], tag[1][:_TAG_BYTES]
        if name == b"head" or not name[:1].isalpha():
            continue
        if not has_rules and name.decode("latin-1") in _WITHOUT_CONTENT:
            continue
        kept = has_rules or name in _WHOLE_PAGE_TAGS or name in _MAY_BE_EMPTY
        if not kept and not _STYLING.search(attributes):
            attributes = b"href" if name == b"a" and _HREF.search(attributes) else b""
        elements[tag] = _elements[name + b" " + attributes]
    return elements


class Page:
    """One walk through a page: computes the style of every element."""

    def __init__(
        self,
        rules: Sequence[Rule],
        elements: Elements,
        budget: int,
        whole: Sequence[Family] = (),
    ) -> None:
        self._rules = RuleIndex(rules, budget)
        self._has_rules = bool(rules)
        self._elements = elements
        self._tree = StyleTree() if rules else _shared_styles
        self._summaries: dict[int, object] = {}  # by depth, what has its summary
        self._in_head = True  # until something is shown
        self._open = OpenElements(self._tree.root, keyed=self._has_rules, whole=whole)
        for tag in _WHOLE_PAGE:
            self._push(_elements[tag.encode() + b" "])

    @property
    def families(self) -> list[Family]:
        """The children of all elements, in the order of these."""
        return self._open.all_families

    def hidden_texts(self, markup: Markup) -> tuple[list[int], bool]:
        """Returns which texts of a page are hidden, and whether a style hides any letters."""
        hidden, hides = [], False
        tags = zip(markup.names, markup.attributes, strict=True)
        started = [*map(self._elements.get, tags), None]
        for at, (text, name, element) in enumerate(
            zip(markup.texts, [*markup.names, COMMENT], started, strict=True)
        ):
            if text and not text.isspace() and self._hides_text():
                hidden.append(at)
                if not hides and self._open.elements[-1].tag not in ORDINARY:
                    hides = not text.replace(b"&nbsp;", b" ").isspace()
            if self._open.has_drawing():
                self._open.leave_drawings(name.decode("latin-1"))
            if element:
                self._start(element)
            elif name[0] == _SLASH:
                for opened in self._open.end(_ended_tags[name]):
                    self._push(opened)
        return hidden, hides

    def _hides_text(self) -> bool:
        if self._in_head and self._open.elements[-1].tag not in _IN_HEAD:
            self._end_head()
        if self._open.interrupted:
            self._resume()
        if self._rules.budget < 0:
            return True
        return self._open.parent_style("").hides or _is_closed(self._open.elements[-1])

    def _resume(self) -> None:
        interrupted, self._open.interrupted = self._open.interrupted, []
        for element in interrupted:
            self._push(element)

    def _start(self, element: Element) -> None:
        tag = element.tag
        if tag in TABLE_PARTS and not self._open.has_table():
            return
        if self._is_empty(element):
            return
        if self._has_rules and tag in _WITHOUT_CONTENT:
            self._add_child(element)
            return
        if tag in SPECIAL or tag == "option":
            if tag in _WHOLE_PAGE:
                self._start_page(tag, element)
                return
            self._open.start(tag)
            if self._has_rules:
                for implied in implied_parents(self._open.elements[-1].tag, tag):
                    self._push(_elements[implied.encode() + b" "])
        elif not element.attributes and self._changes_nothing(tag):
            return
        else:
            if tag in _CLOSE_THEMSELVES:
                for opened in self._open.end(tag):
                    self._push(opened)
            if self._open.interrupted:
                self._resume()
        self._push(element)

    def _is_empty(self, element: Element) -> bool:
        """Returns whether a tag begins and ends an element: a slash does so in drawings alone."""
        is_drawing = element.tag in _DRAWING_TAGS or (self._open.has_drawing() and self._open.is_drawing())
        return is_drawing and element.source.endswith(b"/")

    def _changes_nothing(self, tag: str) -> bool:
        """Returns whether a tag without attributes, as <b>, can be ignored together with its end tag."""
        shows = tag not in NOT_SHOWN and tag not in LETTERS_DRAWN
        return shows and not self._has_rules and not self._open.needs(tag)

    def _start_page(self, tag: str, element: Element) -> None:
        """Replaces the html or body that is open from the start; what is open in it stays open."""
        at = _WHOLE_PAGE.index(tag)
        inside = self._open.elements[len(_WHOLE_PAGE) :]
        if self._open.elements[at].source != tag.encode() + b" " or len(inside) > _MOST_INSIDE:
            return  # the first tag counts
        body = [self._open.elements[1]] if tag == "html" else []
        self._open.close_to(at, goes_on=False)
        for each in (element, *body, *inside):
            self._push(each)

    def _push(self, element: Element) -> None:
        elements, style = self._open.elements, self._open.parent_style(element.tag)
        rules: Sequence[Rule] = ()
        if self._has_rules:
            self._add_child(element)
            rules = self._rules.matching(self._open.families, self._open.keys)
        closed = bool(elements) and _is_closed(elements[-1]) and not self._is_first_summary(element)
        if element.is_styled or rules or closed:
            style = self._style(element, style, rules, closed)
        self._open.push(element, style)

    def _is_first_summary(self, element: Element) -> bool:
        depth = len(self._open.elements)
        if element.tag != "summary" or self._summaries.get(depth) is self._open.innermost():
            return False
        self._summaries[depth] = self._open.innermost()
        return True

    def _add_child(self, element: Element) -> None:
        """Adds an element to the children of the innermost one, with the places that browsers give them."""
        tag, families = element.tag, self._open.families
        if tag in _WHOLE_PAGE:
            families[-1] = self._open.new_family()
            if tag == "body":
                families[-1].add(_elements[b"head "])
        elif self._in_head and tag not in _IN_HEAD:
            self._end_head()
        families[-1].add(element)

    def _end_head(self) -> None:
        """Begins the children of the body: what came before the first text is in the head."""
        self._in_head = False
        if self._has_rules:
            self._open.families[-1] = self._open.new_family()

    def _style(self, element: Element, parent: Style, rules: Sequence[Rule], closed: bool) -> Style:
        """Returns the style of an element inside of another one; `closed`: that is <details>."""
        key = (element.source, closed, *map(id, rules)) if rules or closed else element.source
        style = parent.inside.get(key)
        if style is None:
            values = _cascade(parent, element, rules, closed)
            style = compute(parent, values, tag=element.tag, inline=element.tag not in SPECIAL)
            self._tree.keep(style, parent, key, len(element.source))
        return style


def _cascade(parent: Style, element: Element, rules: Sequence[Rule], closed: bool) -> Values:
    """Returns the values of an element: what comes later replaces what came before."""
    is_link = element.tag == "a" and "href" in element.attributes
    values: Values = {"color": parent.colors.link} if is_link else {}
    values.update(element.styles.hints)
    for rule in rules:
        values.update(rule.normal)
    values.update(element.styles.normal)
    for rule in rules:
        values.update(rule.important)
    values.update(element.styles.important)
    if closed:
        values["display"] = "none"
    return values


def _is_closed(element: Element) -> bool:
    """Returns whether an element shows its summary alone."""
    return element.tag == "details" and "open" not in element.attributes

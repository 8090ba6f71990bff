"""Keeps the elements of a page that are open, and closes them as browsers do where end tags are missing.

Every tag takes constant time on the average: an element that is closed is never looked at again, and where
formatting such as <b> and <font> goes on after the end of a block, at most so many elements are opened again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from spamnb.mail.computed_style import Style
from spamnb.mail.css_selectors import Element, Family
from spamnb.mail.html_tokens import name_set

_FORMATTING = name_set("a b big code em font i nobr s small strike strong tt u")
# Elements that begin a block, and inside of which the end tag of <span> outside of them ends nothing.
SPECIAL = name_set(
    "address applet article aside blockquote body button caption center dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup html li listing main"
    " marquee menu nav object ol p plaintext pre search section select summary table tbody td"
    " template tfoot th thead tr ul xmp"
)
_CLOSES_P = SPECIAL - name_set(
    "applet body button caption html marquee object select tbody td template tfoot th thead tr"
)
_MARKERS = name_set("applet caption html marquee object table td template th")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CELLS = ("td", "th")
_GROUPS = ("tbody", "thead", "tfoot")
TABLE_PARTS = frozenset(("caption", "colgroup", "col", "tr", *_CELLS, *_GROUPS))
_IN_TABLE = frozenset(("table", "tr", *_GROUPS))
_STAYS_IN_TABLE = TABLE_PARTS | name_set("script style template input form")
# The start tag -> elements that it closes, and the elements that keep them open.
_CLOSES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "li": (("li",), ("ul", "ol", "menu")),
    "dd": (("dd", "dt"), ("dl",)),
    "dt": (("dd", "dt"), ("dl",)),
    "option": (("option",), ("select",)),
    "button": (("button",), tuple(_MARKERS)),
    "td": ((*_CELLS, "caption"), ("table", "tr")),
    "th": ((*_CELLS, "caption"), ("table", "tr")),
    "tr": (("tr", "caption"), ("table",)),
    **dict.fromkeys(("caption", *_GROUPS), ((*_GROUPS, "caption"), ("table",))),
}
# Drawings and formulas, and the elements inside of them that hold HTML.
_DRAWINGS = {
    "svg": ("foreignobject", "desc", "title"),
    "math": ("mi", "mo", "mn", "ms", "mtext", "annotation-xml"),
}
# Tags that end a drawing that they are in.
_BREAKS_OUT = name_set(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing"
    " menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var /p /br"
)
_MOST = 8  # elements that are opened again
# The innermost element, the tag that starts in it -> what browsers open between them.
_IMPLIED: dict[tuple[str, str], tuple[str, ...]] = {
    ("table", "tr"): ("tbody",),
    **{("table", cell): ("tbody", "tr") for cell in _CELLS},
    **{(group, cell): ("tr",) for group in _GROUPS for cell in _CELLS},
}


def implied_parents(innermost: str, tag: str) -> tuple[str, ...]:
    """Returns the elements that a tag opens around its own.

    >>> implied_parents("table", "td")
    ('tbody', 'tr')
    """
    return _IMPLIED.get((innermost, tag), ())


class OpenElements:
    """The open elements of a page; the style of the innermost one is that of a text."""

    def __init__(self, root: Style, *, keyed: bool = True, whole: Sequence[Family] = ()) -> None:
        self.elements: list[Element] = []
        self.keys: defaultdict[str, int] = defaultdict(int)  # of the open elements, how many, if `keyed`
        self.interrupted: list[Element] = []  # formatting that goes on with the next text
        self._keyed = keyed
        # Of each open element its style, and where the innermost special element and marker are.
        self._frames: list[tuple[Style, int, int]] = [(root, -1, -1)]
        self._whole = whole
        self.all_families: list[Family] = []
        self.families = [self.new_family()]  # the children of the page, and of each open element, if `keyed`
        self._positions: defaultdict[str, list[int]] = defaultdict(
            list
        )  # tag -> where in the list it is open
        self._set_aside: list[list[Element]] = []  # interrupted formatting, for each open marker

    def parent_style(self, tag: str) -> Style:
        """Returns the style that a new element inherits: what a table may not contain stands before it."""
        if self.elements and self.elements[-1].tag in _IN_TABLE and tag not in _STAYS_IN_TABLE:
            return self._frames[max(self._last("table"), 0)][0]
        return self._frames[-1][0]

    def new_family(self) -> Family:
        """Returns an empty family, with its children from an earlier walk through the page."""
        number = len(self.all_families)
        self.all_families.append(Family(self._whole[number] if number < len(self._whole) else None))
        return self.all_families[-1]

    def innermost(self) -> object:
        """Returns what stands for the innermost element as long as it is open."""
        return self._frames[-1]

    def needs(self, tag: str) -> bool:
        """Returns whether the end of an element with this tag could be taken for that of another one."""
        return bool(self.interrupted or self._positions.get(tag) or tag in _CLOSES)

    def start(self, tag: str) -> None:
        """Closes what a start tag closes."""
        if tag in _CLOSES_P and self._positions["p"] and self._last("p") > self._frames[-1][2]:
            self.close_to(self._last("p"))
        if tag in _CLOSES:
            closed, keepers = _CLOSES[tag]
            if self.elements[-1].tag in keepers:
                return
            at = max(map(self._last, closed))
            if at > max(map(self._last, keepers)):
                self.close_to(at, goes_on=tag not in TABLE_PARTS)
        elif tag in _HEADINGS and self.elements[-1].tag in _HEADINGS:
            self._pop()

    def has_table(self) -> bool:
        return self._last("table") >= 0

    def has_drawing(self) -> bool:
        return bool(self._positions.get("svg") or self._positions.get("math"))

    def is_drawing(self) -> bool:
        """Returns whether the innermost element is part of a drawing or formula, not HTML inside of it."""
        return self._drawing() >= 0

    def _drawing(self) -> int:
        at, tag = max((self._last(tag), tag) for tag in _DRAWINGS)
        return at if at > max(map(self._last, _DRAWINGS[tag])) else -1

    def leave_drawings(self, name: str) -> None:
        """Closes the drawings that a tag of this name cannot be in."""
        if name in _BREAKS_OUT:
            while (at := self._drawing()) >= 0:
                self.close_to(at)

    def push(self, element: Element, style: Style) -> None:
        at, tag = len(self.elements), element.tag
        _, special, marker = self._frames[-1]
        self.elements.append(element)
        self._positions[tag].append(at)
        if tag in _MARKERS:
            marker = at
            self._set_aside.append(self.interrupted)
            self.interrupted = []
        self._frames.append((style, at if tag in SPECIAL else special, marker))
        if self._keyed:
            self.families.append(self.new_family())
            for key in element.keys:
                self.keys[key] += 1

    def end(self, tag: str) -> list[Element]:
        """Closes an element; returns those that its end tag leaves open inside of it, to be pushed again."""
        if self.elements and self.elements[-1].tag == tag:
            self._pop()
            return []
        at = max(map(self._last, _HEADINGS)) if tag in _HEADINGS else self._last(tag)
        if at < 0 and not self.interrupted:
            return []
        _, special, marker = self._frames[-1]
        if tag in _FORMATTING and at <= marker:
            self._end_interrupted(tag)
        elif tag == "table" or tag in TABLE_PARTS:
            if at >= 0 and at >= self._last("table"):
                self.close_to(at, goes_on=False)
        elif tag in _FORMATTING:
            return self._end_formatting(at)
        elif at > (marker if tag in SPECIAL else special):
            self.close_to(at)
        elif tag in _MARKERS and at >= 0 and at == marker:
            self.close_to(at, goes_on=False)
        return []

    def _end_formatting(self, at: int) -> list[Element]:
        """Closes formatting inside of which blocks may go on: they are opened again without it."""
        inside = self.elements[at + 1 :] if len(self.elements) - at <= _MOST + 1 else None
        if inside is None:
            return []
        self.close_to(at, goes_on=False)
        if any(element.tag in SPECIAL for element in inside):
            return inside
        self.interrupted += [element for element in inside if element.tag in _FORMATTING][-_MOST:]
        return []

    def _end_interrupted(self, tag: str) -> None:
        for at in range(len(self.interrupted) - 1, -1, -1):
            if self.interrupted[at].tag == tag:
                del self.interrupted[at]
                return

    def close_to(self, at: int, *, goes_on: bool = True) -> None:
        """Closes the element at a position with all in it; formatting goes on, but not at a table's end."""
        closed = self.elements[at + 1 :] if goes_on else None
        while len(self.elements) > at:
            self._pop()
        if closed:
            formatting = [element for element in closed if element.tag in _FORMATTING]
            self.interrupted = (self.interrupted + formatting)[-_MOST:]

    def _pop(self) -> None:
        element = self.elements.pop()
        _, _, marker = self._frames.pop()
        self._positions[element.tag].pop()
        if marker == len(self.elements):
            self.interrupted = self._set_aside.pop()
        if self._keyed:
            self.families.pop()
            for key in element.keys:
                self.keys[key] -= 1

    def _last(self, tag: str) -> int:
        positions = self._positions.get(tag)
        return positions[-1] if positions else -1

"""Sets of characters as bits of one integer, exact enough to say surely that two of them share no character.

Each character of Latin-1, and each that a pattern mentions, has a bit of its own. All others lie between two
of these and have one of four bits there: digit, other word character, space, anything else. So every class
is a union of bits. Where nobody looks (has that stretch any digit?) two classes may seem to meet; that only
makes the answer more careful.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from functools import cached_property
from re import _constants as op  # type: ignore[attr-defined]  # private, but the same since Python 3.11
from typing import Any

_KINDS = 4  # bits of a stretch: digit, other word character, space, anything else
# Beyond Latin-1, but the same letters as some of it where case is ignored.
_RELATIVES = "\u0130\u0131\u017f\u0178\u1e9e\u039c\u03bc\u212a\u212b"
_ASCII_KINDS = re.ASCII


class Sets:
    """The bits for one pattern; `mentioned` are the code points in it."""

    def __init__(self, mentioned: set[int]) -> None:
        known = {*range(256), *map(ord, _RELATIVES), *mentioned, *(m + 1 for m in mentioned)}
        self._single = sorted(c for c in known if c <= sys.maxunicode)
        # Bit numbers: a character, then the four of the stretch behind it, and so on.
        self._step = 1 + _KINDS
        self.all = (1 << (len(self._single) * self._step)) - 1

    def _from(self, code: int) -> int:
        """The first bit of the characters from `code` on."""
        return bisect_left(self._single, code) * self._step

    def span(self, low: int, high: int) -> int:
        """The characters from low to high, both of them mentioned."""
        return (1 << self._from(high + 1)) - (1 << self._from(low))

    def literal(self, code: int) -> int:
        return 1 << (bisect_right(self._single, code) - 1) * self._step

    def _of_kind(self, kinds: tuple[bool, bool, bool, bool], flag: Any) -> int:
        bits = sum(1 << (1 + k) for k in range(_KINDS) if kinds[k])
        return sum((bits | bool(flag(chr(code)))) << (i * self._step) for i, code in enumerate(self._single))

    @cached_property
    def _categories(self) -> dict[Any, int]:
        return {
            op.CATEGORY_DIGIT: self._of_kind((True, False, False, False), str.isdecimal),
            op.CATEGORY_WORD: self._of_kind((True, True, False, False), lambda c: c.isalnum() or c == "_"),
            op.CATEGORY_SPACE: self._of_kind((False, False, True, False), str.isspace),
        }

    @cached_property
    def _ascii(self) -> int:
        return (1 << self._from(128)) - 1

    def category(self, name: Any, flags: int) -> int:
        opposite = _OPPOSITES.get(name)
        if opposite is not None:
            return self.all & ~self.category(opposite, flags)
        found = self._categories[name]
        return found & self._ascii if flags & _ASCII_KINDS else found

    def one_of(self, items: list[Any], flags: int) -> int:
        """What stands in square brackets."""
        found, negate = 0, False
        for kind, value in items:
            if kind is op.NEGATE:
                negate = True
            elif kind is op.LITERAL:
                found |= self.literal(value)
            elif kind is op.RANGE:
                found |= self.span(*value)
            else:
                found |= self.category(value, flags)
        if negate:  # without a look at case: `folded` takes in too much, and too little would be left
            return self.all & ~found
        return self.folded(found) if flags & re.IGNORECASE else found

    @cached_property
    def _families(self) -> list[int]:
        """Characters with a bit of their own that are one where case is ignored."""
        families: dict[str, int] = {}
        for code in self._single:
            name = chr(code).upper().casefold()[:1] or chr(code)
            families[name] = families.get(name, 0) | self.literal(code)
        return [bits for bits in families.values() if bits & (bits - 1)]

    @cached_property
    def _beyond(self) -> int:
        """All beyond Latin-1 that may have another case."""
        letters = self._of_kind((False, True, False, True), lambda c: not c.isspace() and not c.isdecimal())
        return letters & ~((1 << self._from(256)) - 1)

    def folded(self, found: int) -> int:
        """With all that is the same where case is ignored, beyond Latin-1 without looking closely."""
        for family in self._families:
            if found & family:
                found |= family
        return found | self._beyond if found & self._beyond & ~self._known_relatives else found

    @cached_property
    def _known_relatives(self) -> int:
        return sum(self.literal(ord(c)) for c in _RELATIVES)


_OPPOSITES = {
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
}

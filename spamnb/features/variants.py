"""What a disguised word may stand for: digits and signs for letters (fr33, c@sh), held letters (freeee)."""

from __future__ import annotations

import re

_I = bytes.maketrans(b"013457@$", b"oieastas")
_L = bytes.maketrans(b"013457@$", b"oleastas")

# Letters, and digits and signs that look like letters; never three digits in a row (a code, a price, a year);
# at least one stands behind a letter, as in no 3mins or 4get.
_LEET = re.compile(rb"(?!.*[0-9]{3})(?=.*(?:[a-z][013457]|[@$]))[a-z013457@$]+")
_SIGNS = re.compile(rb"[^a-z]")
_HELD = re.compile(rb"([a-vyz])\1{2,}")  # www and xxx are words


def leet(word: bytes) -> tuple[bytes, ...]:
    """The words that may be written with these digits and signs; 1 is i or l.

    >>> leet(b"fr33"), leet(b"ca1l"), leet(b"b4"), leet(b"3mins"), leet(b"150p")
    ((b'free',), (b'cail', b'call'), (), (), ())
    """
    signs = len(_SIGNS.findall(word))
    if len(word) - signs < max(2, signs) or not _LEET.fullmatch(word):
        return ()
    return tuple(dict.fromkeys((word.translate(_I), word.translate(_L))))


def held(word: bytes) -> tuple[bytes, ...]:
    """The word with its long letters once, and twice; a word of one letter (mmm) is not held long.

    >>> held(b"freeee"), held(b"www"), held(b"free")
    ((b'fre', b'free'), (), ())
    """
    if len(set(word)) == 1 or not _HELD.search(word):
        return ()
    return _HELD.sub(rb"\1", word), _HELD.sub(rb"\1\1", word)

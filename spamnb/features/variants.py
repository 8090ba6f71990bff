"""What a disguised word may stand for: digits and signs for letters (fr33, c@sh), letters held long (freeee)."""

from __future__ import annotations

import re

_I = bytes.maketrans(b"013457@$", b"oieastas")
_L = bytes.maketrans(b"013457@$", b"oleastas")

# Letters with digits and signs that look like letters, never three digits in a row (a code, a price, a year) ...
_LEET = re.compile(rb"(?!.*[0-9]{3})[a-z013457@$]+")
_NUMBER = re.compile(rb"[0-9][a-z]{0,3}|[0-9]{2}[a-z]+")  # ... nor a number before a word: 3mins, 4get
_SIGNS = re.compile(rb"[^a-z]")
_HELD = re.compile(rb"([a-z])\1{2,}")


def leet(word: bytes) -> tuple[bytes, ...]:
    """The words that may be written with these digits and signs; 1 is i or l.

    >>> leet(b"fr33"), leet(b"ca1l"), leet(b"b4"), leet(b"3mins"), leet(b"150p")
    ((b'free',), (b'cail', b'call'), (), (), ())
    """
    signs = len(_SIGNS.findall(word))
    if not signs or len(word) - signs < max(2, signs):
        return ()
    if not _LEET.fullmatch(word) or _NUMBER.fullmatch(word):
        return ()
    return tuple(dict.fromkeys((word.translate(_I), word.translate(_L))))


def held(word: bytes) -> tuple[bytes, ...]:
    """The word with its long letters once, and twice; a word of one letter (www, xxx) is not held long.

    >>> held(b"freeee"), held(b"www"), held(b"free")
    ((b'fre', b'free'), (), ())
    """
    if len(set(word)) == 1 or not _HELD.search(word):
        return ()
    return _HELD.sub(rb"\1", word), _HELD.sub(rb"\1\1", word)

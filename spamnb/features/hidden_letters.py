"""Reveals hidden letters: removes invisible characters inside words, replaces lookalikes and styled letters.

The revealed text replaces the message, so its words have the counts of clean words; a `shape:` token records
each kind of obfuscation. Only messages with such characters in a run of non-ASCII bytes are changed; a batch
without any is returned as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from spamnb.core import BoundedCache
from spamnb.features.lookalikes import LETTERS, fold_lookalikes
from spamnb.messages import Texts

# Soft hyphen, joiners, zero-width spaces, direction marks, variation selectors, tags, Hangul fillers of no
# width.
INVISIBLE = (
    "\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff"
)
FILLERS = "\u3164\uffa0"  # of Hangul: they look like blanks, and are letters to Unicode
MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"  # combine with the letter before them
# Raised, circled, squared, wide, mathematical and small capital letters and digits.
FANCY = (
    "\u02b0-\u02b8\u02e1-\u02e3\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f\u1d00-\u1d6a\u1d9c-\u1dbb"
    "\u2071-\u209c\u2102-\u2134\u2145-\u2149\u2160-\u217f\u2460-\u24ff\u2c7c\u2c7d\ua730\ua731\ufb00-\ufb06"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\U0001f110-\U0001f189"
)
_SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
_NEGATIVE = (0x1F150, 0x1F170)  # white letters on black circles and squares

# Alphabets whose letters need no joiner.
_LETTER = f"A-Za-z0-9\u00c0-\u024f\u1e00-\u1eff{LETTERS}"
_HIDDEN = re.compile(f"(?<=[{_LETTER}])[{INVISIBLE}{MARKS}]+(?=[{_LETTER}])")
_FILLER = re.compile(f"[{FILLERS}]")
_MARK = re.compile(f"[{MARKS}]")
_PIECE = re.compile("[^\u0300-\U0010ffff]*[\u0300-\U0010ffff]{0,256}")  # no mark is below U+0300
_FANCY = re.compile(f"[{FANCY}]")
_SUSPECT = re.compile(f"[{INVISIBLE}{FILLERS}{MARKS}{FANCY}{LETTERS}]")


def reveal_hidden_letters(text: str) -> tuple[str, list[str]]:
    """Returns the text as a reader sees it, and the kinds of obfuscation in it.

    >>> reveal_hidden_letters("f\u200bree \uff57\uff49\uff4e")
    ('free win', ['zero-width', 'fancy'])
    """
    kinds = []
    if _MARK.search(text):
        text = _composed(text)  # a letter and its accent are one letter, no obfuscation
    for name, step in _STEPS:
        new = step(text)
        if new != text:
            text = new
            kinds.append(name)
    return text, kinds


def _composed(text: str) -> str:
    """Applies NFC to pieces: it sorts consecutive marks by swapping neighbours, in quadratic time."""
    return "".join(unicodedata.normalize("NFC", piece) for piece in _PIECE.findall(text))


def _plain(match: re.Match[str]) -> str:
    char, code = match[0], ord(match[0])
    for first in _NEGATIVE:
        if first <= code < first + 26:
            return chr(code - first + 65)
    plain = _SMALL_CAPITALS.get(char) or unicodedata.normalize("NFKC", char)
    letters = plain.isascii() and plain.isalnum() and (len(plain) == 1 or char.isalnum())  # no TM for a sign
    return plain if letters else char


_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("zero-width", lambda text: _HIDDEN.sub("", _FILLER.sub(" ", text))),
    ("fancy", lambda text: _FANCY.sub(_plain, text)),
    ("mixed-script", fold_lookalikes),
)


def _is_suspect(run: bytes) -> bool:
    return _SUSPECT.search(run.decode("utf-8", "surrogateescape")) is not None


_suspect = BoundedCache(_is_suspect, limit=1 << 23)


def rows_with_hidden_letters(texts: Texts) -> list[int]:
    """Finds the messages that may have hidden letters; no other message has any."""
    return texts.rows_with(_suspect.__getitem__)


def reveal_in_texts(texts: Texts) -> tuple[Texts, list[tuple[int, str]]]:
    """Returns the texts as a reader sees them, and each kind of obfuscation with its message."""
    new, obfuscations = {}, []
    for row in rows_with_hidden_letters(texts):
        original = texts[row].decode("utf-8", "surrogateescape")
        text, kinds = reveal_hidden_letters(original)
        obfuscations += [(row, kind) for kind in kinds]
        if text != original:
            new[row] = text.encode("utf-8", "surrogateescape")
    return (_replace(texts, new) if new else texts), obfuscations


def _replace(texts: Texts, new: dict[int, bytes]) -> Texts:
    """Replaces the messages of some rows."""
    messages = texts.tolist()
    for row, message in new.items():
        messages[row] = message
    joined = Texts.of(messages)
    return Texts(joined.data, joined.starts, joined.ends, texts.tags)

"""Removes comments from styles, decodes escapes, and writes names of classes as selectors then have them."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_PRIVATE, _DIGITS = 0xE000, "0123456789"  # where the letters begin that stand for ASCII
_SIGNS = {
    code: _PRIVATE + code for code in range(32, 127) if not chr(code).isalnum() and chr(code) not in "-_"
}


def clean(style: str) -> str:
    """Removes comments and decodes escapes in a style."""
    if style.find("/*") >= 0:
        style = _COMMENT.sub(" ", style)
    return _ESCAPE.sub(_character, style) if style.find("\\") >= 0 else style


def _character(escape: re.Match[str]) -> str:
    """Returns an escaped character; signs, and digits that begin a name, as letters of no case."""
    code = int(escape[1], 16) if escape[1] else ord(escape[2])
    if not 32 <= code < 0x110000:
        return "\ufffd"  # a control character is part of a name
    starts_name = escape.string[max(escape.start() - 1, 0)] in ".#"
    return as_name(chr(code)) if starts_name or not chr(code).isdigit() else chr(code)


def as_name(text: str) -> str:
    """Returns a class or id with letters of no case in place of signs, as selectors have it.

    >>> as_name("note-1"), ascii(as_name("a:b")) == ascii("a" + chr(0xE03A) + "b")
    ('note-1', True)
    """
    name = text if text.isalnum() else text.translate(_SIGNS)
    return chr(_PRIVATE + ord(name[0])) + name[1:] if name[:1] in _DIGITS and name else name

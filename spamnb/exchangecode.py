"""Tokens, arrays and 32-bit numbers as text that people can read, and back, bit for bit."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np

_SHORT = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ESCAPED = re.compile(rb"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_LONG = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def plain(value: Any) -> Any:
    """Arrays, wherever they stand, as their type, shape and bytes."""
    if isinstance(value, np.ndarray):
        return {
            "array": value.dtype.str,
            "shape": list(value.shape),
            "base64": b64encode(value.tobytes()).decode(),
        }
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def arrays(value: Any) -> Any:
    """The inverse of `plain`."""
    if isinstance(value, dict) and value.keys() == {"array", "shape", "base64"}:
        found = np.frombuffer(b64decode(value["base64"]), value["array"])
        return found.reshape(value["shape"]).copy()
    if isinstance(value, dict):
        return {key: arrays(item) for key, item in value.items()}
    return [arrays(item) for item in value] if isinstance(value, list) else value


def escape(token: bytes) -> str:
    r"""A token on one line, in printable characters.

    >>> print(escape(b"a\tb\\\xff"))
    a\tb\\\xff
    """
    text = token.decode("utf-8", "surrogateescape")
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(_SHORT.get(c) or (c if c.isprintable() else _hex(c)) for c in text)


def _hex(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def unescape(field: bytes) -> bytes:
    """The inverse of `escape`; a KeyError where a backslash means nothing."""
    if b"\\" not in field:
        return field
    return _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]) if m[1] else _LONG[m[2]], field)


def short(number: np.float32) -> str:
    """The fewest digits that tell a 32-bit number from all others.

    >>> short(np.float32(0.1)), short(np.float32(0))
    ('0.1', '0')
    """
    text = str(number).removesuffix(".0")
    # Who reads it rounds to 64 bits first, which could in principle end at the number beside it.
    return text if np.float32(float(text)) == number else repr(float(number))

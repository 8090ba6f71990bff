"""The frozen hash of spamnb/features/token_keys.py in Python integers."""

from __future__ import annotations

BITS = (1 << 64) - 1


def mix(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & BITS
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & BITS
    return x ^ (x >> 31)


def join(left: int, right: int) -> int:
    return mix((left * 0x9E3779B97F4A7C15 + right) & BITS)


def key(token: bytes) -> int:
    """Up to 8 bytes are their own key; of longer tokens the first 64 bytes and the length enter it."""
    if len(token) <= 8:
        return int.from_bytes(token, "little")
    h = 0
    for start in range(0, min(len(token), 64), 8):
        h = mix(h ^ int.from_bytes(token[start : min(start + 8, 64)], "little"))
    return mix(h ^ len(token))


def encoded(text: str) -> bytes:
    """The bytes behind a token of `reference.tokens`, where an invalid byte is a lone surrogate."""
    return text.encode("utf-8", "surrogateescape")


def token_key(token: str) -> int:
    """The key of a token as it is written: `word`, `two words`, `tag:rest`."""
    tag, colon, rest = token.partition(":")
    if colon:
        return join(key(encoded(tag + ":")), key(encoded(rest)))
    first, *others = token.split(" ")
    result = key(encoded(first))
    for word in others:
        result = join(result, key(encoded(word)))
    return result

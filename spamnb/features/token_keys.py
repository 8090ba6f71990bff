"""Computes the key of a token, an unsigned 64-bit number. FROZEN: keys are part of the model file format.

    bytes of length 1..8     the bytes themselves, little-endian, zero-padded: no collision at all
    longer                   h = 0; h = mix(h ^ b) for each 8-byte block b of the first 64; mix(h ^ length)
    n-gram "a b"             join(key(a), key(b)); "a b c" is join(join(a, b), c)
    tagged token "tag:rest"  join(key("tag:"), key(rest)); no word has a colon, so they never equal words

tests/features/test_token_keys.py has golden values and tests/reference/keys.py a plain Python version.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray

KeyArray = NDArray[np.uint64]

LONGEST = 64  # bytes of a token that enter its key; its full length does too
_A = np.uint64(0xBF58476D1CE4E5B9)  # the two multipliers of splitmix64's finaliser
_B = np.uint64(0x94D049BB133111EB)
_JOIN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd
_ONES = (1 << 64) - 1
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)


def mix(x: KeyArray) -> KeyArray:
    """Mixes 64-bit numbers one to one, so that every input bit changes about half of the output bits."""
    shifted = x >> np.uint64(30)
    x = x ^ shifted
    x *= _A
    np.right_shift(x, np.uint64(27), out=shifted)
    x ^= shifted
    x *= _B
    np.right_shift(x, np.uint64(31), out=shifted)
    x ^= shifted
    return x


def join(left: KeyArray, right: KeyArray) -> KeyArray:
    """Computes the key of two tokens in this order."""
    return mix(left * _JOIN + right)


def span_keys(data: bytes, starts: IntArray, lengths: IntArray) -> KeyArray:
    """Computes the keys of many spans of one byte string, 8 bytes at a time.

    >>> [hex(k) for k in span_keys(b"free entry", np.array([0, 5]), np.array([4, 5]))]
    ['0x65657266', '0x7972746e65']
    """
    # A stride-1 view of uint64 makes the first 8 bytes of every span one load.
    padded = data + bytes(LONGEST + 8)
    words = np.ndarray((len(data) + LONGEST,), np.dtype("<u8"), padded, strides=(1,))
    keys: KeyArray = words[starts]
    keys &= _MASKS.take(lengths, mode="clip")
    long = (lengths > 8).nonzero()[0]
    if len(long):
        keys[long] = _long_keys(words, starts[long], lengths[long], keys[long])
    return keys


def _long_keys(words: KeyArray, starts: IntArray, lengths: IntArray, first: KeyArray) -> KeyArray:
    h = mix(first)
    alive = np.arange(len(starts))
    for offset in range(8, LONGEST, 8):
        alive = alive[lengths[alive] > offset]
        if not len(alive):
            break
        block = words[starts[alive] + offset] & _MASKS[np.minimum(lengths[alive] - offset, 8)]
        h[alive] = mix(h[alive] ^ block)
    return mix(h ^ lengths.astype(np.uint64))


def key(token: bytes) -> KeyArray:
    """Computes the key of one plain token, as an array of one (see `token_key` for tags and n-grams)."""
    return span_keys(token, np.zeros(1, np.int64), np.array([len(token)]))


def word_key(token: bytes) -> int:
    """Computes the key of one plain token as a number: 2 us, where an array of one takes 50.

    >>> [word_key(word) == int(key(word)[0]) for word in (b"", b"free", b"congratulations")]
    [True, True, True]
    """
    if len(token) <= 8:
        return int.from_bytes(token, "little")
    h = 0
    for at in range(0, min(len(token), LONGEST), 8):
        h = _mix_one(h ^ int.from_bytes(token[at : at + 8], "little"))
    return _mix_one(h ^ len(token))


def _mix_one(x: int) -> int:
    """Computes `mix` of a single number."""
    x = (x ^ x >> 30) * int(_A) & _ONES
    x = (x ^ x >> 27) * int(_B) & _ONES
    return x ^ x >> 31


def token_keys(tag: str, words: list[str]) -> KeyArray:
    """Computes the keys of many tokens `tag + word` at once.

    >>> int(token_keys("shape:", ["url=0"])[0]) == token_key("shape:url=0")
    True
    """
    encoded = [word.encode() for word in words]
    sizes = np.array([len(word) for word in encoded])
    return join(key(tag.encode()), span_keys(b"".join(encoded), np.cumsum(sizes) - sizes, sizes))


def token_key(token: str) -> int:
    """Computes the key of a token as `inspect` spells it: a word, an n-gram with spaces, or tag:rest.

    >>> token_key("free") == 0x65657266
    True
    >>> token_key("free entry") == int(join(key(b"free"), key(b"entry"))[0])
    True
    """
    tag, colon, rest = token.partition(":")
    if colon:
        inner = key(rest.encode()) if tag == "char" else _ngram_key(rest)
        return int(join(key(f"{tag}:".encode()), inner)[0])
    return int(_ngram_key(token)[0])


def _ngram_key(text: str) -> KeyArray:
    first, *others = text.split(" ")
    result = key(first.encode("utf-8", "surrogatepass"))
    for word in others:
        result = join(result, key(word.encode("utf-8", "surrogatepass")))
    return result

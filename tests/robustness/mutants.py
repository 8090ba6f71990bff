"""Broken copies of good inputs: flips, splices, cuts, repeats and nasty pieces, all decided by one seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

LONGEST = 1 << 16  # bytes of a mutant: doubling must not run away

# What parsers trip over: ends of lines and texts, quotes, brackets, numbers at the edges, odd letters.
NASTY: tuple[bytes, ...] = (
    *(b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf"),
    *(b"\xed\xa0\x80", b"\xc3", b"\xf4\x90\x80\x80", b"\x80" * 9),
    *(b"\r", b"\n", b"\r\n", b"\n\n", b"\n\r\n", b"\t", b" "),
    *(b",", b";", b"|", b'"', b'""', b"'", b"\\", b"\\x"),
    *(b"{", b"}", b"[", b"]", b"{}", b"[[[[", b":"),
    *(b"null", b"true", b"NaN", b"Infinity", b"1e999", b"-1", b"0"),
    *(b"\\ud800", b"\\u0000", b"9" * 20, b"9" * 5000),
    *(b"1" + b"0" * 400, b"-0.0", b"2147483648", b"18446744073709551616"),
    *(b"\nFrom ", b"\n>From x\n", b"\n--"),
    *(b"--b", b"\n\n--b--\n", b"Content-Type: multipart/mixed; boundary=b\n"),
    *(b"Content-Type: text/html; charset=utf-7\n", b"Content-Transfer-Encoding: base64\n", b"message/rfc822"),
    *(b"=?utf-8?b?", b"?=", b"=?x?q?=?=", b"=\n"),
    *(b"=ZZ", b"name*0*=utf-8''%", b"; boundary=", b"charset=idna"),
    *(b"<", b">", b"<!--", b"-->"),
    *(b"<a href=http://", b"<style>.a{display:none}", b"&#", b"&#x110000;", b"&#xd800;"),
    *(b"http://", b"www.", b"@", b"$"),
    *(b"://[", b"\xe2\x80\x8b", b"\xd0\xb0", b"\xf0\x9f\x98\x80", b"\xcc\x81" * 3),
    *("İ".encode(), "ẞΣς".encode(), "ไทย漢字".encode(), b"f r e e"),
    *(b"fr33", b"ffffrrrr", b"\xc2\xa0", b"\x1b[2J"),
    *(b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\0", b"PAR1", b"\x80\x04"),
    *(b"spam", b"ham", b"label", b"text", b"score"),
)  # fmt: skip

Step = Callable[[random.Random, bytearray, Sequence[bytes]], None]


def _place(dice: random.Random, data: bytearray) -> int:
    return dice.randint(0, len(data))


def _span(dice: random.Random, data: bytearray) -> slice:
    start = _place(dice, data)
    return slice(start, min(len(data), start + int(2 ** (dice.random() * 8))))


def _flip(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    if data:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def _byte(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    if data:
        data[dice.randrange(len(data))] = dice.choice(
            (0, 1, 9, 10, 13, 32, 34, 92, 127, 128, 255, dice.randrange(256))
        )


def _insert(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = _place(dice, data)
    data[at:at] = dice.choice(NASTY) * dice.choice((1, 1, 1, 2, 9, 200))


def _replace(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    data[_span(dice, data)] = dice.choice(NASTY)


def _cut(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    del data[_span(dice, data)]


def _end(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    del data[_place(dice, data) :]


def _repeat(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    span = _span(dice, data)
    data[span.start : span.start] = data[span] * dice.choice((1, 2, 20))


def _move(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    span = _span(dice, data)
    piece = data[span]
    del data[span]
    at = _place(dice, data)
    data[at:at] = piece


def _splice(dice: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    other = bytearray(dice.choice(corpus))
    data[_span(dice, data)] = other[_span(dice, other)]


def _number(dice: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    """A little-endian number as lengths and sizes are written, at the edges of its range."""
    at, width = _place(dice, data), dice.choice((1, 2, 4, 8))
    value = dice.choice((0, 1, 127, 128, 255, 256, (1 << 31) - 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1))
    data[at : at + width] = (value % (1 << (8 * width))).to_bytes(width, "little")


STEPS: tuple[Step, ...] = (
    *(_flip, _byte, _insert, _insert, _replace, _cut, _end, _repeat, _move, _splice, _splice, _number),
)  # fmt: skip


def mutant(dice: random.Random, corpus: Sequence[bytes]) -> bytes:
    """A broken copy of one of the inputs.

    >>> mutant(random.Random(7), [b"one", b"two"]) == mutant(random.Random(7), [b"one", b"two"])
    True
    """
    data = bytearray(dice.choice(corpus))
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 5, 12))):
        dice.choice(STEPS)(dice, data, corpus)
        del data[LONGEST:]
    return bytes(data)


def mutants(seed: str, corpus: list[bytes]) -> Iterator[bytes]:
    """The inputs themselves, then broken copies for ever; `corpus` may grow meanwhile."""
    yield from tuple(corpus)
    dice = random.Random(seed)
    while True:
        yield mutant(dice, corpus)

"""Guesses the character set of 8-bit text from the frequencies of letters in languages.

Of every pair of a language and a character set in which it is written, the score is

    log P(bytes) = sum over the characters beyond ASCII of log P(character | language)

The pair with the highest score wins. A character set of two bytes a character has half as many terms, each of
which is one of thousands of characters: the scores are comparable.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from functools import cache

_SAMPLE = 4096  # bytes that are looked at
_FEWEST = 3  # bytes beyond ASCII
_ASCII = bytes(range(128))
_MARGIN = 3.0  # by which another one must be likelier than cp1252
_RARE = -11.0  # log P of a letter that the language does not have
_BROKEN = -14.0  # of bytes that mean nothing, and of signs that no text has
_SIGN = 0.02  # P of all usual signs together
_SIGNS = "“”‘’–—…«»€£°§©®™\xa0•·½¡¿"
_WIDE_SIGNS = "\u3000、。，！？：；「」（）ー“”"
_EUROPE = ("cp1250", "iso8859_2")
_CYRILLIC = ("cp1251", "koi8_u", "iso8859_5", "cp866")
_BALTIC = ("cp1257", "iso8859_4")
# The first of two that are equally likely wins: the one that is used more.
_SINGLE_BYTE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("en de fr es it pt nl da sv no fi ca".split(), ("cp1252",)),  # noqa: SIM905
    **dict.fromkeys(("ru", "bg"), _CYRILLIC),
    **dict.fromkeys(("uk", "sr"), _CYRILLIC[:3]),
    **dict.fromkeys(("pl", "cs", "sk", "hu", "sl", "hr", "ro"), _EUROPE),
    **dict.fromkeys(("lt", "lv", "et"), _BALTIC),
    "el": ("iso8859_7", "cp1253"),
    "tr": ("cp1254",),
    "he": ("cp1255",),
    **dict.fromkeys(("ar", "fa"), ("cp1256", "iso8859_6")),
    "th": ("cp874",),
    "vi": ("cp1258",),
}
_OTHER_SCRIPTS = frozenset(("ru", "bg", "uk", "sr", "el", "he", "ar", "fa", "th"))
# x for a byte beyond ASCII, a for a letter: in Latin script letters beyond ASCII stand between others.
_KINDS = bytes(120 if byte > 127 else 97 if chr(byte).isalpha() else 32 for byte in range(256))
_TOGETHER = (
    math.log(0.9),
    math.log(0.3),
)  # log P of two neighbours beyond ASCII, in other scripts and in Latin
_MIXED = (math.log(0.05), math.log(0.8))  # of one beyond ASCII and one letter of ASCII
_DOUBLE_BYTE = {
    "zh": ("gb18030",),
    "zh_tw": ("big5",),
    "ja": ("cp932", "euc_jp"),
    "ko": ("cp949",),
}


def guess_charset(data: bytes) -> str:
    r"""Returns Python's name of the character set that text is most likely written in, which is not UTF-8.

    >>> guess_charset("Привет, как дела?".encode("koi8-r")), guess_charset(b"caf\xe9 au lait")
    ('koi8_u', 'cp1252')
    """
    sample = _sample(data)
    if len(sample.translate(None, _ASCII)) < _FEWEST:
        return "cp1252"
    scores: dict[str, float] = {}
    for codec, score in (*_single_byte_scores(sample), *_double_byte_scores(sample)):
        scores[codec] = max(score, scores.get(codec, -math.inf))
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] > scores["cp1252"] + _MARGIN else "cp1252"


def _sample(data: bytes) -> bytes:
    """Returns the bytes from the first one beyond ASCII on; a character before it may begin there too."""
    start = next((at for at, byte in enumerate(data) if byte > 127), 0)
    return data[start : start + _SAMPLE]


def _single_byte_scores(sample: bytes) -> Iterator[tuple[str, float]]:
    counts = [(byte - 128, sample.count(byte)) for byte in set(sample) if byte > 127]
    pairs = sample.translate(_KINDS)
    together, mixed = pairs.count(b"xx"), pairs.count(b"ax") + pairs.count(b"xa")
    for codec, weights, latin in _byte_weights():
        neighbours = together * _TOGETHER[latin] + mixed * _MIXED[latin]
        yield codec, neighbours + sum(number * weights[byte] for byte, number in counts)


def _double_byte_scores(sample: bytes) -> Iterator[tuple[str, float]]:
    for language, codecs in _DOUBLE_BYTE.items():
        weights = _letter_weights(language)
        for codec in codecs:
            text = sample.decode(codec, "replace")
            score = sum(
                weights.get(letter) or (_BROKEN if letter == "\ufffd" else _RARE)
                for letter in text
                if not letter.isascii()
            )
            yield codec, score


@cache
def _byte_weights() -> list[tuple[str, list[float], bool]]:
    """Returns codecs with log P of each byte beyond ASCII in one language, and whether that is in Latin."""
    return [
        (
            codec,
            [
                _weight(bytes([byte]).decode(codec, "replace"), _letter_weights(language))
                for byte in range(128, 256)
            ],
            language not in _OTHER_SCRIPTS,
        )
        for language, codecs in _SINGLE_BYTE.items()
        for codec in codecs
    ]


def _weight(letter: str, weights: dict[str, float]) -> float:
    if letter in weights:
        return weights[letter]
    return _RARE if letter.isalpha() or unicodedata.category(letter).startswith("M") else _BROKEN


@cache
def _letter_weights(language: str) -> dict[str, float]:
    """Returns log P of the letters and signs of a language."""
    from spamnb.mail.letter_frequencies import LETTERS

    groups = LETTERS[language].split(" ") if language in LETTERS else []
    signs = _WIDE_SIGNS if language in _DOUBLE_BYTE else _SIGNS
    shares = {
        letter: 0.5**group for group, letters in enumerate(groups) for letter in letters if letter != "-"
    }
    total = sum(shares.values())
    share = _SIGN if shares else 1.0
    weights = {letter: math.log((1 - share) * part / total) for letter, part in shares.items()}
    return weights | dict.fromkeys(signs, math.log(share / len(signs)))

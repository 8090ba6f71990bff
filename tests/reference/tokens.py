r"""The tokens of one message as strings, straight from their definition.

A message of bytes is UTF-8. An invalid byte is a character of its own that is no word character, so it ends a
word as a comma does; for character n-grams a stray continuation byte (80..BF) belongs to the character before
it, and at the very start of a message to none.

The two known differences between tokens and keys (`reference.keys` shares them with the core): words longer
than 64 bytes share a key if their first 64 bytes and their length agree, and their spelling is cut (`shown`);
character n-grams of up to 8 bytes share a key if they differ only in how many NULs stand at their end.
"""

from __future__ import annotations

import re

from spamnb.settings import FeatureConfig
from tests.reference import disguises
from tests.reference.shapes import shape_tokens
from tests.reference.signs import sign_tokens


def as_bytes(message: str | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.encode("utf-8", "surrogatepass")


def lower(message: str | bytes) -> str:
    """Lower-cased text; each invalid byte is one lone surrogate."""
    return as_bytes(message).decode("utf-8", "surrogateescape").lower()


def unmasks(config: FeatureConfig | None) -> bool:
    return config is not None and config.shapes and config.deobfuscate


def words(message: str | bytes, config: FeatureConfig | None = None) -> list[str]:
    """The words in reading order; with disguises undone if the configuration says so."""
    if not unmasks(config):
        return re.findall(r"\w+", lower(message))
    plain, _ = disguises.clear(as_bytes(message))
    return re.findall(f"{disguises.WORD}+", disguises.joined(lower(plain))[0])


def extra(message: str | bytes, config: FeatureConfig) -> tuple[list[str], list[str]]:
    """What disguised words may stand for besides, and the shapes of disguises."""
    if not unmasks(config):
        return [], []
    plain, noted = disguises.clear(as_bytes(message))
    text, spaced = disguises.joined(lower(plain))
    variants = disguises.stands_for(text)
    noted += ["spaced"] * spaced + ["leet"] * any(leet for _, leet in variants)
    return [word for word, _ in variants], [f"shape:{name}" for name in noted]


def ngrams(listed: list[str], n: int) -> list[str]:
    return [" ".join(listed[i : i + n]) for i in range(len(listed) - n + 1)]


def chars(message: str | bytes, n: int) -> list[str]:
    data = lower(message).encode("utf-8", "surrogateescape")
    single = re.findall(rb"[^\x80-\xbf][\x80-\xbf]*", data)
    runs = [b"".join(single[i : i + n]) for i in range(len(single) - n + 1)]
    return ["char:" + run.decode("utf-8", "surrogateescape") for run in runs]


def matches(message: str | bytes, name: str, pattern: str) -> list[str]:
    text = as_bytes(message).decode("utf-8", "replace")
    return [f"re:{name}" for match in re.finditer(pattern, text, re.ASCII) if match[0]]


def tokens(message: str | bytes, config: FeatureConfig) -> list[str]:
    """Words, then 2-grams .. n-grams, shapes, what words stand for, disguises, characters, patterns."""
    listed = words(message, config)
    result = [gram for n in range(1, config.ngrams + 1) for gram in ngrams(listed, n)]
    plain = disguises.clear(as_bytes(message))[0] if unmasks(config) else as_bytes(message)
    if config.shapes:
        result += shape_tokens(plain)
    if config.punctuation:
        result += sign_tokens(plain)
    for more in extra(message, config):
        result += more
    longest = config.chars or (6 if unmasks(config) and disguises.spaceless(plain) else 0)
    result += [gram for n in range(2, longest + 1) for gram in chars(plain, n)]
    for name, pattern in config.patterns:
        result += matches(message, name, pattern)
    return result


def shown(token: str) -> str:
    """How a model spells a token: of a word longer than 64 bytes it keeps the first 64."""
    if ":" in token:
        return token.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return " ".join(_cut(word.encode()) for word in token.split(" "))


def _cut(word: bytes) -> str:
    return word[:64].decode("utf-8", "replace")

"""The frozen digest of spamnb/model/message_digest.py in Python integers, one message at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.reference.keys import BITS, mix, token_key

STEP = 0x9E3779B97F4A7C15


def folded(text: bytes) -> bytes:
    """One space for every run of bytes up to 32, none at the ends."""
    return b" ".join(word for word in re.split(rb"[\x00-\x20]+", text) if word)


def text_digest(text: bytes) -> int:
    clean = folded(text)
    total = len(clean)
    for j, start in enumerate(range(0, len(clean), 8)):
        block = int.from_bytes(clean[start : start + 8], "little")
        total += mix((block + j * STEP) & BITS)
    return mix(total & BITS)


def message_digest(text: bytes, tags: Mapping[str, bytes] | None = None) -> int:
    """The digest of a message without columns."""
    total = text_digest(text)
    for tag, words in (tags or {}).items():
        if (tagged := text_digest(words)) != 0:
            total += mix((tagged + token_key(f"{tag}:")) & BITS)
    return total & BITS

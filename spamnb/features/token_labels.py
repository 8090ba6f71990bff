"""Names tokens that are not words in plain language: `shape:number=5` is a 5-digit number."""

from __future__ import annotations

import re

_COUNTED = {  # property -> one of it, and several
    "url": ("link", "links"),
    "email": ("mail address", "mail addresses"),
    "money": ("amount of money", "amounts of money"),
    "phone": ("phone number", "phone numbers"),
    "caps": ("word in capitals", "words in capitals"),
    "exclaim": ("exclamation mark", "exclamation marks"),
    "question": ("question mark", "question marks"),
    "emoji": ("emoji", "emoji"),
    "digits": ("digit", "digits"),
}
_OBFUSCATIONS = {
    "zero-width": "zero-width characters",
    "fancy": "styled letters",
    "mixed-script": "mixed alphabets",
    "spaced": "spaced-out letters",
    "leet": "digits for letters",
}
_MARK = re.compile(r"(ends with|punctuation) ([\"'])(.+)\2")
_ENDS = {"word": "a word", "num": "a number"}


def token_label(token: str) -> str:
    """Returns the name of a token for readers, "" if it is a word or has no other name.

    >>> [token_label(t) for t in ("shape:number=5", "shape:url=0", "shape:caps=3-4", "shape:end=!", "free")]
    ['5-digit number', 'no links', '3-4 words in capitals', 'ends with "!"', '']
    """
    if not token.startswith("shape:"):
        return ""
    name, _, value = token.removeprefix("shape:").partition("=")
    if name in _COUNTED:
        return f"{'no' if value == '0' else value} {_COUNTED[name][value != '1']}"
    if name == "end":
        return f"ends with {_ENDS.get(value) or _quoted(value)}"
    labels = {
        "number": f"{value}-digit number",
        "length": f"{value} bytes long",
        "sign": f"punctuation {_quoted(value)}",
    }
    return labels.get(name) or _OBFUSCATIONS.get(name, "")


def labelled_token(label: str) -> str:
    """Returns the token that a label names, "" if it is no label: the inverse of `token_label`.

    >>> [labelled_token(label) for label in ("11-digit number", "No links", 'ends with "!"', "free")]
    ['shape:number=11', 'shape:url=0', 'shape:end=!', '']
    """
    if mark := _MARK.fullmatch(label):
        return f"shape:{'end' if mark[1] == 'ends with' else 'sign'}={mark[3]}"
    from spamnb.features.shapes import SHAPE_NAMES

    tokens = (*SHAPE_NAMES, *(f"shape:end={end}" for end in _ENDS))
    return {token_label(token).lower(): token for token in tokens}.get(label.lower(), "")


def _quoted(mark: str) -> str:
    return f"'{mark}'" if '"' in mark else f'"{mark}"'

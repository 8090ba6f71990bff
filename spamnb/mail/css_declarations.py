"""Reads the declarations of a style that decide whether text can be seen; all others are left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from spamnb.mail.css_values import KEY, PROPERTIES, SEVERAL, SUPPORTED, Pending, Values

_DECLARATION = re.compile(
    r"""(?:[^;"'(\[{]++|"[^"\n]*+"?|'[^'\n]*+'?|\([^)]*+\)?|\[[^\]]*+\]?|\{[^}]*+\}?)++"""
)
_BLANKS = " \t\n\r\f"
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z")
_USE = re.compile(r"var\(\s*(--[\w-]{1,64})\s*(?:,([^()]{0,64}))?\)")
HAS_CUSTOM = "--"  # among values: they set or use custom properties
_MOST_CUSTOM = 100  # custom properties of an element and those around it
_LONGEST_VALUE, _NESTED = 64, 3  # characters of a custom property, and var() inside of var()
_CACHED = 64  # characters of a declaration that is kept: mails repeat them


def resolve(values: Values, inherited: Mapping[str, str]) -> tuple[Values, Mapping[str, str]]:
    """Inserts custom properties into values; returns these, and the custom properties of the element.

    >>> resolve({HAS_CUSTOM: True, "--d": "none", "display": Pending("display", "var(--d)")}, {})
    ({'display': 'none'}, {'--d': 'none'})
    """
    own = {name: str(value) for name, value in values.items() if name.startswith("--")}
    del own[HAS_CUSTOM]
    custom = inherited
    if own and len(inherited) + len(own) <= _MOST_CUSTOM:
        custom = {**inherited, **own}
        custom |= {name: _inserted(value, custom)[:_LONGEST_VALUE] for name, value in own.items()}
    resolved: Values = {}
    for name, value in values.items():
        if isinstance(value, Pending):
            read = PROPERTIES[value.name](_inserted(value.text, custom).strip(_BLANKS))
            resolved |= {name: read[name]} if name in read else {}
        elif not name.startswith("--"):
            resolved[name] = value
    return resolved, custom


def _inserted(text: str, custom: Mapping[str, str]) -> str:
    """Inserts custom properties; blanks keep them from forming new names with what is beside them."""
    for _ in range(_NESTED):  # a value or a fallback may be another var()
        if text.find("var(") < 0:
            break
        text = _USE.sub(lambda use: f" {custom.get(use[1], use[2] or '')} ", text)
    return text


def parse_declarations(style: str) -> tuple[Values, Values]:
    """Returns the values that a clean style sets, and those that are !important.

    >>> parse_declarations("display: none !important; color: #fff; display: block; border: 0")
    ({'color': (255.0, 255.0, 255.0, 1.0), 'display': 'block'}, {'display': 'none'})
    """
    normal: Values = {}
    important: Values = {}
    for declaration in _DECLARATION.findall(style):
        values, is_important = (_cached if len(declaration) <= _CACHED else _parse_declaration)(declaration)
        if values:
            (important if is_important else normal).update(values)
    return normal, important


def _parse_declaration(declaration: str) -> tuple[Values, bool]:
    """Returns the values that a declaration sets, and whether it is !important."""
    name, colon, value = declaration.partition(":")
    name = name.strip(_BLANKS)
    read = PROPERTIES.get(name) if colon else None
    if read is None and not (colon and name.startswith("--")):
        return {}, False
    value = value.strip(_BLANKS)
    plain = _IMPORTANT.sub("", value) if value.endswith("important") else value
    if read is None:
        return {name: plain[:_LONGEST_VALUE], HAS_CUSTOM: True}, plain != value
    if "var(" in plain:
        pending = Pending(name, plain)
        names = SEVERAL.get(name, (KEY.get(name, name),))
        return {HAS_CUSTOM: True, **dict.fromkeys(names, pending)}, plain != value
    return read(plain), plain != value


def is_known_declaration(name: str, value: str) -> bool | None:
    """Returns whether browsers know a declaration; None for a property that is not known here."""
    if name.startswith("--") or name in SUPPORTED or "var(" in value:
        return True
    read = PROPERTIES.get(name)
    return bool(read(value)) if read else None


_cached = lru_cache(1 << 11)(_parse_declaration)

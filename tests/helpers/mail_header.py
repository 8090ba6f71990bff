"""Takes the header that `spamnb filter` writes apart, by other means than the code under test."""

from __future__ import annotations

import re


def verdict_and_mail(mail: bytes) -> tuple[bytes, bytes]:
    """What ends with our last field, and what follows it; found by other means than the code under test."""
    matches = [*re.finditer(rb"(?m)^X-Spamnb:[^\n]*\n(?:[ \t][^\n]*\n)*", mail)]
    assert len(matches) == 1, mail[:2000]
    return mail[: matches[0].end()], mail[matches[0].end() :]


def values(header: bytes, name: bytes) -> list[bytes]:
    """The unfolded values of every field of this name, whatever its case."""
    matches = re.findall(rb"(?im)^" + re.escape(name) + rb"[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)", header)
    return [b" ".join(value.split()) for value in matches]

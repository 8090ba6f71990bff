"""Takes the header that `spamnb filter` writes apart, by other means than the code under test."""

from __future__ import annotations

import re


def verdict_and_mail(mail: bytes) -> tuple[bytes, bytes]:
    """What ends with our last field, and what follows it; found by other means than the code under test."""
    found = [*re.finditer(rb"(?m)^X-Spamnb:[^\n]*\n(?:[ \t][^\n]*\n)*", mail)]
    assert len(found) == 1, mail[:2000]
    return mail[: found[0].end()], mail[found[0].end() :]


def values(header: bytes, name: bytes) -> list[bytes]:
    """The unfolded values of every field of this name, whatever its case."""
    found = re.findall(rb"(?im)^" + re.escape(name) + rb"[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)", header)
    return [b" ".join(value.split()) for value in found]

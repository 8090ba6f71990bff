"""The line that tells Excel the delimiter of a file: `sep=;`."""

from __future__ import annotations

import re

_LINE = re.compile(rb'"?sep=([,;|\t]|\\t)[,;|\t "]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)


def sep_line(head: bytes) -> tuple[str, int]:
    r"""The delimiter that the first line names, and the bytes of that line; nothing and 0 for any other line.

    >>> sep_line(b"sep=;\r\nlabel;text\r\n"), sep_line(b"sep=\t\n"), sep_line(b"label;text\n")
    ((';', 7), ('\t', 6), ('', 0))
    """
    found = _LINE.match(head)
    if not found:
        return "", 0
    return found[1].replace(rb"\t", b"\t").decode(), found.end()

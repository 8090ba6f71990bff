"""Holds the entries of allow and block lists: senders whose mails are ham or spam whatever their words.

An entry is an address, a domain with all below it, or `list:` and a List-Id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spamnb.core import Record

ALLOW, BLOCK = "allow", "block"
LIST = "list:"
_DOMAIN = r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*"
_ENTRY = re.compile(rf"(?:{_DOMAIN}|[^@\s,;:<>\"()]+@{_DOMAIN}|{LIST}[^\s<>\"]+)")
_LONGEST = 320  # bytes of an entry


class ListEntry(Record):
    """One line of a list: what is done with the mails of a sender."""

    action: str
    value: str

    def __str__(self) -> str:
        return f"{self.action} {self.value}"


def is_entry(value: str) -> bool:
    """Tells whether a text is an address, a domain or a List-Id, in lower case.

    >>> [is_entry(one) for one in ("ann@b.example", "b.example", "list:news.b.example", "example", "a b@c.d")]
    [True, True, True, False, False]
    """
    return len(value) <= _LONGEST and bool(_ENTRY.fullmatch(value))


class SenderLists(Record):
    """The entries of all lists, those that come first in rank before the others."""

    entries: tuple[ListEntry, ...] = ()


def ranked(entries: Iterable[ListEntry]) -> Iterator[ListEntry]:
    """Orders the entries of one file: addresses, then List-Ids, then domains, long ones first."""
    kinds = {True: 0, False: 2}
    return iter(
        sorted(
            entries,
            key=lambda one: (1 if one.value.startswith(LIST) else kinds["@" in one.value], -len(one.value)),
        )
    )

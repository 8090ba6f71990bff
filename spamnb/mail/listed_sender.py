"""Looks a mail's sender up in the allow and block lists.

A block entry always counts. An allow entry counts only if a trusted server has confirmed the sender: SPF,
DKIM or DMARC has passed for the domain that the mail names, or for one above it. Anyone can write any From.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spamnb.mail.authentication import confirmed_domains
from spamnb.mail.header_block import plain_name, skip_to_header, unify_line_ends
from spamnb.mail.headers import first_values, read_fields
from spamnb.mail.parsed_mail import Limits
from spamnb.mail.sender_lists import BLOCK, LIST, ListEntry

_ADDRESS = re.compile(rb"[^@\s,;:<>\"()\[\]]+@[a-z0-9_.-]+")
_LIST_ID = re.compile(rb"<([^<>]*)>\s*$")


def listed_entry(raw: bytes, limits: Limits) -> str:
    r"""Returns the first entry of the lists that is about a mail and counts, "" if there is none.

    >>> from spamnb.mail.sender_lists import SenderLists
    >>> lists = SenderLists((ListEntry("allow", "ann@example.net"), ListEntry("block", "example.net")))
    >>> listed_entry(b"From: Ann <ann@example.net>\n\nHi", Limits(lists=lists))
    'block example.net'
    """
    if not limits.lists.entries:
        return ""
    sender = _Sender(raw, limits)
    return next((str(one) for one in limits.lists.entries if sender.matches(one)), "")


class _Sender:
    """Who a mail says that it is from, and which domains a trusted server has confirmed."""

    def __init__(self, raw: bytes, limits: Limits) -> None:
        head = skip_to_header(unify_line_ends(raw[: limits.headers]))
        names, values, _ = read_fields(head, limits, [])
        authors = [value for name, value in zip(names, values, strict=True) if plain_name(name) == b"from"]
        self._addresses = {match.lower().decode("ascii", "replace") for match in _addresses(authors)}
        headers = first_values(names, values)
        match = _LIST_ID.search(headers.get(b"list_id", b"").strip())
        self._list_id = match[1].strip().lower().decode("ascii", "replace") if match else ""
        self._confirmed = [
            one.decode("ascii", "replace") for one in confirmed_domains(headers, limits.authserv_ids)
        ]

    def matches(self, entry: ListEntry) -> bool:
        """Tells whether an entry is about this mail, and counts."""
        domain = self._matching_domain(entry.value)
        if not domain:
            return False
        return entry.action == BLOCK or (self._is_plain(entry) and self._confirms(domain))

    def _matching_domain(self, value: str) -> str:
        """Returns the domain that has to be confirmed for this mail, "" if another one is meant."""
        if value.startswith(LIST):
            return self._list_id if self._list_id == value.removeprefix(LIST) else ""
        for address in sorted(self._addresses):
            domain = address.rpartition("@")[2]
            if address == value or ("@" not in value and _is_within(domain, value)):
                return domain
        return ""

    def _is_plain(self, entry: ListEntry) -> bool:
        """Tells whether one author is meant: mail programs differ in which of several they show."""
        return entry.value.startswith(LIST) or len(self._addresses) == 1

    def _confirms(self, domain: str) -> bool:
        return any(_is_within(domain, one) for one in self._confirmed)


def _addresses(values: list[bytes]) -> Iterator[bytes]:
    for value in values:
        yield from _ADDRESS.findall(value.lower())


def _is_within(domain: str, other: str) -> bool:
    return domain == other or domain.endswith(f".{other}")

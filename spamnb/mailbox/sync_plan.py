"""Plans a synchronisation: computes from the kept state and the server's listing what to do. No I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from spamnb.mailbox.mail_identity import MOST_BYTES, Envelope, Identity

ACTIONS = ("shadow", "flag", "move")
JUNK, NOT_JUNK, OLD_NOT_JUNK = "$Junk", "$NotJunk", "NonJunk"  # keywords; Thunderbird writes the last one
DELETED = "\\Deleted"
BATCH_BYTES, BATCH_MAILS = 4 << 20, 100  # fetched and classified at once
_OLD = 2 * 86_400.0  # seconds: a mail that was received so long before the last synchronisation was moved
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 300.0  # seconds between two tries to connect


class FolderStatus(NamedTuple):
    """UIDVALIDITY, UIDNEXT and number of mails of a folder."""

    uidvalidity: int
    uidnext: int
    messages: int


class FolderChanges(NamedTuple):
    """The UIDs that are new in a folder and those that have gone; none where the folder is new.

    `is_new`: the folder was never listed, or its UIDVALIDITY has changed, so that its UIDs mean other mails.
    """

    is_new: bool
    arrived: list[int]
    vanished: list[int]


def folder_changes(
    last: FolderStatus | None, now: FolderStatus, known: Collection[int], listed: Sequence[int]
) -> FolderChanges:
    """Compares a folder with what was known of it.

    >>> folder_changes(FolderStatus(7, 4, 2), FolderStatus(7, 5, 2), [1, 3], [3, 4])
    FolderChanges(is_new=False, arrived=[4], vanished=[1])
    >>> folder_changes(FolderStatus(7, 4, 2), FolderStatus(8, 5, 2), [1, 3], [3, 4])
    FolderChanges(is_new=True, arrived=[], vanished=[])
    """
    if last is None or last.uidvalidity != now.uidvalidity:
        return FolderChanges(True, [], [])
    present, before = set(listed), set(known)
    return FolderChanges(False, sorted(present - before), sorted(before - present))


def first_new_uid(last: FolderStatus | None, now: FolderStatus) -> int | None:
    """Returns the lowest UID of mails that came into a folder since `last`, None if that is unknown.

    A folder that was not there at all has only mails that came since.
    """
    if last is None:
        return 1
    return last.uidnext if last.uidvalidity == now.uidvalidity else None


def is_moved_by_person(mail: Identity, seen_before: Iterable[Identity]) -> bool:
    """Tells whether a mail that is new in Junk was elsewhere before; a server's filter delivers new mails."""
    return any(mail.same_as(before) for before in seen_before)


def is_arrival(envelope: Envelope, last_sync: float | None) -> bool:
    """Tells whether a mail with a new UID was just delivered, and not moved here from another folder.

    A move keeps the time when the server received the mail.
    """
    return last_sync is None or envelope.received >= last_sync - _OLD


def action_for(action: str, verdict: str, flags: Collection[str]) -> str:
    """Returns what to do with a mail: `move`, `flag` or "" for nothing, as for one marked as no junk.

    >>> action_for("move", "spam", ()), action_for("move", "unsure", ())
    ('move', '')
    >>> action_for("move", "spam", ["$NotJunk"]), action_for("flag", "spam", ["$Junk"])
    ('', '')
    """
    keywords = {flag.lower() for flag in flags}
    if action == "shadow" or verdict != "spam" or keywords & {NOT_JUNK.lower(), OLD_NOT_JUNK.lower()}:
        return ""
    return "" if action == "flag" and JUNK.lower() in keywords else action


def batches(envelopes: Iterable[Envelope]) -> Iterator[list[Envelope]]:
    """Splits mails into parts that are small enough to be fetched at once.

    >>> large = Identity("", 3 << 20)
    >>> [len(part) for part in batches([Envelope(n, large, frozenset(), 0.0) for n in range(9)])]
    [8, 1]
    """
    batch: list[Envelope] = []
    size = 0
    for envelope in envelopes:
        more = min(envelope.identity.size, MOST_BYTES)
        if batch and (size + more > BATCH_BYTES or len(batch) == BATCH_MAILS):
            yield batch
            batch, size = [], 0
        batch.append(envelope)
        size += more
    if batch:
        yield batch


def pause_after(failures: int) -> float:
    """Seconds to wait before the next try to connect, after so many failures in a row.

    >>> [pause_after(n) for n in (1, 2, 5, 50)]
    [1.0, 2.0, 16.0, 300.0]
    """
    return min(_FIRST_PAUSE * 2.0 ** min(failures - 1, 30), _LONGEST_PAUSE)

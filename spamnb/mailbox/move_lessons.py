"""Learns from what people do with the folder Junk: what they move there is spam, what they move out is ham.

What spamnb has moved itself, what the server's own filter delivers there and what goes from Junk to Trash are
no lessons. Everything about one listing of Junk is one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from spamnb.mailbox.mail_identity import Envelope, Identity
from spamnb.mailbox.mailbox_state import (
    DONE,
    JUNK_MARK,
    SETTLED,
    WATCHED,
    Action,
    MailboxState,
    NewLesson,
    PendingLesson,
    SeenMail,
)
from spamnb.mailbox.special_folders import SpecialFolders
from spamnb.mailbox.sync_plan import (
    FolderStatus,
    batches,
    first_new_uid,
    folder_changes,
    is_moved_by_person,
)

_LESSONS = 100  # learned at once


class FolderReader(Protocol):
    """What reading folders needs of a session."""

    def status(self, folder: str) -> FolderStatus: ...
    def open(self, folder: str, write: bool = False) -> FolderStatus: ...
    def uids(self, first: int = 1) -> list[int]: ...
    def envelopes(self, uids: list[int]) -> list[Envelope]: ...
    def raw(self, uids: list[int]) -> dict[int, bytes]: ...


class Learning(Protocol):
    """What learning needs of a model."""

    def learn(self, lessons: list[tuple[str, bytes]]) -> object: ...


def learn_recorded(state: MailboxState, model: Learning) -> Iterator[PendingLesson]:
    """Learns what is recorded. A mail that the model has learned before changes nothing."""
    while lessons := state.lessons(_LESSONS):
        model.learn([(one.label, one.raw) for one in lessons])
        with state.transaction():
            state.set_learned(lessons)
        yield from lessons


class Departure(NamedTuple):
    """A mail that was in Junk; `action` is spamnb's own move if Junk was never listed with it."""

    identity: Identity
    uid: int | None = None
    action: Action | None = None


class JunkSync:
    """Compares the folder Junk with what was known of it, and records lessons."""

    def __init__(self, session: FolderReader, state: MailboxState, folders: SpecialFolders) -> None:
        self._session, self._state, self._folders = session, state, folders
        self._junk = folders.require_junk()

    def run(self) -> None:
        """Records what has changed, in steps each of which is one transaction."""
        last = self._state.status(self._junk, WATCHED)
        if last == self._session.status(self._junk):
            return
        # Before Junk is listed: what is moved out of it from now on gets a UID that is not below these marks.
        marks = {name: self._session.status(name) for name in self._folders.others}
        now = self._session.open(self._junk)
        listed = self._session.uids()
        known = self._state.mails(self._junk, now.uidvalidity)
        changes = folder_changes(last, now, known, listed)
        if changes.is_new:
            self._record_present(listed, now.uidvalidity)
        else:
            self._record_arrivals(changes.arrived, now.uidvalidity)
            departures = [Departure(known[uid], uid=uid) for uid in changes.vanished]
            departures += [Departure(one.identity, action=one) for one in self._state.actions(DONE, "move")]
            self._record_departures(departures, marks, now.uidvalidity)
        with self._state.transaction():
            for name, mark in marks.items():
                self._state.set_status(name, JUNK_MARK, mark)
            self._state.set_status(self._junk, WATCHED, now)

    def _record_present(self, uids: list[int], uidvalidity: int) -> None:
        """Records what is in Junk when it is first listed, or has new UIDs: nothing is learned."""
        for batch in batches(self._session.envelopes(uids)):
            fetched = self._fetched([one for one in batch if one.identity.needs_digest])
            seen = [SeenMail(fetched.get(one.uid, (one, b""))[0], "present") for one in batch]
            with self._state.transaction():
                self._state.add_mails(self._junk, uidvalidity, seen)
        with self._state.transaction():
            self._state.set_actions(self._state.actions(DONE, "move"), SETTLED)

    def _record_arrivals(self, uids: list[int], uidvalidity: int) -> None:
        for batch in batches(self._session.envelopes(uids)):
            own = self._state.actions(DONE, "move")
            fetched = self._fetched(self._unclear(batch, own))
            with self._state.transaction():
                for one in batch:
                    envelope, raw = fetched.get(one.uid, (one, b""))
                    self._record_arrival(envelope, raw, own, uidvalidity)

    def _unclear(self, envelopes: list[Envelope], own: list[Action]) -> list[Envelope]:
        """Returns the mails to be fetched: neither spamnb's own moves nor those never seen before."""
        moves, unclear = Counter(one.identity.key for one in own), []
        for one in envelopes:
            key = one.identity.key
            if one.identity.needs_digest:
                unclear.append(one)
            elif moves[key]:
                moves[key] -= 1
            elif self._state.seen_elsewhere(one.identity, self._junk):
                unclear.append(one)
        return unclear

    def _record_arrival(self, envelope: Envelope, raw: bytes, own: list[Action], uidvalidity: int) -> None:
        """Tells who has put a mail into Junk: spamnb, a person, or else the server."""
        identity, origin = envelope.identity, "arrived"
        if move := next((one for one in own if one.identity.same_as(identity)), None):
            origin, envelope = "own", envelope._replace(identity=move.identity)
            own.remove(move)
            self._state.set_actions([move], SETTLED)
        elif raw and self._is_spam_lesson(identity, raw):
            origin = "moved"
            self._state.add_lessons([NewLesson("spam", identity, raw)])
        self._state.add_mails(self._junk, uidvalidity, [SeenMail(envelope, origin)])

    def _is_spam_lesson(self, identity: Identity, raw: bytes) -> bool:  # noqa: ARG002
        """Tells whether a person has moved a mail to Junk: it was elsewhere before."""
        return is_moved_by_person(identity, self._state.seen_elsewhere(identity, self._junk))

    def _fetched(self, envelopes: list[Envelope]) -> dict[int, tuple[Envelope, bytes]]:
        raw = self._session.raw([one.uid for one in envelopes]) if envelopes else {}
        return {one.uid: (one.with_digest(raw[one.uid]), raw[one.uid]) for one in envelopes if one.uid in raw}

    def _record_departures(
        self, departures: list[Departure], marks: dict[str, FolderStatus], uidvalidity: int
    ) -> None:
        """Records lessons of mails that are in another folder than Trash now."""
        before = self._state.statuses(JUNK_MARK)
        for folder, now in marks.items():
            if departures and folder != self._folders.trash:
                listed = self._came_since(folder, before.get(folder), now)
                departures = self._record_restored(departures, listed, uidvalidity)
        with self._state.transaction():
            self._forget(departures, uidvalidity)

    def _came_since(self, folder: str, last: FolderStatus | None, now: FolderStatus) -> list[Envelope]:
        """Lists the mails that came into a folder since Junk was last listed."""
        first = first_new_uid(last, now)
        if first is None:
            return []
        self._session.open(folder)
        return self._session.envelopes(self._session.uids(first))

    def _record_restored(
        self, departures: list[Departure], listed: list[Envelope], uidvalidity: int
    ) -> list[Departure]:
        """Records departures that are among the listed mails as ham; returns the others."""
        keys = {one.identity.key for one in departures}
        left = list(departures)
        for batch in batches(one for one in listed if one.identity.key in keys):
            lessons, restored = [], []
            for envelope, raw in self._fetched(batch).values():
                departure = next((one for one in left if one.identity.same_as(envelope.identity)), None)
                if departure is not None:
                    left.remove(departure)
                    restored.append(departure)
                    lessons.append(NewLesson("ham", envelope.identity, raw))
            with self._state.transaction():
                self._state.add_lessons(lessons)
                self._forget(restored, uidvalidity)
        return left

    def _forget(self, departures: list[Departure], uidvalidity: int) -> None:
        """Removes what is no longer in Junk from the state."""
        uids = [one.uid for one in departures if one.uid is not None]
        self._state.remove_mails(self._junk, uidvalidity, uids)
        self._state.set_actions([one.action for one in departures if one.action is not None], SETTLED)

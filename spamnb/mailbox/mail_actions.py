"""Flags or moves the mails of an account for which that is planned."""

from __future__ import annotations

from typing import Protocol

from spamnb.errors import MailboxError
from spamnb.mailbox.accounts import MailAccount
from spamnb.mailbox.mail_identity import Envelope
from spamnb.mailbox.mailbox_state import (
    DONE,
    JUNK_MARK,
    PLANNED,
    SETTLED,
    WATCHED,
    Action,
    MailboxState,
)
from spamnb.mailbox.move_lessons import FolderReader
from spamnb.mailbox.special_folders import SpecialFolders
from spamnb.mailbox.sync_plan import BATCH_MAILS, DELETED, JUNK, first_new_uid


class FolderWriter(FolderReader, Protocol):
    """What flagging and moving mails needs of a session."""

    @property
    def has_move(self) -> bool: ...
    def uids(self, first: int = 1) -> list[int]: ...
    def can_flag(self, keyword: str) -> bool: ...
    def add_keyword(self, uids: list[int], keyword: str) -> None: ...
    def move(self, uids: list[int], target: str) -> None: ...
    def copy(self, uids: list[int], target: str) -> None: ...
    def remove_copied(self, uids: list[int]) -> None: ...


class PlannedActions:
    """Does what the state has planned, and records there what is done."""

    def __init__(
        self, account: MailAccount, session: FolderWriter, state: MailboxState, folders: SpecialFolders
    ) -> None:
        self._account, self._session, self._state, self._folders = account, session, state, folders

    def run(self, may_be_done: bool = False) -> None:
        """Does what is planned; after a restart, `may_be_done`, some of it may be done already."""
        action = self._account.action
        planned = self._state.actions(PLANNED, action) if action != "shadow" else []
        for folder in sorted({one.folder for one in planned}):
            actions = [one for one in planned if one.folder == folder]
            for at in range(0, len(actions), BATCH_MAILS):
                self._act_on(actions[at : at + BATCH_MAILS], folder, may_be_done)

    def _act_on(self, actions: list[Action], folder: str, may_be_done: bool) -> None:
        now = self._session.open(folder, write=True)
        valid = [one for one in actions if one.uidvalidity == now.uidvalidity]
        flags = {one.uid: one.flags for one in self._session.envelopes([one.uid for one in valid])}
        there = [one for one in valid if one.uid in flags and DELETED not in flags[one.uid]]
        if self._account.action == "flag":
            self._flag(there)
        elif self._session.has_move:
            self._move(there)
        else:
            deleted = [one for one in valid if one.uid in flags and may_be_done and one not in there]
            self._copy_and_remove(there, deleted, folder, may_be_done)
        # A mail that is not there any more has been moved: by spamnb, before it was killed, or by a person.
        # Of a move Junk tells which; a flag needs no answer.
        gone = [one for one in actions if one not in there]
        with self._state.transaction():
            self._state.set_actions(there, DONE)
            self._state.set_actions(gone, DONE if self._account.action == "move" else SETTLED)

    def _flag(self, actions: list[Action]) -> None:
        if not actions:
            return
        if not self._session.can_flag(JUNK):
            raise MailboxError(
                f"{self._account.server} keeps no keywords, such as {JUNK}, in {actions[0].folder}",
                hint='set action = "move" for this account',
            )
        self._session.add_keyword([one.uid for one in actions], JUNK)

    def _move(self, actions: list[Action]) -> None:
        if actions:
            self._session.move([one.uid for one in actions], self._folders.require_junk())

    def _copy_and_remove(
        self, there: list[Action], deleted: list[Action], folder: str, may_be_copied: bool
    ) -> None:
        """Moves mails where the server has no command for it; what a kill has interrupted is finished.

        Of mails that are marked as deleted only those are removed that spamnb has copied to Junk.
        """
        junk = self._folders.require_junk()
        copied = self._copied([*there, *deleted], junk) if may_be_copied else set()
        self._session.open(folder, write=True)
        if missing := [one.uid for one in there if one.uid not in copied]:
            self._session.copy(missing, junk)
        if done := [one.uid for one in there] + [one.uid for one in deleted if one.uid in copied]:
            self._session.remove_copied(done)

    def _copied(self, actions: list[Action], junk: str) -> set[int]:
        """Finds the mails that were copied before spamnb was killed: into Junk, or moved on from there."""
        last, marks = self._state.status(junk, WATCHED), self._state.statuses(JUNK_MARK)
        copied: set[int] = set()
        for folder, mark in [(junk, last), *((name, marks.get(name)) for name in self._folders.others)]:
            first = first_new_uid(mark, self._session.open(folder))
            left = [one for one in actions if one.uid not in copied]
            if left and first is not None:
                listed = self._session.envelopes(self._session.uids(first))
                copied |= self._matching(left, [one for one in listed if not _is_source(one, folder, left)])
        return copied

    def _matching(self, actions: list[Action], envelopes: list[Envelope]) -> set[int]:
        """Finds the actions whose mails are among these of the open folder."""
        keys = {one.identity.key for one in actions}
        wanted = [one for one in envelopes if one.identity.key in keys]
        raw = self._session.raw([one.uid for one in wanted]) if wanted else {}
        mails = [one.with_digest(raw[one.uid]).identity for one in wanted if one.uid in raw]
        return {one.uid for one in actions if any(one.identity.same_as(mail) for mail in mails)}


def _is_source(envelope: Envelope, folder: str, actions: list[Action]) -> bool:
    return any((one.folder, one.uid) == (folder, envelope.uid) for one in actions)

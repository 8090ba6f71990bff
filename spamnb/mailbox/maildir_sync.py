"""Learns from the folders of a Maildir on disk: what is new in Junk is spam, what left it is ham."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from spamnb.errors import MailboxError, ModelError
from spamnb.mail import own_verdict
from spamnb.mailbox.account_loop import state_folder
from spamnb.mailbox.mail_classifier import MailClassifier
from spamnb.mailbox.mail_identity import Envelope, Identity
from spamnb.mailbox.mailbox_state import MailboxState, SeenMail
from spamnb.mailbox.maildir_session import UIDVALIDITY, MaildirSession
from spamnb.mailbox.move_lessons import JunkSync, Learning, learn_recorded
from spamnb.mailbox.special_folders import SpecialFolders, find_special_folders
from spamnb.mailbox.sync_plan import FolderStatus, batches
from spamnb.storage import Lock

_AT_ONCE = 500  # mails of Junk that are recorded before they are learned


def sync_maildir(path: str, classifier: MailClassifier) -> Iterator[str]:
    """Learns what has changed in Junk since the last time; yields the label of each lesson.

    The first time all of Junk is new. State and model belong together: another model learns all of Junk.
    """
    session = MaildirSession(path)
    folders = find_special_folders(session.folders())
    folder = state_folder()
    place = f"{os.path.realpath(path)} {os.path.realpath(classifier.path)}"
    state = MailboxState(os.path.join(folder, "maildir.sqlite"), place)
    try:
        with Lock(os.path.join(folder, "maildir")):
            yield from MaildirSync(session, state, folders, classifier).lessons()
    except ModelError as error:
        raise MailboxError(error.message, error.hint) from None
    finally:
        state.close()


class MaildirSync(JunkSync):
    """Compares Junk with what was known of it. All that is new there is spam, but what spamnb put there."""

    def __init__(
        self,
        session: MaildirSession,
        state: MailboxState,
        folders: SpecialFolders,
        model: Learning,
    ) -> None:
        super().__init__(session, state, folders)
        self._model = model
        self._learned: list[str] = []

    def lessons(self) -> Iterator[str]:
        """Learns, and yields the label of each lesson; what an earlier run could not finish comes first."""
        self._learn()
        self._drop_gone()
        self.run()
        self._learn()
        self._state.set_synced()
        yield from self._learned

    def _learn(self) -> None:
        self._learned += [one.label for one in learn_recorded(self._state, self._model)]

    def _record_present(self, uids: list[int], uidvalidity: int) -> None:
        known = self._state.mails(self._junk, uidvalidity)  # before a kill
        self._record_arrivals([uid for uid in uids if uid not in known], uidvalidity)

    def _record_arrivals(self, uids: list[int], uidvalidity: int) -> None:
        for at in range(0, len(uids), _AT_ONCE):
            part = uids[at : at + _AT_ONCE]
            self._note_copies(part)
            self._session.open(self._junk)
            super()._record_arrivals(part, uidvalidity)
            self._learn()

    def _is_spam_lesson(self, identity: Identity, raw: bytes) -> bool:  # noqa: ARG002
        """Tells whether a mail has no verdict spam yet; with one, a rule has put it there."""
        return own_verdict(raw) != "spam"

    def _note_copies(self, uids: list[int]) -> None:
        """Records copies of mails in Junk that other folders have at that time: they never left Junk."""
        self._session.open(self._junk)
        arrived = {one.identity for one in self._with_digests(self._session.envelopes(uids))}
        sizes = {identity.size for identity in arrived}
        for folder in self._folders.others:
            self._session.open(folder)
            listed = self._session.envelopes(self._session.uids())
            same = self._with_digests(one for one in listed if one.identity.size in sizes)
            copies = [SeenMail(one, "present") for one in same if one.identity in arrived]
            with self._state.transaction():
                self._state.add_mails(folder, UIDVALIDITY, copies)

    def _with_digests(self, envelopes: Iterable[Envelope]) -> Iterator[Envelope]:
        for batch in batches(envelopes):
            for envelope, _ in self._fetched(batch).values():
                yield envelope

    def _drop_gone(self) -> None:
        """Removes records of mails that are no longer in a folder: they may come back from Junk."""
        for folder in self._folders.others:
            known = self._state.mails(folder, UIDVALIDITY)
            if known:
                self._session.open(folder)
                gone = known.keys() - set(self._session.uids())
                with self._state.transaction():
                    self._state.remove_mails(folder, UIDVALIDITY, gone)

    def _came_since(
        self,
        folder: str,
        last: FolderStatus | None,  # noqa: ARG002
        now: FolderStatus,  # noqa: ARG002
    ) -> list[Envelope]:
        self._session.open(folder)
        known = self._state.mails(folder, UIDVALIDITY)
        return self._session.envelopes([uid for uid in self._session.uids() if uid not in known])

"""Synchronises one account: learns from Junk, classifies what has arrived, flags or moves spam."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import NamedTuple, Protocol

from spamnb.errors import MailboxError
from spamnb.mailbox.accounts import MailAccount
from spamnb.mailbox.mail_actions import FolderWriter, PlannedActions
from spamnb.mailbox.mail_classifier import Verdict, subject_of
from spamnb.mailbox.mail_identity import Envelope
from spamnb.mailbox.mailbox_state import (
    DONE,
    SETTLED,
    WATCHED,
    MailboxState,
    NewLesson,
    SeenMail,
)
from spamnb.mailbox.move_lessons import JunkSync, Learning, learn_recorded
from spamnb.mailbox.special_folders import Folder, SpecialFolders, find_special_folders
from spamnb.mailbox.sync_plan import (
    ACTIONS,
    JUNK,
    NOT_JUNK,
    FolderStatus,
    action_for,
    batches,
    is_arrival,
)


class MailSession(FolderWriter, Protocol):
    """What synchronising needs of a session."""

    @property
    def can_move(self) -> bool: ...
    def folders(self) -> list[Folder]: ...
    def uids(self, first: int = 1, since: date | None = None) -> list[int]: ...
    def uids_with(self, keyword: str, without: str) -> list[int]: ...


class Classifier(Learning, Protocol):
    """What synchronising needs of a model."""

    def classify(self, mails: list[bytes]) -> list[Verdict]: ...


class Event(NamedTuple):
    """Something to report: the account, what was done, where, P(spam) and the subject."""

    account: str
    what: str
    where: str
    probability: float | None = None
    subject: str = ""


Report = Callable[[Event], None]


class AccountSync:
    """Runs synchronisations over one session; the state is what survives it."""

    def __init__(
        self,
        account: MailAccount,
        session: MailSession,
        state: MailboxState,
        classifier: Classifier,
        report: Report,
    ) -> None:
        self._account, self._session, self._state = account, session, state
        self._classifier, self._report = classifier, report
        self._folders: SpecialFolders = find_special_folders(session.folders())
        if account.action == "move":
            self._folders.require_junk()
            if not session.can_move:
                raise MailboxError(
                    f"{account.server} cannot move a single email: it has neither MOVE nor UIDPLUS",
                    hint='set action = "flag" for this account',
                )
        with state.transaction():
            state.drop_planned([action for action in ACTIONS if action != account.action])

    def run(self, since: date | None = None) -> bool:
        """Synchronises once. What was planned before, and perhaps done, is settled first.

        Returns whether more has arrived meanwhile: the server reports only what arrives from now on.
        """
        self._folders = find_special_folders(self._session.folders())  # a person may have made a new one
        self._actions().run(may_be_done=True)
        if self._folders.junk is not None:
            JunkSync(self._session, self._state, self._folders).run()
        self._learn()
        for folder in self._account.folders:
            self._classify_arrivals(folder, since)
            self._actions().run()
            if self._account.action == "flag":
                self._learn_from_keywords(folder)
        self._learn()
        with self._state.transaction():
            self._state.set_synced()
        first = self._account.folders[0]
        now, last = self._session.open(first), self._state.status(first, WATCHED)
        return last is None or (now.uidvalidity, now.uidnext) != (last.uidvalidity, last.uidnext)

    def _actions(self) -> PlannedActions:
        return PlannedActions(self._account, self._session, self._state, self._folders)

    # --- arrivals ---

    def _classify_arrivals(self, folder: str, since: date | None) -> None:
        now = self._session.open(folder)
        last = self._state.status(folder, WATCHED)
        is_new = last is None or last.uidvalidity != now.uidvalidity
        wanted = set(self._session.uids(since=since)) if since is not None else set()
        if is_new:
            present = [uid for uid in self._session.uids() if uid not in wanted]
            self._record_present(folder, now.uidvalidity, present)
            arrived = sorted(wanted)
        else:
            assert last is not None
            older = wanted & self._state.unclassified(folder, now.uidvalidity)
            arrived = sorted({*self._session.uids(last.uidnext), *older})
        for batch in batches(self._session.envelopes(arrived)):
            self._classify(folder, now.uidvalidity, batch, wanted)
        end = max([now.uidnext, *(uid + 1 for uid in arrived)])
        with self._state.transaction():
            self._state.set_status(folder, WATCHED, now._replace(uidnext=end))

    def _record_present(self, folder: str, uidvalidity: int, uids: list[int]) -> None:
        """Records mails that were there before: they are recognized, but neither classified nor touched."""
        for batch in batches(self._session.envelopes(uids)):
            unclear = [one.uid for one in batch if one.identity.needs_digest]
            raw = self._session.raw(unclear) if unclear else {}
            mails = [one.with_digest(raw[one.uid]) if one.uid in raw else one for one in batch]
            with self._state.transaction():
                self._state.add_mails(folder, uidvalidity, [SeenMail(one, "present") for one in mails])

    def _classify(self, folder: str, uidvalidity: int, batch: list[Envelope], wanted: set[int]) -> None:
        raw = self._session.raw([one.uid for one in batch])
        mails = [one.with_digest(raw[one.uid]) for one in batch if one.uid in raw]
        synced = self._state.synced()
        new = [
            one
            for one in mails
            if (one.uid in wanted or is_arrival(one, synced))
            and not self._state.seen(one.identity, folder, uidvalidity, one.uid)
        ]
        verdicts = self._classifier.classify([raw[one.uid] for one in new]) if new else []
        classified = {one.uid for one in new}
        seen = [SeenMail(one, "moved") for one in mails if one.uid not in classified]
        for one, verdict in zip(new, verdicts, strict=True):
            seen.append(SeenMail(one, "arrived", verdict.label, verdict.probability))
        self._record(folder, uidvalidity, seen)
        for one, verdict in zip(new, verdicts, strict=True):
            self._report_verdict(folder, one, verdict)

    def _record(self, folder: str, uidvalidity: int, seen: list[SeenMail]) -> None:
        """Records verdicts and what will be done about them in one transaction."""
        action = self._account.action
        spam = [one.envelope for one in seen if action_for(action, one.verdict or "", one.envelope.flags)]
        end = max((one.envelope.uid + 1 for one in seen), default=0)
        with self._state.transaction():
            self._state.add_mails(folder, uidvalidity, seen)
            self._state.plan(action, folder, uidvalidity, spam)
            last = self._state.status(folder, WATCHED)
            if last is not None and last.uidvalidity == uidvalidity and last.uidnext < end:
                self._state.set_status(folder, WATCHED, last._replace(uidnext=end))

    def _report_verdict(self, folder: str, envelope: Envelope, verdict: Verdict) -> None:
        if verdict.label == "ham":
            return
        what = verdict.label
        if verdict.label == "spam":
            do = {"shadow": "would go to", "flag": "flagged for", "move": "to"}[self._account.action]
            acts = self._account.action == "shadow" or action_for(
                self._account.action, "spam", envelope.flags
            )
            what = f"spam, {do} {self._folders.junk or 'Junk'}" if acts else "spam, left alone"
        where = f"{folder}/{envelope.uid}"
        self._report(Event(self._account.name, what, where, verdict.probability, verdict.subject))

    # --- lessons ---

    def _learn_from_keywords(self, folder: str) -> None:
        """Records a mail as ham that spamnb has flagged and a person has marked as no junk since."""
        now: FolderStatus = self._session.open(folder)
        flagged = {
            one.uid: one
            for one in self._state.actions(DONE, "flag")
            if (one.folder, one.uidvalidity) == (folder, now.uidvalidity)
        }
        if not flagged:
            return
        uids = [uid for uid in self._session.uids_with(NOT_JUNK, without=JUNK) if uid in flagged]
        raw = self._session.raw(uids) if uids else {}
        with self._state.transaction():
            self._state.add_lessons(NewLesson("ham", flagged[uid].identity, raw[uid]) for uid in raw)
            self._state.set_actions([flagged[uid] for uid in raw], SETTLED)

    def _learn(self) -> None:
        """Learns what is recorded, and reports each lesson."""
        for one in learn_recorded(self._state, self._classifier):
            subject = subject_of(one.raw)
            self._report(Event(self._account.name, f"learned as {one.label}", "", subject=subject))

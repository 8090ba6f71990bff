"""One account against a server in memory: arrivals, lessons, own moves, restarts, kills at every step."""

from __future__ import annotations

import itertools
import os
import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from spamnb.errors import MailboxError
from spamnb.mailbox.account_sync import AccountSync, Event
from spamnb.mailbox.accounts import MailAccount
from spamnb.mailbox.mailbox_state import MailboxState
from tests.mailbox.memory_server import Killed, MemoryFolder, MemoryModel, MemoryServer, MemorySession


class Filter:
    """A filter for one account that can be started again and again over the same state."""

    def __init__(self, folder: Path, action: str = "move", has_move: bool = True) -> None:
        self.path = str(folder / "state" / "imap.sqlite")
        self.server, self.model = MemoryServer(), MemoryModel()
        self.action, self.has_move = action, has_move
        self.events: list[Event] = []

    def run(self, step: Callable[[], None] = lambda: None, since: date | None = None) -> None:
        """One start of the program, one synchronisation."""
        state = MailboxState(self.path, "me@example.org")
        account = MailAccount("me@example.org", "imap.example.org", action=self.action)
        session = MemorySession(self.server, step, self.has_move)
        self.model.step = step
        try:
            AccountSync(account, session, state, self.model, self.events.append).run(since)
        finally:
            state.close()

    def state(self) -> MailboxState:
        return MailboxState(self.path, "me@example.org")

    def inbox(self) -> list[bytes]:
        return [mail.raw for mail in self.server.folders["INBOX"].mails.values()]

    def junk(self) -> list[bytes]:
        return [mail.raw for mail in self.server.folders["Junk"].mails.values()]


def mail(number: int, word: str = "prize", message_id: bool = True) -> bytes:
    head = f"Message-ID: <{number}@example.org>\n" if message_id else ""
    return f"{head}Subject: {word} {number}\n\n{word}\n".encode()


SPAM, HAM, OLD = mail(1), mail(2, "lunch"), mail(3)


@pytest.fixture
def started(tmp_path: Path) -> Filter:
    """A filter that has seen an old spam in the inbox, and left it there."""
    one = Filter(tmp_path)
    one.server.deliver(OLD)
    one.run()
    assert one.inbox() == [OLD]
    return one


# --- arrivals --------------------------------------------------------------------------------------


def test_what_arrives_is_classified_and_spam_is_moved(started: Filter) -> None:
    started.server.deliver(SPAM)
    started.server.deliver(HAM)
    started.run()
    assert (started.inbox(), started.junk()) == ([OLD, HAM], [SPAM])
    assert [(event.what, event.where) for event in started.events] == [("spam, to Junk", "INBOX/2")]
    started.run()
    assert started.model.classified == [SPAM, HAM]
    assert started.state().summary().verdicts == {"spam": 1, "ham": 1}


def test_shadow_mode_changes_nothing_on_the_server(started: Filter) -> None:
    started.action = "shadow"
    started.server.deliver(SPAM)
    started.run()
    assert (started.inbox(), started.server.moves) == ([OLD, SPAM], [])
    assert started.events[0].what == "spam, would go to Junk"


def test_flag_mode_sets_a_keyword(started: Filter) -> None:
    started.action = "flag"
    uid = started.server.deliver(SPAM)
    started.run()
    assert started.inbox() == [OLD, SPAM]
    assert started.server.folders["INBOX"].mails[uid].flags == {"$Junk"}
    assert started.events[0].what == "spam, flagged for Junk"


def test_a_mail_that_is_marked_as_no_junk_is_left_alone(started: Filter) -> None:
    uid = started.server.deliver(SPAM)
    started.server.folders["INBOX"].mails[uid].flags.add("$NotJunk")
    started.run()
    assert started.inbox() == [OLD, SPAM]
    assert started.events[0].what == "spam, left alone"


def test_since_classifies_what_was_there(started: Filter) -> None:
    started.run(since=date(2001, 1, 1))
    assert (started.inbox(), started.junk()) == ([], [OLD])


def test_since_counts_at_the_first_run(tmp_path: Path) -> None:
    one = Filter(tmp_path)
    one.server.deliver(OLD)
    one.run(since=date(2001, 1, 1))
    assert one.junk() == [OLD]


def test_a_mail_from_another_folder_is_no_arrival(started: Filter) -> None:
    started.server.folders["Archive"].add(started.server.folders["INBOX"].mails.pop(1))
    started.run()
    archived = started.server.folders["Archive"].mails.pop(1)
    archived.received -= 3 * 86_400
    started.server.folders["INBOX"].add(archived)
    started.run()
    assert (started.inbox(), started.model.classified) == ([OLD], [])


@pytest.mark.parametrize("folder", ["INBOX", "Junk"])
def test_new_uids_of_a_folder_are_no_arrivals_and_no_lessons(started: Filter, folder: str) -> None:
    started.server.deliver(SPAM)
    started.server.deliver(HAM)
    started.run()
    started.run()
    started.server.renumber(folder)
    started.run()
    assert (sorted(started.inbox()), started.junk()) == (sorted([OLD, HAM]), [SPAM])
    assert started.model.labels == {}
    started.server.deliver(mail(9))
    started.run()
    assert mail(9) in started.junk()


def test_a_server_without_move_and_uidplus_is_refused(started: Filter) -> None:
    session = MemorySession(started.server)
    session.can_move = False
    account = MailAccount("me@example.org", "imap.example.org", action="move")
    with pytest.raises(MailboxError, match="cannot move a single email: it has neither MOVE nor UIDPLUS"):
        AccountSync(account, session, started.state(), started.model, started.events.append)


def test_an_account_without_junk_is_refused_in_mode_move(started: Filter) -> None:
    del started.server.folders["Junk"]
    with pytest.raises(MailboxError, match="the account has no folder for junk mail"):
        started.run()


# --- lessons ---------------------------------------------------------------------------------------


def test_what_a_person_moves_to_junk_is_spam(started: Filter) -> None:
    started.server.deliver(HAM)
    started.run()
    started.server.person_moves(HAM, "INBOX", "Junk")
    started.run()
    assert started.model.changes == [(HAM, "spam")]
    assert started.events[-1].what == "learned as spam"
    started.run()
    assert len(started.model.changes) == 1


def test_an_old_mail_that_a_person_moves_to_junk_is_spam(started: Filter) -> None:
    started.server.person_moves(OLD, "INBOX", "Junk")
    started.run()
    assert started.model.changes == [(OLD, "spam")]


@pytest.mark.parametrize("has_id", [True, False])
def test_what_a_person_moves_out_of_junk_is_ham(tmp_path: Path, has_id: bool) -> None:
    one, raw = Filter(tmp_path), mail(5, message_id=has_id)
    one.server.deliver(raw, "Junk")
    one.run()
    one.server.person_moves(raw, "Junk", "Archive")
    one.run()
    assert one.model.changes == [(raw, "ham")]


def test_a_restored_mail_stays_in_the_inbox(started: Filter) -> None:
    started.server.deliver(SPAM)
    started.run()
    started.run()
    started.server.person_moves(SPAM, "Junk", "INBOX")
    for _ in range(3):
        started.run()
    assert (started.inbox(), started.model.changes) == ([OLD, SPAM], [(SPAM, "ham")])


def test_a_mail_that_is_restored_before_junk_was_listed_is_ham_too(started: Filter) -> None:
    started.server.deliver(SPAM)
    started.run()
    started.server.person_moves(SPAM, "Junk", "INBOX")
    started.run()
    assert (started.inbox(), started.model.changes) == ([OLD, SPAM], [(SPAM, "ham")])


def test_a_mail_that_goes_into_a_new_folder_is_ham_too(started: Filter) -> None:
    started.server.deliver(SPAM)
    started.run()
    started.run()
    started.server.folders["Projects"] = MemoryFolder()
    started.server.person_moves(SPAM, "Junk", "Projects")
    started.run()
    assert started.model.changes == [(SPAM, "ham")]


def test_from_junk_to_trash_is_nothing(started: Filter) -> None:
    started.server.deliver(SPAM)
    started.run()
    started.run()
    started.server.person_moves(SPAM, "Junk", "Trash")
    started.run()
    assert started.model.changes == []


def test_what_spamnb_moves_or_the_server_delivers_to_junk_is_no_lesson(started: Filter) -> None:
    started.server.deliver(SPAM)
    started.server.deliver(mail(7), "Junk")
    for _ in range(3):
        started.run()
    assert started.model.changes == []
    assert started.state().summary().actions == {"move": 1}


def test_back_and_forth_counts_as_the_last_move(started: Filter) -> None:
    started.server.deliver(SPAM)
    started.run()
    for source, target in (("Junk", "INBOX"), ("INBOX", "Junk"), ("Junk", "Archive")):
        started.server.person_moves(SPAM, source, target)
        started.run()
    assert started.model.changes == [(SPAM, "ham"), (SPAM, "spam"), (SPAM, "ham")]


def test_a_mail_with_the_same_id_and_size_but_other_bytes_is_classified(started: Filter) -> None:
    started.server.deliver(SPAM)
    started.run()
    other = SPAM.replace(b"Subject: prize", b"Subject: Prize")
    started.server.deliver(other)
    started.run()
    assert started.junk() == [SPAM, other]


def test_in_mode_flag_a_person_who_says_no_junk_teaches_ham(started: Filter) -> None:
    started.action = "flag"
    uid = started.server.deliver(SPAM)
    started.run()
    started.server.folders["INBOX"].mails[uid].flags = {"$NotJunk"}
    started.run()
    assert started.model.changes == [(SPAM, "ham")]
    started.run()
    assert started.server.folders["INBOX"].mails[uid].flags == {"$NotJunk"}


def test_the_bytes_of_a_lesson_are_erased_when_it_is_learned(started: Filter) -> None:
    started.server.person_moves(OLD, "INBOX", "Junk")
    started.run()
    stored = b"".join(path.read_bytes() for path in Path(started.path).parent.iterdir())
    assert b"Subject: prize 3" not in stored


# --- kills -----------------------------------------------------------------------------------------


class Person:
    """Delivers mails and moves them, and keeps a tally of its own."""

    def __init__(self, one: Filter, rng: random.Random) -> None:
        self.filter, self.rng, self.numbers = one, rng, itertools.count(100)
        self.expected: dict[bytes, str] = {}
        self.delivered: list[bytes] = []

    def act(self) -> None:
        self.rng.choice([self.deliver, self.deliver, self.mark_spam, self.restore, self.trash])()

    def deliver(self) -> None:
        raw = mail(next(self.numbers), self.rng.choice(["prize", "lunch"]), self.rng.random() < 0.8)
        self.delivered.append(raw)
        self.filter.server.deliver(raw)

    def mark_spam(self) -> None:
        """Moves a good mail that the filter has seen to Junk: it does not touch those itself."""
        server, state = self.filter.server, self.filter.state()
        recorded = state.mails("INBOX", server.folders["INBOX"].uidvalidity)
        state.close()
        mails = server.folders["INBOX"].mails
        if good := [one.raw for uid, one in mails.items() if b"lunch" in one.raw and uid in recorded]:
            self._move(self.rng.choice(good), "INBOX", "Junk", "spam")

    def restore(self) -> None:
        if junk := self.filter.junk():
            self._move(self.rng.choice(junk), "Junk", self.rng.choice(["INBOX", "Archive"]), "ham")

    def trash(self) -> None:
        if junk := [raw for raw in self.filter.junk() if raw not in self.expected]:
            raw = self.rng.choice(junk)
            if self.filter.server.where(raw) == ["Junk"]:
                self.filter.server.person_moves(raw, "Junk", "Trash")

    def _move(self, raw: bytes, source: str, target: str, label: str) -> None:
        if self.filter.server.where(raw) == [source] and raw not in self.expected:
            self.filter.server.person_moves(raw, source, target)
            self.expected[raw] = label


# In memory where the system has such a folder: SQLite waits for the disk each time it is closed.
QUICK = "/dev/shm" if os.path.isdir("/dev/shm") else None


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), has_move=st.booleans())
def test_kills_neither_lose_nor_double_anything(seed: int, has_move: bool) -> None:
    with tempfile.TemporaryDirectory(dir=QUICK) as folder:
        check_with_kills(Path(folder), random.Random(seed), has_move)


def check_with_kills(folder: Path, rng: random.Random, has_move: bool) -> None:
    """The person acts, the filter is killed at a random step, and starts again."""
    one = Filter(folder, has_move=has_move)
    one.run()
    person = Person(one, rng)
    for _ in range(12):
        for _ in range(rng.randrange(1, 5)):
            person.act()
        steps = iter(range(rng.randrange(60)))

        def step(left: object = steps) -> None:
            if next(left, None) is None:  # type: ignore[call-overload]
                raise Killed

        with suppress(Killed):
            one.run(step)
        if rng.random() < 0.5:
            one.run()
    one.run()
    one.run()
    assert one.model.labels == person.expected
    assert len(one.model.changes) == len(person.expected)
    for raw in person.delivered:
        assert len(one.server.where(raw)) == 1, raw
        assert one.server.moves.count(raw) <= 1

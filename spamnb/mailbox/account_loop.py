"""Runs accounts: once, or until they are stopped, with a new connection after each failure."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from threading import Thread

from spamnb.errors import ConnectionLost, MailboxError, ModelError, SpamnbError
from spamnb.mailbox.account_sync import AccountSync, Report
from spamnb.mailbox.accounts import MailAccount
from spamnb.mailbox.imap_session import ImapSession
from spamnb.mailbox.mail_classifier import MailClassifier
from spamnb.mailbox.mailbox_state import MailboxState
from spamnb.mailbox.sync_plan import pause_after
from spamnb.model import data_folder
from spamnb.storage import Lock

_REFUSED_PAUSE = 300.0  # seconds before the next try after a server refused something: it is no hurry
_TICK = 0.2
Note = Callable[[str], None]  # prints a line for the user
Stop = Callable[[], bool]


def state_folder() -> str:
    """Returns the folder of the state; refuses to go on without one."""
    folder = data_folder()
    if folder is None:
        raise MailboxError("there is no home folder for the state of mailboxes", hint="set HOME")
    return folder


def state_path() -> str:
    """Returns the file with the state of all accounts."""
    return os.path.join(state_folder(), "imap.sqlite")


def accounts_path() -> str:
    """Returns the file with the accounts that `spamnb imap login` has kept."""
    return os.path.join(state_folder(), "accounts.toml")


@dataclass
class AccountRun:
    """What it takes to run one account."""

    account: MailAccount
    password: str
    classifier: MailClassifier
    report: Report
    note: Note
    since: date | None = None
    error: SpamnbError | None = None

    def once(self) -> None:
        """Synchronises the account once."""
        with self._state() as state:
            try:
                session = ImapSession(self.account, self.password)
                try:
                    AccountSync(self.account, session, state, self.classifier, self.report).run(self.since)
                finally:
                    session.close()
            except SpamnbError as error:
                state.set_error(error.message)
                raise

    def until(self, stop: Stop) -> None:
        """Synchronises whenever something changes, until `stop` says so; after a failure it tries again.

        Only what fails before the first success, and not for lack of a connection, ends it: a wrong password.
        """
        failures, worked = 0, False
        with self._state() as state:
            while not stop():
                try:
                    for _ in self._synchronisations(state, stop):
                        failures, worked = 0, True
                except SpamnbError as error:
                    failures += 1
                    state.set_error(error.message)
                    if not worked and not isinstance(error, ConnectionLost):
                        raise
                    pause = pause_after(failures) if isinstance(error, ConnectionLost) else _REFUSED_PAUSE
                    self.note(f"{self.account.name}: {error.message}; trying again in {pause:g} s")
                    _sleep(pause, stop)

    def _synchronisations(self, state: MailboxState, stop: Stop) -> Iterator[None]:
        """Connects, then yields after each synchronisation."""
        session = ImapSession(self.account, self.password)
        try:
            sync = AccountSync(self.account, session, state, self.classifier, self.report)
            since = self.since
            while not stop():
                more, since = sync.run(since), None
                yield
                if not more:
                    session.wait(self.account.poll, stop)
        finally:
            session.close()

    @contextmanager
    def _state(self) -> Iterator[MailboxState]:
        """Opens the state of the account, which only one process at a time may do."""
        state = MailboxState(state_path(), self.account.name)
        try:
            lock = Lock(os.path.join(state_folder(), f"imap-{self.account.name}"), wait=0.0)
            try:
                lock.__enter__()
            except ModelError:
                raise MailboxError(
                    f"another spamnb process filters {self.account.name}",
                    hint="`spamnb imap run` needs no `spamnb imap once` beside it",
                ) from None
            try:
                yield state
            finally:
                lock.__exit__(None, None, None)
        finally:
            state.close()


def run_accounts(runs: Sequence[AccountRun], stop: Stop) -> None:
    """Runs each account in a thread of its own; raises the first error when all have ended."""
    threads = [Thread(target=_run_thread, args=(run, stop), daemon=True) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(_TICK)  # so that Ctrl-C is noticed
    for run in runs:
        if run.error is not None:
            raise run.error


def _run_thread(run: AccountRun, stop: Stop) -> None:
    try:
        run.until(stop)
    except SpamnbError as error:
        run.error = error
        run.note(f"{run.account.name}: {error.message}; this account is not filtered")
    except Exception as error:
        run.error = MailboxError(f"spamnb has a bug: {type(error).__name__}: {error}", "please report it")
        run.note(f"{run.account.name}: {run.error.message}")


def _sleep(seconds: float, stop: Stop) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stop():
        time.sleep(_TICK)

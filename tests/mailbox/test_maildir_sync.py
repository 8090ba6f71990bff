"""`spamnb learn --sync MAILDIR`: new in Junk is spam, what left it is ham, each once, also after kills."""

from __future__ import annotations

import itertools
import os
import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import given, settings, strategies as st

from spamnb.mailbox.mail_identity import digest_of
from spamnb.mailbox.mailbox_state import MailboxState
from spamnb.mailbox.maildir_session import UIDVALIDITY, MaildirSession
from spamnb.mailbox.maildir_sync import MaildirSync
from spamnb.mailbox.special_folders import find_special_folders
from tests.helpers.command_line import Cli
from tests.mailbox.conftest import numbered
from tests.mailbox.memory_server import Killed, MemoryModel
from tests.mailbox.test_account_sync import QUICK
from tests.mailbox.test_lesson_spool import learned

FOLDERS = {"plus": {"INBOX": "", "Junk": ".Junk", "Trash": ".Trash", "Archive": ".Archive"}}
FOLDERS["nested"] = {name: path.lstrip(".") for name, path in FOLDERS["plus"].items()}


class Maildir:
    """A Maildir with four folders, and a person who moves mails in it."""

    def __init__(self, root: Path, layout: str = "plus") -> None:
        self.root, self.places = root, FOLDERS[layout]
        self._numbers = itertools.count(1)
        for folder in self.places:
            for part in ("cur", "new", "tmp"):
                (self.path(folder) / part).mkdir(parents=True)

    def path(self, folder: str) -> Path:
        return self.root / self.places[folder]

    def name(self) -> str:
        return f"{next(self._numbers)}.M1P1.mx"

    def deliver(self, raw: bytes, folder: str = "INBOX") -> Path:
        target = self.path(folder) / "new" / self.name()
        target.write_bytes(raw)
        return target

    def move(self, mail: Path, folder: str, keep_name: bool = False) -> Path:
        """As Dovecot moves a mail, with a new name; as `mv` does with `keep_name`."""
        name = mail.name.partition(":")[0] if keep_name else self.name()
        return mail.rename(self.path(folder) / "cur" / f"{name}:2,S")

    def files(self, folder: str) -> list[Path]:
        return sorted(file for part in ("cur", "new") for file in (self.path(folder) / part).iterdir())


class SteppingSession(MaildirSession):
    """Is killed by `step` whenever that wants to."""

    def __init__(self, root: Path, step: Callable[[], None]) -> None:
        super().__init__(str(root))
        self._step = step

    def _listed(self, folder: str) -> dict[int, str]:
        if hasattr(self, "_step"):
            self._step()
        return super()._listed(folder)

    def raw(self, uids: list[int]) -> dict[int, bytes]:
        self._step()
        return super().raw(uids)


class Learner:
    """Synchronises a Maildir again and again over the same state."""

    def __init__(self, maildir: Maildir, folder: Path) -> None:
        self.maildir, self.path, self.model = maildir, str(folder / "state.sqlite"), MemoryModel()

    def run(self, step: Callable[[], None] = lambda: None) -> list[str]:
        state = self.state()
        self.model.step = step
        try:
            session = SteppingSession(self.maildir.root, step)
            folders = find_special_folders(session.folders())
            return list(MaildirSync(session, state, folders, self.model).lessons())
        finally:
            state.close()

    def state(self) -> MailboxState:
        return MailboxState(self.path, "me")


@pytest.fixture(params=FOLDERS)
def learner(tmp_path: Path, request: pytest.FixtureRequest) -> Learner:
    return Learner(Maildir(tmp_path / "Maildir", request.param), tmp_path)


SPAM, HAM = numbered("spam", 1), numbered("ham", 1)


def test_moves_are_lessons_and_trash_is_none(learner: Learner) -> None:
    one = learner.maildir
    old, good = one.deliver(SPAM, "Junk"), one.deliver(HAM)
    assert learner.run() == ["spam"]  # the first time all of Junk is new
    assert learner.run() == []
    good = one.move(good, "Junk")
    assert learner.run() == ["spam"]
    one.move(good, "Archive")
    one.move(old, "Trash")
    assert learner.run() == ["ham"]
    assert learner.model.changes == [(SPAM, "spam"), (HAM, "spam"), (HAM, "ham")]
    one.move(one.files("Trash")[0], "INBOX")  # long after: no lesson
    assert learner.run() == []


@pytest.mark.parametrize("keep_name", [True, False])
def test_a_mail_may_go_in_and_out_again(learner: Learner, keep_name: bool) -> None:
    mail = learner.maildir.deliver(HAM)
    for _ in range(2):
        mail = learner.maildir.move(mail, "Junk", keep_name)
        assert learner.run() == ["spam"]
        mail = learner.maildir.move(mail, "INBOX", keep_name)
        assert learner.run() == ["ham"]


def test_what_the_filter_put_into_junk_is_a_lesson_only_when_it_leaves(learner: Learner) -> None:
    raw = b"X-Spamnb: spam, p=0.99, log_odds=5.00\r\n" + HAM
    mail = learner.maildir.deliver(raw, "Junk")
    assert learner.run() == []
    learner.maildir.move(mail, "INBOX")
    assert learner.run() == ["ham"]
    unsure = b"X-Spamnb: unsure, p=0.60, log_odds=0.40\r\n" + HAM
    learner.maildir.deliver(unsure, "Junk")
    assert learner.run() == ["spam"]


def test_a_copy_that_stayed_where_it_was_did_not_leave_junk(learner: Learner) -> None:
    learner.maildir.deliver(SPAM)
    copy = learner.maildir.deliver(SPAM, "Junk")
    assert learner.run() == ["spam"]
    copy.unlink()
    assert learner.run() == []


def test_flags_of_a_mail_change_nothing(learner: Learner) -> None:
    mail = learner.maildir.deliver(SPAM, "Junk")
    learner.run()
    mail.rename(mail.parent.parent / "cur" / f"{mail.name}:2,FS")
    assert learner.run() == []


class Watched(Protocol):
    """A Maildir, and the state that synchronising keeps of it."""

    @property
    def maildir(self) -> Maildir: ...
    def state(self) -> MailboxState: ...


class Person:
    """Moves mails at random, and keeps the tally that the model must have at the end."""

    def __init__(self, learner: Watched, rng: random.Random) -> None:
        self.learner, self.rng, self.numbers = learner, rng, itertools.count(1)
        self.expected: list[tuple[bytes, str]] = []

    def act(self) -> None:
        self.rng.choice([self.deliver, self.deliver, self.mark_spam, self.restore, self.trash])()

    def deliver(self) -> None:
        raw = numbered(self.rng.choice(["spam", "ham"]), next(self.numbers))
        if self.rng.random() < 0.2:
            self.learner.maildir.deliver(b"X-Spamnb: spam\r\n" + raw, "Junk")
        else:
            self.learner.maildir.deliver(raw)

    def mark_spam(self) -> None:
        if files := [one for one in self.learner.maildir.files("INBOX") if not self._lesson(one)]:
            self._move(self.rng.choice(files), "Junk", "spam")

    def restore(self) -> None:
        if files := self._recorded():
            self._move(self.rng.choice(files), self.rng.choice(["INBOX", "Archive"]), "ham")

    def trash(self) -> None:
        if files := self._recorded():
            self._move(self.rng.choice(files), "Trash", "")

    def _lesson(self, file: Path) -> bool:
        raw = file.read_bytes()
        return any(raw == one for one, _ in self.expected)

    def _recorded(self) -> list[Path]:
        """Mails in Junk that a run has read: of others it cannot know that they were there."""
        state = self.learner.state()
        known = state.mails("Junk", UIDVALIDITY)
        state.close()
        sizes = {(one.size, one.digest) for one in known.values() if one.digest}
        files = self.learner.maildir.files("Junk")
        data = {file: file.read_bytes() for file in files}
        return [file for file in files if (len(data[file]), digest_of(data[file])) in sizes]

    def _move(self, file: Path, folder: str, label: str) -> None:
        if label:
            self.expected.append((file.read_bytes(), label))
        self.learner.maildir.move(file, folder, self.rng.random() < 0.5)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), layout=st.sampled_from(sorted(FOLDERS)))
def test_kills_neither_lose_nor_double_a_lesson(seed: int, layout: str) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(dir=QUICK) as name:
        check_with_kills(Learner(Maildir(Path(name) / "Maildir", layout), Path(name)), rng)


def check_with_kills(learner: Learner, rng: random.Random) -> None:
    person = Person(learner, rng)
    learner.run()
    for _ in range(12):
        for _ in range(rng.randrange(1, 6)):
            person.act()
        steps = iter(range(rng.randrange(40)))

        def step(left: Any = steps) -> None:
            if next(left, None) is None:
                raise Killed

        with suppress(Killed):
            learner.run(step)
    learner.run()
    learner.run()
    assert sorted(learner.model.changes) == sorted(person.expected)
    assert learner.model.labels == dict(person.expected)


def test_the_command_learns_from_a_maildir(cli: Cli, mail_model: Path) -> None:
    one, model = Maildir(cli.here / "Maildir"), cli.here / "m.spamnb"
    model.write_bytes(mail_model.read_bytes())
    mail = one.deliver(SPAM, "Junk")
    sync = ("learn", "--sync", "Maildir", "-m", "m.spamnb")
    assert cli(*sync).err == "learned    1 email (1 spam)\n"
    assert cli(*sync).err == "Nothing was changed.\n"
    one.move(mail, "Archive")
    assert cli(*sync, "--json", "-", "-q").json["learned"] == {"ham": 1}
    assert learned(model, SPAM) == {"ham": 1}
    other = cli.here / "other.spamnb"
    other.write_bytes(mail_model.read_bytes())
    assert (
        cli("learn", "--sync", "Maildir", "-m", other).err == "Nothing was changed.\n"
    )  # nothing is in Junk
    assert os.stat(cli.data / "spamnb" / "maildir.sqlite").st_mode & 0o777 == 0o600
    assert "--sync of a Maildir cannot be combined with --spam" in cli(*sync, "--spam", code=2).err


def test_a_maildir_without_junk_is_refused(cli: Cli, mail_model: Path) -> None:
    for part in ("cur", "new", "tmp"):
        (cli.here / "Maildir" / part).mkdir(parents=True)
    assert cli.fails("learn", "--sync", "Maildir", "-m", mail_model)[0] == (
        "Error: the account has no folder for junk mail"
    )

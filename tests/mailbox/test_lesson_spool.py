"""`spamnb learn --mode drain`: a queue of mails is learned in order and emptied, also after kills."""

from __future__ import annotations

import itertools
import os
import random
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from spamnb.errors import MailboxError
from spamnb.mail.parse import parse_mails
from spamnb.mailbox.lesson_spool import drain_spool, waiting_lessons
from spamnb.model.message_digest import message_digests
from spamnb.model.spam_model import SpamModel
from tests.helpers.command_line import Cli
from tests.mailbox.conftest import numbered
from tests.mailbox.memory_server import Killed, MemoryModel
from tests.mailbox.test_account_sync import QUICK

_NUMBERS, _LAST = itertools.count(), [0]


def queue(folder: Path, label: str, raw: bytes, part: str = "new") -> Path:
    """Puts a mail into a queue as Dovecot does: at a later time than the last one."""
    target = folder / f".{label}" / part / f"1.M1P{next(_NUMBERS)}.mx,S={len(raw)}:2,"
    target.parent.mkdir(parents=True, exist_ok=True)
    while True:
        target.write_bytes(raw)
        now = target.stat().st_ctime_ns
        if now > _LAST[0]:
            _LAST[0] = now
            return target


def learned(model: Path, raw: bytes) -> dict[str, int]:
    seen = SpamModel.load(model).seen_messages
    assert seen is not None
    counts = {
        label: int(seen.count(label, message_digests(parse_mails([raw])))[0]) for label in ("spam", "ham")
    }
    return {label: n for label, n in counts.items() if n}


def test_mails_are_learned_in_their_order_and_removed(tmp_path: Path) -> None:
    first, second = numbered("spam", 1), numbered("ham", 2)
    queue(tmp_path, "ham", second)
    queue(tmp_path, "spam", first, "cur")
    queue(tmp_path, "ham", first)  # moved back again
    unfinished = queue(tmp_path, "spam", b"half a m", "tmp")
    model = MemoryModel()
    assert list(drain_spool(str(tmp_path), model)) == ["ham", "spam", "ham"]
    assert model.changes == [(second, "ham"), (first, "spam"), (first, "ham")]
    assert waiting_lessons(str(tmp_path)) == []
    assert unfinished.exists()
    assert list(drain_spool(str(tmp_path), model)) == []


def test_of_two_links_to_a_mail_ham_counts(tmp_path: Path) -> None:
    ham, model = queue(tmp_path, "ham", numbered("ham", 1)), MemoryModel()
    queue(tmp_path, "spam", b"")
    os.link(ham, tmp_path / ".spam" / "new" / "link")
    list(drain_spool(str(tmp_path), model))
    assert model.labels[numbered("ham", 1)] == "ham"


def test_symbolic_links_are_left_alone(tmp_path: Path) -> None:
    path = queue(tmp_path, "spam", numbered("spam", 1))
    outside = tmp_path / "outside"
    outside.write_bytes(b"Subject: private\n\n")
    path.with_name("link").symlink_to(outside)
    assert list(drain_spool(str(tmp_path), MemoryModel())) == ["spam"]
    assert outside.exists()


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_kills_neither_lose_nor_double_a_lesson(seed: int) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(dir=QUICK) as name:
        folder, model, expected = Path(name), MemoryModel(), dict[bytes, str]()
        folder.joinpath(".spam").mkdir()
        for _ in range(30):
            raw, label = numbered("spam", rng.randrange(12)), rng.choice(["spam", "ham"])
            queue(folder, label, raw)
            expected[raw] = label
            if rng.random() < 0.3:
                run_killed(folder, model, rng.randrange(8))
        run_killed(folder, model, 1000)
        assert model.labels == expected
        assert waiting_lessons(str(folder)) == []


def run_killed(folder: Path, model: MemoryModel, steps: int) -> None:
    """Drains a queue until so many steps are done: two for each call of the model, one for each removal."""
    left = [steps]

    def step() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    model.step = step
    with suppress(Killed):
        for _ in drain_spool(str(folder), model):
            step()


def test_the_command_learns_each_mail_once(cli: Cli, mail_model: Path) -> None:
    spool, model = cli.here / "spool", cli.here / "m.spamnb"
    model.write_bytes(mail_model.read_bytes())
    spam, ham = numbered("spam", 901), numbered("ham", 902)
    for label, raw in (("spam", spam), ("spam", ham), ("ham", ham)):
        queue(spool, label, raw)
    done = cli("learn", "--mode", "drain", spool, "-m", model)
    assert done.err == "learned    3 emails (1 ham, 2 spam)\n"
    assert (learned(model, spam), learned(model, ham)) == ({"spam": 1}, {"ham": 1})
    queue(spool, "spam", spam)  # as after a kill
    assert cli("learn", "--mode", "drain", spool, "-m", model, "--json", "-", "-q").json["learned"] == {
        "spam": 1
    }
    assert learned(model, spam) == {"spam": 1}
    assert cli("learn", "--mode", "drain", spool, "-m", model).err == "Nothing was changed.\n"


def test_the_first_lesson_starts_an_own_model(cli: Cli) -> None:
    spool = cli.here / "spool"
    queue(spool, "spam", numbered("spam", 1))
    lines = cli("learn", "--mode", "drain", spool).err.splitlines()
    assert lines == [
        f"no model of your own for mail yet: starting {cli.own_mail_model} "
        "from the ready-made model for mail",
        "learned    1 email (1 spam)",
    ]
    assert learned(cli.own_mail_model, numbered("spam", 1)) == {"spam": 1}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--mode", "drain"], "--mode drain takes one folder, with .spam and .ham in it, and no --sync."),
        (
            ["--mode", "drain", "--sync", "q"],
            "--mode drain takes one folder, with .spam and .ham in it, and no --sync.",
        ),
        (
            ["--mode", "drain", "--ham", "q"],
            "--mode drain cannot be combined with --ham: leave out one of them.",
        ),
        (["--mode", "drain", "-t", "x"], "--mode drain cannot be combined with -t: leave out one of them."),
    ],
)
def test_options_that_would_do_nothing_are_refused(cli: Cli, args: list[str], message: str) -> None:
    assert message in cli("learn", *args, code=2).err


def test_a_missing_queue_is_an_error(cli: Cli) -> None:
    assert cli.fails("learn", "--mode", "drain", "none") == [
        "Error: none is not a folder",
        "Hint: give the folder with .spam and .ham in it",
    ]
    with pytest.raises(MailboxError, match="is not a folder"):
        waiting_lessons("none")

"""`spamnb model check`: says what keeps a user from a model, and the command that changes it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has other permissions", allow_module_level=True)

from spamnb.cli.access_check import check_access
from spamnb.core import Account, find_account, obstacles
from spamnb.errors import ConfigError
from tests.helpers.command_line import Cli
from tests.helpers.other_user import ALICE, BOB, EVE, TEAM, needs_root, open_folder, spamnb_as
from tests.helpers.paths import ROOT
from tests.helpers.small_models import NEWS, ROWS, beside, learn, trained


@pytest.fixture
def model() -> Iterator[Path]:
    """A model with a journal, in a folder that everyone may pass through."""
    with open_folder() as folder:
        path = folder / "m.spamnb"
        trained(ROWS).save(path, mode=0o644)
        learn(path, NEWS[0])
        yield path


def lines(text: str) -> list[str]:
    """The lines about the model, without those on the interpreter and the program."""
    output_lines = text.splitlines()
    start = next(i for i, line in enumerate(output_lines) if line.startswith("model"))
    return [" ".join(line.split()) for line in output_lines[start:]]


def test_a_model_of_ones_own(cli: Cli) -> None:
    trained(ROWS).save(cli.here / "m.spamnb")
    learn(cli.here / "m.spamnb", NEWS[0])
    done = cli("model", "check", "-m", "m.spamnb")
    labels = [line.split()[:2] for line in done.text.splitlines()]
    checked = ["interpreter", "program", "model", "journal", "filter"]
    assert labels[:-1] == [[label, "ok"] for label in checked]
    assert done.text.splitlines()[-1].endswith(" can use m.spamnb")
    assert done.err == ""


def test_without_a_model_the_ready_made_one_is_checked(cli: Cli) -> None:
    assert cli("model", "check").text.endswith("ready_made/mail.spamnb\n")


def test_a_missing_or_damaged_model_fails(cli: Cli) -> None:
    done = cli("model", "check", "-m", "./nothing", code=1)
    assert lines(done.text)[0] == f"model FAILED {cli.here}/nothing: there is no such file"
    cli.write("bad", b"no model")
    done = cli("model", "check", "-m", "./bad", code=1)
    assert lines(done.text)[1] == (
        f"filter FAILED spamnb filter: {cli.here}/bad is not a spamnb model: it looks like a text file; the "
        "email is refused for now"
    )
    assert done.text.splitlines()[-1].endswith(" cannot use ./bad: 1 check failed")


def test_a_damaged_journal_fails(cli: Cli) -> None:
    trained(ROWS).save(cli.here / "m.spamnb")
    cli.write("m.spamnb.journal", b"no journal")
    done = cli("model", "check", "-m", "m.spamnb", code=1)
    assert lines(done.text)[2] == (
        f"filter FAILED warning: {cli.here}/m.spamnb.journal is damaged: byte 0; "
        "the model is used without what it learned last"
    )


def test_an_unknown_user_is_refused(cli: Cli) -> None:
    assert cli.fails("model", "check", "no such user", code=2) == [
        "Error: USER must be a user of this system, got 'no such user'",
        "Hint: see `getent passwd`",
    ]
    with pytest.raises(ConfigError):
        find_account(str(1 << 32))


def test_users_have_names_numbers_and_groups() -> None:
    assert find_account("0").name == find_account("root").name == "root"
    assert find_account("4000000001") == Account("user 4000000001", 4000000001, (4000000001,))
    assert find_account(None).user == os.geteuid()


@pytest.mark.parametrize(
    ("mode", "account", "mend"),
    [
        (0o640, Account("owner", 1, (9,)), ""),
        (0o040, Account("owner", 1, (2,)), "chmod u+r {}"),  # only the owner's bits count for the owner
        (0o640, Account("member", 7, (7, 2)), ""),
        (0o604, Account("member", 7, (7, 2)), "chmod g+r {}"),
        (0o604, Account("other", 7, (7,)), ""),
        (0o640, Account("other", 7, (8,)), "chgrp 8 {0} && chmod g+r {0}"),
        (0o000, Account("root", 0, (0,)), ""),
    ],
)
def test_the_command_that_helps(
    tmp_path: Path, mode: int, account: Account, mend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Owner 1, group 2, whatever the user who runs this test is."""
    path, real = tmp_path / "m", os.stat

    def stat(name: str) -> os.stat_result:
        status = real(name)
        permissions = 0o100000 | mode if name == str(path) else 0o40755
        return os.stat_result((permissions, *status[1:4], 1, 2, *status[6:]))

    path.touch()
    monkeypatch.setattr("os.stat", stat)
    monkeypatch.setattr("spamnb.core.file_access.group_name", str)
    assert [one.mend for one in obstacles(str(path), account)] == ([mend.format(path)] if mend else [])


@needs_root
def test_as_another_user_who_may(model: Path) -> None:
    checks = {one.label: one for one in check_access(str(model), Account("eve", EVE.number, EVE.groups))}
    assert (checks["model"].ok, checks["journal"].ok) == (True, True)
    assert checks["model"].text == f"{model} (owner root, group root, mode 644)"


@needs_root
@pytest.mark.parametrize("user", [ALICE, BOB, EVE])
def test_the_commands_mend_what_is_wrong(model: Path, user: tuple[int, tuple[int, ...]]) -> None:
    """Folders without x, a model and a journal of others: after the printed commands all can be read."""
    os.chown(model, ALICE.number, TEAM)
    model.chmod(0o600 if user != ALICE else 0o040)
    beside(model).chmod(0o600)
    folder = model.parent / "inner"
    folder.mkdir(0o700)
    for name in ("m.spamnb", "m.spamnb.journal"):
        (model.parent / name).rename(folder / name)
    account, path = Account("it", *user), str(folder / "m.spamnb")
    wrong = [one for one in check_access(path, account) if one.label in ("model", "journal")]
    assert [one.ok for one in wrong] == [False, False]
    for one in wrong:
        subprocess.run(["sh", "-c", one.mend], check=True)
    again = [one for one in check_access(path, account) if one.label in ("model", "journal")]
    if again[1].ok is False:  # the journal was mended before the model that it now is like
        subprocess.run(["sh", "-c", again[1].mend], check=True)
    assert [one.ok for one in check_access(path, account) if one.label in ("model", "journal")] == [True] * 2


@needs_root
def test_a_journal_of_another_owner_fails(model: Path) -> None:
    os.chown(model, ALICE.number, TEAM)
    os.chown(beside(model), EVE.number, EVE.groups[0])
    journal = next(
        one
        for one in check_access(str(model), Account("bob", BOB.number, BOB.groups))
        if one.label == "journal"
    )
    assert (journal.ok, journal.text) == (
        False,
        f"{model}.journal belongs to user {EVE.number}, expected user {ALICE.number}",
    )
    assert journal.mend == (
        f"chown --reference={model} {model}.journal && chmod --reference={model} {model}.journal"
    )


@needs_root
def test_without_root_it_says_what_it_could_not_try(model: Path) -> None:
    eve = Account("eve", EVE.number, EVE.groups)
    program = sys.executable, str(ROOT / "spamnb" / "__init__.py")
    code = int(any(obstacles(path, eve) for path in program))  # such as a Python in the home of root
    done = spamnb_as(BOB, model.parent, "model", "check", "-m", model, str(EVE.number), code=code)
    name = f"user {EVE.number}"
    assert "filter skipped" in " ".join(done.text.split())
    assert f"not tried as {name}: only root can run a program as another user" in done.text
    model.chmod(0o600)
    done = spamnb_as(BOB, model.parent, "model", "check", "-m", model, str(EVE.number), code=1)
    assert lines(done.text)[:2] == [
        f"model FAILED {name} may not read {model} (owner root, group root, mode 600)",
        f"fix chgrp {EVE.groups[0]} {model} && chmod g+r {model}",
    ]

"""A model that several users share: whatever one of them does, the filter of the others goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has other permissions", allow_module_level=True)

from spamnb.core import check_owner
from spamnb.errors import ModelError
from spamnb.model.spam_model import SpamModel
from tests.helpers.other_user import (
    ALICE,
    BOB,
    EVE,
    ROOT_USER,
    TEAM,
    User,
    described,
    needs_root,
    open_folder,
    spamnb_as,
)
from tests.helpers.small_models import ROWS, beside, trained

pytestmark = needs_root
MAIL = b"Subject: a prize\n\nwin a prize now\n"
MANY = b"win a prize now\n" * 30
FOLDER_OF_TEAM = 0o2770


@pytest.fixture
def model() -> Iterator[Path]:
    """Alice's model, shared with her team: she and Bob may write in its folder."""
    with open_folder(FOLDER_OF_TEAM, ALICE, TEAM) as folder:
        path = folder / "m.spamnb"
        trained(ROWS).save(path)
        share(path, ALICE, TEAM, 0o640)
        yield path


def share(path: Path, owner: User, group: int, mode: int) -> None:
    os.chown(path, owner.number, group)
    path.chmod(mode)


def verdict(user: User, model: Path) -> str:
    """The line on stderr, or the verdict that the mail gets."""
    done = spamnb_as(user, model.parent, "filter", "-m", model, stdin=MAIL)
    warnings = [line for line in done.err.splitlines() if not line.startswith(("note: ", "Hint: "))]
    verdicts = [line for line in done.text.splitlines() if line.startswith("X-Spamnb: ")]
    return " ".join([*warnings, *(line.split(",")[0] for line in verdicts)])


def messages(model: Path) -> int:
    return int(SpamModel.load(model).store.message_totals.sum())


@pytest.mark.parametrize("mode", [0o640, 0o660, 0o644])
@pytest.mark.parametrize("user", [ALICE, ROOT_USER], ids=["owner", "root"])
def test_what_owner_and_root_learn_is_shared_like_the_model(model: Path, user: User, mode: int) -> None:
    model.chmod(mode)
    spamnb_as(user, model.parent, "learn", "--spam", "-m", model, stdin=b"one more\n")
    for name in ("m.spamnb", "m.spamnb.journal", "m.spamnb.lock"):
        assert described(model.parent / name) == (ALICE.number, TEAM, mode), name
    assert [verdict(other, model) for other in (ALICE, BOB)] == ["X-Spamnb: spam"] * 2
    spamnb_as(ALICE, model.parent, "learn", "--spam", "-m", model, stdin=b"and another\n")
    spamnb_as(user, model.parent, "learn", "--compact", "-m", model)
    assert described(model) == (ALICE.number, TEAM, mode)
    assert messages(model) == len(ROWS) + 2


@pytest.mark.parametrize(
    "command",
    [
        ("learn", "--spam", "-m"),
        ("forget", "-m"),
        ("model", "age"),
        ("model", "prune", "--min-count", "2"),
        ("train", "-o"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("locked_before", [False, True])
def test_another_member_of_the_group_is_refused(
    model: Path, command: tuple[str, ...], locked_before: bool
) -> None:
    """What Bob writes would belong to him: Alice could not change it, and her readers not trust it."""
    if locked_before:
        spamnb_as(ALICE, model.parent, "learn", "--spam", "-m", model, stdin=b"one more\n")
    data = model.parent / "data.csv"
    data.write_text("label,text\nspam,win\nham,see\n")
    share(data, BOB, TEAM, 0o644)
    before = {path.name: (path.read_bytes(), described(path)) for path in model.parent.iterdir()}
    more = (data,) if command[0] == "train" else ()
    done = spamnb_as(BOB, model.parent, *command, model, *more, stdin=b"free money\n", code=1)
    assert done.err.splitlines()[-2:] == [
        f"Error: cannot change {model}: it belongs to user {ALICE.number}, and you are user {BOB.number}",
        f"Hint: only its owner and root change a model: run the command with `sudo -u '#{ALICE.number}'`, "
        "or choose another model with -m or -o",
    ]
    assert before == {path.name: (path.read_bytes(), described(path)) for path in model.parent.iterdir()}
    assert [verdict(user, model) for user in (ALICE, BOB)] == ["X-Spamnb: spam"] * 2


def test_an_owner_outside_the_group_is_refused(model: Path) -> None:
    """As after `chgrp postfix` by root: the group could not read what the owner learns."""
    model.parent.chmod(0o755)  # without the setgid bit new files have the group of their writer
    os.chown(model, ALICE.number, EVE.groups[0])
    done = spamnb_as(ALICE, model.parent, "learn", "--spam", "-m", model, stdin=b"one more\n", code=1)
    group, folder = EVE.groups[0], model.parent
    assert done.err.splitlines()[-2:] == [
        f"Error: cannot change {model}: it is shared with the group {group}, and you are not in that group",
        "Hint: run the command as root, or let new files get the group: "
        f"chgrp {group} {folder} && chmod g+s {folder}",
    ]
    assert [path.name for path in model.parent.iterdir()] == ["m.spamnb"]
    os.chown(model.parent, ALICE.number, EVE.groups[0])
    model.parent.chmod(0o2755)
    spamnb_as(ALICE, model.parent, "learn", "--spam", "-m", model, stdin=b"one more\n")
    assert described(beside(model)) == (ALICE.number, EVE.groups[0], 0o640)


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_group_that_makes_no_difference_is_not_needed(model: Path, mode: int) -> None:
    model.parent.chmod(0o755)
    share(model, ALICE, EVE.groups[0], mode)
    spamnb_as(ALICE, model.parent, "learn", "--spam", "-m", model, stdin=b"one more\n")
    assert beside(model).stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("command", ["train", "merge", "prune", "age", "import"])
def test_root_replaces_a_model_and_its_owner_keeps_it(model: Path, command: str) -> None:
    folder = model.parent
    (folder / "data.csv").write_text("label,text\n" + "spam,win a prize\nham,see you\n" * 3)
    spamnb_as(ROOT_USER, folder, "model", "export", model, "-o", "m.jsonl")
    spamnb_as(ROOT_USER, folder, "learn", "--spam", "-m", model, stdin=b"one more\n")
    args: dict[str, tuple[str | Path, ...]] = {
        "train": ("data.csv", "-o", model),
        "merge": (model, model, "-o", model),
        "prune": (model, "--min-count", "2"),
        "age": (model,),
        "import": ("m.jsonl", "-o", model),
    }
    group = () if command == "train" else ("model",)
    spamnb_as(ROOT_USER, folder, *group, command, *args[command])
    for name in ("m.spamnb", "m.spamnb.bak", "m.spamnb.bak.journal", "m.spamnb.lock"):
        assert described(folder / name) == (ALICE.number, TEAM, 0o640), name
    assert verdict(BOB, model).startswith("X-Spamnb: ")
    spamnb_as(ALICE, folder, "learn", "--spam", "-m", model, stdin=b"and more\n")


def test_a_planted_journal_is_not_used(model: Path) -> None:
    """Eve may write in the folder, but the model is not hers: her journal would call all spam ham."""
    model.parent.chmod(0o1777)
    model.chmod(0o644)
    other = model.parent / "other.spamnb"
    other.write_bytes(model.read_bytes())
    spamnb_as(ROOT_USER, model.parent, "learn", "--ham", "--mode", "again", "-m", other, stdin=MANY)
    beside(other).rename(beside(model))
    share(beside(model), EVE, EVE.groups[0], 0o644)
    message = f"{model}.journal belongs to user {EVE.number}, expected user {ALICE.number}, the model's owner"
    for user in (ALICE, BOB, ROOT_USER):
        assert verdict(user, model) == (
            f"warning: {message}; the model is used without what it learned last X-Spamnb: spam"
        )
    for user in (ALICE, ROOT_USER):
        done = spamnb_as(user, model.parent, "learn", "--spam", "-m", model, stdin=b"one more\n", code=1)
        assert f"Error: {message}\n" in done.err
    os.chown(beside(model), ALICE.number, TEAM)
    assert verdict(BOB, model) == "X-Spamnb: ham"


def test_a_planted_lock_is_refused(model: Path) -> None:
    model.parent.chmod(0o1777)
    lock = model.with_name("m.spamnb.lock")
    lock.touch()
    share(lock, EVE, EVE.groups[0], 0o666)
    done = spamnb_as(ALICE, model.parent, "learn", "--spam", "-m", model, stdin=b"one more\n", code=1)
    assert done.err.splitlines()[-2:] == [
        f"Error: {lock} belongs to user {EVE.number}, expected user {ALICE.number}, the model's owner",
        "Hint: remove it",
    ]


def test_a_journal_that_a_reader_may_not_read_does_not_stop_it(model: Path) -> None:
    spamnb_as(ALICE, model.parent, "learn", "--ham", "--mode", "again", "-m", model, stdin=MANY)
    beside(model).chmod(0o600)
    assert verdict(BOB, model) == (
        f"warning: cannot read {model}.journal: permission denied; the model is used without what it "
        "learned last X-Spamnb: spam"
    )


def test_an_access_list_is_shared_too(model: Path) -> None:
    """`setfacl -m u:60003:r` lets one more user read the model."""
    ends = [(1, 6, -1), (2, 4, EVE.number), (4, 4, -1), (16, 4, -1), (32, 0, -1)]  # tag, permissions, who
    acl = b"\2\0\0\0" + b"".join(
        tag.to_bytes(2, "little") + bits.to_bytes(2, "little") + (who & 0xFFFFFFFF).to_bytes(4, "little")
        for tag, bits, who in ends
    )
    try:
        os.setxattr(model, "system.posix_acl_access", acl)
    except OSError:
        pytest.skip("this file system has no access lists")
    model.parent.chmod(0o2771)
    spamnb_as(ALICE, model.parent, "learn", "--spam", "-m", model, stdin=b"one more\n")
    assert verdict(EVE, model) == "X-Spamnb: spam"
    spamnb_as(ALICE, model.parent, "learn", "--compact", "-m", model)
    assert verdict(EVE, model) == "X-Spamnb: spam"


def test_owners_do_not_matter_where_all_files_have_one(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a mounted FAT stick: the model belongs to root, and so does all that its user writes."""
    monkeypatch.setattr(os, "geteuid", lambda: BOB.number)
    with pytest.raises(ModelError, match="it belongs to user 60001, and you are user 60002"):
        check_owner(str(model))
    os.chown(model, 0, 0)
    check_owner(str(model))
    assert [path.name for path in model.parent.iterdir()] == ["m.spamnb"]

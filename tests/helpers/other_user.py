"""Runs commands as other users of the system, in forked children: only root can do that."""

from __future__ import annotations

import grp  # noqa: F401 - a child may not be able to read the folders that modules are in
import importlib
import os
import pkgutil
import pwd  # noqa: F401
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import joblib  # noqa: F401
import pytest
import rich.console  # noqa: F401

import spamnb
import spamnb.cli
from tests.helpers.command_line import Result

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can act as several users"
)


class User(NamedTuple):
    """A user by numbers: none of them has an entry in the password database."""

    number: int
    groups: tuple[int, ...]  # the first is its own


TEAM = 61_000
ALICE, BOB, EVE = User(60_001, (60_001, TEAM)), User(60_002, (60_002, TEAM)), User(60_003, (60_003,))
ROOT_USER = User(0, (0,))
CODE_OF_A_FAILED_CHECK = 99


def load_all_modules() -> None:
    """Imports everything that a command could import later."""
    for module in pkgutil.walk_packages(spamnb.__path__, "spamnb."):
        if module.name not in ("spamnb.__main__", "spamnb.lab_filters", "spamnb.training.dask_cluster"):
            importlib.import_module(module.name)
    "warm up".encode("idna")


def become(user: User) -> None:
    """Gives up root for good; for use in a child process."""
    os.setgroups(user.groups)
    os.setgid(user.groups[0])
    os.setuid(user.number)
    os.umask(0o077)  # the most private: what is shared is shared on purpose


def as_user(user: User, work: Callable[[], object]) -> None:
    """Calls something as a user; an exception there is a failure here."""
    load_all_modules()
    child = os.fork()
    if not child:
        try:
            become(user)
            work()
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(CODE_OF_A_FAILED_CHECK)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def spamnb_as(user: User, here: Path, *args: str | Path, stdin: bytes = b"", code: int = 0) -> Result:
    """Runs `spamnb` with these arguments as a user, in a folder, with no home."""
    load_all_modules()
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        source.write(stdin)
        source.seek(0)
        child = os.fork()
        if not child:
            _run(user, here, [str(arg) for arg in args], (source.fileno(), out.fileno(), err.fileno()))
        actual = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        result = Result(actual, out.read(), err.read().decode())
    assert "Traceback" not in result.err, result.err
    assert "spamnb has a fault" not in result.err, result.err
    assert actual == code, f"{args}: exit code {actual}, expected {code}\n{result.err}"
    return result


def _run(user: User, here: Path, args: list[str], streams: tuple[int, int, int]) -> None:
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        become(user)
        os.chdir(here)
        for name in ("HOME", "XDG_DATA_HOME", "SPAMNB_MODEL"):
            os.environ.pop(name, None)
        sys.argv = ["spamnb", *args]
        spamnb.cli.main()
    finally:
        os._exit(CODE_OF_A_FAILED_CHECK)


@contextmanager
def open_folder(mode: int = 0o755, owner: User = ROOT_USER, group: int = 0) -> Iterator[Path]:
    """A folder that every user can reach, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        os.chown(folder, owner.number, group)
        folder.chmod(mode)
        yield folder
    finally:
        shutil.rmtree(folder)


def described(path: Path) -> tuple[int, int, int]:
    """Owner, group and mode of a file."""
    status = path.stat()
    return status.st_uid, status.st_gid, status.st_mode & 0o7777

"""Runs every command with closed and full streams, missing homes, locales and wrong files.

A command under a fault must end with 0 or 1 (75 for a
filter that is told so), with at most one error of one sentence and its hint, without a traceback, and the
model must be the old one or a whole new one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from tests.robustness import long_lines, signals
from tests.robustness.child_process import ProcessResult, run_command, spamnb
from tests.robustness.every_command import (
    CALLS,
    DATA,
    EXPORT,
    MAIL,
    MODEL,
    READS_STDIN,
    TEXTS,
    prepare,
    state,
)
from tests.robustness.result_row import Row

Break = Callable[[Path], object]


def _nothing(_: Path) -> None:
    """Leave all files as they are."""


class Fault(NamedTuple):
    """What is broken, for which commands, and the exit codes that are right then."""

    what: str
    calls: tuple[str, ...]
    codes: tuple[int, ...]
    script: str = ""
    env: Mapping[str, str | None] = MappingProxyType({})
    harm: Break = _nothing
    silent: bool = False  # stderr cannot tell


_ALL = tuple(CALLS)
_SPEAK = tuple(name for name, call in CALLS.items() if call.speaks)
_MUTE = tuple(name for name, call in CALLS.items() if not call.speaks)
_MODEL = tuple(
    name for name, call in CALLS.items() if MODEL in call.args and name not in ("filter", "model check")
)
_CHANGE = ("prune", "age", "learn", "learn --ham", "forget")
# These go on without a journal that they cannot use; the others would lose what is in it.
_READ = tuple(name for name in _MODEL if name.split()[0] in ("predict", "evaluate", "inspect", "explain"))
_KEEP = tuple(name for name in _MODEL if name not in _READ)
_FILES = {
    "train": DATA,
    "predict": TEXTS,
    "predict mail": MAIL,
    "evaluate": DATA,
    "compare": DATA,
    "tune": DATA,
    "import": EXPORT,
}
_LABELLED = ("train", "evaluate", "compare", "tune", "import")


def _instead(name: str, make: Break) -> Break:
    def harm(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return harm


def _locked(path: Path) -> None:
    path.write_text("x")
    path.chmod(0)


def _home(mode: int) -> Break:
    def harm(folder: Path) -> None:
        (folder / "home").mkdir(mode=mode)

    return harm


_NO_HOME: dict[str, str | None] = {"HOME": None, "XDG_DATA_HOME": None, "SPAMNB_MODEL": None}
_AT_HOME: dict[str, str | None] = {"HOME": "HERE/home", "XDG_DATA_HOME": None}
_LOCALES: dict[str, dict[str, str | None]] = {
    "LC_ALL=C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "PYTHONIOENCODING=ascii": {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    "LC_ALL=POSIX latin-1": {"LC_ALL": "POSIX", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
}
_MAKE: dict[str, Break] = {
    "empty": lambda path: path.write_bytes(b""),
    "a folder": lambda path: path.mkdir(),
    "unreadable": _locked,
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 9),
}


def _faults() -> Iterator[Fault]:
    yield Fault("stdout full", _SPEAK, (1,), '"$@" >/dev/full')
    yield Fault("stdout full", _MUTE, (0,), '"$@" >/dev/full')
    yield Fault("stderr full", _ALL, (0, 1), '"$@" 2>/dev/full')
    yield Fault("stdout closed", _ALL, (0, 1), '"$@" >&-')
    yield Fault("stderr closed", _ALL, (0,), '"$@" 2>&-')
    yield Fault("stdin closed", READS_STDIN, (0, 1), '"$@" <&-')
    yield Fault("stdin closed", tuple(n for n in _ALL if n not in READS_STDIN), (0,), '"$@" <&-')
    yield Fault("all streams closed", _ALL, (0, 1), '"$@" <&- >&- 2>&-', silent=True)
    for name, env in _LOCALES.items():
        yield Fault(name, _ALL, (0,), env=env)
    yield Fault("no HOME", _ALL, (0,), env=_NO_HOME)
    yield Fault("HOME that is not there", ("model list", "train"), (0,), env={**_NO_HOME, "HOME": "/nowhere"})
    for name, make in _MAKE.items():
        for call, file in _FILES.items():
            wrong = (1,) if call in _LABELLED else (0, 1)
            yield Fault(f"{name} in place of data", (call,), wrong, harm=_instead(file, make))
        yield Fault(f"{name} in place of the model", _MODEL, (1,), harm=_instead(MODEL, make))
        yield Fault(f"{name} in place of the model", ("filter",), (0,), harm=_instead(MODEL, make))
        journal = _instead(f"{MODEL}.journal", make)
        yield Fault(f"{name} in place of the journal", _KEEP, (1,), harm=journal)
        yield Fault(f"{name} in place of the journal", (*_READ, "filter"), (0,), harm=journal)
    yield Fault("a FIFO in place of the model", _MODEL, (1,), harm=_instead(MODEL, os.mkfifo))
    fifo = _instead(f"{MODEL}.journal", os.mkfifo)
    yield Fault("a FIFO in place of the journal", _KEEP, (1,), harm=fifo)
    yield Fault("a FIFO in place of the journal", (*_READ, "filter"), (0,), harm=fifo)
    yield Fault("a FIFO in place of the lock", _CHANGE, (1,), harm=_instead(f"{MODEL}.lock", os.mkfifo))
    for call, file in _FILES.items():
        feed = f'cat {file}.whole >{file} & "$@"'
        yield Fault("data from a FIFO", (call,), (0, 1), feed, harm=_fifo(file))


def _fifo(name: str) -> Break:
    def harm(folder: Path) -> None:
        (folder / name).rename(folder / f"{name}.whole")
        os.mkfifo(folder / name)

    return harm


HOMELESS = (
    Fault("read-only HOME", ("train",), (1,), env=_AT_HOME, harm=_home(0o500)),
    Fault("read-only HOME", ("predict", "model list", "evaluate"), (0,), env=_AT_HOME, harm=_home(0o500)),
)
FAULTS = (*_faults(), *HOMELESS)


def arguments(fault: Fault, name: str) -> tuple[str, ...]:
    """At home the model is the default one."""
    args = CALLS[name].args
    return ("train", DATA) if fault.env is _AT_HOME and name == "train" else args


def tried(fault: Fault, name: str, whole: Path, folder: Path) -> tuple[ProcessResult, str]:
    """A command under a fault in a copy of the folder `whole`; what is wrong with that ("": nothing)."""
    shutil.copytree(whole, folder)
    fault.harm(folder)
    before = state(folder)
    env = {"XDG_DATA_HOME": "HERE/share", **fault.env}
    env = {name: value and value.replace("HERE", str(folder)) for name, value in env.items()}
    result = run_command(spamnb(*arguments(fault, name)), folder, fault.script, CALLS[name].stdin, env)
    wrong = _wrong(fault, result)
    if not wrong and result.code and state(folder) != before:
        wrong = "it failed and changed the model"
    if not wrong and isinstance(before, tuple) and not isinstance(state(folder), tuple):
        wrong = "the model is damaged"
    return result, wrong


def _wrong(fault: Fault, result: ProcessResult) -> str:
    for bad in ("Traceback", "spamnb has a fault", "Fatal Python", "Exception ignored", "Warning"):
        if bad in result.err:
            return f"{bad}: {result.err[-300:]!r}"
    if result.code not in fault.codes:
        return f"exit code {result.code}, expected {fault.codes}: {result.err[-300:]!r}"
    errors = [line for line in result.err.splitlines() if line.startswith("Error: ")]
    silent = fault.silent or ">/dev/full" in fault.script or "2>&-" in fault.script
    if result.code and len(errors) != 1 and not (silent and "2>" in fault.script):
        return f"expected one error, got {result.err[-300:]!r}"
    return ""


def everything(end: float) -> Iterator[tuple[str, str, ProcessResult, str]]:
    """All faults with all their commands, until the time is up."""
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / "whole"
        whole.mkdir()
        prepare(whole)
        pairs = [(fault, call) for fault in FAULTS for call in fault.calls]
        for number, (fault, call) in enumerate(pairs):
            if time.monotonic() > end:
                print(f"faults: the time is up after {number} of {len(pairs)}")
                return
            folder = Path(name) / str(number)
            yield fault.what, call, *tried(fault, call, whole, folder)


def rows(budget: float) -> list[Row]:
    """A row for each kind of fault, signal and long line."""
    results: dict[str, list[tuple[ProcessResult, str]]] = {}
    for what, call, result, wrong in everything(time.monotonic() + 0.7 * budget):
        if wrong:
            print(f"{what}, {call}: {wrong}")
        results.setdefault(what, []).append((result, wrong))
    lines = [_row(what, tries) for what, tries in results.items()]
    return [*lines, *signals.rows(0.1 * budget), *long_lines.rows(0.2 * budget)]


def _row(what: str, tries: list[tuple[ProcessResult, str]]) -> Row:
    failures = sum(bool(wrong) for _, wrong in tries)
    worst = max(result.seconds for result, _ in tries), max(result.megabytes for result, _ in tries)
    return Row("system faults", what, len(tries), failures, *worst)

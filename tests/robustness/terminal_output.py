"""Checks that no control character of a message, label, column, file name or model reaches a terminal.

A newline in any of them must not begin a line that looks like one of spamnb's own.

Every command runs in a pseudo-terminal, with colours and progress bars, and again with stderr in a file and
without them. python -m tests.robustness.terminal_output shows what arrived where it should not.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from spamnb.cli import progress_bar
from tests.robustness.hostile_text import BRACKETS, CALLS, FORGED, Call, prepare
from tests.robustness.pseudoterminal import Shown, run
from tests.robustness.result_row import Row

# What rich writes: colours and weights (blinking, 5, is what hostile text asks for); the progress bar erases.
_OWN = re.compile(rb"\x1b\[(?:(?!5m)[0-9;]*m|K)|\x1b\]8;;\x1b\\")
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd\U000e0000-\U000e007f]"
    "|\r(?!\n)"
)
_COLOURED = {"TERM": "xterm-256color", "FORCE_COLOR": "1"}
_PLAIN = {"TERM": "dumb", "NO_COLOR": "1"}


def faults(shown: Shown, coloured: bool) -> list[str]:
    """What arrived that must not, and what a command must never end with."""
    results = []
    for where, data in (("terminal", shown.screen), ("stderr", shown.errors)):
        if coloured:  # a progress bar goes back to the start of its line
            data = _OWN.sub(b"", data).replace(b"\r", b"")
        text = data.decode("utf-8", "replace")
        results += [f"{where}: {_around(text, at)!a}" for at in _FORBIDDEN.finditer(text)][:3]
        if text.count("[") < BRACKETS * text.count("MARK"):
            results.append(f"{where}: markup was not shown as text: {text[:300]!a}")
        results += [f"{where}: {bad}" for bad in ("Traceback", "spamnb has a fault") if bad in text]
        results += [f"{where}: a line was forged: {text[:300]!a}"] * (f"\n{FORGED}" in f"\n{text}")
    return results + ([f"exit code {shown.code}"] if shown.code not in (0, 1, 2, 75) else [])


def _around(text: str, at: re.Match[str]) -> str:
    return text[max(0, at.start() - 30) : at.end() + 30]


def tried(call: Call, folder: Path, coloured: bool) -> tuple[Shown, list[str]]:
    """One call in the one way or the other, and what is wrong."""
    errors = None if coloured else folder / ".stderr"
    env = _COLOURED if coloured else _PLAIN
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "share")}
    shown = run(call.args, folder, call.stdin, env | home, errors)
    return shown, faults(shown, coloured)


def everything(folder: Path, budget: float, once: bool = False) -> Iterator[tuple[str, Shown, list[str]]]:
    """All calls, each both ways or in turn in one of them, as far as the seconds reach."""
    end = time.monotonic() + budget
    prepare(folder)
    progress_bar.DELAY = 0.0  # names of hostile files appear in it
    for number, call in enumerate(CALLS):
        for coloured in (True, False):
            if time.monotonic() < end and not (once and number % 2 == coloured):
                yield call.what, *tried(call, folder, coloured)


def rows(budget: float) -> list[Row]:
    """A row for the whole: a try is a command line in one of the two ways."""
    with tempfile.TemporaryDirectory() as name:
        done = list(everything(Path(name), budget))
    if len(done) < 2 * len(CALLS):
        print(f"terminal: the time is up after {len(done)} of {2 * len(CALLS)}")
    failed = sum(bool(wrong) for _, _, wrong in done)
    worst = max(shown.seconds for _, shown, _ in done), max(shown.megabytes for _, shown, _ in done)
    return [Row("terminal output", "control characters and markup", len(done), failed, *worst)]


def main() -> None:
    failed = number = hostile = 0
    with tempfile.TemporaryDirectory() as name:
        for what, shown, wrong in everything(Path(name), float("inf"), "--once" in sys.argv):
            number += 1
            failed += bool(wrong)
            hostile += b"owned" in shown.screen + shown.errors
            for line in wrong:
                print(f"{what} (exit code {shown.code}): {line}")
    print(
        f"{number} command lines, {hostile} showed hostile text, {failed} with something that must not arrive"
    )
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

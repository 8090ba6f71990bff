"""The progress bar appears after a second, is erased, and never runs into other output."""

from __future__ import annotations

import gzip
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spamnb.cli import progress_bar
from spamnb.cli.output import print_status, progress
from spamnb.core import display_width
from tests.helpers.command_line import Cli
from tests.helpers.paths import ROOT
from tests.helpers.terminal_screen import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")

_AT_ONCE = "from spamnb.cli import main, progress_bar; progress_bar.DELAY = {}; main()"
_ROWS = 60_000  # several chunks of a table

InTerminal = Callable[..., Terminal]


@pytest.fixture
def in_terminal(cli: Cli) -> InTerminal:
    """Starts spamnb in a terminal; its bar appears after so many seconds."""

    def start(script: str, *args: object, delay: float = 0.0, columns: int = 80) -> Terminal:
        env = {**cli.env, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", _AT_ONCE.format(delay), *map(str, args)]
        return Terminal(script, command, cli.here, env, columns)

    return start


def _table(cli: Cli, last: str = "ham,see you\n") -> Path:
    rows = "spam,win a prize\nham,see you later\n" * (_ROWS // 2)
    return cli.write("big.csv", f"label,text\n{rows}{last}")


def _bar(written: bytes) -> bool:
    return re.search(rb"\[#*-*\] +\d+%", written) is not None


def test_work_that_takes_less_than_a_second_has_no_bar(cli: Cli, tiny: Path, in_terminal: InTerminal) -> None:
    assert progress_bar.DELAY == 1.0
    shown = in_terminal('"$@"', "evaluate", _table(cli), "-m", tiny, delay=1000.0)
    shown.finish()
    assert not _bar(shown.written)
    assert b"\x1b[K" not in shown.written


def test_the_bar_appears_after_the_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    now, written = [50.0], list[str]()
    monkeypatch.setattr(progress_bar.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress_bar, "_write", written.append)
    bar = progress_bar.Bar("sms.csv", 10, progress_bar.count_unit)
    for seconds, drawn in ((0.0, 0), (0.9, 0), (1.1, 1), (1.15, 1), (1.3, 2)):
        now[0] = 50.0 + seconds
        bar.at(5)
        assert len(written) == drawn
    progress_bar.erase()
    progress_bar.erase()
    assert written[2:] == ["\r\x1b[K"]  # once


def test_evaluate_leaves_the_screen_as_without_a_bar(cli: Cli, tiny: Path, in_terminal: InTerminal) -> None:
    command = "evaluate", _table(cli), "-m", tiny
    with_bar = in_terminal('"$@"', *command)
    without = in_terminal('"$@"', *command, delay=1000.0)
    assert with_bar.finish() == without.finish()
    assert _bar(with_bar.written)


def test_verdicts_in_a_pipe_never_meet_the_bar(cli: Cli, tiny: Path, in_terminal: InTerminal) -> None:
    """`predict big.csv | head`: head writes to the terminal whenever it likes."""
    shown = in_terminal('"$@" | head -2; echo "done"', "predict", _table(cli), "-m", tiny)
    lines = shown.finish()
    head = "verdict\tprobability\tlabel\ttext"
    assert lines[-3:] == [head, "spam\t0.8571\tspam\twin a prize", "done"]
    assert not _bar(shown.written)


def test_verdicts_in_a_file_have_a_bar(cli: Cli, tiny: Path, in_terminal: InTerminal) -> None:
    shown = in_terminal('"$@" > out.tsv; echo "done"', "predict", _table(cli).name, "-m", tiny)
    lines = shown.finish()
    assert _bar(shown.written)
    assert lines[-1] == "done"
    assert lines[:-1] == ['big.csv: CSV (comma, header, UTF-8), text column "text"']


def test_an_error_does_not_follow_the_bar_on_its_line(cli: Cli, tiny: Path, in_terminal: InTerminal) -> None:
    packed = gzip.compress(_table(cli).read_bytes(), 0)  # not compressed: the damage comes late
    cli.write("big.csv.gz", packed[:-100])
    shown = in_terminal('"$@"', "evaluate", "big.csv.gz", "-m", tiny)
    lines = shown.finish()
    assert _bar(shown.written) or b" MB" in shown.written
    assert lines[-2:] == [
        "Error: big.csv.gz: its gzip data is damaged or cut off",
        "Hint: get the file again; `gzip -t` checks it",
    ]
    assert not any(" MB" in line for line in lines)


def test_a_consumer_that_fails_leaves_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A generator that yields inside of the bar is not closed before the error is printed."""
    monkeypatch.setattr(progress_bar, "_can_show", lambda: True)
    monkeypatch.setattr(progress_bar, "_write", lambda text: sys.stderr.write(text))
    monkeypatch.setattr(progress_bar, "DELAY", 0.0)

    def chunks() -> Iterator[int]:
        with progress("sms.csv", 10, quiet=False) as bar:
            bar.at(5)
            yield 5

    suspended = chunks()
    next(suspended)
    print_status("Error: something")
    drawn, erased, error = capsys.readouterr().err.partition("\r\x1b[KError: something\n")
    assert "sms.csv [" in drawn
    assert (erased, error) == ("\r\x1b[KError: something\n", "")
    suspended.close()
    assert capsys.readouterr().err == ""  # erased once


def test_ctrl_c_erases_the_bar(cli: Cli, tiny: Path, in_terminal: InTerminal) -> None:
    """The input is a pipe that stays open, so the work never ends by itself."""
    fifo = cli.here / "endless.csv"
    os.mkfifo(fifo)
    shown = in_terminal('trap : INT; ("$@") ; echo code $?', "evaluate", fifo.name, "-m", tiny)
    with open(fifo, "wb") as pipe:
        pipe.write(b"label,text\n" + b"spam,win a prize\n" * 10 * _ROWS)
        pipe.flush()
        shown.wait_for(b" MB")
        shown.type(b"\x03")
        lines = shown.finish()
    assert lines[-2:] == ["Interrupted.", "code 130"], lines
    assert not any(" MB" in line for line in lines)


@pytest.mark.parametrize("columns", range(0, 140, 7))
@pytest.mark.parametrize("label", ["sms.csv", "a/very/long/path/to/some/mailbox/of/mine.mbox", "名" * 40])
def test_the_line_is_narrower_than_the_terminal(columns: int, label: str) -> None:
    for position, total in ((0, 10), (7, 10), (10, 10), (12, 10), (5, None), (5, 0)):
        line = progress_bar.bar_line(label, position, total, progress_bar.byte_unit, 2.0, columns)
        assert display_width(line) <= max(columns - 3, 0)

"""Streams that are closed, full or no longer read, and signals: a short word or none, the right exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.command_line import PATIENCE, TINY, Cli


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk(cli: Cli, tiny: Path) -> None:
    for flags in ((), ("--format", "table")):
        status = cli.shell('echo win | "$@" >/dev/full', "predict", "-m", tiny, *flags, code=1).err
        assert status == (
            "Error: cannot write to standard output: No space left on device\n"
            "Hint: free some space, or write to another place\n"
        )
    for args in (("--help",), ("model", "list"), ("inspect", tiny), ("evaluate", "-m", tiny, "--json", "-")):
        assert "Error: " in cli.shell('"$@" >/dev/full', *args, code=1).err


def test_a_line_that_is_too_long_does_not_end_the_stream(cli: Cli, tiny: Path) -> None:
    done = cli("predict", "-m", tiny, stdin=b"win\n" + b"w" * (17 << 20) + b"\nsee you\n")
    assert done.text == "spam\t0.7500\twin\nunsure\t0.5000\t\nham\t0.1429\tsee you\n"
    assert done.err == "stdin: 1 message unsure: cannot be read (line 2: longer than 16 MiB)\n"


def test_closed_streams(cli: Cli, tiny: Path) -> None:
    lost = "Error: there is no standard output to write to\nHint: do not close it: >/dev/null discards it\n"
    assert cli.shell('echo win | "$@" >&-', "predict", "-m", tiny, code=1).err == lost
    assert cli.shell('"$@" >&-', "inspect", tiny, code=1).err == lost
    assert cli.shell('"$@" >&-', "--help").err == ""
    cli.write("tiny.csv", TINY)
    assert "saved             ./m (" in cli.shell('"$@" >&-', "train", "tiny.csv", "-o", "./m").err
    assert cli.shell('echo win | "$@" 2>&-', "predict", "-m", tiny).out == b"spam\t0.7500\twin\n"
    assert cli.shell('"$@" <&-', "predict", "-m", tiny, code=1).err == (
        "Error: there is no standard input to read\nHint: give a file instead of -\n"
    )
    assert cli.shell('"$@" <&-', "explain", "-m", tiny, code=1).err == (
        "Error: there is no standard input to read\nHint: give the message itself: spamnb explain TEXT\n"
    )


@pytest.mark.parametrize("output", ["tsv", "table"])
def test_a_reader_that_has_enough(cli: Cli, tiny: Path, output: str) -> None:
    """As in `spamnb predict big.txt | head -1`: it ends by SIGPIPE, without a word."""
    big = cli.write("big.txt", b"win a prize today\n" * 200_000)
    with cli.start("predict", "-m", tiny, "-q", "--format", output, big) as talk:
        assert talk.hear().startswith(b"verdict" if output == "table" else b"spam")
        assert talk.running.stdout is not None
        talk.running.stdout.close()
        assert talk.running.wait(PATIENCE) == -signal.SIGPIPE
        assert talk.running.stderr is not None
        assert talk.running.stderr.read() == b""


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [(signal.SIGINT, 130, "\nInterrupted.\n"), (signal.SIGTERM, -signal.SIGTERM, "")],
)
def test_signals_while_it_waits(cli: Cli, tiny: Path, number: int, code: int, message: str) -> None:
    with cli.start("predict", "-m", tiny) as talk:
        talk.say(b"win\n")
        assert talk.hear() == b"spam\t0.7500\twin"
        talk.running.send_signal(number)
        assert talk.running.wait(PATIENCE) == code
        assert talk.end() == (code, message)


INTERRUPTED = """
import time, weakref
import spamnb.cli as command

class Thing:
    pass

def callback(_):
    raise KeyboardInterrupt  # as by Ctrl-C: Python would say so and go on

def work(**_):
    thing = Thing()
    watch = weakref.ref(thing, callback)
    del thing
    time.sleep(60)

command.cli.main = work
command.main()
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a system with interval timers")
def test_an_interrupt_within_a_callback_is_not_lost() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (130, b"Interrupted.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_filter_tells_who_sits_at_the_terminal_what_it_waits_for(cli: Cli, tiny: Path) -> None:
    master, slave = os.openpty()
    command = cli.command("filter", "-m", tiny)
    with subprocess.Popen(command, stdin=slave, stdout=-1, stderr=-1, cwd=cli.here, env=cli.env) as running:
        os.close(slave)
        os.write(master, b"Subject: win\n\nwin\n\x04")
        out, err = running.communicate(timeout=PATIENCE)
    os.close(master)
    assert err.startswith(b"Type or paste one email, header first; Ctrl-D ends.\n")
    assert out.startswith(b"X-Spam-Flag: YES\n")
    assert b"Ctrl-D" not in cli("filter", "-m", tiny, stdin=b"Subject: win\n\nwin\n").err.encode()

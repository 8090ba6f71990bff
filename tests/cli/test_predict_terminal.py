"""`spamnb predict` on a terminal: a table cut to the width, and answers to typed messages."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb import SpamModel
from spamnb.core import cut_to_width, display_width
from spamnb.messages import Chunk, as_texts
from spamnb.report import Screen, TableWriter
from tests.helpers.command_line import Cli
from tests.helpers.terminal_screen import Terminal

MESSAGES = [
    "win a prize " * 20,
    "see\nyou\tat  home",
    "恭喜您获得一百万现金大奖" * 8,
    "🎉 win ❤️ cash 👨‍👩‍👧 now 🇩🇪 " * 5,
    "مرحبا، لقد ربحت جائزة " * 6,
    "e\u0301" * 200,
    "\x1b[2J \u202emoc.live",
    "",
]

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")


def terminal(cli: Cli, *args: str | Path, script: str = '"$@"', columns: int = 80, **env: str) -> Terminal:
    clean = {name: value for name, value in cli.env.items() if name != "COLUMNS"}
    return Terminal(script, cli.command(*args), cli.here, clean | env, columns)


def rows(model: Path, screen: Screen, messages: list[str]) -> list[str]:
    loaded = SpamModel.load(model)
    chunk = Chunk(as_texts(messages), np.arange(1, len(messages) + 1))
    writer = TableWriter(screen, (*loaded.labels, "unsure"), loaded.positive)
    lines = writer.begin("x", None) + writer.lines(chunk, loaded.score(messages), np.arange(len(messages)))
    return lines.decode(screen.encoding).split("\n")[:-1]


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_each_message_is_one_line_within_the_width(tiny: Path, width: int, encoding: str) -> None:
    lines = rows(tiny, Screen(width, encoding=encoding), MESSAGES)
    assert len(lines) == 1 + len(MESSAGES)
    assert max(map(display_width, lines)) <= width
    assert all(re.sub("[\u200c\u200d]", "", line).isprintable() for line in lines)
    assert lines[1].endswith("…" if encoding == "utf-8" else "...")
    assert lines[2] == "ham       0.1429  see you at home"


def test_a_file_gets_whole_messages(tiny: Path) -> None:
    assert rows(tiny, Screen(), MESSAGES)[1].endswith("win a prize")


def test_columns_are_aligned_whatever_comes(tiny: Path) -> None:
    lines = rows(tiny, Screen(80), MESSAGES)
    assert {line.index("  ", 9) for line in lines[1:-1]} == {16}  # behind the probability


@given(st.text(), st.integers(1, 30))
def test_a_cut_text_fits(text: str, columns: int) -> None:
    cut = cut_to_width(text, columns)
    assert display_width(cut) <= columns
    assert cut == text or cut.endswith("..."[:columns])


@needs_terminal
@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_shows_a_table(cli: Cli, tiny: Path, columns: int) -> None:
    cli.write("m.csv", 'id,text\n7,"win\n' + "a prize " * 30 + '"\n8,see you\n')
    shown = terminal(cli, "predict", "-m", tiny, "-q", "m.csv", columns=columns).finish()
    assert shown[0] == "verdict  P(spam)  message"
    assert shown[1].startswith("spam      1.0000  win a prize a prize a prize")
    assert shown[1].endswith("…")
    assert len(shown[1]) <= columns
    assert shown[2:] == ["ham       0.1429  see you"]


@needs_terminal
def test_verdicts_are_coloured(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "-t", "win", "-t", "see you", "-t", "")
    run = terminal(cli, *flags)
    run.finish()
    assert re.findall(rb"\x1b\[(\d+)m(\w+)\x1b\[0m", run.written) == [
        (b"31", b"spam"),
        (b"32", b"ham"),
        (b"33", b"unsure"),
    ]
    plain = terminal(cli, *flags, NO_COLOR="1")
    plain.finish()
    assert b"\x1b" not in plain.written


@needs_terminal
def test_a_pipe_and_a_stated_format_have_no_table(cli: Cli, tiny: Path) -> None:
    piped = terminal(cli, "predict", "-m", tiny, "-t", "win", script='"$@" | cat').finish()
    assert piped == ["spam    0.7500  win".replace("    ", "\t").replace("  ", "\t")]
    assert terminal(cli, "predict", "-m", tiny, "-t", "win", "--format", "terse").finish() == ["spam\t0.7500"]


@needs_terminal
def test_typed_messages_are_answered_with_two_reasons(cli: Cli, tiny: Path) -> None:
    run = terminal(cli, "predict", "-m", tiny)
    run.wait_for(b"> ")
    run.type(b"win prize money see\n")
    run.wait_for(b"+0.69\r\n> ")
    run.type(b"see you\n")
    run.wait_for(b"you -0.69\r\n> ")
    run.type(b"qwrtz\n")
    run.wait_for(b"known\r\n> ")
    run.type(b"\x04")
    assert run.finish() == [
        "Type a message and press Enter; Ctrl-D ends.",
        "> win prize money see",
        "spam      0.8000  win +1.10, money +0.69",
        "> see you",
        "ham       0.1429  see -1.10, you -0.69",
        "> qwrtz",
        "unsure    0.5000  nothing in it is known",
        ">",
    ]
    assert run.running.returncode == 0


@needs_terminal
def test_a_stated_format_is_kept_while_typing(cli: Cli, tiny: Path) -> None:
    run = terminal(cli, "predict", "-m", tiny, "--format", "terse")
    run.wait_for(b"> ")
    run.type(b"win\n")
    run.wait_for(b"0.7500\r\n> ")
    run.type(b"\x04")
    assert run.finish()[1:] == ["> win", "spam\t0.7500", ">"]


@needs_terminal
def test_quiet_has_no_prompt(cli: Cli, tiny: Path) -> None:
    run = terminal(cli, "predict", "-m", tiny, "-q")
    run.type(b"win\n")
    run.wait_for(b"+1.10")
    run.type(b"\x04")
    assert run.finish() == ["win", "spam      0.7500  win +1.10"]


@needs_terminal
def test_ctrl_c_at_the_prompt(cli: Cli, tiny: Path) -> None:
    run = terminal(cli, "predict", "-m", tiny, script='trap : INT; "$@"; echo "exit code $?"')
    run.wait_for(b"> ")
    run.type(b"\x03")
    assert run.finish()[1:] == ["> ^C", "Interrupted.", "exit code 130"]

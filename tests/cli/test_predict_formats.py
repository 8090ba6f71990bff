"""`spamnb predict --format ...`: what programs read, what spreadsheets open, what people see."""

from __future__ import annotations

import csv
import fcntl
import io
import math
import os
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from tests.helpers.command_line import PATIENCE, Cli, Sms, Tennis, Three

# What could steer a terminal, reorder its line, or be taken for markup; and how it must be shown.
EVIL = "win \x1b[31mred\x07 \u202emoc.live [/x] [link=http://a]b[/link] [bold]x \x9b2J \ttab\r."
SHOWN = "win \\x1b[31mred\\x07 \\u202emoc.live [/x] [link=http://a]b[/link] [bold]x \\x9b2J \\ttab\\r."
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
KEYS = ["verdict", "probability", "log_odds", "known", "log_evidence", "message"]
WHY = ["for", "against", "sum", "bias", "evidence", "unknown", "joint", "log_joint"]


# --- jsonl -----------------------------------------------------------------------------------------


def test_jsonl_is_exact(cli: Cli, tiny: Path) -> None:
    records = cli("predict", "-m", tiny, "--format", "jsonl", stdin=b"win\n\n").records
    assert [list(record) for record in records] == [KEYS, [*KEYS, "unsure_reason"]]
    assert records[0]["verdict"] == "spam"
    assert records[0]["probability"] == pytest.approx(0.75, abs=1e-12)
    assert records[0]["log_odds"] == pytest.approx(math.log(3), abs=1e-12)
    assert records[0]["log_evidence"] == pytest.approx(math.log(0.5 * 0.3 + 0.5 * 0.1), abs=1e-12)
    assert (records[0]["known"], records[0]["message"]) == (1, "win")
    assert (records[1]["verdict"], records[1]["known"], records[1]["message"]) == ("unsure", 0, "")
    assert records[1]["unsure_reason"] == "nothing in it is known"


def test_jsonl_keeps_every_character_and_sends_none_raw(cli: Cli, tiny: Path) -> None:
    message = EVIL + ' "quoted" back\\slash café \U000e0041'
    done = cli("predict", "-m", tiny, "--format", "jsonl", stdin=message.encode() + b"\n")
    assert done.records[0]["message"] == message
    assert not UNSAFE.search(done.text)
    assert "café" in done.text
    assert "\U000e0041" not in done.text


def explained(cli: Cli, model: Path, stdin: bytes, columns: tuple[str, ...] = ()) -> list[dict[str, object]]:
    records = cli("predict", "-m", model, "--format", "jsonl", "--explain", stdin=stdin).records
    for record in records:
        reason = ["unsure_reason"] if record["verdict"] == "unsure" else []
        message = [] if columns else KEYS[-1:]
        assert list(record) == [*KEYS[:-1], *message, *WHY, *reason, *columns]
        total = math.fsum([record["bias"], *(part["log_odds"] for part in record["evidence"])])
        assert total == pytest.approx(record["sum"], abs=1e-9)
        sizes = [abs(part["log_odds"]) for part in record["evidence"]]
        assert sizes == sorted(sizes, reverse=True)
    return records


def test_parts_sum_to_the_log_odds(cli: Cli, sms: Sms, tiny: Path) -> None:
    records = explained(cli, sms.model, b"WIN a FREE prize now!!! call 0909\nsee you at home\n\nzebra\n")
    assert [record["sum"] for record in records] == [record["log_odds"] for record in records]
    assert {(record["for"], record["against"]) for record in records} == {("spam", "ham")}
    parts = explained(cli, tiny, b"win prize zebra\n")[0]["evidence"]
    assert parts == [
        {"token": "win", "times": 1, "log_odds": pytest.approx(math.log(3)), "occurrences": [0, 2]},
        {"token": "prize", "times": 1, "log_odds": pytest.approx(math.log(2)), "occurrences": [0, 1]},
    ]


def test_parts_of_columns_sum_too(cli: Cli, tennis: Tennis) -> None:
    columns = ("outlook", "temperature", "humidity", "wind", "play")
    records = explained(cli, tennis.model, tennis.data.read_bytes(), columns)
    assert [record["sum"] for record in records] == [record["log_odds"] for record in records]
    tokens = {part["token"] for part in records[0]["evidence"]}  # type: ignore[attr-defined]
    assert tokens == {"column:outlook", "column:wind", "column:temperature", "column:humidity"}


def test_parts_of_three_classes_are_for_the_best_against_the_second(cli: Cli, three: Three) -> None:
    records = explained(cli, three.model, b"meeting milk report\nwin cash\n")
    assert [(record["verdict"], record["for"]) for record in records] == [("work", "work"), ("spam", "spam")]
    assert records[0]["against"] == "home"


def test_jsonl_stays_json_without_smoothing(cli: Cli) -> None:
    cli.write("d.csv", "label,text\nspam,win prize\nham,see you\n")
    cli("train", "d.csv", "--alpha", "0", "--tokens", "plain", "-o", "m")
    flags = ("predict", "-m", "m", "--format", "jsonl", "--explain")
    records = cli(*flags, stdin=b"win\nsee\nwin see\n").records
    assert [record["verdict"] for record in records][:2] == ["spam", "ham"]
    assert all(math.isfinite(record["log_odds"]) for record in records)
    assert records[0]["evidence"][0]["log_odds"] is None


# --- csv -------------------------------------------------------------------------------------------


def table(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def test_csv_is_read_back(cli: Cli, tiny: Path) -> None:
    messages = ["win", 'say "hi", ok', "two\rlines", EVIL, "café 🎉", ""]
    done = cli(
        "predict",
        "-m",
        tiny,
        "--format",
        "csv",
        "--input-format",
        "null",
        stdin="\0".join([*messages, ""]).encode(),
    )
    header, *rows = table(done.out)
    assert header == ["verdict", "probability", "log_odds", "message"]
    assert [row[3] for row in rows] == messages
    assert rows[0][:3] == ["spam", "0.750000", f"{math.log(3):.6f}"]


def test_csv_defuses_formulas(cli: Cli, tiny: Path) -> None:
    messages = ["=1+1", "+49 170", "-3", "@SUM(A1)", "\t=1", "a=b"]
    query = "\n".join([*messages, ""]).encode()
    guarded = [row[3] for row in table(cli("predict", "-m", tiny, "--format", "csv", stdin=query).out)[1:]]
    assert guarded == ["'=1+1", "'+49 170", "-3", "'@SUM(A1)", "'\t=1", "a=b"]  # -3 is a number, no formula


def test_csv_with_reasons(cli: Cli, tiny: Path) -> None:
    rows = table(cli("predict", "-m", tiny, "--format", "csv", "--explain", stdin=b"win prize\n").out)
    assert rows[0][4:] == ["evidence"]
    assert rows[1][4:] == ["win +1.10, prize +0.69"]


# --- tsv and table ---------------------------------------------------------------------------------


def test_nothing_foreign_reaches_the_terminal_raw(cli: Cli, tiny: Path) -> None:
    done = cli("predict", "-m", tiny, stdin=EVIL.encode() + b"\n")
    assert done.text == f"spam\t0.7500\t{SHOWN}\n"
    for flags in (["--format", "table"], ["--format", "table", "--explain"], ["--explain"]):
        shown = cli("predict", "-m", tiny, *flags, stdin=EVIL.encode() + b"\n").text
        assert not UNSAFE.search(shown)
        assert "[/x]" in shown


def test_table(cli: Cli, tiny: Path) -> None:
    done = cli("predict", "-m", tiny, "--format", "table", stdin=b"win\nsee you\n\n")
    assert [line.rstrip() for line in done.text.splitlines()] == [
        "verdict  P(spam)  message",
        "spam      0.7500  win",
        "ham       0.1429  see you",
        "unsure    0.5000",
    ]
    why = cli("predict", "-m", tiny, "--format", "table", "--explain", stdin=b"win\n").text
    assert why.splitlines()[1:] == ["spam      0.7500  win", "                  win +1.10"]


def test_a_table_is_written_as_messages_come(cli: Cli, tiny: Path) -> None:
    with cli.start("predict", "-m", tiny, "--format", "table") as talk:
        talk.say(b"win\n")
        assert talk.hear().rstrip() == b"verdict  P(spam)  message"
        assert talk.hear().rstrip() == b"spam      0.7500  win"
        talk.say(b"see you, and no second header\n")
        assert talk.hear().rstrip() == b"ham       0.1429  see you, and no second header"
        assert talk.end() == (0, "")


def test_a_table_of_nothing_is_its_header(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "--format", "table")
    assert cli(*flags, stdin=b"").text.split() == ["verdict", "P(spam)", "message"]
    assert cli(*flags, "--only", "ham", stdin=b"win\n" * 300).text.split() == [
        "verdict",
        "P(spam)",
        "message",
    ]


def test_a_long_table_has_one_header_and_even_columns(cli: Cli, tiny: Path) -> None:
    lines = cli("predict", "-m", tiny, "--format", "table", stdin=b"win\n" * 999 + b"win money\n").lines
    assert [line.rstrip() for line in lines] == [
        b"verdict  P(spam)  message",
        *[b"spam      0.7500  win"] * 999,
        b"spam      0.8571  win money",
    ]


COLOUR = re.compile(r"\x1b\[3\dm")


def test_colour_only_where_it_is_wanted(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "--format", "table")
    assert "\x1b" not in cli(*flags, stdin=b"win\n").text
    forced = cli(*flags, stdin=b"win\n", env={"FORCE_COLOR": "1"}).text
    assert "\x1b[31mspam" in forced
    assert "\x1b" not in cli("predict", "-m", tiny, stdin=b"win\n", env={"FORCE_COLOR": "1"}).text
    assert not COLOUR.search(cli(*flags, stdin=b"win\n", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).text)


def on_terminal(cli: Cli, width: int, *args: str | Path, stdin: bytes, **env: str) -> str:
    """What a command writes to a terminal of that width."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    clean = {name: value for name, value in cli.env.items() if name not in ("COLUMNS", "LINES")}
    done = subprocess.run(
        cli.command(*args),
        input=stdin,
        stdout=theirs,
        stderr=subprocess.PIPE,
        cwd=cli.here,
        env=clean | {"TERM": "xterm-256color"} | env,
        timeout=PATIENCE,
        check=True,
    )
    os.close(theirs)
    assert done.stderr == b""
    received = b""
    try:
        while more := os.read(ours, 1 << 16):
            received += more
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return received.decode()


def test_a_terminal_of_60_columns(cli: Cli, tiny: Path) -> None:
    long = b"win a prize " * 12 + b"\nsee you\n"
    flags = ("predict", "-m", tiny, "--format", "table", "--explain")
    shown = on_terminal(cli, 60, *flags, stdin=long)
    assert COLOUR.search(shown)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(map(len, bare)) <= 60
    assert bare[1] == "spam      1.0000  win a prize win a prize win a prize win a…"
    assert bare[2] == "                  win +13.18, prize +8.32"
    assert not COLOUR.search(on_terminal(cli, 60, *flags, stdin=long, NO_COLOR="1"))


@pytest.mark.parametrize("output", ["tsv", "csv", "jsonl"])
def test_a_terminal_gets_nothing_raw_in_any_format(cli: Cli, tiny: Path, output: str) -> None:
    query = (EVIL + "\n").encode()
    shown = on_terminal(cli, 80, "predict", "-m", tiny, "--format", output, stdin=query)
    assert not UNSAFE.search(re.sub(r"\r+\n", "\n", shown))
    assert "31mred" in shown


def test_a_terminal_without_unicode(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "--format", "table")
    shown = cli(*flags, stdin="win café 🎉\n".encode(), env={"PYTHONIOENCODING": "ascii"})
    assert b"win caf\\xe9 \\U0001f389" in shown.out

"""`train --jobs` for tables, and patterns of file names."""

from __future__ import annotations

import gzip
import re

from tests.helpers.command_line import Cli, Sms


def said(err: str) -> str:
    """What a command said, without the seconds it took."""
    return re.sub(r"\b[\d.]+ s\b", "N s", err)


def test_jobs_change_neither_the_model_nor_what_is_said(cli: Cli, sms: Sms) -> None:
    one = cli("train", sms.train, sms.test, "-o", "1.spamnb")
    two = cli("train", sms.train, sms.test, "-o", "2.spamnb", "--jobs", "2")
    assert (cli.here / "1.spamnb").read_bytes() == (cli.here / "2.spamnb").read_bytes()
    assert said(one.err) == said(two.err.replace("2.spamnb", "1.spamnb"))


def test_jobs_read_stdin_too(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "-o", "1.spamnb", "-q")
    cli("train", "-", "-o", "2.spamnb", "-q", "--jobs", "2", stdin=sms.train.read_bytes())
    assert (cli.here / "1.spamnb").read_bytes() == (cli.here / "2.spamnb").read_bytes()


def test_jobs_read_a_table_of_two_encodings(cli: Cli) -> None:
    """Bytes that are not UTF-8 change the length of what is read: workers get the text, not its place."""
    rows = ["label,text", *(f"{('ham', 'spam')[i % 2]},word{i % 97} caf\u00e9 {i}" for i in range(60_000))]
    data = bytearray("\n".join(rows).encode())
    for at in (len(data) // 2, len(data) // 2 + 20_000):
        at = data.index("\u00e9".encode(), at)
        data[at : at + 2] = b"\xe9"
    cli.write("both.csv", bytes(data))
    cli.write("utf8.csv", "\n".join(rows))
    for name, *flags in (("utf8.csv",), ("both.csv",), ("both.csv", "--jobs", "3")):
        cli("train", name, *flags, "-o", f"{name}-{len(flags)}", "-q", "--folds", "0")
    models = [cli.here / name for name in ("utf8.csv-0", "both.csv-0", "both.csv-2")]
    assert models[0].read_bytes() == models[1].read_bytes() == models[2].read_bytes()


def test_errors_with_jobs_are_those_without(cli: Cli) -> None:
    cli.write("x.csv", "label,text\nham,\nham,\n")
    assert cli.fails("train", "x.csv", "--jobs", "2")[-2:] == cli.fails("train", "x.csv")[-2:]
    cli.write("x.csv", "label,text\nham,a\nham,b\n")
    assert cli.fails("train", "x.csv", "--jobs", "2")[-2:] == cli.fails("train", "x.csv")[-2:]


def test_a_quoted_pattern_stands_for_its_files(cli: Cli, sms: Sms) -> None:
    header, *lines = sms.train.read_bytes().splitlines(keepends=True)
    cli.write("part-1.csv.gz", gzip.compress(header + b"".join(lines[:100])))
    cli.write("part-2.csv.gz", gzip.compress(header + b"".join(lines[100:])))
    cli("train", "part-*.csv.gz", "-o", "1.spamnb", "--jobs", "2")
    cli("train", "part-1.csv.gz", "part-2.csv.gz", "-o", "2.spamnb")
    assert (cli.here / "1.spamnb").read_bytes() == (cli.here / "2.spamnb").read_bytes()
    assert cli.fails("train", "none-*.csv") == [
        "Error: no file matches none-*.csv",
        "Hint: check the folder and the pattern",
    ]

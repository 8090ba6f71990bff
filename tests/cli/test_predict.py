"""`spamnb predict`: every way in gives the same answers, one for each message, in order."""

from __future__ import annotations

import csv
import gzip
import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from spamnb import Decision, SpamModel
from spamnb.core.terminal_text import visible
from tests.helpers.command_line import Cli, Sms, Tennis, Three

# The verdicts of the tiny model, reckoned by hand: see clitools.TINY.
ASKED = b"win\nsee\nprize\nwin win\nWIN, money!\n\nzebra\n"
TERSE = (
    b"spam\t0.7500\nham\t0.2500\nspam\t0.6667\nspam\t0.9000\nspam\t0.8571\nunsure\t0.5000\nunsure\t0.5000\n"
)
NASTY = [
    b"caf\xc3\xa9 \xe2\x82\xac5 \xf0\x9f\x8e\x89",
    b"",
    b"not UTF-8: \xff\xfe\x80",
    b"tab\tand\x1b[31m colour",
    b'"quoted, with comma"',
    b"  spaces  ",
    b"=1+1",
]


def terse(cli: Cli, model: Path, *args: str | Path, stdin: bytes = b"") -> bytes:
    return cli("predict", "-m", model, "--format", "terse", *args, stdin=stdin).out


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# --- formats of the output -------------------------------------------------------------------------


def test_terse_is_frozen(cli: Cli, tiny: Path) -> None:
    assert terse(cli, tiny, stdin=ASKED) == TERSE


def test_tsv_is_terse_with_the_message(cli: Cli, tiny: Path) -> None:
    done = cli("predict", "-m", tiny, stdin=ASKED)
    assert done.err == ""
    expected = zip(TERSE.split(b"\n"), ASKED.split(b"\n"), strict=True)
    assert done.lines == [b"%b\t%b" % pair for pair in expected][:-1]


def test_one_line_out_for_each_message_in(cli: Cli, sms: Sms) -> None:
    rows = rows_of(sms.test)
    texts = [row["text"].replace("\n", " ") for row in rows]
    done = cli("predict", "-m", sms.model, stdin="\n".join(texts).encode())
    assert [line.split(b"\t", 2)[2].decode() for line in done.lines] == [visible(t, tsv=True) for t in texts]


# --- ways in ---------------------------------------------------------------------------------------


def test_file_stdin_api_and_one_by_one_agree(cli: Cli, sms: Sms) -> None:
    texts = [row["text"].replace("\n", " ") for row in rows_of(sms.test)[:40]]
    lines = "\n".join(texts).encode() + b"\n"
    predictions = SpamModel.load(sms.model).score(texts)
    api = [
        f"{a}\t{p:.4f}\n" for a, p in zip(predictions.labels, predictions.probability.tolist(), strict=True)
    ]
    piped = terse(cli, sms.model, stdin=lines)
    assert piped == terse(cli, sms.model, cli.write("m.txt", lines)) == "".join(api).encode()
    assert terse(cli, sms.model, "-", stdin=lines) == piped
    with cli.start("predict", "-m", sms.model, "--format", "terse") as talk:
        for text, expected in zip(texts[:5], piped.split(b"\n")[:5], strict=True):
            talk.say(text.encode() + b"\n")
            assert talk.hear() == expected


def test_nasty_messages_agree_too(cli: Cli, sms: Sms) -> None:
    data = b"\n".join(NASTY) + b"\n"
    flags = ("predict", "-m", sms.model, "--encoding", "latin-1")
    piped = cli(*flags, stdin=data).lines
    assert len(piped) == len(NASTY)
    with cli.start(*flags) as talk:
        for message, expected in zip(NASTY, piped, strict=True):
            talk.say(message + b"\n")
            assert talk.hear() == expected


def test_line_ends_change_nothing(cli: Cli, tiny: Path) -> None:
    crlf = ASKED.replace(b"\n", b"\r\n")
    assert terse(cli, tiny, stdin=crlf) == TERSE
    assert terse(cli, tiny, stdin=ASKED[:-1]) == TERSE
    assert terse(cli, tiny, stdin=crlf[:-2]) == TERSE
    assert cli("predict", "-m", tiny, stdin=crlf).out == cli("predict", "-m", tiny, stdin=ASKED).out


def test_tables_are_read_by_their_text_column(cli: Cli, tiny: Path) -> None:
    texts = ["win", "see, you", 'say "prize"', ""]
    with open(cli.here / "in.csv", "w", newline="") as file:
        csv.writer(file).writerows([["id", "text"], *([i, t] for i, t in enumerate(texts))])
    cli.write("in.tsv", "text\tid\n" + "".join(f"{t}\t{i}\n" for i, t in enumerate(texts)))
    cli.write("in.jsonl", "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(texts)))
    expected = cli("predict", "-m", tiny, stdin="\n".join(texts).encode() + b"\n").out
    for name in ("in.csv", "in.tsv", "in.jsonl"):
        done = cli("predict", "-m", tiny, name)
        header, *rows = [line.split(b"\t") for line in done.lines]
        columns = [header.index(column) for column in (b"verdict", b"probability", b"text")]
        assert [b"\t".join(row[i] for i in columns) for row in rows] == expected.splitlines(), name
        assert [row[header.index(b"id")] for row in rows] == [b"0", b"1", b"2", b"3"]
        assert 'text column "text"' in done.err
    packed = gzip.compress((cli.here / "in.csv").read_bytes())
    unpacked = cli("predict", "-m", tiny, "in.csv", "-q").out
    assert cli("predict", "-m", tiny, cli.write("p.csv.gz", packed), "-q").out == unpacked


def test_the_text_column_can_be_named(cli: Cli, tiny: Path) -> None:
    data = b"subject,body\nsee you,win\nsee,prize\n"
    assert terse(cli, tiny, "-", "--text-column", "body", stdin=data) == b"spam\t0.7500\nspam\t0.6667\n"
    assert terse(cli, tiny, "--input-format", "csv", "--text-column", "2", stdin=data).count(b"spam") == 2


def test_several_files_in_order(cli: Cli, tiny: Path) -> None:
    cli.write("a.txt", "win\n")
    cli.write("b.txt", "see\n")
    done = cli("predict", "-m", tiny, "a.txt", "b.txt", "-", stdin=b"prize\n")
    assert done.lines == [b"spam\t0.7500\twin", b"ham\t0.2500\tsee", b"spam\t0.6667\tprize"]
    assert done.err == "a.txt: one message per line (UTF-8)\nb.txt: one message per line (UTF-8)\n"
    quiet = cli("predict", "-m", tiny, "a.txt", "b.txt", "--quiet")
    assert (quiet.lines, quiet.err) == (done.lines[:2], "")


def test_messages_that_end_with_nul(cli: Cli, tiny: Path) -> None:
    done = cli("predict", "-m", tiny, "--input-format", "null", stdin=b"win\nprize\0see\0\0zebra")
    assert done.lines == [
        b"spam\t0.8571\twin\\nprize",
        b"ham\t0.2500\tsee",
        b"unsure\t0.5000\t",
        b"unsure\t0.5000\tzebra",
    ]


def test_nothing_in_nothing_out(cli: Cli, tiny: Path) -> None:
    for output in ("tsv", "terse", "jsonl"):
        assert cli("predict", "-m", tiny, "--format", output).out == b""
    assert cli("predict", "-m", tiny, "--format", "csv").out == b"verdict,probability,log_odds,message\r\n"
    assert cli("predict", "-m", tiny, cli.write("empty.txt", "")).out == b""
    assert terse(cli, tiny, stdin=b"\n") == b"unsure\t0.5000\n"


def test_columns_of_categories_and_numbers(cli: Cli, tennis: Tennis) -> None:
    rows = rows_of(tennis.data)
    yes, no = ([row for row in rows if row["play"] == play] for play in ("yes", "no"))

    def share(group: list[dict[str, str]], column: str, value: str, values: int) -> float:
        return (sum(row[column] == value for row in group) + 1) / (len(group) + values)

    def density(group: list[dict[str, str]], column: str, value: float) -> float:
        numbers = [float(row[column]) for row in group]
        mean = math.fsum(numbers) / len(numbers)
        variance = math.fsum((x - mean) ** 2 for x in numbers) / len(numbers)
        return math.exp(-((value - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)

    odds = len(yes) / len(no)
    odds *= share(yes, "outlook", "sunny", 3) / share(no, "outlook", "sunny", 3)
    odds *= share(yes, "wind", "strong", 2) / share(no, "wind", "strong", 2)
    for column, value in (("temperature", 66), ("humidity", 90)):
        odds *= density(yes, column, value) / density(no, column, value)
    query = b"wind,humidity,outlook,temperature\nstrong,90,sunny,66\n"
    record = cli("predict", "-m", tennis.model, "--format", "jsonl", stdin=query).records[0]
    assert record["log_odds"] == pytest.approx(math.log(odds), abs=1e-9)
    assert record["verdict"] == "no"


# --- choosing --------------------------------------------------------------------------------------


def test_only(cli: Cli, tiny: Path) -> None:
    whole = TERSE.splitlines(keepends=True)
    for label in (b"spam", b"ham", b"unsure"):
        expected = b"".join(line for line in whole if line.startswith(label))
        assert terse(cli, tiny, "--only", label.decode(), stdin=ASKED) == expected
    done = cli("predict", "-m", tiny, "--only", "ham", "--explain", stdin=ASKED)
    assert done.lines == [b"ham\t0.2500\tsee\tsee -1.10"]
    assert cli.fails("predict", "-m", tiny, "--only", "eggs", code=2)[-1] == (
        "Error: Invalid value for --only: the model knows ham, spam, unsure, not 'eggs'"
    )


@pytest.mark.parametrize(
    ("flags", "verdicts"),
    [
        ("--threshold 0.7", b"spam ham ham spam spam"),
        ("--threshold 70%", b"spam ham ham spam spam"),
        ("--threshold 0.95", b"ham ham ham ham ham"),
        ("--unsure 0.3 0.8", b"unsure ham unsure spam spam"),
        ("--cost ham:spam=4", b"ham ham ham spam spam"),
        ("--cost spam:ham=9", b"spam spam spam spam spam"),
        ("--cost ham:spam=1 --cost spam:ham=1", b"spam ham spam spam spam"),
    ],
)
def test_decision(cli: Cli, tiny: Path, flags: str, verdicts: bytes) -> None:
    output = terse(cli, tiny, *flags.split(), stdin=b"win\nsee\nprize\nwin win\nwin money\n")
    assert [line.split(b"\t")[0] for line in output.splitlines()] == verdicts.split()
    assert [
        line.split(b"\t")[1] for line in output.splitlines()
    ] == b"0.7500 0.2500 0.6667 0.9000 0.8571".split()


@pytest.mark.parametrize(
    ("flags", "verdicts"),
    [
        ("", b"unsure ham unsure spam spam"),
        ("--threshold 0.88", b"unsure ham unsure spam unsure"),
        ("--threshold 0.7", b"spam ham unsure spam spam"),
        ("--threshold 0.2", b"spam spam spam spam spam"),
    ],
)
def test_another_threshold_keeps_what_is_unsure(cli: Cli, tiny: Path, flags: str, verdicts: bytes) -> None:
    model = replace(SpamModel.load(tiny), decision=Decision(0.8, unsure_from=0.3))
    model.save(cli.here / "band.spamnb")
    output = terse(cli, cli.here / "band.spamnb", *flags.split(), stdin=b"win\nsee\nprize\nwin win\nwin money\n")
    assert [line.split(b"\t")[0] for line in output.splitlines()] == verdicts.split()


def test_more_than_two_classes(cli: Cli, three: Three) -> None:
    lines = cli("predict", "-m", three.model, stdin=b"meeting report\nmilk\nwin cash\nzebra\n").lines
    assert [line.split(b"\t")[0] for line in lines] == [b"work", b"home", b"spam", b"unsure"]
    assert cli("predict", "-m", three.model, "--only", "work", stdin=b"office\nmilk\n").out.count(b"\n") == 1
    assert cli.fails("predict", "-m", three.model, "--threshold", "0.3", code=2) == [
        "Error: --threshold needs a model of two classes, got 3: home, spam, work",
        "Hint: leave out --threshold: with more than two classes the most probable one is the verdict",
    ]


# --- as it comes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["tsv", "terse", "jsonl", "csv"])
def test_a_line_is_answered_before_the_next_is_written(cli: Cli, tiny: Path, output: str) -> None:
    with cli.start("predict", "-m", tiny, "--format", output) as talk:
        for word in (b"win", b"see", b"prize"):
            talk.say(word + b"\n")
            if output == "csv" and word == b"win":
                assert talk.hear() == b"verdict,probability,log_odds,message\r"
            assert talk.hear().startswith((b"spam", b"ham", b'{"verdict"'))
        assert talk.end() == (0, "")


def noise(lines: int) -> bytes:
    numbers = random.Random(20)
    return b"".join(
        numbers.randbytes(numbers.randrange(40)).replace(b"\n", b" ") + b"\n" for _ in range(lines)
    )


@pytest.mark.parametrize("encoding", ["auto", "latin-1"])
def test_any_bytes_at_all_give_a_line_a_message(cli: Cli, sms: Sms, encoding: str) -> None:
    done = cli("predict", "-m", sms.model, "--encoding", encoding, stdin=noise(100_000))
    assert len(done.lines) == 100_000
    assert done.out.count(b"\t") == 200_000
    assert not {*range(32)} - {9, 10} & set(done.out)
    assert not set(map(chr, range(0x7F, 0xA0))) & set(done.text)

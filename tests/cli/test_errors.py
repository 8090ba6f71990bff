"""What goes wrong: every refusal says what, expected and got, and the next step; never a traceback."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from spamnb.cli import _described
from tests.helpers.command_line import PATIENCE, TINY, Cli, Sms
from tests.helpers.paths import SMALL_SMS

HELP = "Hint: see `spamnb train --help`"


# --- wrong values: exit 2, nothing written ---------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "error", "hint"),
    [
        ("--alpha -1", "--alpha must be 0 or more, got -1.0", HELP),
        ("--ngrams 0", "--ngrams must be between 1 and 5, got 0", HELP),
        ("--set chars=1", "--set chars must be 0 or between 2 and 8, got 1", HELP),
        ("--set damping=2", "--set damping must be between 0 and 1, got 2.0", HELP),
        ("--folds 1", "--folds must be 0 or at least 2, got 1", HELP),
        (
            "--class-prior 0.5,0.2",
            "--class-prior must be learned, uniform or positive numbers with sum 1, got [0.5, 0.2]",
            HELP,
        ),
        (
            "--class-prior often",
            "--class-prior must be learned, uniform or numbers with commas, got 'often'",
            "Hint: for example --class-prior 0.8,0.2 for ham and spam",
        ),
        (
            "--set pattern=phone",
            "--set pattern must be NAME=REGEX, got 'phone'",
            "Hint: for example --set 'pattern=phone=\\d{10}'",
        ),
        (
            "--set order=2",
            "--set order is a setting of --scorer less-naive, got --scorer multinomial",
            "Hint: add --scorer less-naive, or leave out --set order",
        ),
        (
            "--set ddof=1",
            "--set ddof is a setting of numeric columns, got none",
            "Hint: name a column with --numeric COLUMN, or leave out --set ddof",
        ),
        (
            "--threshold 3",
            "--threshold must lie between 0 and 1, got 3",
            "Hint: 0.5 calls spam what is more likely spam than not, 0.9 what is spam in 9 cases of 10",
        ),
        (
            "--threshold 0.9 --unsure 0.1 0.2",
            "--threshold and --unsure cannot be combined: each of them sets the threshold",
            "Hint: leave out --threshold or --unsure",
        ),
        (
            "--encoding klingon",
            'unknown encoding "klingon"',
            "Hint: common ones: utf-8, utf-16, latin-1, cp1252; or auto",
        ),
    ],
)
def test_wrong_settings(cli: Cli, flags: str, error: str, hint: str) -> None:
    cli.write("tiny.csv", TINY)
    assert cli.fails("train", "tiny.csv", *flags.split(), "-o", "m.spamnb", code=2) == [
        f"Error: {error}",
        hint,
    ]
    assert not (cli.here / "m.spamnb").exists()


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        ("--threshold x%", "Invalid value for '--threshold': 'x%' is not a valid float."),
        ("--alpha much", "Invalid value for '--alpha': 'much' is not a valid float."),
        (
            "--scorer magic",
            "Invalid value for '--scorer': 'magic' is not one of 'bernoulli', 'binary', 'categorical', "
            "'complement', 'less-naive', 'multinomial', 'poisson'.",
        ),
        (
            "--input-format lines",
            "Invalid value for '--input-format': 'lines' is not one of 'auto', 'csv', 'tsv', 'jsonl', "
            "'json', 'parquet', 'xlsx', 'eml', 'mbox', 'maildir', 'folder', 'index'.",
        ),
    ],
)
def test_values_that_are_none(cli: Cli, flags: str, error: str) -> None:
    errors = cli.fails("train", "tiny.csv", *flags.split(), code=2)
    assert errors[:2] == ["Usage: spamnb train [OPTIONS] DATA...", "Try 'spamnb train --help' for help."]
    assert errors[-1] == f"Error: {error}"


def test_wishes_that_exclude_each_other(cli: Cli) -> None:
    assert cli.fails("predict", "--explain", "--format", "terse", code=2)[-1] == (
        "Error: --explain cannot be combined with --format terse: use tsv, jsonl, csv or table."
    )


# --- wrong data: exit 1 ----------------------------------------------------------------------------


def test_missing_files(cli: Cli) -> None:
    cli.write("messages.csv", TINY)
    assert cli.fails("train", "mesages.csv") == [
        "Error: no such file: mesages.csv",
        "Hint: did you mean messages.csv?",
    ]
    assert cli.fails("train", "qqqq") == [
        "Error: no such file: qqqq",
        "Hint: check the path, or give - for stdin",
    ]
    assert cli.fails("train", "messages.csv", "qqqq") == cli.fails("train", "qqqq")
    assert not cli.own_model.exists()


def test_a_missing_file_leaves_no_half_output(cli: Cli, tiny: Path) -> None:
    assert cli.fails("predict", "-m", tiny, "--format", "csv", "qqqq")[0] == "Error: no such file: qqqq"


def test_only_one_class(cli: Cli) -> None:
    cli.write("one.csv", "label,text\nspam,win\nspam,prize\n")
    assert cli.fails("train", "one.csv")[1:] == [
        "Error: training needs messages of at least two classes, but all 2 are 'spam'",
        "Hint: check the label column (--label-column) and which label means spam (--spam-label)",
    ]


def test_data_that_is_no_data(cli: Cli, tiny: Path) -> None:
    cli.write("empty.csv", "")
    cli.write("head.csv", "label,text\n")
    cli.write("lines.txt", "hello there\nsee you\n")
    cli.write("tiny.csv", TINY)
    messages = {
        "empty.csv": "empty.csv is empty",
        "head.csv": "no usable rows in head.csv: nothing but a header",
        "lines.txt": "lines.txt has one column, expected a text and a label column",
        str(tiny): f"{tiny} is a spamnb model, expected messages",
    }
    for name, error in messages.items():
        *_, last, hint = cli.fails("train", name)
        assert last == f"Error: {error}"
        assert hint.startswith("Hint: ")
    assert cli.fails("train", "tiny.csv", "--label-column", "kind") == [
        'Error: tiny.csv has no column "kind"',
        "Hint: its columns: label, text",
    ]


def test_stdin_cannot_be_read_twice(cli: Cli) -> None:
    assert cli.fails("train", "-", "--set", "balance=undersample", stdin=TINY.encode(), code=2) == [
        "Error: --set balance=undersample reads DATA twice, got stdin",
        "Hint: give a file, or use --set balance=weight",
    ]


@pytest.mark.parametrize(
    ("words", "flag", "values"),
    [
        ("train t.csv --spam-label promo --spam-label spam", "--spam-label", "'promo' and 'spam'"),
        ("train t.csv --text-column a --text-column b", "--text-column", "'a' and 'b'"),
        ("evaluate t.csv --label-column a --label-column b", "--label-column", "'a' and 'b'"),
        ("predict -m a --model b", "--model", "'a' and 'b'"),
        ("predict --unsure 0.1 0.9 --unsure 0.2 0.9", "--unsure", "'0.1' '0.9' and '0.2' '0.9'"),
    ],
)
def test_an_option_with_two_values(cli: Cli, words: str, flag: str, values: str) -> None:
    error = f"Error: {flag} was given twice, with {values}; give it once."
    assert cli.fails(*words.split(), code=2)[-1] == error


def test_the_same_value_twice_is_one(cli: Cli) -> None:
    cli.write("t.csv", "kind,text\nads,win\nfriend,see you\n")
    done = cli("train", "t.csv", "--label-column", "kind", *("--spam-label", "ads") * 2, "-o", "m.spamnb")
    assert '(spam = "ads", all others ham)' in done.err


def test_too_many_priors(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    assert cli.fails("train", "tiny.csv", "--class-prior", "0.2,0.3,0.5", "-o", "m.spamnb", code=2)[1:] == [
        "Error: --class-prior gives 3 numbers, the model has 2 classes",
        "Hint: give one number for each of ham, spam",
    ]
    assert not (cli.here / "m.spamnb").exists()


# --- wrong models: exit 1 --------------------------------------------------------------------------


def test_models_that_are_none(cli: Cli, sms: Sms) -> None:
    whole = sms.model.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    cli.write("cut.spamnb", whole[:5000])
    cli.write("flipped.spamnb", bytes(flipped))
    cli.write("empty.spamnb", "")
    again = "Hint: copy the file again, or train a new model with `spamnb train DATA`"
    messages = {
        str(SMALL_SMS): (
            f"Error: {SMALL_SMS} is not a spamnb model: it looks like a CSV file",
            "Hint: if these are labelled messages, train on them with `spamnb train`",
        ),
        "cut.spamnb": ("Error: cut.spamnb is cut short or not a spamnb model: no checksum at its end", again),
        "flipped.spamnb": ("Error: flipped.spamnb is damaged: its contents do not match its checksum", again),
        "empty.spamnb": ("Error: empty.spamnb is empty, expected a spamnb model", again),
        "nowhere.spamnb": ("Error: no model at nowhere.spamnb", "Hint: train one with `spamnb train DATA`"),
        ".": ("Error: . is a directory, expected a model file", "Hint: give the path of the file in it"),
    }
    for model, expected in messages.items():
        assert tuple(cli.fails("predict", "-m", model, stdin=b"hello\n")) == expected


def test_a_model_named_by_the_variable_must_be_there(cli: Cli) -> None:
    done = cli("predict", stdin=b"win\n", env={"SPAMNB_MODEL": "./gone"}, code=1)
    assert done.err.startswith("Error: no model at ./gone\n")
    done = cli("predict", stdin=b"win\n", env={"SPAMNB_MODEL": "gone"}, code=1)
    assert done.err.startswith("Error: there is no model named 'gone'\n")


# --- places that cannot be written -----------------------------------------------------------------


def test_places_that_cannot_be_written_are_found_before_the_work(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    assert cli.fails("train", "tiny.csv", "-o", ".") == [
        "Error: . is a folder",
        f"Hint: name a file in it: -o {os.path.join('.', 'model.spamnb')}",
    ]
    assert cli.fails("train", "tiny.csv", "-o", "tiny.csv/m") == [
        f"Error: cannot write tiny.csv/m: {cli.here}/tiny.csv is a file, expected a folder",
        "Hint: choose another path for -o",
    ]
    if os.geteuid() == 0:
        return  # root may write anywhere
    (cli.here / "locked").mkdir(mode=0o500)
    assert cli.fails("train", "tiny.csv", "-o", "locked/m")[0] == (
        f"Error: cannot write locked/m: you may not write in {cli.here}/locked"
    )


# --- anything else ---------------------------------------------------------------------------------


def test_names_with_odd_characters_are_shown_escaped(cli: Cli) -> None:
    errors = cli.fails("train", os.fsdecode(b"caf\xe9\x1b[31m"))
    assert errors[0] == "Error: no such file: caf\\udce9\\x1b[31m"
    assert "\x1b" not in "".join(cli.fails("nonsense\x1b[31m", code=2))


def test_a_fault_of_the_program_is_told_in_a_sentence(cli: Cli) -> None:
    """Whatever nobody thought of: one sentence, or all of it on request."""
    breaking = "import spamnb.model.default_model as p; p.own_model = lambda kind: 1 / 0"
    command = [*cli.command()[:1], "-c", f"{breaking}; from spamnb.cli import main; main()", "model", "list"]
    done = subprocess.run(command, capture_output=True, env=cli.env, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (
        "Error: spamnb has a bug: ZeroDivisionError: division by zero\n"
        "Hint: please report it with the traceback: set `SPAMNB_TRACEBACK=1` and run the command again\n"
    )
    env = cli.env | {"SPAMNB_TRACEBACK": "1"}
    done = subprocess.run(command, capture_output=True, env=env, timeout=PATIENCE, check=False)
    assert b"Traceback" in done.stderr


LIMITS = "use fewer processes (--jobs), or raise its limits (ulimit)"
PLACE = "check the path, its permissions and the disk"
OUTPUT = "check where the output goes"


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (OSError(errno.EMFILE, "Too many open files"), LIMITS),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), LIMITS),
        (BlockingIOError(errno.EAGAIN, "write could not complete without blocking", 3), OUTPUT),
        (OSError(errno.EIO, "Input/output error"), OUTPUT),
        (OSError(errno.EIO, "Input/output error", "model.spamnb"), PLACE),
    ],
    ids=["files", "processes", "a pipe that does not wait", "output", "disk"],
)
def test_limits_of_the_system_have_a_hint_of_their_own(error: OSError, hint: str) -> None:
    assert _described(error).hint == hint

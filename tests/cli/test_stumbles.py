"""What a new user types wrongly, and the next step that the error names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import TINY, Cli


@pytest.fixture
def named(cli: Cli, tiny: Path) -> Cli:
    """A home with a model named kaggle."""
    cli.own_model.parent.mkdir(parents=True)
    cli.own_model.with_name("kaggle.spamnb").write_bytes(tiny.read_bytes())
    return cli


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (
            ["free money"],
            "No such command 'free money'. To classify a text: spamnb predict -t \"free money\"",
        ),
        (
            ["check", "free money now"],
            "No such command 'check'. To classify a text: spamnb predict -t \"free money now\"",
        ),
        (["check", "postfix"], "No such command 'check'. Did you mean model check?"),
        (["lern", "free money"], "No such command 'lern'. Did you mean learn?"),
        (["undo", "2026-01-31 18:30"], "No such command 'undo'. Did you mean model undo?"),
        (["for"], "No such command 'for'."),
        (["forgot"], "No such command 'forgot'. Did you mean forget?"),
        (["remov"], "No such command 'remov'. Did you mean model remove?"),
        (["revoe"], "No such command 'revoe'. Did you mean review?"),
        (["model", "free money"], "No such command 'free money'."),
        (["predict", "--thresold", "1"], "No such option '--thresold'. Did you mean '--threshold'?"),
        (
            ["predict", "--max-fpr", "1%"],
            "No such option '--max-fpr'. It belongs to `spamnb train`; "
            "--threshold P sets the threshold for one run.",
        ),
        (["explain", "-t", "win"], "No such option '-t'. Write spamnb explain TEXT."),
        (["explain", "--format", "jsonl", "win"], "No such option '--format'. Write --json -."),
        (
            ["predict", "--format", "json"],
            "Invalid value for '--format': 'json' is not one of 'tsv', 'jsonl', 'csv', 'parquet', 'table', "
            "'terse'. Did you mean jsonl?",
        ),
        (["model", "undo"], "Missing argument 'ID|DATE': `spamnb model log` lists the numbers."),
        (
            ["model", "undo", "-m", "x.spamnb"],
            "Missing argument 'ID|DATE': `spamnb model log -m x.spamnb` lists the numbers.",
        ),
        (["learn", "--max-fpr", "1%"], "No such option '--max-fpr'. It belongs to `spamnb train`."),
        (
            ["compare", "x.csv", "--scorer", "bernoulli"],
            "No such option '--scorer'. Write --with scorer=VALUE.",
        ),
        (
            ["predict", "--config", "my.toml"],
            "No such option '--config'. Write spamnb --config FILE predict.",
        ),
        (
            ["model", "prune", "--config=my.toml"],
            "No such option '--config'. Write spamnb --config FILE model prune.",
        ),
        (["predict", "-V"], "No such option '-V'. Write spamnb -V."),
        (["train", "x.csv", "--name", "office"], "No such option '--name'. Name the model with -o NAME."),
        (
            ["filter", "-m", "sms", "one.eml"],
            "Got unexpected extra argument (one.eml). The mail comes from stdin: spamnb filter < one.eml",
        ),
    ],
)
def test_a_wrong_word_or_option(cli: Cli, args: list[str], error: str) -> None:
    assert cli.fails(*args, code=2)[-1] == f"Error: {error}"


@pytest.mark.parametrize("command", ["predict", "evaluate", "learn", "forget"])
def test_the_name_of_a_model_in_place_of_a_file(named: Cli, command: str) -> None:
    assert named.fails(command, "kaggle") == [
        "Error: no such file: kaggle",
        "Hint: for the model of this name write -m kaggle",
    ]


@pytest.mark.parametrize(
    "args",
    [
        ["predict", "-t", "win", "-m", "kagle"],
        ["learn", "--spam", "-t", "win", "-m", "kagle"],
        ["model", "use", "kagle"],
    ],
)
def test_a_wrong_name_of_a_model(named: Cli, args: list[str]) -> None:
    assert named.fails(*args) == ["Error: there is no model named 'kagle'", "Hint: did you mean kaggle?"]


def test_explain_notes_a_missing_file(cli: Cli, tiny: Path) -> None:
    done = cli("explain", "-m", tiny, "missing.csv")
    assert done.err == "note: no such file: missing.csv; explained as text\n"
    assert cli("explain", "-m", tiny, "missing.csv", "-q").err == ""
    assert cli("explain", "-m", tiny, "win a prize.").err == ""


@pytest.mark.parametrize(
    ("word", "default"),
    [("auto", "your own models, else the ready-made ones"), ("ready-made", "sms for text, mail for mail")],
)
def test_words_that_take_the_choice_of_a_model_back(named: Cli, word: str, default: str) -> None:
    named("model", "use", "kaggle")
    done = named("model", "use", word)
    assert done.err == f"default           {default}\n"
    note = named("predict", "-t", "hi").err
    assert note.startswith("no model of your own for text yet") if word == "auto" else note == ""


def test_the_default_threshold_is_that_of_the_model(cli: Cli) -> None:
    shown = " ".join(cli("predict", "--help").text.split())
    assert "this probability. The model's unsure range stays. [default: the model's own]" in shown


GUARDED = "like a formula got an apostrophe; -o FILE.tsv or FILE.jsonl writes none\n"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("=1+1\n@x\n-3\nwin\n", f'note: 2 cells of "message" that begin {GUARDED}'),
        ("=1+1\n", f'note: 1 cell of "message" that begins {GUARDED}'),
        ("win\n", ""),
    ],
)
def test_cells_that_get_an_apostrophe_are_counted(cli: Cli, tiny: Path, text: str, note: str) -> None:
    command = ["predict", "-m", tiny, "--format", "csv"]
    assert cli(*command, stdin=text.encode()).err == note
    assert cli(*command, "-q", stdin=text.encode()).err == ""
    saved = cli(*command, "-o", "x.csv", stdin=text.encode()).err
    assert saved.startswith(note + "saved             x.csv: ")


def test_the_help_of_serve_lists_the_routes(cli: Cli) -> None:
    text = " ".join(cli("serve", "--help").text.split())
    assert (
        "Routes: POST /predict, /explain, /learn, /forget, /undo; "
        "GET /healthz, /metrics and /openapi.json, which describes them all." in text
    )


@pytest.mark.parametrize("command", ["train", "compare", "tune"])
def test_data_in_a_pipe_that_is_not_named(cli: Cli, command: str) -> None:
    done = cli(command, stdin=TINY.encode(), code=2)
    assert done.err.endswith(f"Error: Missing argument 'DATA...'. `spamnb {command} -` reads stdin.\n")


def test_an_exit_code_for_no_message_has_a_reason(cli: Cli, tiny: Path) -> None:
    done = cli("predict", "-q", "--exit-code", "bogofilter", "-m", tiny, code=3)
    assert done.err == (
        "Error: there is no message to classify\nHint: give one on stdin, in a file or with -t\n"
    )
    assert cli("predict", "-q", "-m", tiny).err == ""

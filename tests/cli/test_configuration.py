"""config.toml, SPAMNB_* and `spamnb config`: which value is used, and where it comes from."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from spamnb.cli import cli as group
from spamnb.cli.option_groups import Option
from tests.helpers.command_line import Cli, imported

WIN = b"win prize\n"


def configure(cli: Cli, text: str) -> Path:
    """Writes the user's config.toml."""
    path = cli.config / "spamnb" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


# --- which value is used ---------------------------------------------------------------------------


def test_the_command_line_comes_before_variables_and_those_before_files(cli: Cli, tiny: Path) -> None:
    def first(*args: str, **env: str) -> bytes:
        return cli("predict", "-m", tiny, *args, stdin=WIN, env=env).out[:9]

    assert first() == b"spam\t0.85"
    configure(cli, '[predict]\nformat = "jsonl"\n')
    assert first() == b'{"verdict'
    assert first(SPAMNB_PREDICT_FORMAT="csv") == b"verdict,p"
    assert first("--format", "terse", SPAMNB_PREDICT_FORMAT="csv") == b"spam\t0.85"


def test_every_kind_of_value(cli: Cli) -> None:
    rows = [f"{label},{text},{i},x" for label, text in (("ham", "see"), ("spam", "win")) for i in range(12)]
    cli.write("d.csv", "\n".join(["kind,text,size,sort", *rows]))
    configure(
        cli,
        "[train]\nnumeric = ['size']\ncategorical = 'sort'\nlabel-column = 'kind'\nunsure = [0.2, 0.9]\n"
        "alpha = 1\ndigests = false\nfolds = 0\noutput = 'configured'\n",
    )
    cli("train", "d.csv", "-q")
    card = cli("inspect", "-m", "configured", "--json", "-").json
    assert (card["features"]["numeric"], card["features"]["categorical"]) == (["size"], ["sort"])
    assert (card["scorer"]["alpha"], card["seen_messages"], card["metrics"]) == (1, None, None)
    assert card["decision"]["threshold"] == 0.9
    cli(
        "train",
        "d.csv",
        "-q",
        "-o",
        "other",
        env={"SPAMNB_TRAIN_CATEGORICAL": "sort kind", "SPAMNB_TRAIN_ALPHA": "3"},
    )
    card = cli("inspect", "-m", "other", "--json", "-").json
    assert (card["features"]["categorical"], card["scorer"]["alpha"]) == (["sort", "kind"], 3)


def test_numbers_are_read_as_on_the_command_line(cli: Cli, tiny: Path) -> None:
    configure(cli, "[predict]\nquiet = 1\nexplain = 0\n")
    assert cli("predict", "-m", tiny, stdin=WIN).err == ""
    path = configure(cli, "[predict]\nquiet = 5\n")
    done = cli("predict", "-m", tiny, stdin=WIN, code=2)
    assert "Invalid value for '--quiet'" in done.err.replace("'-q' / ", "")
    assert f"(set in {path})" in done.err
    configure(cli, "[predict]\nmodel = 5\n")
    assert cli.fails("predict", stdin=WIN, code=1)[0] == "Error: there is no model named '5'"
    configure(cli, "[predict]\njobs = 1.5\n")
    assert "'1.5'" in cli("predict", "-m", tiny, stdin=WIN, code=2).err


def test_a_command_of_a_group_has_a_table(cli: Cli, tiny: Path) -> None:
    configure(cli, "[model.prune]\nmin-count = 2\noutput = 'small'\n")
    assert "kept              2 of 6 tokens" in cli("model", "prune", tiny).err


def test_config_takes_the_place_of_the_usual_files(cli: Cli, tiny: Path) -> None:
    configure(cli, "[predict]\nformat = 'jsonl'\nexplain = true\n")
    other = cli.write("other.toml", "[predict]\nformat = 'terse'\n")
    for args, env in ((("--config", str(other)), {}), ((), {"SPAMNB_CONFIG": str(other)})):
        assert cli(*args, "predict", "-m", tiny, stdin=WIN, env=env).out.startswith(b"spam\t0.85")
    assert cli.fails("--config", "gone.toml", "predict", code=2) == [
        "Error: cannot read gone.toml: No such file or directory",
        "Hint: check the path",
    ]


def test_a_configured_option_is_no_stated_one(cli: Cli, tiny: Path) -> None:
    """Options that contradict each other are refused on the command line only."""
    configure(cli, f"[evaluate]\nmodel = '{tiny}'\nalpha = 1\n")
    cli.write("p.csv", "truth,score\nspam,0.9\nham,0.1\n")
    assert cli("evaluate", "--predictions", "p.csv", "--json", "-").json["accuracy"] == 1.0
    assert "no metrics" in cli("evaluate", code=1).err


@pytest.mark.parametrize("rule", ["threshold = 0.9", "cost = 'ham:spam=9'", "unsure = [0.2, 0.9]"])
def test_a_decision_rule_on_the_command_line_replaces_a_configured_one(
    cli: Cli, tiny: Path, rule: str
) -> None:
    configure(cli, f"[predict]\n{rule}\n")
    assert cli("predict", "-m", tiny, stdin=WIN).out[:6] != b"spam\t0"
    for flags in (("--threshold", "0.5"), ("--unsure", "0.1", "0.5"), ("--cost", "ham:spam=1")):
        assert cli("predict", "-m", tiny, *flags, stdin=WIN).out[:6] == b"spam\t0"
    lenient = {"SPAMNB_PREDICT_UNSURE": "0.1 0.5"}
    assert cli("predict", "-m", tiny, stdin=WIN, env=lenient).out[:6] == b"spam\t0"
    env = {"SPAMNB_PREDICT_COST": "ham:spam=99"}
    assert cli("predict", "-m", tiny, "--threshold", "0.5", stdin=WIN, env=env).out[:6] == b"spam\t0"


def test_every_option_has_a_variable_of_its_own() -> None:
    variables = []
    for name in group.command_names():
        context = click.Context(group, info_name="spamnb", auto_envvar_prefix="SPAMNB")
        for word in name.split():
            assert isinstance(context.command, click.Group)
            inner = context.command.get_command(context, word)
            assert inner is not None
            context = click.Context(inner, info_name=word, parent=context)
        options = [one for one in context.command.params if isinstance(one, Option)]
        variables += [one.variable(context) for one in options]
    assert len(variables) > 200
    assert "SPAMNB_MODEL_PRUNE_MIN_COUNT" in variables
    assert len({*variables, "SPAMNB_MODEL", "SPAMNB_CONFIG", "SPAMNB_TRACEBACK"}) == len(variables) + 3


# --- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "error", "hint"),
    [
        ("[predict]\nformt = 'csv'", "[predict] has an unknown key 'formt'", "did you mean format?"),
        (
            "[predict]\nzzz = 1",
            "[predict] has an unknown key 'zzz'",
            "`spamnb config predict` lists its keys",
        ),
        ("[predct]\nformat = 'csv'", "there is no command predct", "did you mean predict?"),
        ("[model.prun]\nmin-count = 1", "there is no command model.prun", "did you mean prune?"),
        ("format = 'csv'", "format is in no table", "put it under [predict]"),
        (
            "input_format = 'csv'",
            "input_format is in no table",
            "put it under the table of its command, for example [train]",
        ),
        ("predct = 'csv'", "there is no command predct", "did you mean predict?"),
        ("predict = 1", "predict must be a table", "write [predict]"),
        (
            "[predict]\nformat = ['csv']",
            "[predict] format must be one value of text, numbers or true and false",
            "correct it",
        ),
        (
            "[predict]\ncost = {}",
            "[predict] cost must be a list of text, numbers or true and false",
            "correct it",
        ),
        ("[predict]\nunsure = 0.2", "[predict] unsure must be a list of 2 values", "correct it"),
        (
            "[predict]\nthreshold = true",
            "[predict] threshold is not a flag: it cannot be true or false",
            "correct it",
        ),
    ],
)
def test_wrong_keys_are_refused_with_a_suggestion(cli: Cli, text: str, error: str, hint: str) -> None:
    path = configure(cli, text)
    assert cli.fails("predict", stdin=WIN, code=2) == [f"Error: {path}: {error}", f"Hint: {hint}"]


def test_a_file_that_is_no_toml(cli: Cli) -> None:
    path = configure(cli, "[predict\n")
    errors = cli.fails("predict", stdin=WIN, code=2)
    assert errors[0].startswith(f"Error: {path} is not TOML: ")
    assert errors[1] == "Hint: correct it, or move it away"
    assert cli("predict", "--help").text.startswith("Usage: spamnb predict ")  # help works all the same


def test_a_wrong_value_names_its_origin(cli: Cli) -> None:
    path = configure(cli, "[predict]\nthreshold = 'high'\n")
    expected = f"Error: Invalid value for '--threshold': 'high' is not a valid float (set in {path})."
    assert cli.fails("predict", stdin=WIN, code=2)[-1] == expected
    done = cli("predict", stdin=WIN, code=2, env={"SPAMNB_PREDICT_THRESHOLD": "low"})
    assert done.err.endswith("'low' is not a valid float (set by SPAMNB_PREDICT_THRESHOLD).\n")


def test_a_value_out_of_range_names_its_origin(cli: Cli, tiny: Path) -> None:
    path = configure(cli, "[predict]\nthreshold = 5\n")
    error = "Error: --threshold must lie between 0 and 1, got"
    assert cli.fails("predict", "-m", tiny, stdin=WIN, code=2)[0] == f"{error} 5 (set in {path})"
    assert cli.fails("predict", "-m", tiny, "--threshold", "6", stdin=WIN, code=2)[0] == f"{error} 6"
    done = cli("predict", "-m", tiny, stdin=WIN, code=2, env={"SPAMNB_PREDICT_THRESHOLD": "7"})
    assert f"{error} 7 (set by SPAMNB_PREDICT_THRESHOLD)\n" in done.err


def test_errors_have_the_configured_exit_code(cli: Cli) -> None:
    configure(cli, "[predict]\nexit-code = 'bogofilter'\n[filter]\ntempfail = true\n")
    assert cli("predict", "gone.txt", code=3).out == b""
    assert cli("predict", "--nope", code=3).out == b""
    assert cli("filter", "--nope", code=75).out == b""
    cli("predict", "--nope", code=2, env={"SPAMNB_PREDICT_EXIT_CODE": "plain"})
    other = cli.write("other.toml", "[predict]\nexit-code = 'spamc'\n")
    cli("--config", other, "predict", "--nope", code=64)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[filter\n", "is not TOML"),
        ("[filter]\ntreshold = 1\n", "[filter] has an unknown key 'treshold'"),
        ("[filter]\nthreshold = 'high'\n", "'high' is not a valid float."),
        ("[filter]\nexplain = 5\n", "'5' is not a valid boolean."),
        ("[filter]\nmodel = 5\n", "there is no model named '5'"),
        ("[filter]\nunsure = 0.2\n", "[filter] unsure must be a list of 2 values"),
    ],
)
def test_filter_passes_the_mail_whatever_is_configured(cli: Cli, text: str, message: str) -> None:
    configure(cli, text)
    mail = b"Subject: hello\n\nsee you\n"
    done = cli("filter", stdin=mail)
    assert done.out == b"X-Spamnb: no verdict\n" + mail
    assert message in done.err
    assert done.err.endswith("; the email passes without a verdict\n")
    assert cli("filter", "--tempfail", stdin=mail, code=75).out == b""


def test_filter_takes_numbers_for_flags(cli: Cli) -> None:
    configure(cli, "[filter]\nexplain = 0\ntempfail = 1\n")
    assert cli("filter", stdin=b"Subject: hello\n\nsee you\n").out.startswith(b"X-Spam-Flag: NO\n")
    assert cli("filter", "-m", "gone", stdin=b"Subject: hello\n\n", code=75).out == b""


# --- spamnb config ---------------------------------------------------------------------------------


def test_config_shows_values_and_their_origins(cli: Cli) -> None:
    path = configure(
        cli, "[predict]\nformat = 'jsonl'\n[train]\nnumeric = ['a', 'b']\n[model.age]\nhalf-life = '90d'\n"
    )
    del cli.env["SPAMNB_TRAIN_BASE"]
    done = cli("config", env={"SPAMNB_PREDICT_ONLY": "spam", "SPAMNB_TRAIN_NUMERIC": "c"})
    assert done.text.splitlines()[1:] == [
        f"# {path}",
        "[train]",
        'numeric = ["c"]  # SPAMNB_TRAIN_NUMERIC',
        "[predict]",
        f'format = "jsonl"  # {path}',
        'only = "spam"  # SPAMNB_PREDICT_ONLY',
        "[model.age]",
        f'half-life = "90d"  # {path}',
    ]
    assert done.text.startswith("# /etc/spamnb/config.toml")


def test_config_of_a_command_shows_all_its_keys(cli: Cli) -> None:
    lines = cli("config", "model", "prune").text.splitlines()
    assert lines[1:] == [
        f"# {cli.config}/spamnb/config.toml (not there)",
        "[model.prune]",
        *("# min-count", "# max-bytes", "# output"),
        *("# force = false  # default", "# quiet = false  # default"),
    ]
    assert "'prune' is not one of train, predict, " in cli.fails("config", "prune", code=2)[-1]


def test_the_output_of_config_is_a_configuration(cli: Cli) -> None:
    configure(cli, "[predict]\nformat = 'jsonl'\nthreshold = 0.25\nexplain = true\n")
    again = cli.write("again.toml", cli("config").out)
    for key, value in (("format", '"jsonl"'), ("threshold", "0.25"), ("explain", "true")):
        assert f"{key} = {value}  # {again}\n" in cli("--config", again, "config").text


def test_config_says_where_the_default_of_a_decision_comes_from(cli: Cli) -> None:
    of_model = [f"# {key}: the model's own, see `spamnb inspect`" for key in ("threshold", "unsure", "cost")]
    for command in ("predict", "filter", "explain"):
        assert set(of_model) <= set(cli("config", command).text.splitlines())
    assert "# threshold" in cli("config", "train").text.splitlines()
    assert "decision          spam above P = 0.75, unsure above 0.35" in cli("inspect", "-m", "sms").text


# --- imports ---------------------------------------------------------------------------------------


def test_config_marks_a_decision_rule_that_another_one_overrides(cli: Cli, tiny: Path) -> None:
    """A variable comes before a file, and rules of two kinds exclude each other."""
    cli.write("my.toml", '[predict]\nthreshold = 0.9\nformat = "jsonl"\n')
    del cli.env["SPAMNB_TRAIN_BASE"]
    variables = {"SPAMNB_PREDICT_UNSURE": "0.2 0.8"}
    done = cli("--config", "my.toml", "config", env=variables)
    assert done.text.splitlines()[1:] == [
        "[predict]",
        'format = "jsonl"  # my.toml',
        "# threshold = 0.9  # my.toml, not used: SPAMNB_PREDICT_UNSURE sets unsure",
        'unsure = ["0.2", "0.8"]  # SPAMNB_PREDICT_UNSURE',
    ]
    cli.write("shown.toml", done.out)
    flags = ("predict", "-m", tiny, "-t", "win", "-t", "prize win")
    assert cli("--config", "shown.toml", *flags) == cli("--config", "my.toml", *flags, env=variables)


def test_tomllib_is_imported_only_if_a_file_exists(cli: Cli, tiny: Path) -> None:
    for args in (("--help",), ("predict", "--help"), ("model", "prune", "--help")):
        assert not imported(cli, *args) & {"tomllib", "platformdirs", "numpy"}
    assert "tomllib" not in imported(cli, "predict", "-m", tiny, stdin=WIN)
    configure(cli, "[predict]\nformat = 'terse'\n[train]\nfolds = 3\n")
    assert "tomllib" not in imported(cli, "predict", "--help")
    packages = imported(cli, "predict", "-m", tiny, stdin=WIN)
    assert "tomllib" in packages
    assert "spamnb.cli.commands.train" not in packages


@pytest.mark.parametrize("source", ["file", "variable"])
def test_a_typed_suffix_wins_over_a_configured_format(cli: Cli, tiny: Path, source: str) -> None:
    flags = ("predict", "-m", tiny, "-t", "win", "-q", "-o")
    if source == "file":
        configure(cli, "[predict]\nformat = 'jsonl'\n")
    else:
        cli.env["SPAMNB_PREDICT_FORMAT"] = "jsonl"
    cli(*flags, "o.csv")
    assert (cli.here / "o.csv").read_text().startswith("verdict,probability")
    lines = cli.fails(*flags, "typed.csv", "--format", "terse", code=2)
    assert lines[-1] == "Error: -o typed.csv: --format terse does not go with .csv; leave out one of them."
    for name in ("o.dat", "plain"):  # no format by the suffix: the configured one
        cli(*flags, name)
        assert (cli.here / name).read_text().startswith('{"verdict": "spam"')
    assert cli("predict", "-m", tiny, "-t", "win").text.startswith('{"verdict": "spam"')


def test_a_configured_format_and_a_configured_suffix_must_agree(cli: Cli, tiny: Path) -> None:
    configure(cli, "[predict]\nformat = 'jsonl'\noutput = 'o.csv'\n")
    lines = cli.fails("predict", "-m", tiny, "-t", "win", code=2)
    assert lines[-1] == "Error: -o o.csv: --format jsonl does not go with .csv; leave out one of them."
    assert not (cli.here / "o.csv").exists()


def test_a_suffix_of_compressed_files_is_refused(cli: Cli, tiny: Path) -> None:
    lines = cli.fails("predict", "-m", tiny, "-t", "win", "-o", "o.csv.gz", "--format", "csv", code=2)
    assert lines[-1] == "Error: -o o.csv.gz: the output is not compressed; leave out .gz."

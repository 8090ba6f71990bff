"""`spamnb compare`: tables for people, JSON for programs, refusals with the next step."""

from __future__ import annotations

import json
import re

import pytest

from spamnb.scorers import REGISTRY
from tests.helpers.command_line import TINY, Cli, Sms, Three
from tests.helpers.paths import ROOT

NAMES = [
    *(
        "made_by",
        "title",
        "notes",
        "objective",
        "folds",
        "messages",
        "duplicates",
        "draws",
        "best",
        "command",
        "candidates",
    ),
]


ROW = [
    *("name", "flags", "value", "low", "high", "difference", "difference_low", "difference_high", "p_value"),
    *("seconds", "messages", "spam", "ham"),
]


def test_all_scorers_are_compared_by_default(cli: Cli, sms: Sms) -> None:
    result = cli("compare", sms.train, "--json", "-", "-q", "--folds", "2").json
    assert sorted(row["name"] for row in result["candidates"]) == sorted(REGISTRY)


def test_settings_are_compared_with_the_defaults(cli: Cli, sms: Sms) -> None:
    more = ("--with", "ngrams=1", "--with", "alpha=1,tokens=plain")
    done = cli("compare", sms.train, *more, "--json", "table.json")
    result = json.loads((cli.here / "table.json").read_text())
    assert list(result) == NAMES
    assert [*result["candidates"][0]][: len(ROW)] == ROW
    names = [row["name"] for row in result["candidates"]]
    assert sorted(names) == sorted(["multinomial", "ngrams=1", "alpha=1,tokens=plain"])
    values = [row["value"] for row in result["candidates"]]
    assert values == sorted(values, reverse=True)
    assert (result["best"], result["candidates"][0]["p_value"]) == (names[0], None)
    flags = {row["name"]: row["flags"] for row in result["candidates"]}
    assert flags["alpha=1,tokens=plain"] == "--tokens plain --alpha 1"
    lines = done.text.splitlines()
    assert lines[0] == "3 candidates, 5-fold cross-validation"
    assert lines[1] == "5 folds, duplicates of a text in the same fold; weights are not refined"
    begin = lines.index("") + 3
    shown = [line.split()[0] for line in lines[begin : begin + len(names)]]
    assert shown == names


def test_a_candidate_has_the_figures_of_evaluate(cli: Cli, sms: Sms) -> None:
    result = cli("compare", sms.train, "--json", "-", "-q", "--folds", "4").json
    row = next(row for row in result["candidates"] if row["name"] == "bernoulli")
    alone = cli(
        "evaluate", sms.train, "--folds", "4", "--scorer", "bernoulli", "--set", "refine=no", "--json", "-"
    ).json
    for name in ("accuracy", "recall", "roc_auc", "log_loss", "false_positives"):
        assert row[name] == pytest.approx(alone[name], abs=1e-12), name
    assert row["value"] == pytest.approx(alone["roc_auc"], abs=1e-12)


@pytest.mark.parametrize("flags", [("--textbook", "multinomial"), ("--tokens", "plain")])
def test_other_tokens_have_the_same_folds_in_evaluate(cli: Cli, flags: tuple[str, str]) -> None:
    """The sample has texts whose words depend on the tokens: in other folds, if these decided that."""
    data = ROOT / "data" / "sms_sample.csv"
    name = f"{flags[0][2:]}={flags[1]}"
    compared = cli("compare", data, "--with", name, "--folds", "2", "--json", "-", "-q").json["candidates"]
    row = next(row for row in compared if row["name"] == name)
    no = () if flags[0] == "--textbook" else ("--set", "refine=no")
    alone = cli("evaluate", data, "--folds", "2", *flags, *no, "--json", "-", "-q").json
    # With other tokens P of messages with few known words is limited, which `compare` leaves out.
    for figure in ("accuracy", "recall", "roc_auc", *(("log_loss",) if not no else ())):
        assert row[figure] == pytest.approx(alone[figure], abs=1e-12), figure
    note = "probabilities as the textbook has them, not calibrated"
    assert (alone["notes"][-1] == note) == (flags[0] == "--textbook")
    assert ("calibrated on" in alone["notes"][-1]) == (flags[0] != "--textbook")


def test_narrow_terminals_and_other_objectives(cli: Cli, sms: Sms) -> None:
    flags = ("--objective", "recall@0.1%", "--with", "damping=0")
    shown = cli("compare", sms.train, *flags, env={"COLUMNS": "80"}).text
    assert shown.startswith("2 candidates, ")
    assert "recall@0.1%" in shown
    assert max(map(len, shown.splitlines()[:-1])) <= 80  # the command after them is to be copied
    heads = [line.split() for line in shown.splitlines() if "recall@0.1%" in line or "positives" in line]
    assert heads[0][-4:] == ["positives", "spam", "log", "loss"]


@pytest.mark.parametrize(("width", "figures"), [(40, ("p", "positives")), (60, ("p", "positives", "spam"))])
def test_names_and_figures_stay_whole_on_narrow_terminals(
    cli: Cli, sms: Sms, width: int, figures: tuple[str, ...]
) -> None:
    output_lines = cli("compare", sms.train, "--folds", "2", env={"COLUMNS": "80"}).text.splitlines()
    lines = cli("compare", sms.train, "--folds", "2", env={"COLUMNS": str(width)}).text.splitlines()
    heads = ["setting", "ROC AUC", *figures]
    start = next(i for i, line in enumerate(lines) if line.startswith("setting"))
    assert re.split(r" {2,}", lines[start].strip()) == heads
    assert lines[start - 1].split() == ["false", "missed"][: len(figures) - 1]
    rows = [line.split() for line in lines[start + 1 : start + 8]]
    wide = [line.split() for line in output_lines if line.split()[:1] in [row[:1] for row in rows]][:7]
    places = [0, 1, *(["95% CI", "p", "positives", "spam"].index(name) + 2 for name in figures)]
    assert rows == [[row[i] for i in places] for row in wide]


def test_more_than_two_classes(cli: Cli, three: Three) -> None:
    result = cli("compare", three.data, "--json", "-").json
    assert result["objective"] == "f1"
    assert len(result["candidates"]) == len(REGISTRY)
    assert "macro_f1" in result["candidates"][0]
    lines = cli("compare", three.data).text.splitlines()
    assert lines[0] == "7 candidates, 5-fold cross-validation"
    heads = next(line for line in lines if line.startswith("setting"))
    assert heads.split() == ["setting", "F1", "95%", "CI", "to", "best", "p", "accuracy", "log", "loss"]


def test_base_settings_hold_for_all(cli: Cli, sms: Sms) -> None:
    result = cli("compare", sms.train, "--tokens", "plain", "--ngrams", "1", "--json", "-").json
    flags = {row["name"]: row["flags"] for row in result["candidates"]}
    assert flags["multinomial"] == "--tokens plain"
    assert flags["less-naive"] == "--scorer less-naive"


@pytest.mark.parametrize(
    ("args", "code", "error"),
    [
        (
            ["data.csv", "--with", "alpha"],
            2,
            "Error: --with 'alpha': expected NAME=VALUE with commas between, got 'alpha'",
        ),
        (
            ["data.csv", "--with", "size=3"],
            2,
            "Error: --with 'size=3': no setting is called 'size'",
        ),
        (
            ["data.csv", "--with", "ngrams=x"],
            2,
            "Error: --with 'ngrams=x': Invalid value for '--ngrams': 'x' is not a valid integer.",
        ),
        (["data.csv", "--with", "ngrams=9"], 2, "Error: --ngrams must be between 1 and 5, got 9"),
        (["data.csv", "--objective", "speed"], 2, "Error: unknown objective 'speed'"),
        (["data.csv", "--folds", "1"], 2, "Error: --folds must be at least 2, got 1"),
        (["data.csv"], 1, "Error: too few messages to cross-validate: every class needs at least 10"),
        (["none.csv"], 1, "Error: no such file: none.csv"),
        ([], 2, "Error: Missing argument 'DATA...'."),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_refusals_of_compare(cli: Cli, args: list[str], code: int, error: str) -> None:
    cli.write("data.csv", TINY)
    lines = cli.fails("compare", *args, code=code)
    assert any(line.startswith(error) for line in lines), lines

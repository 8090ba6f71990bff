"""`spamnb model merge`: the counts of several models in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import Cli, Sms


def test_merge_equals_training_on_everything(cli: Cli, sms: Sms) -> None:
    cli("train", sms.test, "-o", "b.spamnb", "--folds", "0")
    cli("train", sms.train, "-o", "a.spamnb", "--folds", "0")
    cli("train", sms.train, sms.test, sms.test, "-o", "all.spamnb", "--folds", "0")
    done = cli("model", "merge", "a.spamnb", "b.spamnb:2", "-o", "c.spamnb")
    assert done.out == b""
    assert done.err.splitlines()[0].startswith("merged            2 models: ")
    assert (cli.here / "c.spamnb").read_bytes() == (cli.here / "all.spamnb").read_bytes()


def test_inspect_and_evaluate_say_that_figures_are_from_before(cli: Cli, sms: Sms) -> None:
    cli("model", "merge", sms.model, sms.model, "-o", "c.spamnb", "-q")
    cli("model", "prune", "c.spamnb", "--min-count", "3", "-q")
    assert "before merge, before prune)" in " ".join(cli("inspect", "c.spamnb", "--top", "0").text.split())
    assert (
        "measured before merge, prune: its counts have changed since"
        in cli("evaluate", "-m", "c.spamnb").text
    )


def test_merge_says_what_is_not_a_sum(cli: Cli, sms: Sms) -> None:
    cli("train", sms.test, "-o", "small.spamnb", "-q")
    lines = cli("model", "merge", "small.spamnb", sms.model, "-o", "sum").err.splitlines()
    assert (
        lines[2] == f"taken over        weight correction, calibration of {sms.model}: not fitted to the sum"
    )
    assert lines[3].startswith(f"saved             {cli.data / 'spamnb' / 'sum.spamnb'} (")
    assert lines[4:] == [
        "default           unchanged: `spamnb model use sum` makes it this model",
        "try               spamnb evaluate DATA -m sum",
    ]
    assert (
        "outdated the metrics were measured before merge; measure it again with `spamnb evaluate DATA`"
        in " ".join(cli("inspect", "-m", "sum", "--top", "0").text.split())
    )


def test_merge_writes_no_model_unasked(cli: Cli, tiny: Path) -> None:
    errors = cli.fails("model", "merge", tiny, tiny, code=2)
    assert errors[-1] == "Error: Missing option '-o' / '--output'."
    assert not cli.own_model.exists()


def test_a_model_for_text_and_one_for_mail(cli: Cli, sms: Sms) -> None:
    for name in ("spam", "ham"):
        folder = cli.here / name
        folder.mkdir()
        for i in range(3):
            (folder / f"{i}.eml").write_text(f"Subject: {name} {i}\n\nsome {name} words {i}\n")
    cli("train", "--label", "spam=spam", "--label", "ham=ham", "-o", "mails.spamnb", "-q")
    assert cli.fails("model", "merge", sms.model, "mails.spamnb", "-o", "c.spamnb") == [
        f"Error: {sms.model} is for text and mails.spamnb for mail: their counts cannot be added",
        "Hint: keep both: commands without -m use one for text and one for mail",
    ]


def test_one_model_is_one_model(cli: Cli, tiny: Path) -> None:
    done = cli("model", "merge", tiny, "-o", "c.spamnb")
    assert done.err.splitlines()[0] == "merged            1 model: 2 ham, 2 spam"


def test_merge_refusals(cli: Cli, sms: Sms, tiny: Path) -> None:
    errors = cli.fails("model", "merge", sms.model, tiny, "-o", "c.spamnb")
    assert errors[0].startswith(
        f"Error: {tiny} does not fit {sms.model}: ngrams is 1, expected 2; shapes is False"
    )
    errors = cli.fails("model", "merge", f"{tiny}:0.5", tiny, "-o", "c.spamnb", code=2)
    assert errors == [
        f"Error: the weight of {tiny} must be a whole number from 1 on, got 0.5",
        "Hint: counts stay whole: instead of a:0.5 b:1 write a:1 b:2",
    ]
    assert (
        cli.fails("model", "merge", "nowhere.spamnb", "-o", "c.spamnb")[0]
        == "Error: no model at nowhere.spamnb"
    )
    assert not (cli.here / "c.spamnb").exists()


@pytest.mark.parametrize("digests", ["yes", "no"])
def test_a_model_of_huge_weight_learns_and_forgets(digests: str, cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "--set", f"digests={digests}", "-o", "n.spamnb", "-q")
    cli("model", "merge", "n.spamnb:50000000", "n.spamnb", "-o", "w.spamnb", "-q")
    assert (cli.here / "w.spamnb").stat().st_size < 20_000_000
    cli("learn", "--spam", "-m", "w.spamnb", "-t", "win a new prize", "-q")
    cli("forget", "--spam", "-m", "w.spamnb", "-t", "win a new prize", "-q")
    cli("model", "age", "w.spamnb", "-q")


def test_merge_with_a_model_that_has_a_start(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "--base", "ready-made", "-o", "s.spamnb", "-q")
    for pair in ((sms.model, "s.spamnb"), ("s.spamnb", sms.model)):
        assert "base model" in cli.fails("model", "merge", *pair, "-o", "y.spamnb")[0]


def test_merging_with_a_model_that_remembers_nothing_is_told(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "--set", "digests=no", "-o", "n.spamnb", "-q")
    status_lines = cli("model", "merge", sms.model, "n.spamnb", "-o", "c.spamnb").err.splitlines()
    assert "note: n.spamnb does not remember its messages, and so c.spamnb remembers none" in status_lines


def test_a_file_that_is_named_twice_is_told(cli: Cli, sms: Sms) -> None:
    cli.write("a.csv", sms.train.read_bytes())
    status_lines = cli("train", "a.csv", "a*.csv", "-o", "t.spamnb").err.splitlines()
    assert status_lines[0] == "note: a.csv is listed more than once and read each time"

"""`merge`, `prune`, `age`, `export` and `import` as commands."""

from __future__ import annotations

import gzip
import re
import time
from datetime import date, timedelta
from pathlib import Path

import pytest
from clitools import Cli, Sms

from spamnb.model.spam_model import SpamModel
from spamnb.training.incremental import Learner
from tests.stores import identical

HINT_LINE = "Hint: correct the line, or export the model again"


def test_merge_equals_training_on_everything(cli: Cli, sms: Sms) -> None:
    cli("train", sms.test, "-o", "b.spamnb", "--no-cv")
    cli("train", sms.train, "-o", "a.spamnb", "--no-cv")
    cli("train", sms.train, sms.test, sms.test, "-o", "all.spamnb", "--no-cv")
    done = cli("merge", "a.spamnb", "b.spamnb:2", "-o", "c.spamnb")
    assert done.out == b""
    assert done.err.splitlines()[0].startswith("merged    2 models: ")
    assert (cli.here / "c.spamnb").read_bytes() == (cli.here / "all.spamnb").read_bytes()


def test_inspect_and_evaluate_say_that_figures_are_from_before(cli: Cli, sms: Sms) -> None:
    cli("merge", sms.model, sms.model, "-o", "c.spamnb", "-q")
    cli("prune", "c.spamnb", "--min-count", "3", "-q")
    assert "before merge, before prune)" in " ".join(cli("inspect", "c.spamnb", "--top", "0").text.split())
    assert "measured before merge, prune: its counts are others now" in cli("evaluate", "-m", "c.spamnb").text


def test_one_model_is_one_model(cli: Cli, tiny: Path) -> None:
    done = cli("merge", tiny, "-o", "c.spamnb")
    assert done.err.splitlines()[0] == "merged    1 model: 2 ham, 2 spam"


def test_merge_refusals(cli: Cli, sms: Sms, tiny: Path) -> None:
    said = cli.fails("merge", sms.model, tiny, "-o", "c.spamnb")
    assert said[0].startswith(
        f"Error: {tiny} does not fit {sms.model}: ngrams is 1, expected 2; shapes is False"
    )
    said = cli.fails("merge", f"{tiny}:0.5", tiny, "-o", "c.spamnb", code=2)
    assert said == [
        f"Error: the weight of {tiny} must be a whole number from 1 on, got 0.5",
        "Hint: counts stay whole: instead of a:0.5 b:1 write a:1 b:2",
    ]
    assert cli.fails("merge", "nowhere.spamnb", "-o", "c.spamnb")[0] == "Error: no model at nowhere.spamnb"
    assert not (cli.here / "c.spamnb").exists()


def test_export_and_import_give_the_same_file(cli: Cli, sms: Sms) -> None:
    text = cli("export", sms.model).out
    assert text.startswith(b"# spamnb-counts 1\n# {")
    cli("import", "-", "-o", "a.spamnb", stdin=text)
    cli("export", sms.model, "-o", "m.jsonl", "-q")
    packed = cli.write("m.jsonl.gz", gzip.compress((cli.here / "m.jsonl").read_bytes()))
    cli("import", packed, "-o", "b.spamnb")
    for name in ("a.spamnb", "b.spamnb"):
        assert (cli.here / name).read_bytes() == sms.model.read_bytes()


def test_an_export_that_was_cut_is_imported_with_a_note(cli: Cli, tiny: Path) -> None:
    for form in ("tsv", "jsonl"):
        lines = cli("export", tiny, "--format", form).out.splitlines(keepends=True)
        head = 3 if form == "tsv" else 1
        assert "note" not in cli("import", "-", "-o", "x.spamnb", stdin=b"".join(lines)).err
        cut = b"".join(lines[: head + 2])
        done = cli("import", "-", "-o", "x.spamnb", stdin=cut)
        note = "note: the header of stdin promises 6 tokens, 2 came: it was cut short, or lines were removed"
        assert note in done.err.splitlines()
        assert "imported  2 tokens from stdin" in done.err.splitlines()
        assert cli("import", "-", "-o", "x.spamnb", "-q", stdin=cut).err == ""
        # As it was written before these stood there.
        old = re.sub(rb'"tokens":6,|"at_the_end":\["known"\],', b"", cut)
        assert old != cut
        assert "note" not in cli("import", "-", "-o", "x.spamnb", stdin=old).err


def test_a_damaged_export_names_its_line(cli: Cli, tiny: Path) -> None:
    cli("export", tiny, "-o", "m.tsv")
    with open(cli.here / "m.tsv", "ab") as file:
        file.write(b"oops\n")
    assert cli.fails("import", "m.tsv", "-o", "x.spamnb") == [
        "Error: m.tsv line 11: 1 fields, expected 7",
        HINT_LINE,
    ]


def test_prune_in_place_keeps_the_previous_model(cli: Cli, sms: Sms) -> None:
    model = cli.write("m.spamnb", sms.model.read_bytes())
    done = cli("prune", model, "--max-bytes", "50K")
    assert done.err.splitlines()[1].startswith("kept      ")
    assert model.stat().st_size <= 50 << 10
    assert (cli.here / "m.spamnb.bak").read_bytes() == sms.model.read_bytes()
    assert cli("predict", "-m", model, stdin=b"claim your FREE prize, call 0909 879 0123\n").text.startswith(
        "spam"
    )


def test_prune_needs_to_be_told_how_much(cli: Cli, sms: Sms) -> None:
    assert cli.fails("prune", sms.model, code=2)[-1] == "Error: Give --min-count, --max-tokens or --max-size."
    assert cli.fails("prune", sms.model, "--max-bytes", "lots", code=2) == [
        "Error: --max-size must be a number of bytes, got 'lots'",
        "Hint: for example 512K or 2M",
    ]


def test_age_by_dates_is_repeatable(cli: Cli, sms: Sms) -> None:
    """The same line on the same day halves once: the model knows the day."""
    cli.write("m.spamnb", sms.model.read_bytes())
    then = date.today() - timedelta(100)
    until, following = then + timedelta(90), then + timedelta(180)
    command = ("age", "m.spamnb", "--half-life", "90d", "--since", str(then))
    assert cli(*command).err.splitlines()[0] == f"aged      to {until}, the next time on {following}"
    aged = (cli.here / "m.spamnb").read_bytes()
    cli("age", sms.model, "-o", "o.spamnb", "-q")
    identical(SpamModel.load(cli.here / "m.spamnb").store, SpamModel.load(cli.here / "o.spamnb").store)
    for again in (command, command[:-2]):
        said = cli(*again).err.splitlines()
        assert said[-2:] == [
            f"aged      to {until}, the next time on {following}",
            "changed   nothing: no whole half-life has passed",
        ]
    said = cli(*command[:-1], "2020-01-01").err.splitlines()
    assert said[0] == f"note: --since is left aside: the model was aged to {until} already"
    assert (cli.here / "m.spamnb").read_bytes() == aged


def test_the_first_day_of_a_half_life(cli: Cli, sms: Sms) -> None:
    path, today = cli.write("m.spamnb", sms.model.read_bytes()), date.today()
    said = cli("age", "m.spamnb", "--half-life", "2w").err.splitlines()
    assert said[0] == f"aged      to {today}, the next time on {today + timedelta(14)}"
    assert SpamModel.load(path).aged_until == str(today)
    identical(SpamModel.load(path).store, SpamModel.load(sms.model).store)
    assert SpamModel.load(path).metrics == SpamModel.load(sms.model).metrics


def test_nothing_is_forgotten_by_ageing(cli: Cli) -> None:
    rows = [f"spam,win prize {i} now\nham,see you at {i}\nham,lunch {i} ok\n" for i in range(60)]
    cli.write("t.csv", "label,text\n" + "".join(rows))
    cli("train", "t.csv", "--refine", "yes", "-o", "m.spamnb", "-q")
    cli("age", "m.spamnb", "-q")
    said = cli("inspect", "m.spamnb", "--top", "0").out
    assert b"fitted on 180 messages" in said
    assert b"forgotten" not in said


def test_age_refusals(cli: Cli, sms: Sms) -> None:
    wrong = "Error: Give --half-life, with or without --since, or --times alone."
    assert cli.fails("age", sms.model, "--since", "2026-01-01", code=2)[-1] == wrong
    said = cli.fails("age", sms.model, "--half-life", "soon", "--since", "2026-01-01", code=2)
    assert said[0] == "Error: --half-life must be a number of days, weeks, months or years, got 'soon'"
    said = cli.fails("age", sms.model, "--half-life", "1y", "--since", "last week", code=2)
    assert said == ["Error: --since must be a day, got 'last week'", "Hint: for example 2026-01-31"]
    assert cli.fails("age", sms.model, "--half-life", "101y", code=2)[1].endswith("up to 100y")
    said = cli.fails("age", sms.model, "--half-life", "1y", "--since", "9999-01-01", code=2)
    assert said[0] == "Error: --since must not lie in the future, got 9999-01-01"


@pytest.mark.parametrize(
    "command", ["prune m.spamnb --min-count 2", "age m.spamnb", "merge m.spamnb -o m.spamnb"]
)
def test_what_is_learned_meanwhile_is_not_lost(command: str, cli: Cli, sms: Sms) -> None:
    """Who changes a model in place waits for a learner, and reads what that has learned."""
    path = cli.write("m.spamnb", sms.model.read_bytes())
    before = SpamModel.load(path).store.message_totals.sum()
    with Learner(path) as learner:
        learner.learn([f"meanwhile number {i}" for i in range(3000)], ["spam"] * 3000)
        running = cli.start(*command.split())
        time.sleep(1.0)  # long enough to have read the model, if it did not wait
    assert running.end()[0] == 0
    after = SpamModel.load(path).store.message_totals.sum()
    assert after >= (before + 3000) // (2 if "age" in command else 1)


def test_weights_that_nobody_can_remember(cli: Cli, sms: Sms) -> None:
    said = cli.fails("merge", f"{sms.model}:1000000", "-o", "w.spamnb", code=2)
    assert said[0].startswith("Error: the weights make ")
    assert said[1] == "Hint: give smaller weights, or models that were trained with --no-digests"
    cli("train", sms.train, "--no-digests", "-o", "n.spamnb", "-q")
    cli("merge", "n.spamnb:1000000000", "-o", "w.spamnb", "-q")


def test_merge_with_a_model_that_has_a_start(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "--prior", "ready-made", "-o", "s.spamnb", "-q")
    for pair in ((sms.model, "s.spamnb"), ("s.spamnb", sms.model)):
        assert "start" in cli.fails("merge", *pair, "-o", "y.spamnb")[0]


def test_an_export_without_its_last_line_is_told(cli: Cli, tiny: Path, sms: Sms) -> None:
    cli("age", tiny, "-o", "old.spamnb", "-q")
    cli("train", sms.train, "--prior", "ready-made", "--no-digests", "-o", "start.spamnb", "-q")
    lost = "has lost its last line, and with it"
    for form in ("tsv", "jsonl"):
        for model in (tiny, Path("old.spamnb")):
            lines = cli("export", model, "--format", form).out.splitlines(keepends=True)
            said = cli("import", "-", "-o", "x.spamnb", stdin=b"".join(lines[:-1])).err.splitlines()
            assert f"note: stdin {lost} which messages were learned" in said
        lines = cli("export", "start.spamnb", "--format", form).out.splitlines(keepends=True)
        said = cli.fails("import", "-", "-o", "x.spamnb", stdin=b"".join(lines[:-1]))
        assert said[0] == f"Error: stdin {lost} the model that it starts from"


def test_totals_that_nobody_can_add_up(cli: Cli, tiny: Path) -> None:
    data = re.sub(
        rb'"message_totals":\[\d+', b'"message_totals":[9223372036854775807', cli("export", tiny).out
    )
    said = cli.fails("import", "-", "-o", "x.spamnb", stdin=data)
    assert said == ["Error: stdin line 2: the settings are damaged", HINT_LINE]


def test_the_columns_of_an_export_must_be_in_order(cli: Cli, tiny: Path) -> None:
    data = cli("export", tiny).out
    expected = "token, kind, occurrences:ham, occurrences:spam, messages:ham, messages:spam, key"
    for wrong in (
        data.replace(b"occurrences:ham\toccurrences:spam", b"occurrences:spam\toccurrences:ham"),
        b"".join(line for i, line in enumerate(data.splitlines(keepends=True)) if i != 2),
    ):
        assert wrong != data
        said = cli.fails("import", "-", "-o", "x.spamnb", stdin=wrong)
        assert said == [f"Error: stdin line 3: expected the names of the columns: {expected}", HINT_LINE]


def test_counts_that_nobody_can_add_up(cli: Cli, tiny: Path) -> None:
    lines = cli("export", tiny).out.splitlines(keepends=True)
    fields = lines[3].split(b"\t")
    lines[3] = b"\t".join([*fields[:2], b"9223372036854775807", b"9223372036854775807", *fields[4:]])
    fewer = [line.replace(b"\t0\t", b"\t1\t") if i == 3 else line for i, line in enumerate(lines)]
    said = cli.fails("import", "-", "-o", "x.spamnb", stdin=b"".join(fewer))
    assert said == ["Error: stdin line 4: the occurrences are too many to add up", HINT_LINE]


def test_merging_with_a_model_that_remembers_nothing_is_told(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "--no-digests", "-o", "n.spamnb", "-q")
    said = cli("merge", sms.model, "n.spamnb", "-o", "c.spamnb").err.splitlines()
    assert "note: n.spamnb does not remember its messages, and so c.spamnb remembers none" in said


def test_a_file_that_is_named_twice_is_told(cli: Cli, sms: Sms) -> None:
    cli.write("a.csv", sms.train.read_bytes())
    said = cli("train", "a.csv", "a*.csv", "-o", "t.spamnb").err.splitlines()
    assert said[0] == "note: a.csv is named more than once, and read as often"

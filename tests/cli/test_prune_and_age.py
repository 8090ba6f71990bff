"""`spamnb model prune` and `spamnb model age`: what they drop, what they keep, what they refuse."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import date, timedelta

import pytest

from spamnb.model.spam_model import SpamModel
from spamnb.training.incremental import Learner
from tests.helpers.command_line import Cli, Sms
from tests.helpers.count_stores import identical


def test_prune_in_place_keeps_the_previous_model(cli: Cli, sms: Sms) -> None:
    model = cli.write("m.spamnb", sms.model.read_bytes())
    done = cli("model", "prune", model, "--max-bytes", "50K")
    assert done.err.splitlines()[1].startswith("kept  ")
    assert model.stat().st_size <= 50 << 10
    assert (cli.here / "m.spamnb.bak").read_bytes() == sms.model.read_bytes()
    assert cli("predict", "-m", model, stdin=b"claim your FREE prize, call 0909 879 0123\n").text.startswith(
        "spam"
    )


def test_prune_needs_to_be_told_how_much(cli: Cli, sms: Sms) -> None:
    assert cli.fails("model", "prune", sms.model, code=2)[-1] == "Error: Give --min-count or --max-bytes."
    assert cli.fails("model", "prune", sms.model, "--max-bytes", "lots", code=2) == [
        "Error: --max-bytes must be a number of bytes, got 'lots'",
        "Hint: for example 512K or 2M",
    ]


def test_age_by_dates_is_repeatable(cli: Cli, sms: Sms) -> None:
    """The same line on the same day halves once: the model knows the day."""
    then = date.today() - timedelta(100)
    replace(SpamModel.load(sms.model), aged_until=str(then)).save(cli.here / "m.spamnb")
    until, following = then + timedelta(90), then + timedelta(180)
    command = ("model", "age", "m.spamnb", "--half-life", "90d")
    aged_to = f"aged              to {until}, the next time on {following}"
    assert cli(*command).err.splitlines()[0] == aged_to
    aged = (cli.here / "m.spamnb").read_bytes()
    cli("model", "age", sms.model, "-o", "o.spamnb", "-q")
    identical(SpamModel.load(cli.here / "m.spamnb").store, SpamModel.load(cli.here / "o.spamnb").store)
    unchanged = "changed           nothing: no whole half-life has passed"
    assert cli(*command).err.splitlines() == [aged_to, unchanged]
    assert (cli.here / "m.spamnb").read_bytes() == aged


def test_the_first_day_of_a_half_life(cli: Cli, sms: Sms) -> None:
    path, today = cli.write("m.spamnb", sms.model.read_bytes()), date.today()
    status_lines = cli("model", "age", "m.spamnb", "--half-life", "2w").err.splitlines()
    assert status_lines[0] == f"aged              to {today}, the next time on {today + timedelta(14)}"
    assert SpamModel.load(path).aged_until == str(today)
    identical(SpamModel.load(path).store, SpamModel.load(sms.model).store)
    assert SpamModel.load(path).metrics == SpamModel.load(sms.model).metrics


def test_nothing_is_forgotten_by_ageing(cli: Cli) -> None:
    rows = [f"spam,win prize {i} now\nham,see you at {i}\nham,lunch {i} ok\n" for i in range(60)]
    cli.write("t.csv", "label,text\n" + "".join(rows))
    cli("train", "t.csv", "--set", "refine=yes", "-o", "m.spamnb", "-q")
    cli("model", "age", "m.spamnb", "-q")
    output = cli("inspect", "m.spamnb", "--top", "0").out
    assert b"fitted on 180 messages" in output
    assert b"forgotten" not in output


def test_age_refusals(cli: Cli, sms: Sms) -> None:
    errors = cli.fails("model", "age", sms.model, "--half-life", "soon", code=2)
    assert errors[0] == "Error: --half-life must be a number of days, weeks, months or years, got 'soon'"
    assert cli.fails("model", "age", sms.model, "--half-life", "101y", code=2)[1].endswith("up to 100y")


@pytest.mark.parametrize(
    "command", ["prune m.spamnb --min-count 2", "age m.spamnb", "merge m.spamnb -o m.spamnb"]
)
def test_what_is_learned_meanwhile_is_not_lost(command: str, cli: Cli, sms: Sms) -> None:
    """Who changes a model in place waits for a learner, and reads what that has learned."""
    path = cli.write("m.spamnb", sms.model.read_bytes())
    before = SpamModel.load(path).store.message_totals.sum()
    with Learner(path) as learner:
        learner.learn([f"meanwhile number {i}" for i in range(3000)], ["spam"] * 3000)
        running = cli.start("model", *command.split())
        time.sleep(1.0)  # long enough to have read the model, if it did not wait
    assert running.end()[0] == 0
    after = SpamModel.load(path).store.message_totals.sum()
    assert after >= (before + 3000) // (2 if "age" in command else 1)

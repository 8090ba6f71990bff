"""`evaluate -o FILE`: each message with its result, from which all metrics follow."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spamnb.cli.evaluated_messages import EvaluatedMessages
from tests.helpers.command_line import Cli, Sms, Three

PROTOCOLS = [("--folds", "3"), ("--holdout", "30%"), ("--folds", "3", "--max-fpr", "1%"), ()]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=["folds", "holdout", "max-fpr", "model"])
def test_the_file_has_all_metrics(cli: Cli, sms: Sms, protocol: tuple[str, ...]) -> None:
    of = protocol or ("-m", str(sms.model))
    data = sms.train if protocol else sms.test
    done = cli("evaluate", data, *of, "-o", "p.csv", "--json", "a.json")
    cli("evaluate", "--predictions", "p.csv", "--json", "b.json", "-q")
    first, again = (json.loads((cli.here / name).read_text()) for name in ("a.json", "b.json"))
    shared = [name for name in first if name in again and name not in ("title", "notes", "made_by")]
    assert {"log_loss", "roc_auc", "brier", "true_positives", "f1"} <= {*shared}
    for name in shared:
        assert again[name] == pytest.approx(first[name], nan_ok=True), name
    assert f"saved             p.csv: {first['messages']:,} messages" in done.err


def test_each_line_has_truth_place_and_message(cli: Cli, tiny: Path) -> None:
    cli.write("d.csv", "label,text\nspam,win cash\nham,=see you\n")
    done = cli("evaluate", "d.csv", "-m", tiny, "-o", "p.csv")
    assert "note: 1 message that begins like a formula got an apostrophe\n" in done.err
    with open(cli.here / "p.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["verdict", "probability", "log_odds", "truth", "place", "message"]
    assert [row[3:] for row in rows[1:]] == [["spam", "line 2", "win cash"], ["ham", "line 3", "'=see you"]]
    assert (cli.here / "p.csv").stat().st_mode & 0o777 == 0o600
    cli("evaluate", "d.csv", "-m", tiny, "-o", "p.csv", "-q")
    assert "was not overwritten" in cli.fails("evaluate", "d.csv", "-m", tiny, "-o", "d.csv", code=1)[0]


def test_numbers_are_no_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Log-odds below zero begin with a sign and have no apostrophe, whatever their form."""
    log_odds = np.array([-5e-05, -np.inf])
    verdicts = SimpleNamespace(codes=np.array([0, 0]), probability=np.array([0.5, 0.0]))
    monkeypatch.setattr("spamnb.training.verdicts_of", lambda *_: verdicts)
    held_out = SimpleNamespace(log_odds=log_odds, truth=np.array([0, 0]))
    model = SimpleNamespace(labels=("ham", "spam"), positive="spam")
    result: Any = SimpleNamespace(model=model, held_out=held_out)
    EvaluatedMessages(["-2 degrees", "ok"], ["1", "2"]).write(str(tmp_path / "p.csv"), result, True)
    rows = (tmp_path / "p.csv").read_text().splitlines()[1:]
    assert rows == ["ham,0.5,-5e-05,ham,1,'-2 degrees", "ham,0.0,-inf,ham,2,ok"]


def test_where_it_is_refused(cli: Cli, sms: Sms, three: Three) -> None:
    for args in (("--online", sms.train), ("--learning-curve", sms.train), ("--predictions", "x.csv"), ()):
        errors = cli.fails("evaluate", *args, "-o", "p.csv", code=2)
        assert errors[-1] == "Error: -o needs DATA, with a model, --folds or --holdout."
    errors = cli.fails("evaluate", sms.train, "-o", "p.txt", code=2)
    assert errors[-1] == "Error: -o p.txt: expected a file that ends in .csv"
    errors = cli.fails("evaluate", three.data, "--folds", "2", "-o", "p.csv", code=2)
    assert "Error: -o needs two classes, got 3" in errors

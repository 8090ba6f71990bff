"""A journal that cannot be used: commands that read go on without it and say so, the others refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.errors import JournalError
from spamnb.model.spam_model import SpamModel
from spamnb.training.stored_model import StoredModel
from tests.helpers.command_line import Cli
from tests.helpers.count_stores import identical
from tests.helpers.small_models import NEWS, ROWS, beside, is_trained_on, learn, trained

READ: dict[str, tuple[str, ...]] = {
    "predict": ("predict", "-m", "m.spamnb"),
    "predict -q": ("predict", "-q", "-m", "m.spamnb"),
    "filter": ("filter", "-m", "m.spamnb"),
    "filter --tempfail": ("filter", "--tempfail", "-m", "m.spamnb"),
    "evaluate": ("evaluate", "data.csv", "-m", "m.spamnb"),
    "inspect": ("inspect", "m.spamnb"),
}
KEEP: dict[str, tuple[str, ...]] = {
    "learn": ("learn", "--spam", "-m", "m.spamnb"),
    "forget": ("forget", "-m", "m.spamnb"),
    "learn --compact": ("learn", "--compact", "-m", "m.spamnb"),
    "merge": ("model", "merge", "m.spamnb", "-o", "new.spamnb"),
    "prune": ("model", "prune", "m.spamnb", "--min-count", "2"),
    "age": ("model", "age", "m.spamnb"),
    "export": ("model", "export", "m.spamnb"),
    "train --base": ("train", "data.csv", "--base", "m.spamnb", "-o", "new.spamnb"),
}


@pytest.fixture
def model(cli: Cli) -> Path:
    """A model whose journal has two records, the first with a flipped bit."""
    path = cli.here / "m.spamnb"
    trained(ROWS).save(path)
    learn(path, NEWS[0])
    learn(path, NEWS[1])
    data = bytearray(beside(path).read_bytes())
    data[200] ^= 1
    beside(path).write_bytes(data)
    cli.write("data.csv", "label,text\n" + "".join(f"{label},{text}\n" for text, label in ROWS))
    return path


@pytest.mark.parametrize("name", READ)
def test_reading_goes_on_with_the_model_file(cli: Cli, model: Path, name: str) -> None:
    done = cli(*READ[name], stdin=b"Subject: win\n\nwin a prize now\n")
    assert (
        "warning: m.spamnb.journal is damaged: byte 82; the model is used without what it learned last\n"
        "Hint: without it the model is as it was when its file was written: "
        "mv m.spamnb.journal m.spamnb.journal.damaged\n"
    ) in done.err
    journal = beside(model).read_bytes()
    beside(model).unlink()
    assert cli(*READ[name], stdin=b"Subject: win\n\nwin a prize now\n").out == done.out
    assert journal


@pytest.mark.parametrize("name", KEEP)
def test_what_would_lose_the_journal_is_refused(cli: Cli, model: Path, name: str) -> None:
    before = {path.name: path.read_bytes() for path in cli.here.iterdir() if path.is_file()}
    done = cli(*KEEP[name], stdin=b"one more\n", code=1)
    assert done.err.splitlines()[-2:] == [
        "Error: m.spamnb.journal is damaged: byte 82",
        "Hint: without it the model is as it was when its file was written: "
        "mv m.spamnb.journal m.spamnb.journal.damaged",
    ]
    assert before == {path.name: path.read_bytes() for path in cli.here.iterdir() if path.is_file()}
    beside(model).rename(model.with_name("m.spamnb.journal.damaged"))
    cli(*KEEP[name], stdin=b"one more\n")


def test_a_new_model_takes_its_place_and_keeps_the_damaged_one(cli: Cli, model: Path) -> None:
    journal = beside(model).read_bytes()
    cli("train", "data.csv", "-o", "m.spamnb")
    assert beside(cli.here / "m.spamnb.bak").read_bytes() == journal
    assert not beside(model).exists()


def test_in_python_it_is_an_error_unless_one_asks_for_a_warning(model: Path) -> None:
    with pytest.raises(JournalError):
        SpamModel.load(model)
    warnings: list[JournalError] = []
    identical(SpamModel.load(model, warn=warnings.append).store, trained(ROWS).store)
    assert [warning.message for warning in warnings] == [f"{model}.journal is damaged: byte 82"]


def test_a_process_that_keeps_a_model_goes_on_too(model: Path) -> None:
    warnings: list[JournalError] = []
    good, bad = trained(ROWS), beside(model).read_bytes()
    stored = StoredModel(model, warn=warnings.append)
    identical(stored.newest().store, good.store)
    assert stored.newest() is stored.newest()
    assert len(warnings) == 1
    with pytest.raises(JournalError):
        stored.refresh()
    with pytest.raises(JournalError):
        StoredModel(model).load()
    fixed = bytearray(bad)
    fixed[200] ^= 1
    beside(model).write_bytes(fixed)
    identical(stored.refresh().store, trained([*ROWS, *NEWS[:2]]).store)
    assert is_trained_on(model, [*ROWS, *NEWS[:2]])

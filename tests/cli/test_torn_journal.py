"""A journal that ends inside a record: whole records count, readers report it, and a writer repairs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.errors import JournalError, TornJournalError
from spamnb.model import SpamModel
from spamnb.training.stored_model import StoredModel
from tests.helpers.command_line import Cli

WARNING = (
    "warning: m.spamnb.journal ends inside a record: byte {end}; "
    "the model is used with all records before it\n"
    "Hint: a learner was killed, or the file was cut; the next `learn` or "
    "`spamnb learn --compact -m m.spamnb` repairs it\n"
)
WORD = b"Subject: x\n\nzebra zebra\n"


@pytest.fixture
def journal(cli: Cli) -> Path:
    """A journal of two records; `end` is where the first one ends."""
    cli.write("d.csv", "label,text\n" + "".join(f"spam,win cash {i}\nham,see you {i}\n" for i in range(20)))
    cli("train", "d.csv", "-o", "m.spamnb", "-q")
    cli("learn", "--ham", "-m", "m.spamnb", stdin=b"zebra at lunch\n")
    return cli.here / "m.spamnb.journal"


def cut_second_record(cli: Cli, journal: Path, cut: int) -> int:
    """Appends a record and cuts it off; returns where the first one ends."""
    end = journal.stat().st_size
    cli("learn", "--spam", "-m", "m.spamnb", stdin=b"quagga for sale\n")
    data = journal.read_bytes()
    journal.write_bytes(data[: end + cut] if cut > 0 else data[:cut])
    return end


@pytest.mark.parametrize("cut", [1, 15, 20, 40, -1])
@pytest.mark.parametrize("command", ["predict", "filter", "inspect", "explain"])
def test_readers_use_the_whole_records_and_say_so_once(
    cli: Cli, journal: Path, cut: int, command: str
) -> None:
    end = cut_second_record(cli, journal, cut)
    flags = {"inspect": ("inspect", "m.spamnb")}.get(command, (command, "-m", "m.spamnb"))
    done = cli(*flags, stdin=WORD)
    assert done.err.count("ends inside a record") == 1
    assert WARNING.format(end=f"{end:,}") in done.err
    journal.write_bytes(journal.read_bytes()[:end])
    whole = cli(*flags, stdin=WORD)
    assert whole.out == done.out
    assert "journal" not in whole.err


def test_what_was_acknowledged_is_there(cli: Cli, journal: Path) -> None:
    cut_second_record(cli, journal, 30)
    model = SpamModel.load(cli.here / "m.spamnb")
    assert model.predict(["zebra at lunch"]) == ["ham"]  # taught word for word


def test_a_writer_repairs_it(cli: Cli, journal: Path) -> None:
    for repair in (("learn", "--spam", "-m", "m.spamnb"), ("learn", "--compact", "-m", "m.spamnb")):
        cut_second_record(cli, journal, 30)
        cli(*repair, stdin=b"" if "--compact" in repair else b"okapi for sale\n")
        done = cli("predict", "-m", "m.spamnb", stdin=b"zebra at lunch\n")
        assert done.err == ""
        assert done.out.startswith(b"ham\t")


def test_model_check_names_it(cli: Cli, journal: Path) -> None:
    assert cli("model", "check", "-m", "m.spamnb").code == 0
    end = cut_second_record(cli, journal, 30)
    done = cli("model", "check", "-m", "m.spamnb", code=1)
    assert f"journal      FAILED   m.spamnb.journal ends inside a record: byte {end:,}\n" in done.text
    assert "fix      spamnb learn --compact -m " in done.text
    assert "filter       ok" in done.text


def test_a_process_that_keeps_a_model_is_warned_once(cli: Cli, journal: Path) -> None:
    cut_second_record(cli, journal, 30)
    warnings: list[JournalError] = []
    stored = StoredModel(cli.here / "m.spamnb", warn=warnings.append)
    assert stored.newest() is stored.newest()
    assert [type(warning) for warning in warnings] == [TornJournalError]

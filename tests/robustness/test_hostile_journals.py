"""Broken journals: a short run of `hostile_journals`, and a few through the real commands."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli
from tests.reference.journal import counts_of
from tests.robustness.broken_journals import WAYS, Journals, chained
from tests.robustness.hostile_journals import run, tried


def test_broken_journals_give_exact_counts_or_an_error() -> None:
    assert [f"{way}, {wrong}" for way, wrong in run(400, seed=3) if wrong] == []


def test_the_second_reader_agrees_on_a_whole_journal(tmp_path: Path) -> None:
    from spamnb.model.spam_model import SpamModel

    journals = Journals(tmp_path)
    assert counts_of(SpamModel.load(journals.path).store) == journals.prefixes[-1]
    assert journals.prefixes[-1] != journals.base
    assert tried(journals, journals.whole, sealed=True) == ""


def test_wrong_counts_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check can fail: without this journal's records the counts are wrong."""
    from spamnb.storage import update_journal

    journals = Journals(tmp_path)
    monkeypatch.setattr(update_journal, "parse", lambda *_: None)
    assert tried(journals, journals.whole, sealed=True) == "wrong counts, 1 would be right"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ((b'"totals":[1', b'"totals":[1.5'), "a record is invalid (ValueError)"),
        ((b'"labels":["ham"]', b'"labels":["new"]'), "a record has a class that the model does not know"),
        ((b'"totals":[1', b'"totals":[-9'), "a record does not fit the model (DataError)"),
    ],
)
def test_a_record_that_makes_no_sense_is_named(
    tmp_path: Path, change: tuple[bytes, bytes], what: str
) -> None:
    from spamnb.errors import JournalError
    from spamnb.model.spam_model import SpamModel

    journals = Journals(tmp_path)
    old = journals.payloads[0]
    new = old.replace(*change, 1)
    assert new != old
    size = int.from_bytes(new[:4], "little") + len(new) - len(old)
    journals.file.write_bytes(chained(journals.checksum, [size.to_bytes(4, "little") + new[4:]]))
    with pytest.raises(JournalError) as caught:
        SpamModel.load(journals.path)
    assert caught.value.message == f"{journals.path}.journal is damaged: {what}"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_commands_end_with_a_sentence(cli: Cli, way: object) -> None:
    """`cli` refuses tracebacks and faults of spamnb itself."""
    assert callable(way)
    journals = Journals(cli.here)
    data = way(journals, random.Random(5))
    journals.file.write_bytes(data)
    mail = cli("filter", "-m", "m.spamnb", stdin=b"Subject: x\n\nwin a prize\n")
    assert b"\nX-Spamnb: " in mail.out
    bad = "warning: " in mail.err and "ends inside a record" not in mail.err  # a learner repairs that
    columns = "--label-column", "label", "--text-column", "text"
    cli.write("new.csv", "label,text,kind,size\nspam,one more,k1,1\n")
    done = cli("learn", "new.csv", "-m", "m.spamnb", *columns, code=int(bad))
    if bad:
        assert journals.file.read_bytes() == data
        assert "\nHint: " in done.err

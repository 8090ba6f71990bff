"""Settings that nobody stated depend on what is read: mail is read by words, short messages by pairs too."""

from __future__ import annotations

from pathlib import Path

import pytest
from clitools import ROOT, Cli, Sms

from spamnb.mail import as_texts
from spamnb.mail.parse import parse_mail
from spamnb.model.spam_model import SpamModel
from spamnb.training.trainer import train

MAIL = ROOT / "data" / "mail"


def ngrams(path: Path) -> int:
    return SpamModel.load(path).features.ngrams


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_mail_is_read_by_words(jobs: str, cli: Cli, tmp_path: Path) -> None:
    cli("train", MAIL, "-o", tmp_path / "m", "--jobs", jobs)
    assert ngrams(tmp_path / "m") == 1
    cli("train", MAIL, "-o", tmp_path / "m", "--jobs", jobs, "--ngrams", "2")
    assert ngrams(tmp_path / "m") == 2


def test_short_messages_are_read_by_pairs_too(sms: Sms) -> None:
    assert ngrams(Path(sms.model)) == 2


def test_all_ways_to_measure_agree(cli: Cli, mails: Path) -> None:
    flags = ("--folds", "3", "--no-scorers", "--with", "ngrams=1", "--with", "ngrams=2", "--json", "-")
    rows = {row["name"]: row for row in cli("compare", mails, *flags).json["contenders"]}
    assert rows["multinomial"]["log_loss"] == rows["ngrams=1"]["log_loss"] != rows["ngrams=2"]["log_loss"]
    assert rows["ngrams=2"]["flags"] == "--ngrams 2"
    usual, stated = (
        cli("evaluate", mails, "--cv", "3", "--json", "-", *more).json for more in ((), ("--ngrams", "1"))
    )
    assert usual == stated


def test_tuning_starts_from_what_suits_mail(cli: Cli, mails: Path) -> None:
    found = cli("tune", mails, "--time", "0s", "--folds", "3", "--json", "-").json
    assert found["tried"][0]["name"] == "defaults"
    assert "--ngrams" not in found["command"]


def test_training_in_python_agrees() -> None:
    mails = [parse_mail(path.read_bytes()) for path in sorted(MAIL.glob("*/*.eml"))]
    labels = [path.parent.name for path in sorted(MAIL.glob("*/*.eml"))]
    assert train(as_texts(mails), labels).features.ngrams == 1
    assert train([mail.body for mail in mails], labels).features.ngrams == 2

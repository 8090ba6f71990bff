"""Text and mail have a model of one's own each: a lesson or a training on one leaves the other as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.model import SpamModel, kind_of_model
from tests.helpers.command_line import TINY, Cli
from tests.helpers.paths import ROOT

MAILS = ROOT / "data" / "mail"
MAIL = next(iter(sorted((MAILS / "spam").glob("*.eml"))))
LONG = "Please find the agenda of the meeting below. " * 20
TWO = [
    "Error: there are two models: my-text for text and my-mail for mail",
    "Hint: name one: -m my-text or -m my-mail",
]


def defaults(cli: Cli) -> dict[str, str]:
    """The default for text and for mail."""
    rows = cli("model", "list", "--json", "-").json["default"]
    return {kind: Path(row["path"]).stem for kind, row in rows.items()}


def models(cli: Cli) -> list[str]:
    return sorted(path.stem for path in cli.own_model.parent.glob("*.spamnb"))


@pytest.fixture
def both(cli: Cli) -> Cli:
    """A user who has taught a text and a mail."""
    cli("learn", "--spam", "-t", "win a prize")
    cli("learn", "--ham", stdin=MAIL.read_bytes())
    return cli


def test_a_lesson_on_a_text_leaves_the_verdicts_on_mail(cli: Cli) -> None:
    raw = MAIL.read_bytes()
    before = cli("filter", stdin=raw).out, cli("predict", MAIL).out, cli("explain", MAIL).out
    cli("learn", "--ham", "-t", "lunch at noon?")
    assert defaults(cli) == {"text": "my-text", "mail": "mail"}
    assert (cli("filter", stdin=raw).out, cli("predict", MAIL).out, cli("explain", MAIL).out) == before
    assert "no model of your own for mail yet: using the ready-made" in cli("predict", MAIL).err
    assert cli("predict", "-t", "hi").err == ""


def test_a_lesson_on_a_mail_leaves_the_verdicts_on_texts(cli: Cli) -> None:
    before = cli("predict", "-t", "win a prize").out
    done = cli("learn", "--ham", stdin=MAIL.read_bytes())
    start = (
        f"no model of your own for mail yet: starting {cli.own_mail_model} from the ready-made model for mail"
    )
    assert done.err.splitlines()[0] == start
    assert done.err.endswith("undo       spamnb model undo 1 -m my-mail\n")
    assert defaults(cli) == {"text": "sms", "mail": "my-mail"}
    assert cli("predict", "-t", "win a prize").out == before
    assert "X-Spam-Flag: NO" in cli("filter", stdin=MAIL.read_bytes()).text


def test_each_training_makes_the_default_of_its_kind(cli: Cli) -> None:
    done = cli("train", cli.write("tiny.csv", TINY))
    assert "default           for text: commands without -m use it\n" in done.err
    assert defaults(cli) == {"text": "my-text", "mail": "mail"}
    done = cli("train", MAILS)
    assert "default           for mail: commands without -m use it\n" in done.err
    assert done.err.endswith("try               spamnb predict MAILBOX\n")
    assert defaults(cli) == {"text": "my-text", "mail": "my-mail"}
    assert "default  " not in cli("train", "tiny.csv", "-o", "office").err


def test_long_texts_are_texts(cli: Cli) -> None:
    """Their length matters only for the ready-made model that classifies them without one of one's own."""
    table = cli.write("long.csv", f"label,text\nham,{LONG}\nspam,{LONG}win\n")
    assert "text yet: using the ready-made model for mail" in cli("predict", table).err
    assert "text yet: starting" in (done := cli("learn", table)).err
    assert done.err.splitlines()[0].endswith("from the ready-made model for SMS")
    assert defaults(cli) == {"text": "my-text", "mail": "mail"}
    for args in (("predict", "-t", "hi"), ("predict", "-t", LONG), ("explain", LONG), ("evaluate", table)):
        assert "using the ready-made" not in cli(*args).err


def test_forget_and_review_change_the_model_of_the_messages(both: Cli) -> None:
    assert "forgot     1 message (1 ham)" in both("forget", stdin=MAIL.read_bytes()).err
    assert "forgot     1 message (1 spam)" in both("forget", "-t", "win a prize").err
    both("review", MAIL, stdin=b"s\n")
    assert [row["labels"] for row in both("model", "log", "-m", "my-mail", "--format", "jsonl").records] == [
        {"spam": 1},
        {"ham": -1},
        {"ham": 1},
    ]
    assert len(both("model", "log", "-m", "my-text", "--format", "jsonl").records) == 2


def test_commands_without_messages_mean_the_only_model(cli: Cli) -> None:
    cli("learn", "--ham", stdin=MAIL.read_bytes())
    assert cli("inspect", "--json", "-").json["path"] == str(cli.own_mail_model)
    assert len(cli("model", "log", "--format", "jsonl").records) == 1
    cli("learn", "--compact")
    assert "lesson 1" in cli("model", "undo", "1").err


@pytest.mark.parametrize("args", [("model", "log"), ("inspect",), ("inspect", "win"), ("evaluate",)])
def test_commands_that_only_show_a_model_take_that_for_text(both: Cli, args: tuple[str, ...]) -> None:
    rows = [f"{label},{text} {i}" for label, text in (("ham", "see you"), ("spam", "win")) for i in range(12)]
    both("train", both.write("d.csv", "\n".join(["label,text", *rows])), "-q")
    done, expected = both(*args), both(*args, "-m", "my-text")
    assert (done.out, done.code) == (expected.out, 0)
    note = "note: this is my-text, for text; -m my-mail is for mail"
    assert set(done.err.splitlines()) - set(expected.err.splitlines()) == {note}


@pytest.mark.parametrize("args", [("model", "undo", "1"), ("learn", "--compact")])
def test_commands_without_messages_do_not_guess(both: Cli, args: tuple[str, ...]) -> None:
    assert both.fails(*args) == TWO
    both("model", "use", "sms")
    assert both.fails(*args)[0] == "Error: there are two models: sms for text and my-mail for mail"


def test_use_chooses_for_the_kind_of_the_model(both: Cli) -> None:
    assert both("model", "use", "mail").err.startswith("default           for mail: mail (")
    assert defaults(both) == {"text": "my-text", "mail": "mail"}
    assert both("model", "use", "my-mail").err.startswith("default           for mail: my-mail (")
    assert both("model", "use", "sms").err.startswith("default           for text: sms (")
    assert defaults(both) == {"text": "sms", "mail": "my-mail"}
    both("model", "remove", "my-mail", "--force")
    assert defaults(both) == {"text": "sms", "mail": "mail"}


def test_a_model_knows_its_kind(both: Cli) -> None:
    kinds = [kind_of_model(SpamModel.load(path)) for path in (both.own_model, both.own_mail_model)]
    assert kinds == ["text", "mail"]
    both("model", "export", "my-mail", "-q")
    exported = both("model", "export", "my-mail").out
    both("model", "remove", "my-mail", "--force")
    both("model", "import", "-", "-o", "my-mail", stdin=exported)
    done = both("model", "merge", "my-mail", "my-mail:2", "-o", "my-mail")
    assert "default           for mail: commands without -m use it\n" in done.err
    assert models(both) == ["my-mail", "my-text"]


def test_the_variable_is_for_text_and_mail(cli: Cli, tiny: Path) -> None:
    copy = cli.write("copy.spamnb", tiny.read_bytes())  # the one of all tests stays as it is
    env = {"SPAMNB_MODEL": str(copy)}
    assert cli("learn", "--spam", "-t", "win", env=env).err.endswith("undo       spamnb model undo 1\n")
    cli("filter", stdin=MAIL.read_bytes(), env=env)
    assert models(cli) == []


def test_the_log_evidence_is_that_of_the_own_counts_once_they_are_used(cli: Cli) -> None:
    def log_evidence() -> float:
        (record,) = cli("predict", "-t", "win a prize", "--format", "jsonl").records
        return float(record["log_evidence"])

    assert log_evidence() < 0
    cli("learn", "--spam", "-t", "free money")
    assert log_evidence() == 0
    cli("learn", "--ham", "-t", "see you")
    assert log_evidence() < 0

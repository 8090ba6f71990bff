"""`spamnb lists`, and that filter, predict, explain, serve and imap follow the lists and say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.mail import Limits
from spamnb.mail.parse import parse_mails
from spamnb.mailbox import MailClassifier
from spamnb.model import MailVerdict, SpamModel, mail_verdict
from spamnb.service.live_model import LiveModels
from spamnb.service.message_scoring import Message, score_messages
from spamnb.service.spamd_report import symbols_of
from spamnb.training.trainer import train
from tests.helpers.command_line import Cli
from tests.mailbox.conftest import numbered

DKIM = b"Authentication-Results: mx.me.example; dkim=pass header.d=example.org\r\n"
ALLOWED = DKIM + b"From: Ann <ann@example.org>\r\n" + numbered("spam", 1)
FORGED = b"From: Ann <ann@example.org>\r\n" + numbered("spam", 1)
BLOCKED = b"From: eve@example.net\r\n" + numbered("ham", 1)
TRUST = ("--set", "authserv-id=mx.me.example")


@pytest.fixture(scope="module")
def mail_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that calls mails with the words of `numbered` spam and ham."""
    path = tmp_path_factory.mktemp("lists") / "mail.spamnb"
    kinds = ["spam", "ham"] * 60
    train(parse_mails([numbered(kind, -n) for n, kind in enumerate(kinds)]), kinds).save(path)
    return path


@pytest.fixture
def here(cli: Cli) -> Cli:
    """With one sender allowed and one domain blocked."""
    cli("lists", "add", "allow", "Ann@Example.org", "-q")
    cli("lists", "add", "block", "example.net", "-q")
    return cli


def test_entries_are_added_moved_shown_and_removed(cli: Cli) -> None:
    path = cli.config / "spamnb" / "lists.txt"
    done = cli("lists", "show")
    assert (done.out, done.err) == (
        b"",
        "The lists are empty: `spamnb lists add block example.net` adds a sender.\n",
    )
    done = cli("lists", "add", "allow", "Ann@example.org", "list:news.example.com", "ann@example.org")
    assert done.err == f"allowed           ann@example.org, list:news.example.com, in {path}\n"
    assert cli("lists", "add", "block", "ann@example.org").err.startswith("blocked ")
    assert cli("lists", "show").text.splitlines() == [
        f"block\tann@example.org\t{path}",
        f"allow\tlist:news.example.com\t{path}",
    ]
    assert cli("lists", "remove", "ann@example.org").err == "removed           ann@example.org\n"
    assert path.read_text() == "allow list:news.example.com\n"


def test_errors(cli: Cli) -> None:
    assert cli.fails("lists", "add", "allow", "ann", code=2) == [
        "Error: expected an address, a domain or list: and a List-Id, got 'ann'",
        "Hint: for example ann@example.org, example.net or list:news.example.com",
    ]
    assert cli.fails("lists", "remove", "ann@example.org", code=2) == [
        f"Error: ann@example.org is not in {cli.config / 'spamnb' / 'lists.txt'}",
        "Hint: `spamnb lists show` shows all entries",
    ]


def spamnb_header(mail: bytes) -> str:
    head = mail.replace(b"\r\n ", b" ").split(b"\r\n\r\n")[0].split(b"\r\n")
    return next(line for line in head if line.startswith(b"X-Spamnb:")).decode()


def test_filter_follows_the_lists_and_says_so(here: Cli, mail_model: Path) -> None:
    flags = ("-m", mail_model, *TRUST)
    assert "listed" not in spamnb_header(here("filter", *flags, stdin=FORGED).out)
    mail = here("filter", *flags, stdin=ALLOWED).out
    assert b"X-Spam-Flag: NO\r\n" in mail
    header = spamnb_header(mail)
    assert header.startswith("X-Spamnb: ham, p=")
    assert header.endswith("; listed: allow ann@example.org")
    mail = here("filter", *flags, "--explain", stdin=BLOCKED).out
    assert b"X-Spam-Flag: YES\r\n" in mail
    assert spamnb_header(mail).count("listed: block example.net") == 1
    (here.config / "spamnb" / "lists.txt").write_text("nonsense\n")
    done = here("filter", *flags, stdin=BLOCKED)
    assert spamnb_header(done.out) == "X-Spamnb: no verdict"  # no mail is lost


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_predict_and_explain_say_which_entry_decides(here: Cli, mail_model: Path, jobs: str) -> None:
    folder = here.here / "mails"
    folder.mkdir()
    for name, raw in (("a", ALLOWED), ("b", FORGED), ("c", BLOCKED)):
        (folder / name).write_bytes(raw)
    flags = ("-m", mail_model, *TRUST, "--jobs", jobs, "--format", "jsonl")
    rows = here("predict", folder, *flags).records
    got = {Path(row["source"]).name: (row["verdict"], row.get("listed")) for row in rows}
    assert got == {
        "a": ("ham", "allow ann@example.org"),
        "b": ("spam", None),
        "c": ("spam", "block example.net"),
    }
    text = here("explain", folder / "c", "-m", mail_model).text
    assert "the sender is listed: block example.net" in text


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "lists.txt"
    path.write_text("block example.net\n")
    monkeypatch.setattr("spamnb.mail.list_files.list_paths", lambda: [str(path)])
    return path


def test_a_server_follows_the_lists_as_they_change(listed: Path, mail_model: Path) -> None:
    models = LiveModels(str(mail_model), limits=Limits(authserv_ids=(b"mx.me.example",)))
    models.load()

    def verdict(raw: bytes) -> tuple[MailVerdict, bytes]:
        (scored,) = score_messages(models, [Message(raw, True)])
        assert not isinstance(scored, Exception)
        one = mail_verdict(scored.loaded.model, scored.predictions, scored.row)
        return one, symbols_of(one, scored)

    one, symbols = verdict(BLOCKED)
    assert (one.is_spam, one.listed, symbols) == (True, "block example.net", b"SPAMNB_SPAM,SPAMNB_LISTED")
    assert one.score >= 5
    listed.write_text("allow example.org\n")
    models.check()
    assert verdict(BLOCKED)[0].listed == ""
    one, _ = verdict(ALLOWED)
    assert (one.is_spam, one.listed) == (False, "allow example.org")
    assert verdict(FORGED)[0].is_spam


def test_a_mailbox_filter_follows_the_lists(listed: Path, mail_model: Path) -> None:
    classifier = MailClassifier(str(mail_model), Limits())
    assert [one.label for one in classifier.classify([BLOCKED, numbered("ham", 2)])] == ["spam", "ham"]
    listed.write_text("")
    assert [one.label for one in classifier.classify([BLOCKED])] == ["ham"]


def test_a_list_comes_before_a_lesson_and_the_log_odds_stay(mail_model: Path) -> None:
    from spamnb.mail import ListEntry, SenderLists, mail_texts, parse_mail

    model = SpamModel.load(mail_model)
    plain = model.score(mail_texts([parse_mail(BLOCKED)]))
    lists = SenderLists((ListEntry("block", "example.net"),))
    score = model.score(mail_texts([parse_mail(BLOCKED, Limits(lists=lists)), parse_mail(FORGED)]))
    assert score.listed == ("block example.net", "")
    assert score.log_odds[0] == plain.log_odds[0]
    assert (plain.labels, score.labels) == (["ham"], ["spam", "spam"])
    assert score.probability[0] >= 0.9
    assert score.taught_label(0) == ""

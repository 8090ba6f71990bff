"""`spamnb imap` against a real Dovecot on loopback: logins, modes, lessons, restarts, lost connections."""

from __future__ import annotations

import random
import signal
import stat
import time
import tomllib
from pathlib import Path

from spamnb.mail.parse import parse_mails
from spamnb.mailbox.accounts import MailAccount
from spamnb.mailbox.imap_session import ImapSession
from spamnb.model.message_digest import message_digests
from spamnb.model.spam_model import SpamModel
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.dovecot import PASSWORD, USERS, Dovecot, needs_dovecot
from tests.mailbox.conftest import HAM, SPAM, Mailbox, numbered
from tests.robustness.mailbox_kills import Trial

pytestmark = needs_dovecot
ANN, BOB = USERS


def learned(cli: Cli, raw: bytes) -> list[str]:
    """The labels that the user's model has learned a mail with."""
    seen = SpamModel.load(cli.own_mail_model).seen_messages
    assert seen is not None
    digests = message_digests(parse_mails([raw]))
    return [label for label in ("ham", "spam") if seen.count(label, digests)[0]]


def access(server: Dovecot, port: int | None = None) -> tuple[str, ...]:
    """The options of a login that works."""
    place = f"127.0.0.1:{port or server.tls_port}"
    return "--server", place, "--ca-file", str(server.certificate), "--password-command", f"echo '{PASSWORD}'"


# --- login -----------------------------------------------------------------------------------------


def test_login_keeps_the_account_and_no_password(dovecot: Dovecot, cli: Cli) -> None:
    secret = cli.write("password", f"{PASSWORD}\n")
    place = ("--server", dovecot.server, "--ca-file", dovecot.certificate)
    done = cli("imap", "login", ANN, *place, "--password-command", f"cat {secret}", "--train", "no")
    config = cli.data / "spamnb" / "accounts.toml"
    assert done.out == b""
    assert done.err.splitlines() == [
        f"logged in         {ANN} at {dovecot.server}, TLS",
        "folders           5; junk mail is in Junk",
        f"account           {ANN}, action shadow, kept in {config}",
        "try               spamnb imap once",
    ]
    assert config.read_text() == (
        f'[imap.accounts."{ANN}"]\nserver = "{dovecot.server}"\naction = "shadow"\n'
        f'ca-file = "{dovecot.certificate}"\npassword-command = "cat {secret}"\n'
    )
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    kept = [path for path in cli.here.rglob("*") if path.is_file() and path != secret]
    assert not any(PASSWORD.encode() in path.read_bytes() for path in kept)


def test_another_login_changes_only_what_it_names(dovecot: Dovecot, cli: Cli) -> None:
    cli("imap", "login", ANN, *access(dovecot, dovecot.plain_port), "--train", "no")
    config = cli.data / "spamnb" / "accounts.toml"
    config.write_text(f'{config.read_text()}folders = ["INBOX", "Lists"]\n')
    before = tomllib.loads(config.read_text())["imap"]["accounts"][ANN]
    assert before["action"] == "shadow"
    cli("imap", "login", ANN, "--action", "move", "--train", "no")
    after = tomllib.loads(config.read_text())["imap"]["accounts"][ANN]
    assert after == before | {"action": "move"}
    lines = cli.fails("imap", "login", ANN, "--password-command", "", "--train", "no")
    assert lines[0] == f"Error: there is no password for {ANN}"


def test_a_port_without_tls_is_used_by_starttls(dovecot: Dovecot, cli: Cli) -> None:
    done = cli("imap", "login", ANN, *access(dovecot, dovecot.plain_port), "--train", "no")
    assert f"logged in         {ANN} at 127.0.0.1:{dovecot.plain_port}, STARTTLS" in done.err
    assert 'tls = "starttls"' in (cli.data / "spamnb" / "accounts.toml").read_text()
    cli("imap", "once")


def test_an_unknown_certificate_is_refused(dovecot: Dovecot, cli: Cli) -> None:
    lines = cli.fails("imap", "login", ANN, "--server", dovecot.server, "--password-command", "echo x")
    assert lines == [
        f"Error: the certificate of {dovecot.server} is not trusted: self-signed certificate",
        "Hint: check the name of the server; --ca-file FILE trusts a certificate authority of your own",
    ]


def test_a_wrong_password_is_refused_and_not_shown(dovecot: Dovecot, cli: Cli) -> None:
    place = ("--server", dovecot.server, "--ca-file", dovecot.certificate)
    lines = cli.fails("imap", "login", ANN, *place, "--password-command", "echo wrong-secret")
    answer = "[AUTHENTICATIONFAILED] Authentication failed."
    assert lines[0] == f"Error: {dovecot.server} refuses the login of {ANN}: {answer}"
    assert lines[1:] == ["Hint: check the password; some providers want one for this program alone"]
    assert "wrong-secret" not in "".join(lines)
    assert not (cli.data / "spamnb" / "accounts.toml").exists()


def test_a_server_that_does_not_answer_is_an_error(cli: Cli) -> None:
    lines = cli.fails("imap", "login", ANN, "--server", "127.0.0.1:1", "--password-command", "echo x")
    assert lines == [
        "Error: cannot connect to 127.0.0.1:1: [Errno 111] Connection refused",
        "Hint: check the name and the port: --server HOST:PORT",
    ]


def test_training_from_the_folders_prints_cross_validated_metrics(mailbox: Mailbox) -> None:
    cli = mailbox.cli
    cli.own_mail_model.unlink()
    mailbox.deliver(*SPAM, *(numbered("spam", n) for n in range(12)), folder="Junk")
    mailbox.deliver(*HAM, *(numbered("ham", n) for n in range(12)), folder="Archive")
    done = cli("imap", "login", ANN, *access(mailbox.server), "--train", "yes")
    lines = dict(line.split(maxsplit=1) for line in done.err.splitlines())
    assert lines["learned"] == "20 in Junk, 22 in Archive"
    assert " of spam caught, " in lines["cross-validation"]
    assert lines["saved"].startswith(str(cli.own_mail_model))
    assert mailbox.unread()
    assert SpamModel.load(cli.own_mail_model).base is not None


# --- modes and lessons -----------------------------------------------------------------------------


def test_two_accounts_learn_and_move_by_themselves(dovecot: Dovecot, cli: Cli, mail_model: Path) -> None:
    with Mailbox(dovecot, ANN, cli, mail_model) as ann, Mailbox(dovecot, BOB, cli, mail_model) as bob:
        check_two_accounts(ann, bob, cli)


def check_two_accounts(ann: Mailbox, bob: Mailbox, cli: Cli) -> None:
    ann.login("--action", "move")
    bob.login("--action", "shadow")
    old = numbered("spam", 1)
    ann.deliver(old)
    cli("imap", "once")
    for one in (ann, bob):
        one.deliver(numbered("spam", 2), numbered("ham", 2), numbered("ham", 3))
    lines = [line.split(b"\t") for line in cli("imap", "once").lines]
    assert [(fields[0], fields[1], fields[2], fields[4]) for fields in lines] == [
        (ANN.encode(), b"INBOX/2", b"spam, to Junk", b"spam 2"),
        (BOB.encode(), b"INBOX/1", b"spam, would go to Junk", b"spam 2"),
    ]
    assert (ann.subjects("INBOX"), ann.subjects("Junk")) == (["ham 2", "ham 3", "spam 1"], ["spam 2"])
    assert (bob.subjects("INBOX"), bob.subjects("Junk")) == (["ham 2", "ham 3", "spam 2"], [])

    ann.move("spam 2", "Junk", "INBOX")  # a wrong verdict
    ann.move("spam 1", "INBOX", "Junk")  # an old mail
    bob.move("ham 2", "INBOX", "Junk")
    lines = [line.split(b"\t") for line in cli("imap", "once").lines]
    assert sorted((fields[0], fields[2], fields[4]) for fields in lines) == [
        (ANN.encode(), b"learned as ham", b"spam 2"),
        (ANN.encode(), b"learned as spam", b"spam 1"),
        (BOB.encode(), b"learned as spam", b"ham 2"),
    ]
    assert [learned(cli, numbered(*mail)) for mail in (("spam", 2), ("spam", 1), ("ham", 2), ("ham", 3))] == [
        ["ham"],
        ["spam"],
        ["spam"],
        [],
    ]
    bob.move("ham 2", "Junk", "Trash")
    for _ in range(2):
        assert cli("imap", "once").out == b""
    assert ann.subjects("INBOX") == ["ham 2", "ham 3", "spam 2"]
    assert ann.unread()
    assert bob.unread()
    shown = cli("imap", "status", ANN).text.splitlines()
    assert shown[0] == f"account     {ANN} at {ann.server.server}, action move"
    assert shown[1] == "folders     INBOX (3 emails), Junk (1 email)"
    assert shown[3:] == [
        "verdicts    2 ham, 1 spam",
        "done        1 moved",
        "corrections 1 spam, 1 ham",
        "error       none",
    ]
    state = cli.data / "spamnb" / "imap.sqlite"
    assert stat.S_IMODE(state.stat().st_mode) == 0o600


def test_flags_are_set_and_not_junk_is_a_lesson(mailbox: Mailbox) -> None:
    mailbox.login("--action", "flag")
    mailbox.cli("imap", "once")
    mailbox.deliver(numbered("spam", 1), numbered("ham", 1))
    mailbox.cli("imap", "once")
    assert mailbox.flags("INBOX", "spam 1") == {"$Junk"}
    assert mailbox.flags("INBOX", "ham 1") == set()
    mailbox.client.select_folder("INBOX")
    uid = mailbox.client.search(["KEYWORD", "$Junk"])
    mailbox.client.set_flags(uid, ["$NotJunk"])
    mailbox.cli("imap", "once")
    assert learned(mailbox.cli, numbered("spam", 1)) == ["ham"]
    assert mailbox.flags("INBOX", "spam 1") == {"$NotJunk"}


def test_a_new_uidvalidity_makes_nothing_an_arrival_or_a_lesson(mailbox: Mailbox) -> None:
    mailbox.login("--action", "move")
    mailbox.deliver(numbered("spam", 1), numbered("ham", 1))
    mailbox.deliver(numbered("spam", 2), folder="Junk")
    mailbox.cli("imap", "once")
    before = mailbox.client.folder_status("INBOX", ["UIDVALIDITY"])
    mailbox.client.unselect_folder()
    home = mailbox.server.folder / "home" / mailbox.user / "mail"
    for place in (home, home / ".Junk"):
        for name in place.glob("dovecot*"):
            name.unlink()
    time.sleep(1.1)  # UIDVALIDITY is a time in seconds
    mailbox.connect()
    assert mailbox.client.folder_status("INBOX", ["UIDVALIDITY"]) != before
    assert mailbox.cli("imap", "once").out == b""
    mailbox.deliver(numbered("spam", 3))
    mailbox.cli("imap", "once")
    assert mailbox.subjects("INBOX") == ["ham 1", "spam 1"]
    assert mailbox.subjects("Junk") == ["spam 2", "spam 3"]
    assert learned(mailbox.cli, numbered("spam", 2)) == []


def test_without_the_command_move_mails_are_copied_and_removed_alone(cli: Cli, mail_model: Path) -> None:
    with (
        Dovecot(capability="IMAP4rev1 UIDPLUS IDLE UNSELECT SPECIAL-USE") as server,
        Mailbox(server, ANN, cli, mail_model) as one,
    ):
        one.login("--action", "move")
        cli("imap", "once")
        one.deliver(numbered("spam", 1), numbered("ham", 1))
        one.client.select_folder("INBOX")
        other = next(iter(one.client.search(["SUBJECT", "ham 1"])))
        one.client.add_flags([other], ["\\Deleted"])  # marked, not expunged: not to be touched
        cli("imap", "once")
        assert (one.subjects("INBOX"), one.subjects("Junk")) == (["ham 1"], ["spam 1"])
        assert cli("imap", "once").out == b""


def test_a_server_without_a_safe_move_is_refused(cli: Cli, mail_model: Path) -> None:
    with (
        Dovecot(capability="IMAP4rev1 IDLE UNSELECT SPECIAL-USE") as server,
        Mailbox(server, ANN, cli, mail_model) as one,
    ):
        one.login("--action", "move")
        assert cli.fails("imap", "once") == [
            f"Error: {server.server} cannot move a single email: it has neither MOVE nor UIDPLUS",
            'Hint: set action = "flag" for this account',
        ]
        error = f"error       {server.server} cannot move a single email: it has neither MOVE nor UIDPLUS"
        assert error in cli("imap", "status").text


# --- running ---------------------------------------------------------------------------------------


def test_run_classifies_mail_as_it_arrives(mailbox: Mailbox) -> None:
    mailbox.login("--action", "move")
    mailbox.cli("imap", "once")
    with mailbox.cli.start("imap", "run") as running:
        for n in (1, 2):
            mailbox.deliver(numbered("spam", n))
            fields = running.hear().split(b"\t")
            assert (fields[2], fields[4]) == (b"spam, to Junk", f"spam {n}".encode())
            wait_for(mailbox, "Junk", n)
    assert mailbox.subjects("INBOX") == []


def wait_for(mailbox: Mailbox, folder: str, number: int) -> None:
    """Waits until a folder has so many mails."""
    end = time.monotonic() + PATIENCE
    while len(mailbox.subjects(folder)) < number:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_run_outlives_a_restart_of_the_server(cli: Cli, mail_model: Path) -> None:
    with Dovecot() as server, Mailbox(server, ANN, cli, mail_model) as one:
        one.login("--action", "move")
        cli("imap", "once")
        with cli.start("imap", "run") as running:
            one.deliver(numbered("spam", 1))
            assert running.hear().endswith(b"\tspam 1")
            server.restart()
            one.client.shutdown()
            one.client = None
            one.connect()
            one.deliver(numbered("spam", 2))
            assert running.hear().endswith(b"\tspam 2")
            wait_for(one, "Junk", 2)


def test_what_arrives_just_before_waiting_ends_it(mailbox: Mailbox) -> None:
    """The server may report it in one packet with its answer to IDLE."""
    server = mailbox.server
    account = MailAccount(ANN, server.server, ca_file=str(server.certificate))
    session = ImapSession(account, PASSWORD)
    try:
        for n in range(5):
            session.open("INBOX")
            mailbox.deliver(numbered("ham", n))
            begin = time.monotonic()
            session.wait(PATIENCE, lambda: False)
            assert time.monotonic() - begin < PATIENCE
    finally:
        session.close()


def test_run_ends_when_the_reader_of_its_output_has_gone(mailbox: Mailbox) -> None:
    mailbox.login()
    mailbox.cli("imap", "once")
    with mailbox.cli.start("imap", "run") as talk:
        mailbox.deliver(numbered("spam", 1))
        talk.hear()
        assert talk.running.stdout is not None
        talk.running.stdout.close()
        mailbox.deliver(numbered("spam", 2))
        assert talk.running.wait(PATIENCE) == 128 + signal.SIGPIPE
        assert talk.running.stderr is not None
        assert talk.running.stderr.read().count(b"\n") == 1  # "running ..."


def test_only_one_process_filters_an_account(mailbox: Mailbox) -> None:
    mailbox.login()
    mailbox.cli("imap", "once")
    with mailbox.cli.start("imap", "run") as running:
        mailbox.deliver(numbered("spam", 1))
        running.hear()
        assert mailbox.cli.fails("imap", "once") == [
            f"Error: another spamnb process filters {ANN}",
            "Hint: `spamnb imap run` needs no `spamnb imap once` beside it",
        ]


def test_kills_and_cut_connections_change_nothing(tmp_path: Path) -> None:
    with Dovecot() as server, Trial(tmp_path, server, BOB, random.Random(1)) as trial:
        assert trial.kill(6) == 0
        assert trial.cut(4) == 0
        assert len(trial.person.expected) >= 3

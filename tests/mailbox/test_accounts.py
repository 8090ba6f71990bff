"""Accounts, their passwords, servers and folders: without a network."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from spamnb.cli.account_table import with_table, write_account
from spamnb.errors import ConfigError, MailboxError
from spamnb.mailbox import passwords
from spamnb.mailbox.accounts import MailAccount, parse_server
from spamnb.mailbox.passwords import password_of, run_password_command, store_password
from spamnb.mailbox.server_search import usual_servers
from spamnb.mailbox.special_folders import Folder, find_special_folders
from tests.helpers.command_line import Cli

ME = MailAccount("me@example.org", "imap.example.org")


# --- config.toml -----------------------------------------------------------------------------------


def test_an_account_is_read_as_it_was_written() -> None:
    account = MailAccount(
        "me@example.org",
        "imap.example.org:1993",
        tls="starttls",
        user="me",
        action="move",
        folders=("INBOX", "Lists"),
        ca_file="/etc/ca.pem",
        password_command='pass "show" mail',
        model="office",
        poll=5.0,
    )
    table = tomllib.loads(account.table())["imap"]["accounts"]["me@example.org"]
    assert MailAccount.from_table("me@example.org", table, "here") == account
    assert ME.table() == '[imap.accounts."me@example.org"]\nserver = "imap.example.org"\naction = "shadow"\n'


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "here has no server"),
        ({"server": "a", "pasword": "x"}, "here has an unknown key 'pasword'"),
        ({"server": "a", "password": "x"}, "here has an unknown key 'password'"),
        ({"server": "a", "action": "delete"}, "here action must be one of shadow, flag, move, got 'delete'"),
        ({"server": "a", "tls": "none"}, "here tls must be one of implicit, starttls, got 'none'"),
        ({"server": 3}, "here server must be text"),
        ({"server": "a", "poll": 0}, "here poll must be a number of seconds, at least 1"),
        ({"server": "a", "poll": True}, "here poll must be a number of seconds, at least 1"),
        ({"server": "a", "folders": "INBOX"}, 'here folders must be a list of names, such as ["INBOX"]'),
        ({"server": "a:99999"}, "a server is HOST or HOST:PORT, got 'a:99999'"),
        ({"server": "a b"}, "a server is HOST or HOST:PORT, got 'a b'"),
    ],
)
def test_a_wrong_table_is_refused(table: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        MailAccount.from_table("me@example.org", table, "here")
    assert error.value.message == message
    assert error.value.hint


@pytest.mark.parametrize("name", ["", "a/b", "a b", "../x", "x\n"])
def test_a_name_that_is_no_address_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="an account is named by its address"):
        MailAccount.from_table(name, {"server": "a"}, "here")


def test_ports_follow_the_kind_of_tls() -> None:
    assert (ME.port, MailAccount("me", "a", tls="starttls").port, MailAccount("me", "a:7").port) == (
        993,
        143,
        7,
    )
    assert parse_server("[2001:db8::1]:993") == ("2001:db8::1", 993)


BEFORE = """# mine
[predict]
format = "csv"  # keep

[imap.accounts."me@example.org"]
server = "old"

[train]
"""


def test_the_table_of_an_account_is_replaced_and_all_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(BEFORE)
    write_account(str(path), ME)
    new = 'server = "imap.example.org"\naction = "shadow"\n'
    assert path.read_text() == BEFORE.replace('server = "old"\n', new)


@given(st.lists(st.sampled_from(["[predict]\n", "# [imap]\n", "\n", 'a = "[x]"\n', "[[x]]\n"]), max_size=6))
def test_adding_an_account_twice_is_adding_it_once(lines: list[str]) -> None:
    text = "".join(lines)
    once = with_table(text, ME.name, ME.table())
    assert with_table(once, ME.name, ME.table()) == once
    assert once.startswith(text.rstrip())


def test_a_file_whose_table_cannot_be_replaced_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    text = '[imap.accounts."me@example.org"]\nserver = """\n[predict]\n"""\n'
    path.write_text(text)
    with pytest.raises(ConfigError):
        write_account(str(path), ME)
    assert path.read_text() == text


def test_commands_refuse_a_wrong_account(cli: Cli) -> None:
    config = cli.write("c.toml", '[imap.accounts."me@example.org"]\nserver = "a"\npassword = "secret"\n')
    assert cli.fails("--config", config, "imap", "status", code=2) == [
        f"""Error: {config}: [imap.accounts."me@example.org"] has an unknown key 'password'""",
        "Hint: keys: server, tls, user, action, folders, ca-file, password-command, model, poll",
    ]
    assert cli.fails("imap", "once", code=2) == [
        "Error: there is no account yet",
        "Hint: spamnb imap login me@example.org",
    ]
    config = cli.write("c.toml", '[imap.accounts."me@example.org"]\nserver = "a"\n')
    assert cli.fails("--config", config, "imap", "once", "you@example.org", code=2) == [
        "Error: there is no account you@example.org",
        "Hint: accounts: me@example.org",
    ]


def test_other_commands_and_config_accept_accounts(cli: Cli) -> None:
    tables = '[imap.accounts."me@example.org"]\nserver = "a"\n[imap.run]\naction = "move"\n'
    config = cli.write("c.toml", tables)
    assert 'action = "move"' in cli("--config", config, "config").text
    assert cli("--config", config, "imap", "status").text.splitlines() == [
        "account     me@example.org at a, action shadow",
        "folders     not listed yet",
        "last run    never",
        "verdicts    none",
        "done        none",
        "corrections none",
        "error       none",
    ]


def test_config_changes_what_login_has_kept(cli: Cli) -> None:
    kept = cli.data / "spamnb" / "accounts.toml"
    kept.parent.mkdir(parents=True)
    kept.write_text(MailAccount("me@example.org", "old.example.org", action="move").table())
    assert "me@example.org at old.example.org, action move" in cli("imap", "status").text
    config = cli.write("c.toml", '[imap.accounts."me@example.org"]\naction = "flag"\n')
    shown = cli("--config", config, "imap", "status").text
    assert "me@example.org at old.example.org, action flag" in shown
    kept.write_text("no TOML")
    assert cli.fails("imap", "status", code=2)[0].startswith(f"Error: {kept} is not TOML: ")


# --- passwords -------------------------------------------------------------------------------------


def no_prompt(_: str) -> str:
    return ""


def test_a_password_command_prints_it_on_its_first_line() -> None:
    assert run_password_command("printf 'open sesame\\nmore\\n'") == "open sesame"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("echo secret; exit 3", "the password command failed with exit code 3"),
        ("true", "the password command printed nothing"),
    ],
)
def test_a_password_command_that_fails_is_an_error_without_its_output(command: str, message: str) -> None:
    with pytest.raises(MailboxError) as error:
        run_password_command(command)
    assert error.value.message == message


def test_without_any_source_the_error_names_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "find_spec", lambda _: None)
    with pytest.raises(MailboxError) as error:
        password_of(ME, no_prompt)
    assert error.value.message == "there is no password for me@example.org"
    assert error.value.hint == "log in again with --password-command CMD, or install keyring"
    assert password_of(ME, lambda _: "typed") == "typed"
    assert not store_password(ME, "typed")


def test_the_keyring_is_used_if_it_is_installed_and_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[tuple[str, str], str] = {}
    keyring = SimpleNamespace(
        get_keyring=lambda: SimpleNamespace(priority=5),
        get_password=lambda *key: kept.get(key),
        set_password=lambda service, name, password: kept.update({(service, name): password}),
    )
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    monkeypatch.setattr(passwords, "find_spec", lambda _: True)
    assert store_password(ME, "typed")
    assert kept == {("spamnb", "me@example.org"): "typed"}
    assert password_of(ME, no_prompt) == "typed"
    keyring.get_keyring = lambda: SimpleNamespace(priority=0)
    assert not store_password(ME, "other")


# --- servers and folders ---------------------------------------------------------------------------


def test_servers_are_tried_by_tls_first() -> None:
    assert usual_servers("me@Example.org") == [
        *("imap.example.org:993", "mail.example.org:993", "example.org:993"),
        *("imap.example.org:143", "mail.example.org:143", "example.org:143"),
    ]


def flagged(name: str, *flags: str) -> Folder:
    return Folder(name, frozenset(flags))


def test_special_use_comes_before_names() -> None:
    folders = find_special_folders(
        [flagged("INBOX"), flagged("Junk"), flagged("Unwanted", "\\Junk"), flagged("Deleted Items")]
    )
    assert (folders.junk, folders.trash, folders.others) == (
        "Unwanted",
        "Deleted Items",
        ("INBOX", "Junk", "Deleted Items"),
    )


def test_a_folder_that_cannot_be_opened_is_left_out() -> None:
    folders = find_special_folders([flagged("INBOX"), flagged("Spam", "\\Noselect"), flagged("Work/Spam")])
    assert (folders.junk, folders.names) == (None, ("INBOX", "Work/Spam"))

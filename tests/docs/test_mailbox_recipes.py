"""Runs the commands of docs/how-to/my-mailbox.md for IMAP against a real Dovecot on loopback."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tomllib

import pytest

from spamnb.mailbox.accounts import MailAccount
from spamnb.model import SpamModel
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.dovecot import PASSWORD, READER, Dovecot, needs_dovecot
from tests.helpers.page_blocks import block
from tests.helpers.paths import SMALL_MAILS

SPAM = [path.read_bytes() for path in SMALL_MAILS if path.parent.name == "spam"]
OFFERED = "no model of your own for mail yet: starting "


def typed(server: Dovecot) -> dict[str, str]:
    """What a reader would type at the first login, as variables of the environment."""
    return {
        "SPAMNB_IMAP_LOGIN_SERVER": server.server,
        "SPAMNB_IMAP_LOGIN_CA_FILE": str(server.certificate),
        "SPAMNB_IMAP_LOGIN_PASSWORD_COMMAND": f"echo '{PASSWORD}'",
    }


def run_block(cli: Cli, text: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a block of shell."""
    script = f'spamnb() {{ {shlex.quote(sys.executable)} -m spamnb "$@"; }}\nset -e\n{text}'
    return subprocess.run(
        ["sh", "-c", script],
        env=cli.env | env,
        cwd=cli.here,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )


@needs_dovecot
def test_the_commands_for_a_mailbox(cli: Cli) -> None:
    from imapclient import IMAPClient

    with Dovecot() as server:
        client = IMAPClient("127.0.0.1", server.tls_port, ssl_context=server.context())
        client.login(READER, PASSWORD)
        first = run_block(cli, block("sh", "spamnb imap status"), typed(server))
        assert OFFERED in first.stderr
        assert f"account     {READER} at {server.server}, action shadow" in first.stdout
        for raw in SPAM:
            client.append("INBOX", raw)
        second = run_block(cli, block("sh", "--action move --train no"), {})
        assert "\tspam, to Junk\t" in second.stdout
        assert client.select_folder("Junk")[b"EXISTS"] == second.stdout.count("\tspam, to Junk\t") > 3
        client.logout()


def test_the_account_of_the_page_is_valid() -> None:
    tables = tomllib.loads(block("toml", "imap.accounts"))["imap"]["accounts"]
    account = MailAccount.from_table(READER, tables[READER], "the page")
    assert (account.host, account.port, account.action) == ("imap.example.org", 993, "move")


@pytest.mark.parametrize("key", [*MailAccount.__dataclass_fields__])
def test_the_page_lists_every_key(key: str) -> None:
    from tests.helpers.page_blocks import PAGES

    assert key == "name" or f"| `{key.replace('_', '-')}` |" in PAGES


def test_the_commands_for_lists(cli: Cli) -> None:
    script = f'spamnb() {{ {shlex.quote(sys.executable)} -m spamnb "$@"; }}\nset -e\n'
    done = cli.shell(script + block("sh", "spamnb lists add"))
    file = cli.config / "spamnb" / "lists.txt"
    assert done.text.splitlines() == [
        f"allow\tann@example.org\t{file}",
        f"block\tlist:news.example.com\t{file}",
        f"block\texample.net\t{file}",
    ]
    assert file.read_text() == "allow ann@example.org\nblock list:news.example.com\n"


def test_the_line_for_cron_learns_from_a_maildir(cli: Cli) -> None:
    (line,) = [line for line in block("text", "--sync $HOME/Maildir").splitlines() if "spamnb" in line]
    junk = cli.here / "home" / "Maildir" / ".Junk"
    for folder in (junk.parent, junk):
        for part in ("cur", "new", "tmp"):
            (folder / part).mkdir(parents=True)
    (junk / "cur" / "1").write_bytes(SPAM[0])
    script = f'spamnb() {{ {shlex.quote(sys.executable)} -m spamnb "$@"; }}\nset -e\n'
    assert cli.shell(script + line.split(maxsplit=5)[5]).err == ""
    assert cli("learn", "--sync", junk.parent).err == "Nothing was changed.\n"
    assert cli("model", "log").text.count("learn") == 1


def test_the_command_for_a_model_of_a_site(cli: Cli) -> None:
    (cli.here / "mail").symlink_to(SMALL_MAILS[0].parents[1])
    script = f'spamnb() {{ {shlex.quote(sys.executable)} -m spamnb "$@"; }}\nset -e\n'
    command = block("sh", "--base none -o /etc").replace("/etc/spamnb", str(cli.here / "etc"))
    cli.shell(script + command)
    assert SpamModel.load(cli.here / "etc" / "mail.spamnb").base is None

"""Runs the commands of docs/how-to/my-mailbox.md for IMAP against a real Dovecot on loopback."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tomllib

import pytest

from spamnb.mailbox.accounts import MailAccount
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.dovecot import PASSWORD, READER, Dovecot, needs_dovecot
from tests.helpers.page_blocks import block
from tests.helpers.paths import SMALL_MAILS

SPAM = [path.read_bytes() for path in SMALL_MAILS if path.parent.name == "spam"]
OFFERED = "no model of your own for mail yet: starting "


def run_block(cli: Cli, text: str, server: Dovecot) -> subprocess.CompletedProcess[str]:
    """Runs a block of shell; what a reader would type or has at home comes from the environment."""
    script = f'spamnb() {{ {shlex.quote(sys.executable)} -m spamnb "$@"; }}\nset -e\n{text}'
    env = cli.env | {
        "SPAMNB_IMAP_LOGIN_SERVER": server.server,
        "SPAMNB_IMAP_LOGIN_CA_FILE": str(server.certificate),
        "SPAMNB_IMAP_LOGIN_PASSWORD_COMMAND": f"echo '{PASSWORD}'",
    }
    return subprocess.run(
        ["sh", "-c", script],
        env=env,
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
        first = run_block(cli, block("sh", "spamnb imap status"), server)
        assert OFFERED in first.stderr
        assert f"account     {READER} at {server.server}, action shadow" in first.stdout
        for raw in SPAM:
            client.append("INBOX", raw)
        second = run_block(cli, block("sh", "--action move --train no"), server)
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

"""Runs deploy/dovecot in a real Dovecot, as docs/how-to/my-server.md says, and its commands on the queue."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spamnb.mailbox.lesson_spool import waiting_lessons
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.dovecot import PASSWORD, USERS, Dovecot, missing_programs
from tests.helpers.page_blocks import PAGES, block
from tests.helpers.paths import ROOT
from tests.mailbox.conftest import numbered
from tests.mailbox.test_account_sync import QUICK
from tests.mailbox.test_lesson_spool import learned

RECIPE = ROOT / "deploy" / "dovecot"
USER = USERS[0]
PLUGIN = Path("/usr/lib/dovecot/modules/lib95_imap_sieve_plugin.so")


def commands(name: str) -> list[str]:
    """The commands of the page's section that begin with a word."""
    lines = block("text", "sievec /etc").splitlines()
    return [line for line in lines if line.split()[:1] == [name]]


class LearningDovecot(Dovecot):
    """A Dovecot with the files of the recipe; only their places are other ones."""

    def __init__(self) -> None:
        self.queue = Path(tempfile.mkdtemp(prefix="spamnb-queue-", dir=QUICK))
        self.queue.chmod(0o1777)
        super().__init__()

    def _start(self) -> None:
        sieve = self.folder / "sieve"
        shutil.copytree(RECIPE, sieve)
        recipe = (RECIPE / "90-spamnb.conf").read_text()
        recipe = recipe.replace("/run/spamnb/lessons", str(self.queue)).replace(
            "/etc/dovecot/sieve", str(sieve)
        )
        with open(self.folder / "dovecot.conf", "a") as file:
            file.write(recipe)
        for line in commands("sievec"):
            command = line.replace("/etc/dovecot/sieve", str(sieve)).split()
            subprocess.run([command[0], "-c", self.folder / "dovecot.conf", *command[1:]], check=True)
        super()._start()

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self.queue)

    def client(self) -> Any:
        from imapclient import IMAPClient

        client = IMAPClient("127.0.0.1", self.tls_port, ssl_context=self.context())
        client.login(USER, PASSWORD)
        return client


@pytest.fixture
def server() -> Iterator[LearningDovecot]:
    reason = missing_programs() or ("" if PLUGIN.exists() else "needs dovecot-sieve")
    if reason or not shutil.which("sievec"):
        pytest.skip(reason or "needs sievec")
    with LearningDovecot() as one:
        yield one


def move(client: Any, source: str, target: str, number: int | None = None) -> None:
    client.select_folder(source)
    client.move(client.search(["ALL"])[:number], target)


def labels(server: LearningDovecot) -> list[str]:
    return [one.label for one in waiting_lessons(str(server.queue / USER))]


def test_moves_are_queued_and_learned_once(server: LearningDovecot, cli: Cli, mail_model: Path) -> None:
    client = server.client()
    for n in range(3):
        client.append("INBOX", numbered("spam", n))
    assert not server.queue.joinpath(USER).exists() or labels(server) == []
    move(client, "INBOX", "Junk")
    assert labels(server) == ["spam"] * 3
    move(client, "Junk", "Archive", 1)
    assert labels(server) == ["spam"] * 3 + ["ham"]
    move(client, "Junk", "Trash", 1)  # tells nothing
    move(client, "Archive", "INBOX")  # was not in Junk
    client.append("Junk", numbered("spam", 9))  # from another account
    assert labels(server) == ["spam"] * 3 + ["ham", "spam"]
    assert [name for _, _, name in client.list_folders() if "lessons" in name] == []
    client.logout()

    model = cli.here / "site.spamnb"
    model.write_bytes(mail_model.read_bytes())
    (line,) = re.findall(r"`\* \* \* \* \*  (spamnb learn [^`]+)`", PAGES)
    line = line.replace("/run/spamnb/lessons", str(server.queue)).removeprefix("spamnb ")
    done = cli.shell(f'LOGNAME={USER}; "$@" {line} -m {model}')
    assert done.err == ""
    assert labels(server) == []
    raw = {n: numbered("spam", n) for n in (0, 1, 2, 9)}
    assert [learned(model, raw[n]) for n in raw] == [{"ham": 1}, {"spam": 1}, {"spam": 1}, {"spam": 1}]


@pytest.mark.skipif(os.geteuid() != 0, reason="doveadm user needs the auth socket of a server run by root")
def test_the_script_teaches_each_user_a_model_of_their_own(server: LearningDovecot, cli: Cli) -> None:
    client = server.client()
    client.append("Junk", numbered("spam", 1))
    client.logout()
    bin_folder = cli.here / "bin"
    bin_folder.mkdir()
    home = cli.here / "ann"
    for name, text in (
        ("spamnb", f'exec {" ".join(cli.command())} "$@"'),
        ("doveadm", f'test "$6" = {USER} && echo {home}'),
    ):
        (bin_folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (bin_folder / name).chmod(0o755)
    env = {k: v for k, v in cli.env.items() if not k.startswith("XDG_")}
    env |= {"PATH": f"{bin_folder}:/usr/bin:/bin", "SPAMNB_QUEUE": str(server.queue)}
    done = subprocess.run(
        [RECIPE / "spamnb-lessons"], env=env, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stderr == ""
    model = home / ".local" / "share" / "spamnb" / "my-mail.spamnb"
    assert learned(model, numbered("spam", 1)) == {"spam": 1}
    assert labels(server) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
def test_a_user_without_access_to_statistics_gets_a_home_and_no_error(server: LearningDovecot) -> None:
    (line,) = re.findall(r"\$\((doveadm .*) \"\$user\"\)", (RECIPE / "spamnb-lessons").read_text())
    name, *options = line.split()
    done = subprocess.run(
        [name, "-c", server.folder / "dovecot.conf", *options, USER],
        user="nobody", group="nogroup", extra_groups=[], env={"PATH": os.environ["PATH"]},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (f"{server.folder}/home/{USER}\n", "")


def test_cron_finds_the_script() -> None:
    lines = re.findall(r"^\* \* \* \* \*  (\S+)$", PAGES, re.MULTILINE)
    assert lines == ["/usr/local/bin/spamnb-lessons"]  # cron looks in /usr/bin and /bin alone


def test_the_page_names_every_file_of_the_recipe() -> None:
    listed = block("text", "/etc/dovecot/conf.d/")
    assert sorted(name for line in listed.splitlines() for name in line.split()[:-1]) == sorted(
        path.name for path in RECIPE.iterdir()
    )
    assert commands("sievec") == [
        f"sievec /etc/dovecot/sieve/{path.name}" for path in sorted(RECIPE.glob("*.sieve"), reverse=True)
    ]

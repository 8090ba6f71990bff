"""The recipes of docs/how-to, taken from the page and run; nothing leaves the folder of the test."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.mail_header import values, verdict_and_mail
from tests.helpers.page_blocks import block, blocks
from tests.helpers.paths import ROOT, SMALL_MAILS

SPAM = next(path for path in SMALL_MAILS if path.parent.name == "spam").read_bytes()


HAM = next(path for path in SMALL_MAILS if path.parent.name == "ham").read_bytes()


def body(mail: bytes) -> bytes:
    """What follows the header, but for the last line ends: procmail adds one of its own."""
    return mail[mail.index(b"\n\n") :].rstrip(b"\n")


class Home:
    """A home directory with an empty Maildir, a `spamnb` to call and, if wanted, a model in its place."""

    def __init__(self, folder: Path, model: Path | None) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        for name in ("Maildir", "Maildir/.Junk"):
            for part in ("cur", "new", "tmp"):
                (folder / name / part).mkdir(parents=True)
        self.bin.mkdir()
        self.script("spamnb", f'PYTHONPATH="{ROOT}" exec "{sys.executable}" -m spamnb "$@"\n')
        if model is not None:
            target = folder / ".local" / "share" / "spamnb" / "my-mail.spamnb"
            target.parent.mkdir(parents=True)
            shutil.copy(model, target)

    @property
    def path(self) -> str:
        return f"{self.bin}:/usr/bin:/bin"

    def script(self, name: str, text: str) -> Path:
        path = self.bin / name
        path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}")
        path.chmod(0o755)
        return path

    def break_model(self) -> None:
        path = self.folder / ".local" / "share" / "spamnb" / "my-mail.spamnb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"no model")

    def mails(self, name: str) -> list[bytes]:
        folder = self.folder / name
        return [path.read_bytes() for part in ("new", "cur") for path in (folder / part).iterdir()]

    def run(self, *command: str | Path, stdin: bytes = b"", code: int = 0) -> bytes:
        env = {"HOME": str(self.folder), "PATH": self.path, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [*map(str, command)],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env=env,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, (done.stdout + done.stderr).decode()
        return done.stdout


def procmail(home: Home, recipe: str, mail: bytes, code: int = 0) -> None:
    # procmail takes HOME from the list of users, and what it cannot deliver goes to ORGMAIL. Without -m it
    # would make the system's mailbox of this user before it reads a line of the recipe.
    lines = (f"HOME={home.folder}", f"PATH={home.path}", f"ORGMAIL={home.folder}/lost", "SHELL=/bin/sh")
    rc = home.folder / "procmailrc"
    rc.write_text("\n".join([*lines, f"LOGFILE={home.folder}/log", recipe]))
    rc.chmod(0o600)
    home.run("procmail", "-m", rc, stdin=mail, code=code)
    assert not (home.folder / "lost").exists()


def maildrop(home: Home, recipe: str, mail: bytes, code: int = 0) -> None:
    rc = home.folder / "mailfilter"
    rc.write_text(f'HOME="{home.folder}"\nPATH="{home.path}"\nSHELL="/bin/sh"\n{recipe}')
    rc.chmod(0o600)
    home.run("maildrop", rc, stdin=mail, code=code)


AGENTS = {"procmail": procmail, "maildrop": maildrop}


agents = pytest.mark.parametrize(
    "agent",
    [
        pytest.param(
            name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")
        )
        for name in AGENTS
    ],
)


def recipes(agent: str) -> tuple[str, str]:
    """The recipe that never holds a mail back, and the one that does."""
    first, *others = blocks(agent)
    return first, others[0] if others else first.replace("spamnb filter", "spamnb filter --tempfail")


@agents
@pytest.mark.parametrize("which", [0, 1], ids=["passing", "tempfail"])
def test_spam_goes_to_junk_and_ham_to_the_inbox(
    agent: str, which: int, tmp_path: Path, mail_model: Path
) -> None:
    home = Home(tmp_path, mail_model)
    for mail in (SPAM, HAM):
        AGENTS[agent](home, recipes(agent)[which], mail)
    [spam], [ham] = home.mails("Maildir/.Junk"), home.mails("Maildir")
    assert values(spam, b"X-Spam-Flag") == [b"YES"]
    assert values(ham, b"X-Spam-Flag") == [b"NO"]
    assert body(spam) == body(SPAM)
    assert body(ham) == body(HAM)


@agents
def test_with_a_broken_model_the_mail_is_delivered(agent: str, tmp_path: Path) -> None:
    home = Home(tmp_path, None)
    home.break_model()
    AGENTS[agent](home, recipes(agent)[0], SPAM)
    [mail] = home.mails("Maildir")
    assert values(mail, b"X-Spam-Flag") == []
    assert body(mail) == body(SPAM)
    assert home.mails("Maildir/.Junk") == []


@agents
def test_with_tempfail_and_a_broken_model_the_mail_stays_in_the_queue(agent: str, tmp_path: Path) -> None:
    home = Home(tmp_path, None)
    home.break_model()
    AGENTS[agent](home, recipes(agent)[1], SPAM, code=75)
    assert home.mails("Maildir") == home.mails("Maildir/.Junk") == []


@pytest.mark.skipif(shutil.which("procmail") is None, reason="procmail is not installed")
def test_procmail_counts_stars(tmp_path: Path, mail_model: Path) -> None:
    """The star rule of the page comes after the filter; here also with the five stars of all spam."""
    home = Home(tmp_path, mail_model)
    rule, settings = block("procmail-rule", "X-Spam-Level"), blocks("procmail")[0].partition("\n:0\n")[0]
    few = rule.replace(r"\*" * 8, r"\*" * 5).replace(".Trash", ".Junk")
    for mail in (SPAM, HAM):
        procmail(home, f"{settings}\n{rule}\n{few}", mail)
    [ham], flagged = home.mails("Maildir"), []
    for name, least, most in (("Maildir/.Trash", 8, 50), ("Maildir/.Junk", 5, 7)):
        if (tmp_path / name).exists():
            flagged += home.mails(name)
            assert all(least <= len(values(mail, b"X-Spam-Level")[0]) <= most for mail in home.mails(name))
    assert [body(mail) for mail in flagged] == [body(SPAM)]
    assert len(values(ham, b"X-Spam-Level")[0]) < 5


def test_the_script_for_postfix(tmp_path: Path, mail_model: Path) -> None:
    home = Home(tmp_path, None)
    sendmail = home.script("sendmail", f'echo "$@" > "{tmp_path}/args"\ncat > "{tmp_path}/sent"\n')
    text = block("sh", "sendmail -G -i").replace("/usr/sbin/sendmail", str(sendmail))
    script = home.script("spamnb-postfix", text.replace("/etc/spamnb/mail.spamnb", str(mail_model)))
    home.run(script, "-f", "a@example.org", "--", "b@example.org", stdin=SPAM)
    sent = (tmp_path / "sent").read_bytes()
    assert (tmp_path / "args").read_text() == "-G -i -f a@example.org -- b@example.org\n"
    assert values(sent, b"X-Spam-Flag") == [b"YES"]
    assert body(sent) == body(SPAM)
    home.script("spamnb", "exit 2\n")
    home.run(script, "-f", "a@example.org", "--", "b@example.org", stdin=SPAM, code=75)


def test_the_script_for_cron(tmp_path: Path, mail_model: Path) -> None:
    home = Home(tmp_path, mail_model)
    job = home.script("job", block("sh", "recent.txt"))
    home.run(job)
    for i, path in enumerate(SMALL_MAILS):
        name = f"{i}.host" if i % 2 else f"{i}.host:2,S"
        shutil.copy(path, tmp_path / "Maildir" / ("new" if i % 2 else "cur") / name)
    home.run(job)
    assert sorted(home.mails("Maildir/.Junk")) == sorted(
        path.read_bytes() for path in SMALL_MAILS if path.parent.name == "spam"
    )
    assert len(home.mails("Maildir")) == sum(path.parent.name == "ham" for path in SMALL_MAILS)


def test_the_header_shown_is_the_header_written(cli: Cli, mail_model: Path) -> None:
    shown = block("text", "X-Spamnb: ")
    out = cli("filter", "-m", mail_model, stdin=SPAM).text
    numbers = re.compile(r"\d+\.[\d.]+|\*+")
    written = verdict_and_mail(out.encode())[0].decode()
    assert numbers.sub("0", shown) == numbers.sub("0", written)

"""Runs the recipes of docs/how-to for Sieve, and reads the lines for Postfix, by the real programs."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.page_blocks import block, blocks
from tests.helpers.paths import SMALL_MAILS

SPAM, HAM = (
    next(path for path in SMALL_MAILS if path.parent.name == label).read_bytes() for label in ("spam", "ham")
)


def ran(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=60, check=False)


def run(*command: str | Path) -> str:
    done = ran(*command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may read: Pigeonhole refuses to work as root and becomes another user."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def configuration(folder: Path, settings: str = "") -> Path:
    user = "nobody" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    group = pwd.getpwnam(user).pw_gid
    lines = [
        f"mail_uid = {user}\nmail_gid = {group}\nfirst_valid_uid = 1\nfirst_valid_gid = 1",
        f"mail_home = {folder}\nmail_location = maildir:{folder}/Maildir",
        "plugin {\n  sieve_plugins = sieve_extprograms\n  sieve_extensions = +vnd.dovecot.filter",
        f"  sieve_filter_bin_dir = {folder}/bin\n}}\n",
    ]
    target = folder / "dovecot.conf"
    target.write_text("\n".join([*lines, settings]))
    return target


def sieve_test(folder: Path, recipe: str, mail: bytes, settings: str = "") -> list[str | Path]:
    """The command that tries a recipe on a mail."""
    (folder / "recipe.sieve").write_text(recipe)
    (folder / "mail").write_bytes(mail)
    return ["sieve-test", "-c", configuration(folder, settings), folder / "recipe.sieve", folder / "mail"]


def sieved(folder: Path, recipe: str, mail: bytes, settings: str = "") -> str:
    """The folder that a recipe puts a mail into."""
    (matches,) = re.findall(
        r"store message in folder: (\S+)", run(*sieve_test(folder, recipe, mail, settings))
    )
    return str(matches)


sieve = pytest.mark.skipif(shutil.which("sieve-test") is None, reason="Pigeonhole is not installed")


@sieve
def test_sieve_after_a_filter(open_folder: Path, cli: Cli, mail_model: Path) -> None:
    recipe = next(text for text in blocks("sieve") if "vnd.dovecot.filter" not in text)
    for mail, target in ((SPAM, "Junk"), (HAM, "INBOX")):
        assert sieved(open_folder, recipe, cli("filter", "-m", mail_model, stdin=mail).out) == target


@sieve
def test_sieve_reads_the_score_by_spamtest(open_folder: Path, cli: Cli, mail_model: Path) -> None:
    recipe, settings = block("sieve", "spamtest"), block("dovecot", "spamtest")
    for mail, target in ((SPAM, "Junk"), (HAM, "INBOX")):
        filtered = cli("filter", "-m", mail_model, stdin=mail).out
        assert sieved(open_folder, recipe, filtered, settings) == target
    at_threshold = b"X-Spam-Score: %s\n"
    for score, target in ((b"5.0", "Junk"), (b"100.0", "Junk"), (b"4.9", "INBOX"), (b"-6.0", "INBOX")):
        assert sieved(open_folder, recipe, at_threshold % score + HAM, settings) == target


@sieve
def test_sieve_that_calls_the_filter(open_folder: Path, cli: Cli, mail_model: Path) -> None:
    """What it calls hands on what `spamnb filter` wrote: the other user may not be able to run this clone."""
    recipe = next(text for text in blocks("sieve") if "vnd.dovecot.filter" in text)
    program = open_folder / "bin" / "spamnb-filter"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat > /dev/null\ncat {open_folder}/classified\n")
    program.chmod(0o755)
    for mail, target in ((SPAM, "Junk"), (HAM, "INBOX")):
        (open_folder / "classified").write_bytes(cli("filter", "-m", mail_model, stdin=mail).out)
        assert sieved(open_folder, recipe, mail) == target
    program.write_text("#!/bin/sh\ncat > /dev/null\nexit 75\n")
    assert sieved(open_folder, recipe, SPAM) == "INBOX"  # a filter that fails loses no mail


@sieve
def test_sieve_keeps_a_mail_that_the_filter_never_read(open_folder: Path) -> None:
    """More than a pipe holds, so that the write surely fails: sieve-test ends with an error, and keeps it."""
    recipe = next(text for text in blocks("sieve") if "vnd.dovecot.filter" in text)
    program = open_folder / "bin" / "spamnb-filter"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 75\n")
    program.chmod(0o755)
    done = ran(*sieve_test(open_folder, recipe, SPAM + b"more of it\n" * 100_000))
    assert "successful implicit keep" in done.stderr, done


@pytest.mark.skipif(shutil.which("postconf") is None, reason="Postfix is not installed")
def test_postfix_reads_the_lines_for_master_cf(tmp_path: Path) -> None:
    lines = next(text for text in blocks("text") if "content_filter" in text)
    (tmp_path / "master.cf").write_text(lines)
    (tmp_path / "main.cf").write_text("compatibility_level = 3.6\n")
    service = run("postconf", "-c", tmp_path, "-M", "spamnb/unix")
    assert service.split()[7:] == [
        "pipe",
        *("flags=Rq", "user=spamnb", "null_sender="),
        *("argv=/usr/local/bin/spamnb-postfix", "-f", "${sender}", "--", "${recipient}"),
    ]
    output = run("postconf", "-c", tmp_path, "-P", "smtp/inet/content_filter")
    assert output == "smtp/inet/content_filter = spamnb:dummy\n"

"""`spamnb filter` where its output or its log cannot be written: no mail is cut short or lost unnoticed."""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.mail_header import verdict_and_mail

HEAD, BODY = b"From: a@example.org\nSubject: hi\n\n", b"All work and no play, 100%.\n" * 15_000
UNBUFFERED = pytest.mark.parametrize("unbuffered", ["", "1"])


@pytest.fixture
def mail(cli: Cli) -> Path:
    return cli.write("mail", HEAD + BODY)


@UNBUFFERED
@pytest.mark.parametrize(("more", "code"), [("", 1), ("--tempfail", 75)])
def test_a_disk_that_becomes_full(
    unbuffered: str, more: str, code: int, cli: Cli, mail_model: Path, mail: Path
) -> None:
    script = f'ulimit -f 100; PYTHONUNBUFFERED={unbuffered} "$@" {more} < {mail} > cut'
    status_lines = cli.shell(script, "filter", "-m", mail_model, code=code).err.splitlines()
    assert status_lines[0] == "Error: cannot write to standard output: File too large"


@UNBUFFERED
def test_a_pipe_that_does_not_wait(unbuffered: str, cli: Cli, mail_model: Path, mail: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    assert fcntl.fcntl(writing, fcntl.F_GETFL) & os.O_NONBLOCK
    env = cli.env | {"PYTHONUNBUFFERED": unbuffered}
    with open(mail, "rb") as stream:
        command = cli.command("filter", "-m", mail_model)
        running = subprocess.Popen(command, stdin=stream, stdout=writing, env=env)
    os.close(writing)
    with open(reading, "rb") as file:
        assert verdict_and_mail(file.read())[1] == HEAD + BODY
    assert running.wait() == 0


def test_a_log_that_cannot_be_written(cli: Cli, mail: Path) -> None:
    done = cli.shell(f'"$@" < {mail} 2> /dev/full', "filter", "-m", "none.spamnb")
    assert done.out == b"X-Spamnb: no verdict\n" + HEAD + BODY
    assert cli.shell(f'"$@" < {mail} 2> /dev/full', "filter", "--tempfail", "-m", "none", code=75).out == b""


@pytest.mark.parametrize("streams", ["> /dev/full", ">&-", "<&-", "--wrong"])
def test_tempfail_is_75_whatever_fails(streams: str, cli: Cli, mail_model: Path, mail: Path) -> None:
    assert cli.shell(f'"$@" < {mail} {streams}', "filter", "--tempfail", "-m", mail_model, code=75).err


@UNBUFFERED
def test_a_mail_that_comes_slowly_from_a_pipe_that_does_not_wait(
    unbuffered: str, cli: Cli, mail_model: Path
) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    env = cli.env | {"PYTHONUNBUFFERED": unbuffered}
    command = cli.command("filter", "-m", mail_model)
    running = subprocess.Popen(command, stdin=reading, stdout=subprocess.PIPE, env=env)
    os.close(reading)
    time.sleep(0.5)  # it has begun to read, and there is nothing
    with open(writing, "wb", buffering=0) as file:
        file.write(HEAD + b"first\n")
        time.sleep(0.2)
        file.write(b"last\n")
    out, _ = running.communicate(timeout=60)
    assert verdict_and_mail(out)[1] == HEAD + b"first\nlast\n"
    assert running.returncode == 0

"""Runs the recipes for Postfix of docs/how-to with a real Postfix on loopback."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.mail_header import values
from tests.helpers.other_user import open_folder
from tests.helpers.page_blocks import block
from tests.helpers.paths import ROOT, SMALL_MAILS
from tests.helpers.postfix import Postfix, needs_postfix
from tests.helpers.running_server import Server

SPAM, HAM = (
    next(path for path in SMALL_MAILS if path.parent.name == label).read_bytes() for label in ("spam", "ham")
)
DOTS = HAM + b"A line with a dot:\n.\n..\nand more\n"


@pytest.fixture
def bin_folder() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


def program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def services(script: Path) -> str:
    """The lines of the page, with a user that every system has."""
    lines = block("text", "content_filter")
    return lines.replace("user=spamnb", "user=nobody").replace("/usr/local/bin/spamnb-postfix", str(script))


def check_delivery(server: Postfix) -> None:
    for number, (mail, flag) in enumerate(((SPAM, b"YES"), (HAM, b"NO"), (DOTS, b"NO")), 1):
        server.send(b"X-Spam-Flag: MAYBE\n" + mail)
        arrived = server.delivered(number)[-1]
        assert values(arrived, b"X-Spam-Flag") == [flag]
        assert arrived.partition(b"\n\n")[2].rstrip() == mail.partition(b"\n\n")[2].rstrip()


def check_retry(server: Postfix) -> None:
    """A mail that cannot be classified stays in the queue."""
    server.send(SPAM)
    assert "status=deferred" in server.wait_for_log("status=deferred")
    assert not (server.folder / "mail" / "inbox").exists()


def filter_script(folder: Path, model: Path) -> Path:
    spamnb = program(
        folder / "spamnb", f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m spamnb "$@"\n'
    )
    text = block("sh", "sendmail -G -i").replace("/etc/spamnb/mail.spamnb", str(model))
    return program(folder / "spamnb-postfix", text.replace("spamnb filter", f"{spamnb} filter"))


@needs_postfix
def test_a_content_filter_with_spamnb_filter(bin_folder: Path, mail_model: Path) -> None:
    model = bin_folder / "mail.spamnb"
    shutil.copyfile(mail_model, model)
    model.chmod(0o644)
    with Postfix(services(filter_script(bin_folder, model))) as server:
        check_delivery(server)


@needs_postfix
def test_a_content_filter_that_fails_keeps_the_mail_in_the_queue(bin_folder: Path) -> None:
    script = filter_script(bin_folder, bin_folder / "mail.spamnb")
    program(bin_folder / "spamnb", "#!/bin/sh\nexit 2\n")
    with Postfix(services(script)) as server:
        check_retry(server)


def spamc_script(folder: Path, socket: Path) -> Path:
    call = block("text", "/usr/bin/spamc").strip().replace("/run/spamnb/spamd.sock", str(socket))
    text = block("sh", "sendmail -G -i").replace("spamnb filter -m /etc/spamnb/mail.spamnb", call)
    return program(folder / "spamnb-postfix", text)


@needs_postfix
@pytest.mark.skipif(shutil.which("spamc") is None, reason="spamc is not installed")
def test_a_content_filter_with_spamc(bin_folder: Path, mail_model: Path, cli: Cli) -> None:
    socket = bin_folder / "spamd.sock"
    script = spamc_script(bin_folder, socket)
    with Server(cli, "-m", mail_model, "--spamd", f"unix:{socket}"), Postfix(services(script)) as server:
        socket.chmod(0o666)
        check_delivery(server)
    with Postfix(services(script)) as server:
        check_retry(server)

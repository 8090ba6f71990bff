"""`spamnb serve --milter` with a real Postfix on loopback."""

from __future__ import annotations

import re
import smtplib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spamnb.mail import DEFAULT
from spamnb.model import load, with_verdict
from spamnb.report import header_reasons
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.mail_header import values
from tests.helpers.other_user import open_folder
from tests.helpers.page_blocks import block
from tests.helpers.paths import SMALL_MAILS
from tests.helpers.postfix import Postfix, needs_postfix
from tests.helpers.running_server import Server

pytest.importorskip("kilter.service")

SPAM, HAM = (
    next(path for path in SMALL_MAILS if path.parent.name == label).read_bytes() for label in ("spam", "ham")
)
SMTPD = "smtp      inet  n  -  n  -  -   smtpd\n"
FIELDS = b"X-Spam-Flag", b"X-Spam-Status", b"X-Spam-Score", b"X-Spam-Level", b"X-Spamnb"


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as here:
        yield here


def settings(path: Path) -> str:
    """The lines of the page for main.cf."""
    return block("text", "smtpd_milters").replace("/run/spamnb/milter.sock", str(path))


def serve(cli: Cli, folder: Path, *flags: str | Path) -> Server:
    server = Server(cli, "--milter", f"unix:{folder}/milter.sock", *flags)
    (folder / "milter.sock").chmod(0o666)
    return server


def body(mail: bytes) -> bytes:
    return mail.replace(b"\r\n", b"\n").partition(b"\n\n")[2].rstrip()


def postfix(folder: Path) -> Postfix:
    return Postfix(SMTPD, settings(folder / "milter.sock"))


@needs_postfix
def test_mails_get_the_verdict_and_lose_forged_ones(cli: Cli, folder: Path, mail_model: Path) -> None:
    forged = b"X-Spam-Flag: NO\nx-spam-flag: NO\nX-SPAM-Level: *\nX-Spamnb: ham\nX-Spamming: kept\n"
    large = HAM + (b"word " * 12 + b"\n") * 3_000
    with serve(cli, folder, "-m", mail_model) as server, postfix(folder) as mta:
        for number, (mail, flag) in enumerate(
            ((SPAM, b"YES"), (HAM, b"NO"), (forged + SPAM, b"YES"), (large, b"NO")), 1
        ):
            mta.send(mail)
            arrived = mta.delivered(number)[-1]
            assert values(arrived, b"X-Spam-Flag") == [flag]
            assert [len(values(arrived, name)) for name in FIELDS] == [1] * 5
            assert values(arrived, b"X-Spamming") == ([b"kept"] if mail.startswith(forged) else [])
            assert body(arrived) == body(mail)
            if not mail.startswith(forged):  # Postfix writes Return-Path itself, and shows a milter none
                sent = re.sub(rb"(?m)^Return-Path:.*\n", b"", mail)
                expected = with_verdict(sent, load(str(mail_model)), DEFAULT, header_reasons)
                assert [values(arrived, name) for name in FIELDS] == [
                    values(expected, name) for name in FIELDS
                ]
        assert "source=milter verdict=spam" in server.log


@needs_postfix
def test_several_mails_in_a_connection_and_an_aborted_one(cli: Cli, folder: Path, mail_model: Path) -> None:
    with serve(cli, folder, "-m", mail_model), postfix(folder) as mta:
        with smtplib.SMTP("127.0.0.1", mta.port, timeout=PATIENCE) as client:
            for mail in (SPAM, HAM, SPAM):
                client.mail("alice@example.com")
                client.rset()
                client.sendmail("alice@example.com", ["bob@example.org"], mail)
        flags = sorted(values(mail, b"X-Spam-Flag")[0] for mail in mta.delivered(3))
        assert flags == [b"NO", b"YES", b"YES"]


@needs_postfix
@pytest.mark.parametrize("flags", [(), ("--milter-tempfail",)])
def test_a_mail_that_cannot_be_classified(cli: Cli, folder: Path, flags: tuple[str, ...]) -> None:
    """A model without a class for spam gives no verdict: the email passes unmarked, or is refused for now."""
    cli.write("d.csv", "label,text\n" + "work,see you at noon\nplay,win the match\nhome,mow the lawn\n" * 20)
    cli("train", "d.csv", "-o", "topics.spamnb")
    with serve(cli, folder, "-m", "topics.spamnb", *flags), postfix(folder) as mta:
        if flags:
            with pytest.raises(smtplib.SMTPDataError, match=r"4\.7\.1"):
                mta.send(b"X-Spam-Flag: NO\n" + HAM)
            return
        mta.send(b"X-Spam-Flag: NO\n" + HAM)
        [mail] = mta.delivered(1)
        assert values(mail, b"X-Spamnb") == [b"no verdict"]
        assert values(mail, b"X-Spam-Flag") == []


@needs_postfix
def test_without_the_service_postfix_refuses_for_now(cli: Cli, folder: Path, mail_model: Path) -> None:
    with postfix(folder) as mta:
        with pytest.raises(smtplib.SMTPException, match=r"4\.[37]\.\d"):
            mta.send(SPAM)
        with serve(cli, folder, "-m", mail_model):
            mta.send(SPAM)
            assert values(mta.delivered(1)[0], b"X-Spam-Flag") == [b"YES"]


def test_garbage_ends_a_connection_and_nothing_else(cli: Cli, mail_model: Path) -> None:
    with Server(cli, "-m", mail_model, "--milter", "127.0.0.1:0") as server:
        port = int(server.wait_for(r"milter://127\.0\.0\.1:(\d+)")[1])
        for garbage in (
            b"GET / HTTP/1.1\r\n\r\n",
            b"\0\0\0\x01?",
            b"\xff" * 5000,
            b"\0\0\0\x0dO" + b"\0" * 12,
        ):
            with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
                client.sendall(garbage)
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
            client.sendall(
                b"\0\0\0\x0dO\0\0\0\x06\0\0\x01\xff\0\x1f\xff\xff"
            )  # a negotiation as Postfix sends it
            assert client.recv(5)[4:] == b"O"
        assert server.ask("GET", "/healthz")[0] == 200
        server.process.terminate()
        server.process.wait(PATIENCE)


def test_wrong_options(cli: Cli) -> None:
    assert cli.fails("serve", "--milter", "here", code=2) == [
        "Error: --milter must be HOST:PORT or unix:PATH, got 'here'",
        "Hint: for example 127.0.0.1:783",
    ]
    assert "Error: --milter-tempfail belongs to --milter" in "\n".join(
        cli.fails("serve", "--milter-tempfail", code=2)
    )


def test_without_the_package_the_hint_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from spamnb.errors import MissingExtraError
    from spamnb.service import Address, ServeOptions, serve as start

    monkeypatch.setitem(sys.modules, "kilter.service", None)
    with pytest.raises(MissingExtraError, match=r"--milter needs the package kilter\.service") as error:
        start(Address("127.0.0.1", 0), None, Address("127.0.0.1", 0), ServeOptions())
    assert error.value.hint == "pip install kilter.service"

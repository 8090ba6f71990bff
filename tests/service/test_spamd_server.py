"""The spamd protocol of a running server, by raw bytes, by the real spamc and by aiospamc."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from spamnb.mail import DEFAULT
from spamnb.model import load, with_verdict
from spamnb.report import header_reasons
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.running_server import MAIL, Server

needs_spamc = pytest.mark.skipif(shutil.which("spamc") is None, reason="spamc is not installed")


def socket_of(server: Server) -> str:
    return str(server.cli.here / "spamd.sock")


def request(command: str, mail: bytes = MAIL, **fields: str) -> bytes:
    lines = [
        f"{command} SPAMC/1.5",
        *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items()),
    ]
    return "".join(f"{line}\r\n" for line in [*lines, f"Content-length: {len(mail)}", ""]).encode() + mail


def ask(server: Server, data: bytes) -> bytes:
    return server.spamd(socket_of(server), data)


def test_ping_and_skip(server: Server) -> None:
    assert ask(server, b"PING SPAMC/1.2\r\n\r\n") == b"SPAMD/1.5 0 PONG\r\n"
    assert ask(server, b"SKIP SPAMC/1.2\r\n") == b""


def test_check_has_the_score_of_filter(server: Server) -> None:
    score = re.search(rb"X-Spam-Score: (\S+)", with_verdict(MAIL, load("mail"), DEFAULT, header_reasons))
    assert score is not None
    expected = b"SPAMD/1.1 0 EX_OK\r\nSpam: True ; %s / 5.0\r\n\r\n" % score[1]
    assert ask(server, request("CHECK")) == expected
    assert ask(server, request("CHECK") + b"more than was stated" * 1000) == expected
    assert ask(server, b"CHECK SPAMC/1.5\r\n\r\n" + MAIL) == expected  # until the client ends
    packed = zlib.compress(MAIL)
    assert ask(server, request("CHECK", packed, Compress="zlib")) == expected


def test_process_and_headers_are_those_of_filter(server: Server) -> None:
    filtered = with_verdict(MAIL, load("mail"), DEFAULT, header_reasons)
    head, _, body = ask(server, request("PROCESS")).partition(b"\r\n\r\n")
    assert body == filtered
    assert b"Content-length: %d" % len(filtered) in head
    assert ask(server, request("HEADERS")).endswith(filtered.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")


def test_reports_and_symbols(server: Server) -> None:
    assert ask(server, request("SYMBOLS")).endswith(b"\r\n\r\nSPAMNB_SPAM")
    report = ask(server, request("REPORT"))
    assert b"points, 5.0 required)" in report
    assert b" pts token" in report
    ham = b"Subject: minutes of the meeting\r\n\r\nplease find attached the minutes of the meeting\r\n"
    reply = ask(server, request("REPORT_IFSPAM", ham))
    assert b"Spam: False" in reply
    assert reply.endswith(b"\r\n\r\n")


def test_a_client_before_version_1_3_gets_one_field(server: Server) -> None:
    """Exim sends REPORT SPAMC/1.2, and reads nothing but this form of a reply."""
    reply = ask(server, request("REPORT").replace(b"SPAMC/1.5", b"SPAMC/1.2"))
    assert re.match(
        rb"SPAMD/1\.1 0 EX_OK\r\nSpam: True ; \d+\.\d / 5\.0\r\n\r\nSpam detection software", reply
    )


@pytest.mark.parametrize(
    ("data", "reply"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "76 Bad header line: expected COMMAND SPAMC/VERSION"),
        (b"\r\n", "76 Bad header line: expected COMMAND SPAMC/VERSION"),
        (b"CHECK SPAMC/1.5\r\nno field\r\n\r\n", "76 Bad header line: expected NAME: VALUE"),
        (
            b"CHECK SPAMC/1.5\r\nContent-length: -1\r\n\r\n",
            "76 Bad header line: Content-length is no number",
        ),
        (b"CHECK SPAMC/1.5\r\nCompress: lz4\r\n\r\n", "76 Bad header line: only Compress: zlib is supported"),
        (request("CHECK", b"12345")[:-2], "76 Content-length mismatch: expected 5 bytes, got 3 bytes"),
        (request("CHECK", b"no zlib", Compress="zlib"), "65 the body is not zlib data"),
        (request("CHECK", zlib.compress(MAIL)[:-4], Compress="zlib"), "65 the zlib data is not complete"),
        (b"CHECK SPAMC/1.5\r\nX: " + b"a" * 9000 + b"\r\n\r\n", "76 the header has more than 8192 bytes"),
        (
            request("CHECK", zlib.compress(bytes(20 << 20)), Compress="zlib"),
            "65 the email is too large: at most 16777216 bytes are accepted",
        ),
        (
            b"CHECK SPAMC/1.5\r\nContent-length: 99999999999\r\n\r\n",
            "65 the email is too large: at most 16777216 bytes are accepted",
        ),
        (
            request("TELL", Message_class="spam", Set="local"),
            "69 Service Unavailable: TELL commands are not enabled, set the --allow-tell switch.",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused(server: Server, data: bytes, reply: str) -> None:
    assert ask(server, data) == f"SPAMD/1.0 {reply}\r\n".encode()
    code, _, reason = reply.partition(" ")
    assert f'refused source=spamd status={code} reason="{reason}"\n' in server.log
    assert ask(server, b"PING SPAMC/1.2\r\n\r\n") == b"SPAMD/1.5 0 PONG\r\n"


def spamc(server: Server, *flags: str, mail: bytes = MAIL, code: int = 0) -> str:
    command = ["spamc", "-F", "/dev/null", "-U", socket_of(server), *flags]
    done = subprocess.run(command, input=mail, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == code, done
    return done.stdout.decode()


@needs_spamc
def test_spamc_checks_filters_and_reports(server: Server) -> None:
    assert re.fullmatch(r"\d+\.\d/5\.0\n", spamc(server, "-c", code=1))
    assert spamc(server, "-K") == "SPAMD/1.5 0\n"
    assert spamc(server, "-y") == "SPAMNB_SPAM"
    assert spamc(server).encode() == with_verdict(MAIL, load("mail"), DEFAULT, header_reasons)
    assert spamc(server, "--headers").endswith(MAIL.decode())
    assert "points, 5.0 required)" in spamc(server, "-R")


@needs_spamc
def test_spamc_teaches_with_allow_tell(cli: Cli) -> None:
    ham = b"Subject: offer\n\nclick here to win the zeppelin prize\n"
    with Server(cli, "--spamd", "unix:spamd.sock", "--allow-tell") as server:
        assert spamc(server, "-c", mail=ham, code=1)
        assert spamc(server, "-L", "ham", mail=ham) == "Message successfully un/learned\n"
        assert spamc(server, "-L", "ham", mail=ham) == "Message was already un/learned\n"
        assert spamc(server, "-c", mail=ham).endswith("/5.0\n")
        assert spamc(server, "-L", "forget", mail=ham) == "Message successfully un/learned\n"
    assert cli.own_mail_model.exists()
    assert not cli.own_model.exists()


def test_aiospamc_agrees(cli: Cli) -> None:
    aiospamc = pytest.importorskip("aiospamc")
    with Server(cli, "--spamd", "127.0.0.1:0") as server:
        port = int(server.wait_for(r"spamd://127\.0\.0\.1:(\d+)")[1])

        async def talk() -> tuple[object, object, bytes]:
            where = {"host": "127.0.0.1", "port": port}
            pong = await aiospamc.ping(**where)
            checked = await aiospamc.check(MAIL, compress=True, **where)
            processed = await aiospamc.process(MAIL, **where)
            return pong.message, checked.headers.spam.value, processed.body

        assert asyncio.run(talk()) == (
            "PONG",
            True,
            with_verdict(MAIL, load("mail"), DEFAULT, header_reasons),
        )


def test_a_unix_socket_is_removed_and_replaced(cli: Cli) -> None:
    path = Path(cli.here / "spamd.sock")
    with Server(cli, "-m", "mail", "--spamd", "unix:spamd.sock") as server:
        assert path.stat().st_mode & 0o777 == 0o660
        lines = cli.fails("serve", "--port", "0", "--spamd", "unix:spamd.sock")
        assert lines == [
            "Error: cannot listen on unix:spamd.sock: another server uses it",
            "Hint: choose another path",
        ]
        server.process.kill()
        server.process.wait()
    assert path.exists()
    with Server(cli, "-m", "mail", "--spamd", "unix:spamd.sock") as server:
        assert server.spamd(str(path), b"PING SPAMC/1.2\r\n\r\n") == b"SPAMD/1.5 0 PONG\r\n"
    assert not path.exists()

"""Runs the commands and programs of the pages on the service, against a running server."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.paths import ROOT
from tests.helpers.running_server import MAIL, Server

HOW_TO = ROOT / "docs" / "how-to"
needs = {name: pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed") for name in (
    "curl", "node", "spamc", "openssl", "systemd-analyze",
)}  # fmt: skip


def blocks(page: str, kind: str) -> list[str]:
    text = (HOW_TO / f"{page}.md").read_text("utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def lines(page: str, start: str) -> list[str]:
    """The commands of a page that begin with this program."""
    return [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith(start)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    cli = Cli(tmp_path_factory.mktemp("service"))
    cli.write("mail.eml", MAIL)
    cli.write("token", "0123456789abcdef0123\n")
    flags = "--spamd", "unix:spamd.sock", "--allow-tell"
    assert f"spamnb serve {' '.join(flags)}" in lines("run-a-service", "spamnb")
    with Server(cli, *flags) as running:
        yield running


def run(server: Server, command: str) -> str:
    """Runs a line of shell with the port of the server."""
    command = command.replace(":7726", f":{server.port}")
    done = subprocess.run(
        ["/bin/bash", "-ec", command], cwd=server.cli.here, capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode in (0, 1), done.stderr  # spamc -c: 1 is spam
    return done.stdout.decode()


@needs["curl"]
@pytest.mark.parametrize("page", ["run-a-service", "use-from-your-app"])
def test_curl_commands_are_answered(server: Server, page: str) -> None:
    commands = lines(page, "curl")
    assert len(commands) > 4
    for command in commands:
        output = run(server, command)
        if "/metrics" in command:
            assert "spamnb_verdicts_total" in output
        else:
            for line in output.splitlines():
                assert "error" not in json.loads(line), command


@needs["curl"]
def test_the_answer_on_the_page_is_the_real_one(tmp_path: Path) -> None:
    [shown] = blocks("run-a-service", "json")
    command = next(command for command in lines("run-a-service", "curl") if "0909" in command)
    with Server(Cli(tmp_path)) as untaught:
        expected, answer = json.loads(shown), json.loads(run(untaught, command))
    assert expected.keys() == answer.keys()
    assert answer["log_odds"] == pytest.approx(expected["log_odds"])


def test_the_page_is_at_the_address_in_the_text(tmp_path: Path) -> None:
    assert "spamnb serve --history 1000" in lines("run-a-service", "spamnb")
    with Server(Cli(tmp_path), "--history", "1000") as running:
        status, headers, content = running.ask("GET", "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b'data-history="1000"' in content


@needs["spamc"]
def test_spamc_commands_work(server: Server) -> None:
    outputs = [run(server, command) for command in lines("run-a-service", "spamc")]
    assert outputs[0].endswith("/5.0\n")
    assert "X-Spam-Flag: YES" in (server.cli.here / "filtered.eml").read_text()
    assert outputs[2] == "Message successfully un/learned\n"


def test_the_python_client_works(server: Server) -> None:
    program = blocks("use-from-your-app", "python")[0].replace(":7726", f":{server.port}")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=PATIENCE, check=True)
    assert done.stdout == b"spam\nham\nspam\n"


@needs["node"]
def test_the_node_client_works(server: Server, tmp_path: Path) -> None:
    [program] = blocks("use-from-your-app", "js")
    path = tmp_path / "client.mjs"
    path.write_text(program.replace(":7726", f":{server.port}"))
    done = subprocess.run(["node", path], capture_output=True, timeout=PATIENCE, check=True)
    assert done.stdout == b"spam\n"


SMS = b"From=%2B441632960000&Body=WIN+a+FREE+prize%21+Call+0909+879+0123+now"


@contextmanager
def webhook(port: int, token: str = "") -> Iterator[str]:
    """Runs the webhook of the page; its URL. It ends without any traceback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own = free.getsockname()[1]
    source = blocks("use-from-your-app", "python")[1].replace(":7726", f":{port}")
    program = subprocess.Popen(
        [sys.executable, "-c", source, str(own)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "SPAMNB_TOKEN": token},
    )  # fmt: skip
    try:
        yield f"http://127.0.0.1:{own}/"
    finally:
        program.kill()
        errors = program.communicate()[1]
    assert b"Traceback" not in errors, errors.decode()


def test_the_webhook_drops_spam_and_survives_without_the_service(server: Server) -> None:
    with webhook(server.port) as url:
        assert post(url, SMS) == (200, b"drop")
    with webhook(1) as url:
        assert post(url, SMS) == (200, b"deliver")


def test_the_webhook_reports_what_the_service_refuses(server: Server) -> None:
    with webhook(server.port) as url:
        status, answer = post(url, b"From=1&Body=\xff")
        assert (status, b'{"error":"the body is not a form"' in answer) == (500, True)
        status, answer = post(url, (part for part in (b"From=1",)))  # chunked: without a length
        assert (status, b"the form has no field Body" in answer) == (500, True)


def test_the_webhook_has_the_token(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli.write("token", "0123456789abcdef0123\n")
    with Server(cli, "--token-file", "token") as protected:
        with webhook(protected.port, "0123456789abcdef0123") as url:
            assert post(url, SMS) == (200, b"drop")
        with webhook(protected.port) as url:
            status, answer = post(url, SMS)
            assert (status, b"a token is required" in answer) == (500, True)


def post(url: str, form: bytes | Iterator[bytes]) -> tuple[int, bytes]:
    """Posts a form as soon as there is a server: status and answer."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urlopen(Request(url, form), timeout=PATIENCE) as answer:  # type: ignore[arg-type]
                return answer.status, answer.read()
        except HTTPError as error:
            return error.code, error.read()
        except URLError:
            assert time.monotonic() < until
            time.sleep(0.05)


@needs["systemd-analyze"]
def test_the_units_are_valid(tmp_path: Path) -> None:
    for path in (ROOT / "deploy" / "systemd").iterdir():
        text = path.read_text().replace("/usr/local/bin/spamnb", sys.executable)
        (tmp_path / path.name).write_text(text)
    units = sorted(tmp_path.iterdir())
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

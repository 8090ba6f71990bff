"""Limits and access: tokens, slow clients, many connections, full sockets, workers and a graceful stop."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import spamnb
from spamnb.service.connection_limit import ConnectionLimit
from spamnb.service.filter_service import BLOCK
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.running_server import SPAM_TEXT, Server, resident_megabytes

REQUEST = json.dumps({"text": SPAM_TEXT}).encode()


def connect(port: int, data: bytes = b"") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    client.sendall(data)
    return client


def test_a_token_is_required_beyond_loopback(cli: Cli) -> None:
    lines = cli.fails("serve", "--host", "0.0.0.0", "--port", "7726", code=2)
    assert lines == [
        "Error: other machines can reach 0.0.0.0:7726, so a token is required",
        "Hint: openssl rand -hex 32 > token, then add --token-file token",
    ]
    cli.write("short", "abc\n")
    assert cli.fails("serve", "--token-file", "short", code=2) == [
        "Error: the token in short must be one word of at least 16 ASCII characters",
        "Hint: make one: openssl rand -hex 32 > short",
    ]
    assert cli.fails("serve", "--token-file", "none", code=2)[0] == (
        "Error: cannot read --token-file none: No such file or directory"
    )


def test_only_requests_with_the_token_are_answered(cli: Cli) -> None:
    cli.write("token", "correct-horse-battery\n")
    with Server(cli, "-m", "sms", "--host", "0.0.0.0", "--token-file", "token") as server:
        status, header, _ = server.ask("POST", "/predict", REQUEST, Content_Type="application/json")
        assert (status, header["www-authenticate"]) == (401, "Bearer")
        wrong, none = "the token is wrong", "a token is required"
        tokens = {
            "Bearer wrong": wrong,
            "Basic correct-horse-battery": wrong,
            "Bearer": none,
            "Bearer \xe9": wrong,
        }
        for token, error in tokens.items():
            answer = server.post("/predict", {"text": SPAM_TEXT}, 401, Authorization=token)
            assert answer == {"error": error, "hint": "send the header Authorization: Bearer TOKEN"}
        right = {"Authorization": "Bearer correct-horse-battery", "Host": "filter.example"}
        assert server.post("/predict", {"text": SPAM_TEXT}, **right)["verdict"] == "spam"
        assert server.ask("GET", "/metrics")[0] == 401
        server.wait_for('refused source=http status=401 route="GET /metrics"\n')
        assert server.ask("GET", "/healthz")[0] == 200


@pytest.mark.parametrize(
    ("flags", "lines"),
    [
        (
            ("--spamd", "0.0.0.0:783", "--allow-tell"),
            [
                "Error: --allow-tell would let every machine that reaches 0.0.0.0:783 change the model: "
                "the spamd protocol has no password",
                "Hint: listen on 127.0.0.1 or on a unix socket, or teach over HTTP with a token",
            ],
        ),
        (
            ("--spamd", "here"),
            ["Error: --spamd must be HOST:PORT or unix:PATH, got 'here'", "Hint: for example 127.0.0.1:783"],
        ),
    ],
)
def test_wrong_addresses_are_refused(cli: Cli, flags: tuple[str, ...], lines: list[str]) -> None:
    assert cli.fails("serve", *flags, code=2) == lines


def test_a_port_in_use_and_a_missing_model_are_named(cli: Cli) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert cli.fails("serve", "--port", str(port)) == [
            f"Error: cannot listen on 127.0.0.1:{port}: address already in use",
            "Hint: another program uses this port: stop it, or choose another one with --port",
        ]
        assert cli.fails("serve", "--port", "0", "--spamd", f"127.0.0.1:{port}") == [
            f"Error: cannot listen on 127.0.0.1:{port}: address already in use",
            "Hint: another program uses this port: stop it, or choose another one with --spamd",
        ]
    cli.write("token", "0123456789abcdef0123")
    assert cli.fails("serve", "--port", "0", "--host", "192.0.2.1", "--token-file", "token") == [
        "Error: cannot listen on 192.0.2.1:0: cannot assign requested address",
        "Hint: name an address of this machine with --host",
    ]
    lines = cli.fails("serve", "--port", "0", "-m", "./none.spamnb")
    assert lines[0] == "Error: no model at ./none.spamnb"


def test_without_its_packages_serve_says_what_to_install(cli: Cli) -> None:
    hidden = cli.here / "hidden"
    hidden.mkdir()
    (hidden / "fastapi.py").write_text("raise ImportError")
    done = cli("serve", "--port", "0", env={"PYTHONPATH": f"{hidden}:{cli.env['PYTHONPATH']}"}, code=1)
    assert done.err.splitlines() == [
        "Error: the server needs the packages fastapi httptools prometheus-client uvicorn uvloop",
        "Hint: pip install fastapi httptools prometheus-client uvicorn uvloop",
    ]


def test_too_large_requests_are_refused(cli: Cli) -> None:
    with Server(cli, "-m", "sms", "--max-request", "1K") as server:
        refused = server.post("/predict", {"text": "a" * 2000}, 413)
        assert refused["error"] == "the request is too large: at most 1,024 bytes are accepted"
        head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        with connect(server.port, head + b"Content-Type: text/plain\r\n\r\n") as client:
            client.sendall(b"800\r\n" + b"a" * 2048 + b"\r\n0\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 413")
        with connect(server.port, b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 40_000) as client:
            assert client.recv(1000).startswith(b"HTTP/1.1 400")
        with connect(server.port, b"\x16\x03\x01 no http\r\n\r\n") as client:
            assert client.recv(1000).startswith(b"HTTP/1.1 400")
        assert server.post("/predict", {"text": SPAM_TEXT})["verdict"] == "spam"


def test_slow_clients_do_not_stop_others(cli: Cli) -> None:
    with Server(cli, "-m", "sms", "--spamd", "127.0.0.1:0") as server:
        spamd = int(server.wait_for(r"spamd://127\.0\.0\.1:(\d+)")[1])
        slow = [connect(server.port, b"POST /predict HTTP/1.1\r\nHost: local") for _ in range(120)]
        slow += [connect(spamd, b"CHECK SPAMC/1.5\r\nContent-length: 100\r\n\r\nab") for _ in range(80)]
        assert server.post("/predict", {"text": SPAM_TEXT})["verdict"] == "spam"
        assert server.spamd(("127.0.0.1", spamd), b"PING SPAMC/1.2\r\n\r\n") == b"SPAMD/1.5 0 PONG\r\n"
        for client in slow:
            client.close()


def test_the_oldest_waiting_connection_has_to_go() -> None:
    closed, limit = list[int](), ConnectionLimit(3)
    for number in range(3):
        limit.wait(number, lambda number=number: closed.append(number))
    limit.wait(0, lambda: closed.append(0))  # it has sent a request and waits again
    limit.leave(2)
    limit.wait(3, lambda: closed.append(3))
    assert (closed, len(limit)) == ([], 3)
    limit.wait(4, lambda: closed.append(4))
    assert closed == [1]


def test_a_stop_finishes_requests_and_frees_the_port(cli: Cli) -> None:
    with Server(cli, "-m", "sms") as server:
        texts = [f"{SPAM_TEXT} {i}" for i in range(20_000)]
        with ThreadPoolExecutor(2) as pool:
            running = pool.submit(server.post, "/predict", {"texts": texts})
            server.wait_for(f"messages={BLOCK}")
            server.process.send_signal(signal.SIGTERM)
            assert len(running.result()["predictions"]) == 20_000
        assert server.process.wait(PATIENCE) == 0
        assert "stopped" in server.log
        with pytest.raises(ConnectionRefusedError):
            connect(server.port)


def test_a_full_disk_refuses_lessons_and_nothing_else(cli: Cli) -> None:
    with Server(cli, "--history", "5") as server:
        server.post("/learn", {"text": "the zeppelin", "label": "spam"})
        unlimited = resource.RLIM_INFINITY
        for limit, status in ((0, 503), (unlimited, 200)):  # no file may grow, log and history included
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, unlimited))
            answer = server.post("/learn", {"text": f"a second zeppelin {limit}", "label": "spam"}, status)
            assert server.post("/predict", {"text": "the zeppelin"})["verdict"] == "spam"
            if status == 503:
                assert answer == {
                    "error": f"cannot write {cli.own_model}.journal: file too large",
                    "hint": "the model that was there, if any, is unchanged",
                }
        assert answer["lesson"] == 2


def test_a_killed_worker_is_replaced(cli: Cli) -> None:
    with Server(cli, "-m", "sms", "--workers", "2") as server:
        until = time.monotonic() + PATIENCE
        while len(pids := re.findall(r'ready message="process (\d+)"', server.log)) < 2:
            assert time.monotonic() < until
            time.sleep(0.02)
        os.kill(int(pids[0]), signal.SIGKILL)
        server.wait_for(f"worker {pids[0]} ended with signal 9; starting another one")
        answers = [server.post("/predict", {"text": f"{SPAM_TEXT} {i}"}) for i in range(20)]
        assert {row["verdict"] for row in answers} == {"spam"}
        server.wait_for(r'(?s)(ready message="process \d+".*){3}')
        metrics = server.ask("GET", "/metrics")[2]
        assert b'spamnb_verdicts_total{source="http",verdict="spam"} 20.0' in metrics
    assert server.process.returncode == 0


def test_each_worker_undoes_the_lessons_of_all(cli: Cli, tiny: Path) -> None:
    model = cli.write("m.spamnb", tiny.read_bytes())
    with Server(cli, "-m", model, "--workers", "2") as server:
        server.wait_for(r'(?s)(ready message="process \d+".*){2}')
        numbers = [
            server.post("/learn", {"text": f"zeppelin {i}", "label": "spam"})["lesson"] for i in range(4)
        ]
        assert numbers == [1, 2, 3, 4]
        assert server.post("/undo?lesson=2")["undone"] == [2]
        assert [server.post("/undo")["undone"] for _ in range(3)] == [[4], [3], [1]]
        assert server.post("/undo", b"", 409)["error"] == "there is no lesson to undo"
        assert server.post("/undo?lesson=2", b"", 409)["error"] == "lesson 2 was already undone by lesson 5"
        wrong = server.post("/undo?lesson=x", b"", 422)
        assert wrong["error"] == "wrong value of query/lesson"
    assert spamnb.load(str(model)).store.message_totals.tolist() == (
        spamnb.load(str(tiny)).store.message_totals.tolist()
    )


def test_clients_that_hang_up_do_not_end_the_server(server: Server) -> None:
    question = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for _ in range(5):
        connect(server.port, 20 * question).close()
    assert server.ask("GET", "/healthz")[0] == 200
    assert server.process.poll() is None


def test_workers_that_cannot_start_end_the_server(cli: Cli) -> None:
    cli.write("bad.spamnb", b"no model")
    done = cli("serve", "--port", "0", "--workers", "2", "-m", "./bad.spamnb", code=3)
    assert "is not a spamnb model" in done.err
    assert "5 failed one after the other: giving up" in done.err


def test_systemd_hands_sockets_over(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "activate.py"
    script.write_text(
        "import os, socket, sys\n"
        "http, spamd = socket.create_server(('127.0.0.1', 0)), socket.socket(socket.AF_UNIX)\n"
        "spamd.bind('s.sock'); spamd.listen()\n"
        "a, b = os.dup(http.fileno()), os.dup(spamd.fileno())\n"
        "os.dup2(a, 3); os.dup2(b, 4); os.set_inheritable(3, True); os.set_inheritable(4, True)\n"
        "os.environ |= {'LISTEN_PID': str(os.getpid()), 'LISTEN_FDS': '2', 'LISTEN_FDNAMES': 'http:spamd'}\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'spamnb', *sys.argv[1:]])\n"
    )

    class Activated(Cli):
        def command(self, *args: str | Path) -> list[str]:
            command = super().command(*args)
            return [command[0], str(script), *command[3:]]

    with Server(Activated(cli.here), "-m", "mail") as server:
        assert server.post("/predict", {"text": SPAM_TEXT})["verdict"]
        assert server.spamd(str(cli.here / "s.sock"), b"PING SPAMC/1.2\r\n\r\n") == b"SPAMD/1.5 0 PONG\r\n"


def test_the_log_can_be_json(cli: Cli) -> None:
    with Server(cli, "-m", "sms", "--log-format", "json") as server:
        request = server.post("/predict", {"text": SPAM_TEXT})["id"]
        server.wait_for(request)
        line = json.loads(next(line for line in server.log.splitlines() if request in line))
    assert line.keys() == {"time", "event", "id", "source", "verdict", "p", "ms"}
    assert (line["event"], line["verdict"]) == ("verdict", "spam")


def test_memory_stays_flat(cli: Cli) -> None:
    with Server(cli) as server:
        texts = [f"{SPAM_TEXT} {i} {i * i}" for i in range(20_000)]
        server.post("/predict", {"texts": texts})
        before = resident_megabytes(server.process.pid)
        for _ in range(3):
            server.post("/predict", {"texts": texts})
        assert resident_megabytes(server.process.pid) < before + 30

"""Runs the lines of docs/how-to/run-a-service.md with a real Exim, installed in place of Postfix."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.other_user import open_folder
from tests.helpers.page_blocks import block
from tests.helpers.paths import SMALL_MAILS
from tests.helpers.running_server import Server

_CONFIG = """
spool_directory = {folder}/spool
log_file_path = {folder}/log/%slog
pid_file_path = {folder}/exim.pid
primary_hostname = mail.example.org
keep_environment =
tls_advertise_hosts =
host_lookup =
acl_smtp_rcpt = accept
acl_smtp_data = acl_check_data
{spamd}
begin acl
{acl}
"""
_EXIM = shutil.which("exim4") or shutil.which("exim") or ""


def sent(folder: Path, mail: bytes) -> str:
    """What Exim answers to a mail by SMTP on stdin; the mail stays in the queue."""
    begin = b"EHLO x\nMAIL FROM:<a@example.com>\nRCPT TO:<b@example.org>\nDATA\n"
    lines = begin + mail.replace(b"\r\n", b"\n").replace(b"\n.", b"\n..") + b"\n.\nQUIT\n"
    command = [_EXIM, "-C", str(folder / "exim.conf"), "-odq", "-bs"]
    done = subprocess.run(
        command, input=lines.replace(b"\n", b"\r\n"), capture_output=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    return (done.stdout + done.stderr).decode()


@pytest.mark.skipif(not _EXIM, reason="Exim is not installed")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run Exim with a configuration of its own")
def test_exim_scores_and_refuses(cli: Cli, mail_model: Path) -> None:
    with open_folder(0o777) as folder:
        socket, (spamd, _, acl) = folder / "spamd.sock", block("text", "spamd_address").partition("\n")
        config = _CONFIG.format(
            folder=folder, spamd=spamd.replace("/run/spamnb/spamd.sock", str(socket)), acl=acl
        )
        (folder / "exim.conf").write_text(config)
        for name in ("spool", "log"):
            (folder / name).mkdir()
            (folder / name).chmod(0o777)
        with Server(cli, "-m", mail_model, "--spamd", f"unix:{socket}") as server:
            socket.chmod(0o666)
            for label in ("spam", "ham"):
                mail = next(path for path in SMALL_MAILS if path.parent.name == label).read_bytes()
                assert "250 OK id=" in sent(folder, mail), server.log
        queued = "".join(path.read_text("latin-1") for path in (folder / "spool").rglob("*-H"))
        scores = sorted(float(score) for score in re.findall(r"X-Spam-Score: (-?\d+\.\d)\n", queued))
        assert len(scores) == 2, "".join(path.read_text() for path in (folder / "log").iterdir())
        assert scores[0] < 5 <= scores[1]
        low = config.replace("{120}", "{50}")
        assert low != config
        (folder / "exim.conf").write_text(low)
        with Server(cli, "-m", mail_model, "--spamd", f"unix:{socket}") as server:
            socket.chmod(0o666)
            spam = next(path for path in SMALL_MAILS if path.parent.name == "spam").read_bytes()
            assert "550 This message looks like spam." in sent(folder, spam)

"""Starts a real Dovecot on loopback, in a folder of its own, with two accounts."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

import pytest

from tests.helpers.command_line import PATIENCE

USERS = ("ann@example.org", "bob@example.org")
READER = "me@example.org"  # the account of the documents
PASSWORD = "open sesame"
# Without root all services run as the caller; with root, mail belongs to an ordinary user.
_CONFIG = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
auth_mechanisms = plain
first_valid_uid = 1
mail_location = {driver}:~/mail
mailbox_list_index = no
imap_capability = {capability}
default_login_user = {login_user}
default_internal_user = {internal_user}
default_internal_group = {internal_group}
mail_max_userip_connections = 100
passdb {{
  driver = passwd-file
  args = {folder}/passwd
}}
userdb {{
  driver = passwd-file
  args = {folder}/passwd
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox {junk} {{
    auto = subscribe
    special_use = \\Junk
  }}
  mailbox Trash {{
    auto = subscribe
    special_use = \\Trash
  }}
  mailbox Archive {{
    auto = subscribe
    special_use = \\Archive
  }}
  mailbox Sent {{
    auto = subscribe
    special_use = \\Sent
  }}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {plain_port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


def missing_programs() -> str:
    """Why Dovecot cannot be started here, "" if it can."""
    programs = "/usr/sbin/dovecot", "/usr/lib/dovecot/imap", shutil.which("openssl") or "openssl"
    absent = [program for program in programs if not os.path.exists(program)]
    return f"needs dovecot-imapd and openssl, absent: {', '.join(absent)}" if absent else ""


needs_dovecot = pytest.mark.skipif(bool(missing_programs()), reason=missing_programs())


class Dovecot:
    """A server that is started at once; `stop` ends it by its process id and removes its folder."""

    def __init__(self, capability: str = "", driver: str = "maildir", junk: str = "Junk") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="spamnb-dovecot-"))
        self.folder.chmod(0o755)
        self.tls_port, self.plain_port = _free_port(), _free_port()
        root = os.geteuid() == 0
        me = pwd.getpwuid(os.geteuid()).pw_name
        owner = pwd.getpwnam("nobody") if root else pwd.getpwuid(os.geteuid())
        self._passwords(owner)
        self._certificate()
        (self.folder / "dovecot.conf").write_text(
            _CONFIG.format(
                folder=self.folder,
                driver=driver,
                junk=junk,
                capability=capability,
                tls_port=self.tls_port,
                plain_port=self.plain_port,
                login_user="dovenull" if root else me,
                internal_user="dovecot" if root else me,
                internal_group="dovecot" if root else pwd.getpwuid(os.geteuid()).pw_gid,
            )
        )
        self._start()

    @property
    def certificate(self) -> Path:
        return self.folder / "cert.pem"

    @property
    def server(self) -> str:
        return f"127.0.0.1:{self.tls_port}"

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.tls_port

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))

    def _passwords(self, owner: pwd.struct_passwd) -> None:
        lines = []
        for user in (*USERS, READER):
            home = self.folder / "home" / user
            home.mkdir(parents=True)
            if os.geteuid() == 0:
                os.chown(home, owner.pw_uid, owner.pw_gid)
            lines.append(f"{user}:{{PLAIN}}{PASSWORD}:{owner.pw_uid}:{owner.pw_gid}::{home}::\n")
        (self.folder / "passwd").write_text("".join(lines))

    def _certificate(self) -> None:
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
        files = ["-keyout", str(self.folder / "key.pem"), "-out", str(self.certificate)]
        subprocess.run([*command, "-nodes", "-days", "2", *names, *files], check=True, capture_output=True)

    def _start(self) -> None:
        config = ["-F", "-c", str(self.folder / "dovecot.conf")]
        with open(self.folder / "errors", "wb") as errors:
            self._process = subprocess.Popen(
                ["/usr/sbin/dovecot", *config],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        end = time.monotonic() + PATIENCE
        while not _accepts(self.tls_port):
            assert self._process.poll() is None, (self.folder / "errors").read_text()
            assert time.monotonic() < end
            time.sleep(0.02)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def restart(self) -> None:
        """Ends all connections, and listens again."""
        self._end()
        self._start()

    def _end(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _accepts(port: int) -> bool:
    with socket.socket() as one:
        one.settimeout(1)
        return one.connect_ex(("127.0.0.1", port)) == 0

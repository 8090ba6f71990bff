"""Starts a real Postfix on loopback, with a configuration and a queue in the places of those of the system.

`sendmail` accepts no other configuration from an ordinary user, so the recipes of the pages would not run as
they stand. A private mount namespace gives the processes of this Postfix folders of their own.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import smtplib
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

import pytest

from tests.helpers.command_line import PATIENCE
from tests.helpers.paths import ROOT

_MAIN = """
compatibility_level = 3.6
mail_owner = postfix
setgid_group = postdrop
daemon_directory = /usr/lib/postfix/sbin
command_directory = /usr/sbin
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.example.org
mydestination =
mynetworks = 127.0.0.0/8
smtpd_recipient_restrictions = permit_mynetworks, reject
virtual_mailbox_domains = example.org
virtual_mailbox_base = {folder}/mail
virtual_mailbox_maps = static:inbox/
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
virtual_minimum_uid = 1
default_transport = error:nothing leaves this machine
alias_maps =
biff = no
minimal_backoff_time = 1s
queue_run_delay = 1s
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
"""
_MASTER = """
pickup    unix  n  -  n  1  1  pickup
cleanup   unix  n  -  n  -  0  cleanup
qmgr      unix  n  -  n  1  1  qmgr
rewrite   unix  -  -  n  -  -  trivial-rewrite
bounce    unix  -  -  n  -  0  bounce
defer     unix  -  -  n  -  0  bounce
trace     unix  -  -  n  -  0  bounce
proxymap  unix  -  -  n  -  -  proxymap
error     unix  -  -  n  -  -  error
retry     unix  -  -  n  -  -  error
virtual   unix  -  n  n  -  -  virtual
showq     unix  n  -  n  -  -  showq
postlog   unix-dgram n - n - 1 postlogd
"""
_HIDDEN = {"etc": "/etc/postfix", "queue": "/var/spool/postfix", "data": "/var/lib/postfix"}


def missing() -> str:
    """Why Postfix cannot be started here, "" if it can."""
    if absent := [path for path in ("/usr/sbin/postfix", *_HIDDEN.values()) if not os.path.exists(path)]:
        return f"needs Postfix, absent: {', '.join(absent)}"
    if os.geteuid():
        return "only root can start Postfix"
    probe = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    return "needs a mount namespace of its own" if probe.returncode else ""


needs_postfix = pytest.mark.skipif(bool(missing()), reason=missing())


class Postfix:
    """A server inside `with` for mail to example.org; `services` are lines for master.cf."""

    def __init__(self, services: str, settings: str = "") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="spamnb-postfix-"))
        self.folder.chmod(0o755)
        self._services, self._settings = services, settings
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])

    def __enter__(self) -> Self:
        owner, mail_user = pwd.getpwnam("nobody"), pwd.getpwnam("postfix")
        shutil.copytree("/etc/postfix", self.folder / "etc")
        for name in ("queue", "data", "mail"):
            (self.folder / name).mkdir()
        os.chown(self.folder / "data", mail_user.pw_uid, mail_user.pw_gid)
        os.chown(self.folder / "mail", owner.pw_uid, owner.pw_gid)
        main = _MAIN.format(folder=self.folder, uid=owner.pw_uid, gid=owner.pw_gid)
        (self.folder / "etc" / "main.cf").write_text(main + self._settings)
        (self.folder / "etc" / "master.cf").write_text(
            _MASTER + self._services.replace("smtp      inet", f"127.0.0.1:{self.port} inet")
        )
        binds = [f"mount --bind {self.folder}/{name} {path}" for name, path in _HIDDEN.items()]
        start = " && ".join([*self._open_paths(), *binds, "exec postfix start-fg"])
        with open(self.folder / "errors", "wb") as errors:
            self._process = subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", start],
                stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True,
            )  # fmt: skip
        try:
            self._wait_until(self._answers)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        pid = self.folder / "queue" / "pid" / "master.pid"
        if pid.exists():
            os.kill(int(pid.read_text()), signal.SIGTERM)  # it ends its services too
        elif self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _open_paths(self) -> list[str]:
        """Commands that let every user reach this clone and its Python, wherever they are."""
        paths = [str(path) for path in dict.fromkeys((ROOT, Path(sys.base_prefix), Path(sys.prefix)))]
        closed = {parent for path in paths for parent in Path(path).parents if not parent.stat().st_mode & 1}
        copies = {path: self.folder / "open" / str(i) for i, path in enumerate(paths)}
        first = sorted(str(path) for path in closed if not closed & set(path.parents))
        hidden = {
            path: copy for path, copy in copies.items() if any(path.startswith(f"{one}/") for one in first)
        }
        return [
            *(f"mkdir -p {copy} && mount --bind {path} {copy}" for path, copy in hidden.items()),
            *(f"mount -t tmpfs -o mode=755 tmpfs {path}" for path in first),
            *(f"mkdir -p {path} && mount --bind {copy} {path}" for path, copy in hidden.items()),
        ]

    def send(self, mail: bytes) -> None:
        with smtplib.SMTP("127.0.0.1", self.port, timeout=PATIENCE) as client:
            client.sendmail("alice@example.com", ["bob@example.org"], mail)

    def delivered(self, count: int) -> list[bytes]:
        """Waits for so many mails in the inbox."""
        folder = self.folder / "mail" / "inbox" / "new"
        self._wait_until(lambda: folder.is_dir() and len(os.listdir(folder)) >= count)
        return [
            path.read_bytes() for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        ]

    def wait_for_log(self, text: str) -> str:
        log = self.folder / "log"
        self._wait_until(lambda: log.exists() and text in log.read_text())
        return log.read_text()

    def _answers(self) -> bool:
        assert self._process.poll() is None, self.errors
        with socket.socket() as one:
            one.settimeout(1)
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def errors(self) -> str:
        log = self.folder / "log"
        return (self.folder / "errors").read_text() + (log.read_text() if log.exists() else "")

    def _wait_until(self, condition: object) -> None:
        assert callable(condition)
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, self.errors
            time.sleep(0.05)

"""Opens the sockets of a server: TCP or unix, or those that systemd hands over."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import stat
from typing import NamedTuple

from spamnb.errors import ConfigError, SpamnbError

BACKLOG = 1024
_FIRST_FD = 3  # of the sockets that systemd hands over


class ListenError(SpamnbError):
    """A server cannot listen on an address."""


class Address(NamedTuple):
    """A TCP address, or the path of a unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can connect."""
        return bool(self.path) or is_loopback(self.host)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"unix:{self.path}" if self.path else f"{host}:{self.port}"


class ServerSockets(NamedTuple):
    """The listening sockets of a server, by protocol."""

    http: list[socket.socket]
    spamd: list[socket.socket]
    milter: list[socket.socket]


def is_loopback(name: str) -> bool:
    """Tells whether a host is this machine, seen from itself.

    >>> [is_loopback(name) for name in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def parse_address(text: str, flag: str) -> Address:
    """Parses HOST:PORT, PORT or unix:PATH.

    >>> parse_address("783", "--spamd").port, str(parse_address("[::1]:783", "--spamd"))
    (783, '[::1]:783')
    """
    if text.startswith("unix:") and len(text) > len("unix:"):
        return Address(path=text.removeprefix("unix:"))
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"{flag} must be HOST:PORT or unix:PATH, got {text!r}", "for example 127.0.0.1:783")
    return Address(host.strip("[]") or "127.0.0.1", int(port))


def listen(address: Address, flag: str = "--port") -> socket.socket:
    """Opens a listening socket, as `flag` asks; a unix socket of a server that has ended is replaced."""
    try:
        return _listen_unix(address.path) if address.path else _listen_tcp(address)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ListenError(f"cannot listen on {address}: {reason}", _hint(address, error, flag)) from None


def _hint(address: Address, error: OSError, flag: str) -> str:
    if isinstance(error, PermissionError):
        return "choose a port above 1023" if address.port else "choose a folder where you may write"
    if address.path:
        return "choose another path"
    if error.errno == errno.EADDRINUSE:
        return f"another program uses this port: stop it, or choose another one with {flag}"
    return f"name an address of this machine with {'--host' if flag == '--port' else flag}"


def _listen_tcp(address: Address) -> socket.socket:
    family, _, _, _, where = socket.getaddrinfo(
        address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def _listen_unix(path: str) -> socket.socket:
    if os.path.exists(path):
        _remove_stale(path)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(path)
        os.chmod(path, 0o660)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def _remove_stale(path: str) -> None:
    """Removes a unix socket that no server listens on; anything else is refused."""
    if not stat.S_ISSOCK(os.lstat(path).st_mode):
        raise OSError(0, "there is a file that is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
    raise OSError(0, "another server uses it")


def address_of(listening: socket.socket) -> Address:
    """Returns the address that a socket listens on."""
    where = listening.getsockname()
    if listening.family == socket.AF_UNIX:
        return Address(path=where)
    return Address(where[0], where[1])


def inherited_sockets() -> list[socket.socket]:
    """Returns the listening sockets that systemd hands over (LISTEN_FDS), none if it did not start us."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return []
    count = os.environ.get("LISTEN_FDS", "")
    return [socket.socket(fileno=_FIRST_FD + i) for i in range(int(count) if count.isdecimal() else 0)]


def names_of_inherited() -> list[str]:
    """Returns the names of these sockets, `FileDescriptorName=` of the unit: `http`, `spamd`, `milter`."""
    return os.environ.get("LISTEN_FDNAMES", "").split(":")

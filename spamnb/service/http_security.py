"""Decides whether an HTTP request is allowed: by its token, its host and its origin."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from spamnb.service.http_body import HttpError, Scope, header_of
from spamnb.service.listening_sockets import is_loopback
from spamnb.service.page_files import PATHS

OPEN_PATHS = ("/healthz",)  # for health checks, which know no token
PAGE_HEADER = b"x-spamnb-page"  # a web page of another origin cannot send it


class RequestGuard:
    """Checks requests before they are read.

    With a token every request needs it, but for the health check. Without one the server listens on loopback
    alone, and the name in Host must be one of loopback: so a web page cannot reach the server by a name of
    its own that resolves to 127.0.0.1. A web page of another origin may never post, and what the page of the
    server itself posts has a header that others cannot send. The page needs no token: it asks for it.
    """

    def __init__(self, token: str = "") -> None:
        self._token = token.encode()

    def check(self, scope: Scope) -> None:
        if scope["path"] in OPEN_PATHS:
            return
        host = header_of(scope, b"host").decode("latin-1")
        if self._token:
            if scope["path"] in PATHS:
                return
            self._check_token(scope)
        elif not is_loopback(host_name(host)):
            raise HttpError(403, f"the host {host!r} is not served", "use 127.0.0.1 or localhost")
        origin = header_of(scope, b"origin").decode("latin-1")
        if origin and scope["method"] != "GET" and origin.partition("://")[2] != host:
            raise HttpError(
                403, "requests from other web pages are refused", "open the page of the server itself"
            )
        if (
            scope["path"].startswith("/page/")
            and scope["method"] != "GET"
            and not header_of(scope, PAGE_HEADER)
        ):
            raise HttpError(403, "this route is for the page of the server", "use /explain, /learn or /undo")

    def _check_token(self, scope: Scope) -> None:
        scheme, _, token = header_of(scope, b"authorization").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self._token):
            problem = "the token is wrong" if token else "a token is required"
            raise HttpError(401, problem, "send the header Authorization: Bearer TOKEN")


def host_name(host: str) -> str:
    """Returns the name in a Host field, without the port.

    >>> host_name("localhost:7726"), host_name("[::1]:7726"), host_name("x y")
    ('localhost', '::1', 'x y')
    """
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""

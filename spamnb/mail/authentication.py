"""Reads Authentication-Results (RFC 8601): whether a trusted server has confirmed the sender."""

from __future__ import annotations

import re

from spamnb.mail.headers import HOP, Headers
from spamnb.mail.tagged_words import domains

_COMMENT_OR_QUOTED = re.compile(rb'\([^()]*+\)|"[^"]*+"')
_RESULT = re.compile(rb";\s*+(spf|dkim|dmarc|arc)(?:/\d++)?\s*+=\s*+(\w{1,16})")
_BY = re.compile(rb"\sby\s++([^\s;]++)")
UNTRUSTED = b"authentication_results_untrusted"


def authentication_words(headers: Headers, trusted: tuple[bytes, ...] = ()) -> list[bytes]:
    """Returns the results of trusted servers, and whether there are results of others.

    A sender can write such fields too, under any server's name (authserv-id). `trusted` are the names of
    servers to trust. If it is empty, the first field's server is trusted if its domain received the mail.

    >>> results = b" mx.example.org; spf=pass; dkim=fail (key)" + HOP + b" forged.example; dmarc=pass"
    >>> received = b" from a.example by mail.example.org with SMTP; Mon"
    >>> authentication_words({b"authentication_results": results, b"received": received})
    [b'spf_pass', b'dkim_fail', b'authentication_results_untrusted']
    """
    values = headers.get(b"authentication_results", b"")
    if not values:
        return []
    fields = [_COMMENT_OR_QUOTED.sub(b" ", value.lower()) for value in values.split(HOP)]
    servers = [_server(field) for field in fields]
    trusted = trusted or _receiver(servers[0], headers.get(b"received", b""))
    out: list[bytes] = []
    for server, field in zip(servers, fields, strict=True):
        results = [b"_".join(pair) for pair in _RESULT.findall(field)]
        out += results if server in trusted else [UNTRUSTED]
    return list(dict.fromkeys(out))


def _server(field: bytes) -> bytes:
    """Returns the authserv-id that a field begins with, "" if it begins with a result."""
    first = field.partition(b";")[0].split()
    return first[0] if first and b"=" not in first[0] else b""


def _receiver(server: bytes, received: bytes) -> tuple[bytes, ...]:
    """Returns the server if its domain is that of the host that received the mail last."""
    last = _COMMENT_OR_QUOTED.sub(b" ", received.partition(HOP)[0].lower())
    by = _BY.search(b" " + last)
    return (server,) if server and by and domains[by[1]] == domains[server] else ()

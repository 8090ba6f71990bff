"""Reads Authentication-Results (RFC 8601): whether a trusted server has confirmed the sender."""

from __future__ import annotations

import re

from spamnb.mail.headers import HOP, Headers
from spamnb.mail.tagged_words import domains

_COMMENT_OR_QUOTED = re.compile(rb'\((?:[^()\\]|\\.)*+\)|"(?:[^"\\]|\\.)*+"', re.DOTALL)
_RESULT = re.compile(rb";\s*+(spf|dkim|dmarc|arc)(?:/\d++)?\s*+=\s*+(\w{1,16})")
_BY = re.compile(rb"\sby\s++([^\s;]++)")
_DEEPEST = 8  # comments in comments
UNTRUSTED = b"authentication_results_untrusted"
# Results that confirm a domain, and where it stands in each: RFC 8601, section 2.7.
_PASSED = re.compile(rb"\s*+(spf|dkim|dmarc)(?:/\d++)?\s*+=\s*+pass(?!\w)(.*)", re.DOTALL)
_DOMAIN_OF = {
    b"spf": re.compile(rb"\ssmtp\.mailfrom\s*+=\s*+(?:[^\s;@]*+@)?([a-z0-9_.-]++)(?!\S)"),
    b"dkim": re.compile(rb"\sheader\.(?:d|i)\s*+=\s*+(?:[^\s;@]*+@)?([a-z0-9_.-]++)(?!\S)"),
    b"dmarc": re.compile(rb"\sheader\.from\s*+=\s*+(?:[^\s;@]*+@)?([a-z0-9_.-]++)(?!\S)"),
}


def authentication_words(headers: Headers, trusted: tuple[bytes, ...] = ()) -> list[bytes]:
    """Returns the results of trusted servers, and whether there are results of others.

    A sender can write such fields too, under any server's name (authserv-id). `trusted` are the names of
    servers to trust. If it is empty, the first field's server is trusted if its domain received the mail.

    >>> results = b" mx.example.org; spf=pass; dkim=fail (key)" + HOP + b" forged.example; dmarc=pass"
    >>> received = b" from a.example by mail.example.org with SMTP; Mon"
    >>> authentication_words({b"authentication_results": results, b"received": received})
    [b'spf_pass', b'dkim_fail', b'authentication_results_untrusted']
    """
    out: list[bytes] = []
    for is_trusted, field in _fields(headers, trusted):
        results = [b"_".join(pair) for pair in _RESULT.findall(field)]
        out += results if is_trusted else [UNTRUSTED]
    return list(dict.fromkeys(out))


def confirmed_domains(headers: Headers, trusted: tuple[bytes, ...] = ()) -> list[bytes]:
    """Returns the domains for which SPF, DKIM or DMARC has passed, as trusted servers say.

    >>> field = b" mx.example.org; dkim=pass header.d=news.example; spf=fail smtp.mailfrom=a@b.example"
    >>> confirmed_domains({b"authentication_results": field}, (b"mx.example.org",))
    [b'news.example']
    """
    out: list[bytes] = []
    for is_trusted, field in _fields(headers, trusted):
        passed = map(_PASSED.fullmatch, field.split(b";")[1:] if is_trusted else [])
        out += [domain for match in passed if match for domain in _DOMAIN_OF[match[1]].findall(match[2])]
    return [domain for domain in dict.fromkeys(out) if b"." in domain.strip(b".")]


def _fields(headers: Headers, trusted: tuple[bytes, ...]) -> list[tuple[bool, bytes]]:
    """Returns the Authentication-Results fields in lower case, and whether their servers are trusted."""
    values = headers.get(b"authentication_results", b"")
    if not values:
        return []
    fields = [_without_comments(value) for value in values.split(HOP)]
    servers = [_server(field) for field in fields]
    trusted = trusted or _receiver(servers[0], headers.get(b"received", b""))
    return [(server in trusted, field) for server, field in zip(servers, fields, strict=True)]


def _server(field: bytes) -> bytes:
    """Returns the authserv-id that a field begins with, "" if it begins with a result."""
    first = field.partition(b";")[0].split()
    return first[0] if first and b"=" not in first[0] else b""


def _receiver(server: bytes, received: bytes) -> tuple[bytes, ...]:
    """Returns the server if its domain is that of the host that received the mail last.

    What comes before the last `by` may be what the sender has told: the name of its host.
    """
    hosts = _BY.findall(b" " + _without_comments(received.partition(HOP)[0]))
    return (server,) if server and hosts and domains[hosts[-1]] == domains[server] else ()


def _without_comments(value: bytes) -> bytes:
    value = value.lower()
    for _ in range(_DEEPEST):
        value, replaced = _COMMENT_OR_QUOTED.subn(b" ", value)
        if not replaced:
            break
    return value

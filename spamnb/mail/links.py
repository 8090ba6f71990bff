"""Links as words: the hosts, ports and first path words of every URL in a text or an HTML source."""

from __future__ import annotations

import re
from itertools import pairwise

from spamnb.mail.words import domains, host_words, table

_MOST = 200
_URL = re.compile(rb"[^\s\"'<>()\[\]{}|\\^`?#&]{1,80}")
_WORDS = table(b"", glue=b".-")
_SCHEMAS = (b"www.w3.org", b"schemas.microsoft.com")  # named by documents' first lines, not linked to
_HREF = re.compile(rb"href\s*=\s*[\"']?https?://([^\s\"'<>/?#]{1,128})")
_SHOWN = re.compile(rb"(?:s?://|(?=\.))([a-z0-9._-]{1,128})")


def find_links(source: bytes) -> list[bytes]:
    """The links of a text or an HTML source, each once, without the scheme and what is asked for.

    >>> find_links(b"see http://www.example.com:8080/pay/now?x=1 and www.example.net.")
    [b'www.example.com:8080/pay/now', b'www.example.net']
    """
    pieces = source.split(b"://", _MOST)[1:]
    start = source.find(b"www.")
    while start >= 0 and len(pieces) < 2 * _MOST:
        if source[start - 3 : start] != b"://":
            pieces.append(source[start : start + 80])
        start = source.find(b"www.", start + 4)
    found = dict.fromkeys([match[0].rstrip(b".,:;-") for match in map(_URL.match, pieces) if match])
    return [url for url in found if url and not url.startswith(_SCHEMAS)]


def link_words(links: list[bytes]) -> list[bytes]:
    """The hosts, domains, networks, ports and path words of links.

    >>> link_words([b"www.example.com:8080/pay/now", b"192.0.2.1"])
    [b'port_8080', b'www_example_com 192_0_2_1 example_com 192_0_2', b'pay now ', b'ip_host']
    """
    if not links:
        return []
    pieces = [link.partition(b"/") for link in links]
    hosts = [piece[0] for piece in pieces if piece[0]]
    out: list[bytes] = []
    if any([58 in host or 64 in host for host in hosts]):
        hosts, out = _plain(hosts)
    out += (host_words(hosts), b" ".join([piece[2] for piece in pieces]).translate(_WORDS))
    if any([host[-1] < 58 and host.replace(b".", b"").isdigit() for host in hosts]):
        out.append(b"ip_host")
    return out


def _plain(hosts: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Hosts without ports, and without users as in http://bank.example@evil.example; words that tell of both."""
    found = [host.rpartition(b"@")[2].partition(b":") for host in hosts]
    out = [b"port_" + port for _, _, port in found if port.isdigit()]
    if any([64 in host for host in hosts]):
        out.append(b"userinfo")
    return [host for host, _, _ in found if host], out


def misleads(source: bytes) -> bool:
    """Does an HTML source in lower case show the address of another domain than the one a link leads to?

    >>> misleads(b'<a href="http://203.0.113.9/x"><b>https://bank.example/login</b></a>')
    True
    """
    for start in (b">http", b">www"):
        for before, after in pairwise(source.split(start, _MOST)):
            tag = before.rfind(b"<a ")
            inside = tag >= 0 and before.find(b"</a", tag) < 0
            if inside and _differ(_HREF.search(before, tag), _SHOWN.match(after)):
                return True
    return False


def _differ(target: re.Match[bytes] | None, shown: re.Match[bytes] | None) -> bool:
    if not target or not shown:
        return False
    there = target[1].rpartition(b"@")[2].partition(b":")[0]
    return 46 in shown[1] and domains[shown[1]] != domains[there]

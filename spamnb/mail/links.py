"""Finds the links of a text or an HTML source, and turns them into words: hosts, ports and paths."""

from __future__ import annotations

import re
from itertools import pairwise

from spamnb.mail.charset import from_percent
from spamnb.mail.entities import decode_entities
from spamnb.mail.tagged_words import domains, host_words, translation

_MOST = 200  # links with a scheme, and as many without, that are read of one text
_LONGEST = 80  # bytes of a link: the host and the start of the path
# Maps bytes that end a link to blanks: a slice, `translate` and `partition` take a third of a regex's time.
_LINK = bytes(b if 32 < b < 127 and b not in b"\"'<>()[]{}|\\^`?#&" else 32 for b in range(256))
_IDN = re.compile(r"[\w.-]+")  # a host in other letters
_WORDS = translation(b"", glue=b".-")
_GLUE = bytes(ord("_") if b in b".-" else b for b in range(256))
_SCHEMAS = (b"www.w3.org", b"schemas.microsoft.com")  # in the first lines of documents, no links
_HREF = re.compile(rb"href\s*=\s*[\"']?https?://([^\s\"'<>/?#]{1,128})")
# Two patterns: ignoring case would lose the literal start and take ten times as long.
_MASKED = [
    re.compile(href + rb"\s*=\s*[\"']?([^\"'\s<>&]{0,200}&#[^\"'\s<>]{1,500})") for href in (b"href", b"HREF")
]
_ANCHOR = re.compile(rb"<a\s([^<>]{1,1000})>\s*+([a-z0-9.-]{5,80})\s*+</a")
_BARE_ENDS = (b".com", b".net", b".org")
_BARE = re.compile(rb"((?:[a-z0-9-]+\.)*[a-z0-9-]{2,}\.(?:com|net|org))\Z")
_VISIBLE_HOST = re.compile(rb"(?:s?://|(?=\.))([a-z0-9._-]{1,128})")


def find_links(source: bytes) -> list[bytes]:
    """Returns the links of a text or an HTML source, each once, without scheme and query.

    >>> find_links(b"see http://www.example.com:8080/pay/now?x=1 and www.example.net.")
    [b'www.example.com:8080/pay/now', b'www.example.net']
    """
    pieces = source.split(b"://", _MOST)[1:]
    start = source.find(b"www.")
    while start >= 0 and len(pieces) < 2 * _MOST:
        if source[start - 3 : start] != b"://":
            pieces.append(source[start : start + _LONGEST])
        start = source.find(b"www.", start + 4)
    if not pieces:
        return pieces
    links = [piece[:_LONGEST].translate(_LINK).partition(b" ")[0].rstrip(b".,:;-/") for piece in pieces]
    if b"" in links:
        links = [link or _non_ascii_host(piece) for link, piece in zip(links, pieces, strict=True)]
    return [*dict.fromkeys(links)]


def masked_links(source: bytes) -> list[bytes]:
    r"""Returns the links of an HTML source that are written with entities, without a scheme or with \.

    >>> masked_links(rb'href="http&#58;//ex&#97;mple.com/x" href="//a.example" href="http:\\b.example"')
    [b'example.com/x', b'a.example', b'b.example']
    """
    links: list[bytes] = []
    if source.find(b"&#") >= 0:
        links += map(decode_entities, [link for href in _MASKED for link in href.findall(source)][:_MOST])
    for start in (b'="//', b":\\\\") if 92 in source else (b'="//',):  # the page's own scheme, and \ for /
        if source.find(start) >= 0:
            links += [b"://" + piece[:_LONGEST] for piece in source.split(start, _MOST)[1:]]
    return find_links(b" ".join(links)) if links else links


def _non_ascii_host(piece: bytes) -> bytes:
    """Returns a host that begins with a non-ASCII letter; anywhere else such a letter ends the link."""
    host = _IDN.match(piece[:_LONGEST].decode("utf-8", "ignore")) if piece[:1] > b"\x7f" else None
    return host[0].encode().rstrip(b".,:;-/") if host else b""


def link_words(links: list[bytes]) -> list[bytes]:
    """Returns the hosts, domains, networks, ports and path words of links.

    >>> link_words([b"www.example.com:8080/pay/now", b"192.0.2.1"])
    [b'port_8080', b'www_example_com 192_0_2_1 example_com 192_0_2', b'pay now ', b'ip_host']
    """
    if not links:
        return []
    pieces = [link.partition(b"/") for link in links if not link.startswith(_SCHEMAS)]
    hosts = [host for host, _, _ in pieces if host]
    joined = b" ".join(hosts)
    out: list[bytes] = []
    if 37 in joined:  # %
        hosts = [name for host in hosts if (name := _decode_host(host) if host.isascii() else host)]
        out.append(b"percent")
    if 58 in joined or 64 in joined:
        hosts, facts = _split_ports(hosts)
        out += facts
    if not joined.isascii():
        out += [host.translate(_GLUE) for host in hosts if not host.isascii()]
        hosts = [host for host in hosts if host.isascii()]
    out += (host_words(hosts), b" ".join([path for _, _, path in pieces]).translate(_WORDS))
    if any(host[-1] < 58 and host.replace(b".", b"").isdigit() for host in hosts):
        out.append(b"ip_host")
    return out


def link_owners(links: list[bytes], sender_domain: bytes) -> list[bytes]:
    """Returns whether all links lead to the domain of the sender, some of them, or none.

    >>> link_owners([b"www.bank.example/pay", b"cdn.example/logo.png"], b"bank_example")
    [b'mixed_domains']
    """
    hosts = [link.partition(b"/")[0].rpartition(b"@")[2] for link in links if not link.startswith(_SCHEMAS)]
    owners = {domains[host.partition(b":")[0]] for host in hosts}
    if not owners or not sender_domain:
        return []
    if sender_domain not in owners:
        return [b"other_domains"]
    return [b"own_domain" if len(owners) == 1 else b"mixed_domains"]


def _decode_host(host: bytes) -> bytes:
    """Decodes the percent signs of a host, up to the first byte that no host can have."""
    return from_percent(host).translate(_LINK).partition(b" ")[0]


def _split_ports(hosts: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Returns hosts without ports and users, as in http://bank.example@evil.example, and words for these."""
    split = [host.rpartition(b"@")[2].partition(b":") for host in hosts]
    facts = [b"port_" + port for _, _, port in split if port.isdigit()]
    if any(64 in host for host in hosts):
        facts.append(b"userinfo")
    return [host for host, _, _ in split if host], facts


def misleads(source: bytes) -> bool:
    """Returns whether an HTML source in lower case has a link whose text names another domain.

    >>> misleads(b'<a href="http://203.0.113.9/x"><b>https://bank.example/login</b></a>')
    True
    """
    if any(piece.endswith(_BARE_ENDS) for piece in source.split(b"</a")) and any(
        _differ(_HREF.search(tag), _BARE.match(text)) for tag, text in _ANCHOR.findall(source)[:_MOST]
    ):
        return True
    for start in (b">http", b">www"):
        for before, after in pairwise(source.split(start, _MOST)):
            tag = before.rfind(b"<a ")
            inside = tag >= 0 and before.find(b"</a", tag) < 0
            if inside and _differ(_HREF.search(before, tag), _VISIBLE_HOST.match(after)):
                return True
    return False


def _differ(target: re.Match[bytes] | None, text: re.Match[bytes] | None) -> bool:
    if not target or not text:
        return False
    host = target[1].rpartition(b"@")[2].partition(b":")[0]
    return 46 in text[1] and domains[text[1]] != domains[host]

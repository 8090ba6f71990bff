"""Links as words: the hosts, ports and first path words of every URL in a text or an HTML source."""

from __future__ import annotations

import re
from itertools import pairwise

from spamnb.mail.charset import from_percent
from spamnb.mail.entities import decoded
from spamnb.mail.tagged_words import domains, host_words, table

_MOST = 200  # links with a scheme, and as many without, that are looked at in one text
_LONGEST = 80  # bytes of a link: the host and the start of the path
# Blank for bytes that end a link: a slice, `translate` and `partition` take a third of a pattern's time.
_LINK = bytes(b if 32 < b < 127 and b not in b"\"'<>()[]{}|\\^`?#&" else 32 for b in range(256))
_IDN = re.compile(r"[\w.-]+")  # a host in other letters
_WORDS = table(b"", glue=b".-")
_GLUE = bytes(ord("_") if b in b".-" else b for b in range(256))
_SCHEMAS = (b"www.w3.org", b"schemas.microsoft.com")  # named by documents' first lines, not linked to
_HREF = re.compile(rb"href\s*=\s*[\"']?https?://([^\s\"'<>/?#]{1,128})")
# Without the literal start that ignoring case takes away it is ten times as slow.
_MASKED = [
    re.compile(href + rb"\s*=\s*[\"']?([^\"'\s<>&]{0,200}&#[^\"'\s<>]{1,500})") for href in (b"href", b"HREF")
]
_ANCHOR = re.compile(rb"<a\s([^<>]{1,1000})>\s*+([a-z0-9.-]{5,80})\s*+</a")
_BARE_ENDS = (b".com", b".net", b".org")
_BARE = re.compile(rb"((?:[a-z0-9-]+\.)*[a-z0-9-]{2,}\.(?:com|net|org))\Z")
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
            pieces.append(source[start : start + _LONGEST])
        start = source.find(b"www.", start + 4)
    if not pieces:
        return pieces
    found = [piece[:_LONGEST].translate(_LINK).partition(b" ")[0].rstrip(b".,:;-/") for piece in pieces]
    if b"" in found:
        found = [link or _other_letters(piece) for link, piece in zip(found, pieces, strict=True)]
    return [*dict.fromkeys(found)]


def masked_links(source: bytes) -> list[bytes]:
    r"""The links of an HTML source that a browser finds in other spellings.

    >>> masked_links(rb'href="http&#58;//ex&#97;mple.com/x" href="//a.example" href="http:\\b.example"')
    [b'example.com/x', b'a.example', b'b.example']
    """
    found: list[bytes] = []
    if source.find(b"&#") >= 0:
        found += map(decoded, [link for href in _MASKED for link in href.findall(source)][:_MOST])
    for start in (b'="//', b":\\\\") if 92 in source else (b'="//',):  # the page's own scheme, and \ for /
        if source.find(start) >= 0:
            found += [b"://" + piece[:_LONGEST] for piece in source.split(start, _MOST)[1:]]
    return find_links(b" ".join(found)) if found else found


def _other_letters(piece: bytes) -> bytes:
    """A link whose host begins with a letter that is not ASCII; in others such a letter ends the link."""
    found = _IDN.match(piece[:_LONGEST].decode("utf-8", "ignore")) if piece[:1] > b"\x7f" else None
    return found[0].encode().rstrip(b".,:;-/") if found else b""


def link_words(links: list[bytes]) -> list[bytes]:
    """The hosts, domains, networks, ports and path words of links.

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
        hosts = [read for host in hosts if (read := _unquoted(host) if host.isascii() else host)]
        out.append(b"percent")
    if 58 in joined or 64 in joined:
        hosts, about = _plain(hosts)
        out += about
    if not joined.isascii():
        out += [host.translate(_GLUE) for host in hosts if not host.isascii()]
        hosts = [host for host in hosts if host.isascii()]
    out += (host_words(hosts), b" ".join([path for _, _, path in pieces]).translate(_WORDS))
    if any(host[-1] < 58 and host.replace(b".", b"").isdigit() for host in hosts):
        out.append(b"ip_host")
    return out


def _unquoted(host: bytes) -> bytes:
    """A host with its percent signs read; what no host can have ends it."""
    return from_percent(host).translate(_LINK).partition(b" ")[0]


def _plain(hosts: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Hosts without ports and without users, as in http://bank.example@evil.example, and words about them."""
    found = [host.rpartition(b"@")[2].partition(b":") for host in hosts]
    out = [b"port_" + port for _, _, port in found if port.isdigit()]
    if any(64 in host for host in hosts):
        out.append(b"userinfo")
    return [host for host, _, _ in found if host], out


def misleads(source: bytes) -> bool:
    """Does an HTML source in lower case show the address of another domain than the one a link leads to?

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
            if inside and _differ(_HREF.search(before, tag), _SHOWN.match(after)):
                return True
    return False


def _differ(target: re.Match[bytes] | None, shown: re.Match[bytes] | None) -> bool:
    if not target or not shown:
        return False
    there = target[1].rpartition(b"@")[2].partition(b":")[0]
    return 46 in shown[1] and domains[shown[1]] != domains[there]

"""Splits text into the words of tags: letters, digits and underscores; a host or an address is one word."""

from __future__ import annotations

import re
from itertools import islice

from spamnb.core import BoundedCache
from spamnb.mail.charset import to_utf8

_WORD = bytes(b for b in range(128) if chr(b).isalnum() or chr(b) == "_")
_ONE_WORD = re.compile(r"\w+")
_NON_WORD = re.compile(r"\W+")
_SECOND_LEVEL = frozenset(b"ac co com edu gov ne net or org".split())  # as in example.co.uk


def translation(keep: bytes, glue: bytes = b"", other: int = 32) -> bytes:
    """Builds a `bytes.translate` table: word characters and `keep` stay, `glue` becomes _, all else `other`.

    >>> b"a-b.c d".translate(translation(b"-", glue=b"."))
    b'a-b_c d'
    """
    unchanged = _WORD + keep
    return bytes(b if b in unchanged else ord("_") if b in glue else other for b in range(256))


_ASCII = bytes(range(128))
_SPLIT = translation(b"")
_SPLIT_ASCII = translation(bytes(range(128, 256)))
_ONE = translation(b"", other=ord("_"))
_DOTTED = translation(b"", glue=b".")
_HOSTS = translation(b"", glue=b".-@")


def words(value: bytes) -> bytes:
    r"""Returns the words of a text in UTF-8 (or cp1252), with blanks between them.

    >>> words(b"WIN 50% now!").split(), words(b"caf\xe9 \x96 bar").decode()
    ([b'WIN', b'50', b'now'], 'café bar')
    """
    if value.isascii():
        return value.translate(_SPLIT)
    return _NON_WORD.sub(" ", to_utf8(value).decode("utf-8", "replace")).encode()


def first_words(text: bytes, most: int) -> bytes:
    """Cuts a text after so many words.

    >>> first_words(b"one, two, three", 2)
    b'one, two, '
    """
    if len(text) < 2 * most:
        return text
    blanked = text.translate(_SPLIT_ASCII)
    pieces = blanked.split(None, most) if blanked.count(b" ") >= most else []
    cut = text[: len(text) - len(pieces[most])] if len(pieces) > most else text
    if len(cut.translate(None, _ASCII)) <= most // 8:  # at most as many words more
        return cut
    decoded = cut.decode("utf-8", "replace")
    beyond = next(islice(_ONE_WORD.finditer(decoded), most, None), None)
    return decoded[: beyond.start()].encode() if beyond else cut


def version_words(value: bytes) -> bytes:
    """Splits text into words that may have dots: `Mutt/1.4.2i` is Mutt and 1_4_2i; drops non-ASCII."""
    return value.translate(_DOTTED)


def as_word(value: bytes) -> bytes:
    """Turns a whole value into one ASCII word.

    >>> as_word(b"x-priority")
    b'x_priority'
    """
    return value.translate(_ONE)


_BUCKETS = tuple(b"%d" % (1 << (n - 1).bit_length() if n else 0) for n in range(1025))


def bucket(number: int) -> bytes:
    """Rounds up to a power of two, at most 1024.

    >>> [bucket(n) for n in (0, 1, 3, 4, 5, 5000)]
    [b'0', b'1', b'4', b'4', b'8', b'1024']
    """
    return _BUCKETS[min(number, 1024)]


def host_words(names: list[bytes]) -> bytes:
    """Returns hosts, each as one word, then the domains of names and the networks of addresses.

    >>> host_words([b"mx.mail.example.com", b"192.0.2.7"])
    b'mx_mail_example_com 192_0_2_7 example_com 192_0_2'
    """
    # A last byte below 58 is a digit or a dot.
    wider = [
        n.rpartition(b".")[0] or n if n[-1] < 58 else n[n.rfind(b".", 0, n.rfind(b".")) + 1 :] for n in names
    ]
    return b" ".join(dict.fromkeys(names + wider)).translate(_HOSTS)


def _domain(host: bytes) -> bytes:
    labels = host[-128:].lower().rsplit(b".", 3)  # a name has 253 bytes at most
    size = 3 if len(labels[-1]) == 2 and labels[-2:-1] and labels[-2] in _SECOND_LEVEL else 2
    return as_word(b"_".join(labels[-size:]))


domains = BoundedCache(_domain)  # domains[b"www.example.co.uk"] is b"example_co_uk"

"""Turns the headers of a mail into tagged words: sender, recipients, route, list and program."""

from __future__ import annotations

from typing import NamedTuple

from spamnb.core import BoundedCache
from spamnb.mail.charset import decode_words
from spamnb.mail.headers import HOP, Headers
from spamnb.mail.tagged_words import as_word, bucket, domains, host_words, translation, version_words, words

_ADDRESSES = bytes(32 if b < 33 or b in b"<>\"'(),;:[]\\" else b for b in range(256))
_ROUTE = translation(b".-@")
_SHORT_VALUES = (
    b"precedence",
    b"importance",
    b"x_priority",
    b"priority",
    b"x_msmail_priority",
    b"received_spf",
)
_EXPECTED = (b"from", b"to", b"subject", b"date", b"message_id")
_OTHERS = ((b"reply_to", b"replyto_"), (b"return_path", b"returnpath_"), (b"sender", b"sender_"))
_LISTS = (b"list_id", b"list_post", b"mailing_list", b"x_mailing_list", b"list_unsubscribe")


class Sender(NamedTuple):
    """The words of a From header, its address and the address's domain."""

    words: bytes
    address: bytes
    domain: bytes


def _sender(value: bytes) -> Sender:
    value = decode_words(value)
    addresses = [word for word in value.translate(_ADDRESSES).split() if 64 in word]
    if not addresses:
        return Sender(words(value), b"", b"")
    address = addresses[-1]
    local, _, host = address.rpartition(b"@")
    name, host_word, domain = words(value.replace(address, b" ")).strip(), as_word(host), domains[host]
    out = (name, as_word(address), words(local), host_word, b"" if host_word == domain else domain)
    return Sender(b" ".join(out), address, domain)


def _domain(value: bytes) -> bytes:
    """Returns the domain of the first address, "empty" if there is none, as in the return path of bounces."""
    return _after_at[value.partition(b"@")[2]]


def _first_domain(value: bytes) -> bytes:
    host = value.translate(_ROUTE).partition(b" ")[0]
    return domains[host] if host else b"empty"


_after_at = BoundedCache(_first_domain)
_senders = BoundedCache(_sender, longest=100)


def sender_words(headers: Headers) -> list[bytes]:
    """Returns the name and address of the sender, its domain, and the domains of other sender headers.

    >>> sender_words({b"from": b" Bank <a@bank.example>", b"reply_to": b" b@c.example"})
    [b'Bank a_bank_example a bank_example ', b'replyto_c_example', b'replyto_differs']
    """
    sender = _senders[headers.get(b"from", b"")]
    out = [sender.words]
    for name, prefix in _OTHERS:
        if name in headers:
            domain = _domain(headers[name])
            out.append(prefix + domain)
            if domain != sender.domain:
                out.append(prefix + b"differs")
    if b"message_id" in headers:
        out.append(b"msgid_" + _domain(headers[b"message_id"]))
    return out


def sender_domain(headers: Headers) -> bytes:
    """Returns the domain of the sender's address as one word, empty if there is none."""
    return _senders[headers.get(b"from", b"")].domain


def recipient_words(headers: Headers) -> list[bytes]:
    """Returns the number of recipients and other facts about them, but not their addresses."""
    values = headers.get(b"to", b"") + headers.get(b"cc", b"")
    out = [b"recipients_" + bucket(values.count(b"@"))]
    if values.find(b"ndisclosed") >= 0:
        out.append(b"undisclosed")
    sender = _senders[headers.get(b"from", b"")].address
    if sender and values.find(sender) >= 0:
        out.append(b"same_as_from")
    return out


def received_words(values: bytes) -> list[bytes]:
    """Returns the hosts, networks and HELO names of a route, without its dates and recipients.

    >>> received_words(b" from win (a.b.example [192.0.2.1]) by c.example with SMTP for <c@d.example>; Mon")
    [b'hops_1', b'a_b_example 192_0_2_1 c_example b_example 192_0_2 helo_win']
    """
    if not values:
        return [b"hops_0"]
    hops = values.split(HOP)  # after "with" come program, id, recipient and date
    return [
        b"hops_" + bucket(len(hops)),
        *map(_hops.__getitem__, [hop.partition(b"with ")[0] for hop in hops]),
    ]


def _hop(value: bytes) -> bytes:
    tokens = value.translate(_ROUTE).split()
    dotted = [token for token in tokens if 46 in token and 64 not in token]
    names = [token for token in dotted if token[-1] > 57 or token.count(b".") == 3]  # the others are versions
    out = host_words(names)
    for greeting in (b"from", b"HELO"):
        if greeting in tokens:
            name = b"".join(tokens[tokens.index(greeting) + 1 :][:1])
            out += b"" if 46 in name else b" helo_" + as_word(name)
    return out


# The last hosts of a route repeat: in two public corpora 69% and 54% of the hops had occurred before.
_hops = BoundedCache(_hop, longest=160)


def list_words(headers: Headers) -> bytes:
    """Returns the host of the mailing list."""
    for name in _LISTS:
        if name in headers:
            hosts = [word.rpartition(b"@")[2] for word in headers[name].translate(_ROUTE).split()]
            return host_words([host for host in hosts if 46 in host])
    return b""


def mailer_words(headers: Headers) -> bytes:
    """Returns the words of the mail program's name, with versions as one word."""
    return version_words(headers.get(b"x_mailer", b"") + headers.get(b"user_agent", b""))


def header_words(headers: Headers, content_type: bytes) -> list[bytes]:
    """Returns the names of present and missing headers, and the values of some that have few values."""
    out = [*headers, b"content_type_" + content_type]
    out += [b"no_" + name for name in _EXPECTED if name not in headers]
    for name in _SHORT_VALUES:
        if name in headers:
            out.append(name + b"_" + as_word(headers[name].strip()[:20].lower().partition(b" ")[0]))
    if headers.get(b"subject", b"").isupper():
        out.append(b"subject_upper")
    return out

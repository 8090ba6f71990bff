"""The parser of the spamd protocol: whatever comes, it returns a request or refuses it."""

from __future__ import annotations

import zlib
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from spamnb.service.spamd_protocol import (
    COMMANDS,
    ProtocolError,
    SpamdRequest,
    decode_body,
    format_error,
    parse_request,
)

commands = st.sampled_from(sorted(COMMANDS))
values = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
fields = st.dictionaries(values.filter(lambda name: name and ":" not in name), values, max_size=5)


@given(st.binary(max_size=300))
def test_any_bytes_are_parsed_or_refused(head: bytes) -> None:
    with suppress(ProtocolError):
        assert parse_request(head).command in COMMANDS


@given(commands, fields, st.integers(0, 10**14))
def test_a_well_formed_header_is_parsed(command: str, others: dict[str, str], length: int) -> None:
    known = ("content-length", "compress", "message-class", "set", "remove")
    others = {name: value for name, value in others.items() if name.lower() not in known}
    lines = [f"{command} SPAMC/1.5", *(f"{name}: {value}" for name, value in others.items())]
    lines += [f"Content-Length: {length}", "Message-class: spam", "Set: local"]
    request = parse_request("\r\n".join([*lines, "", ""]).encode())
    assert (request.command, request.length, request.compressed) == (command, length, False)
    assert request.sets == (command == "TELL")


@given(st.binary(max_size=200), st.integers(0, 300))
def test_a_compressed_body_never_grows_beyond_the_limit(body: bytes, most: int) -> None:
    request = SpamdRequest("CHECK", compressed=True)
    try:
        assert decode_body(request, zlib.compress(body), most) == body
        assert len(body) <= most
    except ProtocolError:
        assert len(body) > most


@given(st.binary(max_size=200))
def test_any_compressed_bytes_are_inflated_or_refused(body: bytes) -> None:
    with suppress(ProtocolError):
        assert len(decode_body(SpamdRequest("CHECK", compressed=True), body, 1000)) <= 1000


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"TELL SPAMC/1.5\r\nSet: local\r\n", "Message-class must be spam or ham"),
        (b"TELL SPAMC/1.5\r\nMessage-class: x\r\nSet: local\r\n", "Message-class must be spam or ham"),
        (b"TELL SPAMC/1.5\r\nMessage-class: ham\r\n", "TELL needs either Set: local or Remove: local"),
    ],
)
def test_tell_needs_a_class_and_an_action(head: bytes, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        parse_request(head)


@given(st.text(max_size=50))
def test_a_refusal_is_one_line(message: str) -> None:
    line = format_error(ProtocolError(76, message))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\r\n")

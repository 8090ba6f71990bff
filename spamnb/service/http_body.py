"""Reads the body of an HTTP request and turns it into messages: JSON, a form, a raw mail or a plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from spamnb.service.message_scoring import Message

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
JSON, FORM, MAIL, TEXT = (
    *("application/json", "application/x-www-form-urlencoded", "message/rfc822", "text/plain"),
)
_CHARSET = re.compile(rb';\s*charset="?([\w.:-]+)', re.ASCII)
MOST_MESSAGES = 1_000_000  # of one list


class HttpError(Exception):
    """A request that is refused, with the status code, what is wrong, and the next step."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.hint = status, message, hint


class ClientGoneError(Exception):
    """The client has closed its connection before its request was complete."""


class MessageRequest(NamedTuple):
    """The messages of a request: one, or a list of which each gets an answer."""

    messages: list[Message]
    is_list: bool = False
    label: str = ""
    id: str | int | None = None  # of the client, to be given back

    def named(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Returns an answer with the client's id, if it has sent one."""
        return answer if self.id is None else {**answer, "id": self.id}

    @property
    def only(self) -> Message:
        """The one message; refuses a list."""
        if self.is_list:
            raise HttpError(422, "expected one message, got a list", 'send {"text": ...}')
        return self.messages[0]


def header_of(scope: Scope, name: bytes) -> bytes:
    """Returns the value of a header field, empty if there is none."""
    return next((value for field, value in scope["headers"] if field == name), b"")


async def read_body(scope: Scope, receive: Receive, most: int) -> bytes:
    """Reads the body of a request; refuses one that is larger than `most`."""
    length = header_of(scope, b"content-length")
    if length and int(length) > most:
        raise _too_large(most)
    event = await receive()
    if not event.get("more_body", False) and event["type"] == "http.request":
        return _checked(bytes(event.get("body", b"")), most)
    parts, size = [event.get("body", b"")], len(event.get("body", b""))
    while event["type"] == "http.request" and event.get("more_body", False):
        event = await receive()
        parts.append(event.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _too_large(most)
    if event["type"] != "http.request":
        raise ClientGoneError
    return _checked(b"".join(parts), most)


def _checked(body: bytes, most: int) -> bytes:
    if len(body) > most:
        raise _too_large(most)
    return body


def _too_large(most: int) -> HttpError:
    return HttpError(
        413,
        f"the request is too large: at most {most:,} bytes are accepted",
        "send several, or see --max-request",
    )


def parse_messages(scope: Scope, body: bytes) -> MessageRequest:
    """Returns the messages of a body by its content type; a query `?label=` labels raw ones."""
    content_type = header_of(scope, b"content-type").lower()
    kind = content_type.split(b";")[0].strip().decode("latin-1")
    if kind == JSON:
        return parse_json(body)
    query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    label = query.get("label", "")
    if kind == MAIL:
        return MessageRequest([Message(_not_empty(body), True)], label=label)
    if kind == TEXT:
        return MessageRequest([_parse_text(_not_empty(body), content_type)], label=label)
    if kind == FORM:
        return _parse_form(body, label)
    problem = f"cannot read the content type {kind!r}" if kind else "the request has no content type"
    raise HttpError(415, problem, f"send {JSON}, {MAIL}, {TEXT} or {FORM}")


def _not_empty(body: bytes) -> bytes:
    if not body:
        raise HttpError(422, "the request has no body", "send the message as the body")
    return body


def _parse_text(body: bytes, content_type: bytes) -> Message:
    charset = _CHARSET.search(content_type)
    name = charset[1].decode() if charset else "utf-8"
    try:
        return Message.of_bytes(body, name)
    except (LookupError, ValueError):  # no encoding of text
        raise HttpError(415, f"cannot read the charset {name!r}", "send UTF-8") from None


def parse_json(body: bytes) -> MessageRequest:
    """Parses `{"text": ...}` or `{"texts": [...]}`, for lessons with a label.

    >>> parse_json(b'{"texts": ["a", "b"], "label": "ham", "id": 7}')[1:]
    (True, 'ham', 7)
    """
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        raise HttpError(400, "the body is not JSON", 'send {"text": "..."}') from None
    if not isinstance(fields, dict):
        raise HttpError(422, "expected a JSON object", 'send {"text": "..."} or {"texts": ["...", "..."]}')
    if unknown := fields.keys() - {"text", "texts", "label", "id"}:
        hint = "the fields are text or texts, label and id"
        raise HttpError(422, f"unknown field {min(unknown)!r}", hint)
    label, id = fields.get("label", ""), fields.get("id")
    if not isinstance(id, str | int | None) or isinstance(id, bool):
        raise HttpError(422, "id must be a string or an integer", 'for example "m77"')
    if not isinstance(label, str):
        raise HttpError(422, "label must be a string", 'for example "spam"')
    if ("text" in fields) == ("texts" in fields):
        raise HttpError(422, "expected either text or texts", 'send {"text": "..."}')
    if "text" in fields:
        return MessageRequest([Message.of_text(_string(fields["text"]))], label=label, id=id)
    return MessageRequest(_list_of(fields["texts"]), True, label, id)


def _list_of(texts: object) -> list[Message]:
    if not isinstance(texts, list) or not texts or len(texts) > MOST_MESSAGES:
        raise HttpError(
            422, f"texts must be a list of 1 to {MOST_MESSAGES:,} strings", 'send {"texts": ["...", "..."]}'
        )
    try:
        return [Message(text.encode()) for text in texts]
    except (AttributeError, UnicodeEncodeError):  # no strings, or lone surrogates
        return [Message.of_text(_string(text)) for text in texts]


def _string(text: object) -> str:
    if not isinstance(text, str):
        raise HttpError(422, f"a text must be a string, got {type(text).__name__}", 'send {"text": "..."}')
    return text


def _parse_form(body: bytes, label: str) -> MessageRequest:
    """Parses a form as SMS gateways post it: the text is in the field Body, or text."""
    try:
        fields = dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise HttpError(400, "the body is not a form", "encode it as Body=...&From=...") from None
    for name in ("Body", "text"):
        if name in fields:
            return MessageRequest([Message.of_text(fields[name])], label=label or fields.get("label", ""))
    hint = f"send the text in the field Body; JSON and email need a header, Content-Type: {JSON} or {MAIL}"
    raise HttpError(422, "the form has no field Body", hint)

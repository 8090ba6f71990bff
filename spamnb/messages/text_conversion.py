"""Converts the messages that callers pass into texts; refuses what is no list of messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spamnb.core import FloatArray
from spamnb.errors import InputError, type_name, warn
from spamnb.messages.first_lines import begins_as_mail, is_raw_mail
from spamnb.messages.texts import Texts

Messages = Texts | Iterable[str | bytes | Texts]
Categories = Mapping[str, Sequence[str]] | None  # the categorical columns of messages, by name
Numbers = Mapping[str, FloatArray] | None  # their numeric columns


def as_texts(messages: Messages) -> Texts:
    """Converts lists, Series, arrays and iterators of messages; refuses one message, tables and other types.

    None and NaN are empty messages; parsed mails are joined with their tags.

    >>> len(as_texts(["a", "b"])), len(as_texts([Texts.of(["a"]), Texts.of(["b", "c"])]))
    (2, 3)
    """
    if isinstance(messages, Texts):
        return messages
    _refuse_other_types(messages)
    items: list[Any] = list(messages)
    for i, item in enumerate(items):
        if isinstance(item, bytes):
            _refuse_raw_mail(item, f"messages[{i}]")
    if items and isinstance(items[0], str):  # the first one tells: it costs nothing in a long list
        _warn_of_raw_mail(items[0], "messages[0]")
    if {*map(type, items)} <= {str, bytes}:  # the usual case, without a loop in Python
        return Texts.of(items)
    others = [i for i, item in enumerate(items) if not isinstance(item, (str, bytes))]
    if any(isinstance(items[i], Texts) for i in others):
        return Texts.concat(
            [m if isinstance(m, Texts) else Texts.of([_as_text(m, i)]) for i, m in enumerate(items)]
        )
    for i in others:
        items[i] = _as_text(items[i], i)
    return Texts.of(items)


def _refuse_other_types(messages: Any) -> None:
    """Refuses one string, a mail of the package email, a table, a mapping and what is no iterable."""
    if isinstance(messages, (str, bytes)):
        raise InputError("expected a list of messages, got one string", hint="wrap it: [message]")
    if hasattr(messages, "as_bytes"):  # of Python's package email: to iterate over it gives its headers
        raise InputError(
            f"expected a list of messages, got {type_name(messages)}",
            hint="parse it first: model.predict(spamnb.parse_mail(message))",
        )
    if len(getattr(messages, "shape", (0,))) != 1:
        raise _not_one_column(messages)
    if isinstance(messages, Mapping) or not isinstance(messages, Iterable):
        raise InputError(
            f"expected a list of messages, got {type_name(messages)}", hint="pass a list: [message]"
        )


def one_message(message: str | bytes | Texts) -> Texts:
    """Returns one message as texts; refuses lists and several parsed mails.

    >>> one_message("see you").tolist()
    [b'see you']
    """
    if isinstance(message, bytes):
        _refuse_raw_mail(message, "the message")
    if isinstance(message, str):
        _warn_of_raw_mail(message, "the message")
    if isinstance(message, (str, bytes)):
        return Texts.of([message])
    if isinstance(message, Texts) and len(message) == 1:
        return message
    got = f"{len(message):,} messages" if isinstance(message, Texts) else type_name(message)
    raise InputError(
        f"expected one message, got {got}",
        hint="pass one text, or one parsed mail: parse_mail(raw)",
    )


def _refuse_raw_mail(message: bytes, name: str) -> None:
    """Refuses a mail whose headers would be read as text."""
    if is_raw_mail(message):
        raise InputError(
            f"{name} is a raw email, whose headers would be read as text",
            hint="parse it first: model.predict(spamnb.parse_mail(raw))",
        )


def _warn_of_raw_mail(message: str, name: str) -> None:
    """Warns of a text that begins with two header fields; texts of data sets may begin with one."""
    if begins_as_mail(message):
        warn(f"{name} is a raw email, whose headers are read as text; pass parse_mail(text.encode()) instead")


def _not_one_column(table: Any) -> InputError:
    """Describes a table in place of messages: to iterate over a DataFrame gives the names of its columns."""
    return InputError(
        f"expected a list of messages, got {type_name(table)} of shape {table.shape}",
        hint=column_hint(table),
    )


def column_hint(table: Any) -> str:
    """Names the column to pass in place of a table, or all columns if it cannot tell which one it is."""
    columns = list(map(str, getattr(table, "columns", ())))
    if len(columns) == 1 or "text" in columns:
        return f"pass one column: table[{'text' if 'text' in columns else columns[0]!r}]"
    if not columns:
        return "pass one column"
    return f"pass the column that has the messages, as table[NAME]; the columns are {', '.join(columns[:10])}"


def is_missing(value: object) -> bool:
    """Returns whether a value is None, NaN, or what pandas has in their place.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # no truth value has NA == NA
        return True
    return isinstance(value, float) and value != value


def _as_text(value: object, index: int) -> str | bytes:
    """Returns one message; None, NaN and pandas' NA are empty messages, other types are refused."""
    if isinstance(value, (str, bytes)):
        return value
    if is_missing(value):
        return ""
    raise InputError(
        f"messages[{index}] is {type_name(value)}; expected str or bytes",
        hint="pass one text for each message; spamnb.parse_mail reads raw mail",
    )

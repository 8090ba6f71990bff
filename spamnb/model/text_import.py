"""Reads a model from the JSON lines of an export; reports the first line that is wrong."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spamnb.core import StringArray
from spamnb.counts import LARGEST, CountStore, Moments, count_state
from spamnb.errors import DataError
from spamnb.features import token_key
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import FORMAT, IN_LAST_LINE, REST, VERSION
from spamnb.storage import RefusedError, check_plain

_ARRAY_TYPES = {np.dtype(kind).str: kind for kind in ("u1", "<u2", "<u4", "<u8", "<i8", "<f4", "<f8")}
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)


class ExportedToken(NamedTuple):
    """A token of an export, and the number of its line."""

    spelling: bytes
    kind: int
    occurrences: list[int]
    messages: list[int]
    key: int
    line: int
    correction: float


def import_lines(lines: Iterable[bytes], name: str, notes: list[str] | None = None) -> SpamModel:
    """Returns the model of an export; errors have its `name` and the line, `notes` receives remarks."""
    reader, numbered = _Reader(name), enumerate(lines, 1)
    reader.read_header(next(numbered, (1, b""))[1])
    for number, line in numbered:
        if line.startswith(REST):
            reader.read_rest(number, line)
        elif line.strip():
            reader.read_token(number, line)
    if notes is not None:
        notes += reader.notes()
    return reader.model()


def decode_arrays(value: Any) -> Any:
    """Inverts `encode_arrays`; raises KeyError, TypeError or ValueError for what is no array."""
    if isinstance(value, dict) and value.keys() == {"array", "shape", "base64"}:
        array = np.frombuffer(b64decode(value["base64"], validate=True), _ARRAY_TYPES[value["array"]])
        return array.reshape(value["shape"]).copy()
    if isinstance(value, dict):
        return {key: decode_arrays(item) for key, item in value.items()}
    return [decode_arrays(item) for item in value] if isinstance(value, list) else value


class _Reader:
    """Collects the lines of an export, and reports the first that is wrong."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._state: dict[str, Any] = {}
        self._tokens: list[ExportedToken] = []
        self._announced = 0  # tokens, by the header
        self._in_last_line: list[str] = []

    def _wrong(self, line: int, what: str) -> DataError:
        return DataError(
            f"{self._name} line {line:,}: {what}", hint="correct the line, or export the model again"
        )

    def _object(self, line: int, text: bytes) -> dict[str, Any]:
        try:
            value = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            raise self._wrong(line, "bad JSON") from None
        if not isinstance(value, dict):
            raise self._wrong(line, "expected a JSON object")
        return value

    def read_header(self, line: bytes) -> None:
        head = self._object(1, line) if line.startswith(b"{") else {}
        if head.pop("format", None) != FORMAT or head.pop("version", None) != VERSION:
            raise DataError(
                f"{self._name} is not an exported model: its first line has no format {FORMAT!r} {VERSION}",
                hint="write one with `spamnb model export MODEL -o FILE`",
            )
        try:
            check_plain(head)
            self._announced = head.pop("tokens")
            self._in_last_line = [name for name in head.pop("last_line") if name in IN_LAST_LINE]
            self._state = decode_arrays(head)
            counts = self._state["counts"]
            totals, self._width = counts["message_totals"], len(counts["labels"])
            good = _are_counts(totals, self._width) and 0 not in totals and sum(totals) <= LARGEST
            self._refined = self._state["correction"] is not None
            good = good and isinstance(self._state["correction"] or {}, dict)
            good = good and type(self._announced) is int and isinstance(counts["labels"], list)
        except (KeyError, TypeError, ValueError, RefusedError):
            good = False
        if not good:
            raise self._wrong(1, "the settings are damaged")

    def read_rest(self, number: int, line: bytes) -> None:
        rest = self._object(number, line)["rest"]
        try:
            check_plain(rest)
            self._state |= {name: decode_arrays(rest[name]) for name in IN_LAST_LINE if name in rest}
        except (KeyError, TypeError, ValueError, RefusedError):
            raise self._wrong(number, "the last line is damaged") from None

    def read_token(self, number: int, line: bytes) -> None:
        row = self._object(number, line)
        try:
            spelling = row["token"].encode("utf-8", "surrogateescape")
            key = _key(row.get("key"), spelling)
            correction = float(row.get("correction", 0)) if self._refined else 0.0
            counts = row["kind"], list(row["occurrences"]), list(row["messages"])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise self._wrong(number, "expected token, kind, occurrences and messages") from None
        token = ExportedToken(spelling, *counts, key, number, correction)
        if fault := self._fault(token):
            raise self._wrong(number, fault)
        self._tokens.append(token)

    def _fault(self, token: ExportedToken) -> str:
        numbers = [token.kind, *token.occurrences, *token.messages]
        if len(token.messages) != self._width or not _are_counts(numbers, 1 + 2 * self._width):
            return f"expected counts from 0 on for {self._width} classes"
        if token.kind > 255 or max(numbers) > LARGEST or not abs(token.correction) < _LARGEST_WEIGHT:
            return "a number is too large"
        pairs = list(zip(token.occurrences, token.messages, strict=True))
        if not any(token.messages) or any(n < d or (n and not d) for n, d in pairs):
            return "a token needs at least as many occurrences as messages, and some message"
        totals = self._state["counts"]["message_totals"]
        if any(d > most for d, most in zip(token.messages, totals, strict=True)):
            return "the token is in more messages than there are"
        return ""

    def notes(self) -> list[str]:
        """Reports what is missing."""
        notes, came, announced = [], len(self._tokens), self._announced
        if came < announced:
            tokens = f"{announced:,} token{'' if announced == 1 else 's'}, got {came:,}"
            cut = "it was cut short, or lines were removed"
            notes.append(f"the header of {self._name} announces {tokens}: {cut}")
        return [*notes, *([self._lost()] if self._lost() else [])]

    def _lost(self) -> str:
        lost = [IN_LAST_LINE[name] for name in self._in_last_line if name not in self._state]
        return f"{self._name} lacks its last line, and with it {' and '.join(lost)}" if lost else ""

    def model(self) -> SpamModel:
        if "base" in self._in_last_line and "base" not in self._state:  # it would classify otherwise
            raise DataError(self._lost(), hint="export the model again")
        self._tokens.sort(key=lambda token: token.key)
        for before, token in pairwise(self._tokens):
            if before.key == token.key:
                raise self._wrong(max(before.line, token.line), "the token is repeated")
        messages = sum(self._state["counts"]["message_totals"])
        if messages + sum(sum(token.occurrences) for token in self._tokens) > LARGEST:
            largest = max(self._tokens, key=lambda token: sum(token.occurrences))
            raise self._wrong(largest.line, "the occurrences are too many to add up")
        state: dict[str, Any] = dict.fromkeys(IN_LAST_LINE) | self._state
        if self._refined:
            weights = np.array([token.correction for token in self._tokens], np.float32)
            state["correction"] = {**state["correction"], "weights": weights}
        return SpamModel.from_state({**state, "counts": count_state.to_state(self._store())})

    def _store(self) -> CountStore:
        counts, tokens = self._state["counts"], self._tokens
        try:
            categories, numbers = _categories(counts, self._width), _numbers(counts)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise self._wrong(1, "the settings are damaged") from None
        return CountStore(
            tuple(counts["labels"]),
            np.array(counts["message_totals"], np.int64),
            np.array([token.key for token in tokens], np.uint64),
            np.array([token.kind for token in tokens], np.uint8),
            np.array([token.occurrences for token in tokens], np.int64).reshape(len(tokens), self._width),
            np.array([token.messages for token in tokens], np.int64).reshape(len(tokens), self._width),
            StringArray.of(token.spelling for token in tokens),
            categories,
            numbers,
        )


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _are_counts(values: Any, size: int) -> bool:
    return isinstance(values, list) and len(values) == size and all(type(n) is int and n >= 0 for n in values)


def _key(written: object, spelling: bytes) -> int:
    """Reads a key of 16 digits; a line that was added by hand may leave it out."""
    if written is None:
        return token_key(spelling.decode())
    if not isinstance(written, str) or len(key := bytes.fromhex(written)) != 8:
        raise ValueError(written)
    return int.from_bytes(key, "big")


def _categories(counts: Mapping[str, Any], width: int) -> dict[str, dict[str, tuple[int, ...]]]:
    columns = counts["categories"].items()
    if not all(
        _are_counts(row, width) and max(row) <= LARGEST for _, rows in columns for row in rows.values()
    ):
        raise ValueError("categories")
    return {column: {value: tuple(row) for value, row in rows.items()} for column, rows in columns}


def _numbers(counts: Mapping[str, Any]) -> dict[str, tuple[Moments, ...]]:
    return {column: tuple(Moments(*moments) for moments in row) for column, row in counts["numbers"].items()}

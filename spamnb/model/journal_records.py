"""Encodes changes as records of the journal, and adds the records of a journal to a model."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, StringArray
from spamnb.counts import LARGEST, CountStore, Moments, sum_of_sizes
from spamnb.errors import JournalError
from spamnb.model.change_history import ChangeHistory
from spamnb.model.lesson_record import LessonEntry, LessonMark
from spamnb.model.model_delta import DIGESTS, Change, ChangedDigests, sum_changes
from spamnb.model.seen_messages import ByLabel
from spamnb.storage import model_file, update_journal

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

_CategoryCounts = dict[str, dict[str, tuple[int, ...]]]
_ColumnMoments = dict[str, tuple[Moments, ...]]
_LENGTH = struct.Struct("<I")
_WIDTHS = ("<i1", "<i2", "<i4", "<i8")
_LARGEST = 1 << 44  # a count of one record: no sum of half a million records overflows


def decode_all(model: str | os.PathLike[str], payloads: Sequence[bytes]) -> Change:
    """Returns the records of a model file's journal as one change; refuses a record that makes no sense."""
    with _sensible(model):
        return sum_changes([decode(payload) for payload in payloads])


def decode_each(model: str | os.PathLike[str], payloads: Sequence[bytes]) -> list[Change]:
    """Returns the change of each record of a model file's journal; refuses an invalid one."""
    with _sensible(model):
        return [decode(payload) for payload in payloads]


@contextmanager
def _sensible(model: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # the checksums match: another program wrote this record
        raise update_journal.damaged(model, f"a record is invalid ({type(error).__name__})") from error


def load_with_journal(
    kind: type[SpamModel], path: str | os.PathLike[str], warn: Callable[[JournalError], None] | None
) -> SpamModel:
    """Reads a model file and its journal; `warn` gets the error if only the journal cannot be used.

    Of a journal that ends inside a record all whole records are used, and `warn` is called too.
    """
    try:
        state, _, journal = update_journal.read_both(path)
        model = with_records(kind.from_state(state), [] if journal is None else journal.payloads, path)
        if journal is not None and journal.is_torn and warn is not None:
            warn(update_journal.torn(path, journal))
        return model
    except JournalError as error:
        if warn is None:
            raise
        model = kind.from_state(model_file.read(path))
        warn(error)
        return model


def with_records(model: SpamModel, records: Sequence[bytes], path: str | os.PathLike[str]) -> SpamModel:
    """Returns a model with these records of its journal; refuses records that do not fit it."""
    if not records:
        return model
    change = decode_all(path, records)
    if len(model.labels) > 1 and not set(change.counts.labels) <= set(model.labels):
        raise update_journal.damaged(path, "a record has a class that the model does not know")
    try:
        return model.changed(change)
    except Exception as error:  # the checksums match: another program wrote this record
        what = f"a record does not fit the model ({type(error).__name__})"
        raise update_journal.damaged(path, what) from error


def encode(change: Change, spelled: NDArray[np.bool_]) -> bytes:
    """Returns the bytes of a change; `spelled` marks the tokens whose spelling is written."""
    import json  # predicting without a journal does without it

    counts, rows = change.counts, np.flatnonzero(spelled)
    width = next(w for w in _WIDTHS if max(_top(counts.tokens), _top(counts.messages)) <= np.iinfo(w).max)
    words = counts.spellings.take(rows)
    head: dict[str, Any] = {
        "labels": counts.labels,
        "totals": counts.message_totals.tolist(),
        "rows": len(counts.keys),
        "width": width,
        "spelled": len(rows),
        **{name: {label: len(x) for label, x in part.items()} for name, part in change.digests.parts()},
        "weights": len(change.weights[0]),
        "lesson": None if change.lesson is None else change.lesson.to_state(),
        "mark": None if change.mark is None else change.mark.to_state(),
        "change_history": change.change_history.to_state(),
        **column_state(counts),
    }
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    arrays = [
        counts.keys.astype("<u8"),
        counts.kinds.astype("u1"),
        counts.tokens.astype(width),
        counts.messages.astype(width),
        rows.astype("<u4"),
        np.diff(words.ends, prepend=0).astype("<u4"),
        *(x.astype("<u8") for _, part in change.digests.parts() for x in part.values()),
        change.weights[0].astype("<u8"),
        change.weights[1].astype("<f4"),
        words.blob,
    ]
    return b"".join((_LENGTH.pack(len(text)), text, *(array.tobytes() for array in arrays)))


def column_state(counts: CountStore) -> dict[str, Any]:
    """Returns the counts of categorical and numeric columns as JSON can hold them."""
    return {
        "categories": {c: dict(values) for c, values in counts.categories.items()},
        "numbers": {c: [[m.count, m.total, m.squares] for m in row] for c, row in counts.numbers.items()},
    }


def _top(table: IntArray) -> int:
    return int(np.abs(table).max(initial=0))


def decode(data: bytes) -> Change:
    """Decodes what `encode` gave; raises an exception for bytes that are no change."""
    import json  # predicting without a journal does without it

    (size,) = _LENGTH.unpack_from(data)
    head = json.loads(data[_LENGTH.size : _LENGTH.size + size].decode("utf-8", "surrogatepass"))
    take = _Taker(data, _LENGTH.size + size)
    labels, rows = tuple(head["labels"]), _whole(head["rows"])
    if not all(isinstance(label, str) for label in labels) or list(labels) != sorted(set(labels)):
        raise ValueError("classes")
    keys, kinds, tokens, messages = _token_arrays(take, rows, len(labels), head["width"])
    written, sizes = take("<u4", head["spelled"]), take("<u4", head["spelled"])
    digests = {name: _digests(take, head[name]) for name in DIGESTS}
    weights = take("<u8", head["weights"]), take("<f4", head["weights"])
    if max(sum_of_sizes(tokens), sum_of_sizes(messages)) > LARGEST:
        raise ValueError("counts")
    blob = take("u1", int(sizes.sum(dtype=np.uint64)))
    if not take.done or not all(map(_ascend, (keys, written, weights[0]))):
        raise ValueError("keys")
    if not np.isfinite(weights[1]).all():
        raise ValueError("weights")
    ends = np.zeros(rows, np.int64)
    ends[written] = sizes
    totals, spellings = (
        np.array(_row(head["totals"], len(labels)), np.int64),
        StringArray(blob, np.cumsum(ends)),
    )
    columns = read_columns(head, len(labels))
    counts = CountStore(labels, totals, keys, kinds, tokens, messages, spellings, **columns)
    return Change(
        counts,
        ChangedDigests(**digests),
        change_history=ChangeHistory.from_state(head["change_history"], signed=True),
        weights=weights,
        lesson=None if head["lesson"] is None else LessonEntry.from_state(head["lesson"]),
        mark=None if head["mark"] is None else LessonMark.from_state(head["mark"]),
    )


def _token_arrays(take: _Taker, rows: int, classes: int, width: str) -> tuple[NDArray[Any], ...]:
    if width not in _WIDTHS:
        raise ValueError("width")
    keys, kinds = take("<u8", rows), take("u1", rows)
    tables = [take(width, rows * classes).reshape(rows, classes) for _ in range(2)]
    if any(table.max(initial=0) > _LARGEST or table.min(initial=0) < -_LARGEST for table in tables):
        raise ValueError("counts")
    return keys, kinds, *tables


def read_columns(head: Mapping[str, Any], classes: int) -> dict[str, Any]:
    """Reads what `column_state` gave."""
    categories: _CategoryCounts = {
        column: {value: _row(row, classes) for value, row in values.items()}
        for column, values in head["categories"].items()
    }
    numbers: _ColumnMoments = {
        column: tuple(Moments(_whole(n), _whole(total), _whole(squares)) for n, total, squares in row)
        for column, row in head["numbers"].items()
    }
    if any(len(row) != classes for row in numbers.values()):
        raise ValueError("numbers")
    return {"categories": categories, "numbers": numbers}


def _row(values: list[Any], classes: int) -> tuple[int, ...]:
    """Checks one whole number for each class; none is so large that sums of records could overflow."""
    row = tuple(map(_whole, values))
    if len(row) != classes or any(abs(n) > _LARGEST for n in row):
        raise ValueError("counts")
    return row


def _whole(value: object) -> int:
    if type(value) is not int:
        raise ValueError("a number")
    return value


def _ascend(values: NDArray[Any]) -> bool:
    return len(values) < 2 or bool((values[1:] > values[:-1]).all())


class _Taker:
    """Reads one array after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def __call__(self, kind: str, count: int) -> NDArray[Any]:
        if _whole(count) < 0:
            raise ValueError("size")
        array = np.frombuffer(self._data, kind, count, self._at) if count else np.zeros(0, kind)
        self._at += array.nbytes
        return array

    @property
    def done(self) -> bool:
        return self._at == len(self._data)


def _digests(take: _Taker, sizes: dict[str, int]) -> ByLabel:
    return {label: take("<u8", size) for label, size in sizes.items()}

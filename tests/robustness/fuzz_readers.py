"""Fuzz targets that read files: every format, packed and plain, with labels and without, and mail folders.

Each input is read twice, in one block and in tiny ones, and must give the same messages or the same refusal.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from spamnb.errors import SpamnbError
from spamnb.evaluation.other_filter import collect_predictions, evaluate_predictions
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.tables.prediction_columns import StatedColumns
from spamnb.readers.tables.prediction_file import read_predictions

Run = Callable[[bytes, Path], object]
Read = tuple[list[bytes], list[str], str]
_TINY = 64  # bytes of a block: records and characters are cut in two everywhere


@contextmanager
def _in_pieces() -> Iterator[None]:
    """What is read comes in tiny pieces; the head of an input, 64 KiB, would else hold all of it."""
    read, raw = DecodedInput.read, DecodedInput.raw_blocks

    def few(self: DecodedInput, size: int) -> bytes:
        received: bytes = self.__dict__.pop("held", b"") or read(self, size)
        self.__dict__["held"] = received[_TINY:]
        return received[:_TINY]

    def pieces(self: DecodedInput, size: int) -> Iterator[bytes]:
        for block in raw(self, size):
            yield from (block[i : i + _TINY] for i in range(0, len(block), _TINY))

    DecodedInput.read, DecodedInput.raw_blocks = few, pieces  # type: ignore[method-assign]
    try:
        yield
    finally:
        DecodedInput.read, DecodedInput.raw_blocks = read, raw  # type: ignore[method-assign]


def _read(path: Path, options: ReadOptions, *, labelled: bool) -> Read:
    """The messages, their labels and what was skipped; for what is refused, the refusal."""
    texts: list[bytes] = []
    labels: list[str] = []
    try:
        with open_source(str(path), options, labelled=labelled) as source:
            for chunk in source:
                texts += chunk.texts.tolist()
                labels += chunk.labels or ()
                if len(chunk.lines) != len(chunk.texts):
                    raise AssertionError("lines and messages differ")
            return texts, labels, source.skipped.summary() if source.skipped.count else ""
    except SpamnbError as error:
        return [], [], error.message


def _by_blocks(path: Path, options: ReadOptions) -> Read | None:
    """The same by the way of several processes; None where there is no such way."""
    texts: list[bytes] = []
    labels: list[str] = []
    skipped = SkippedRecords()
    try:
        with open_source(str(path), options, labelled=True) as source:
            if source.blocks is None:
                return None
            for block in source.blocks.cut():
                for chunk, _ in source.blocks.reader.read(bytes(block), skipped):
                    texts += chunk.texts.tolist()
                    labels += chunk.labels or ()
            source.check(len(texts))
            return texts, labels, ""
    except SpamnbError as error:
        return [], [], error.message


def _same(what: str, one: Read, other: Read) -> None:
    if one[:2] != other[:2]:
        raise AssertionError(f"{what}: {_first_difference(one[0], other[0])} {one[2]!r} {other[2]!r}")


def _first_difference(one: list[bytes], other: list[bytes]) -> str:
    pairs = zip(one, other, strict=False)
    at = next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(one), len(other)))
    return f"message {at} of {len(one)} and {len(other)}: {one[at : at + 1]!r:.80} {other[at : at + 1]!r:.80}"


def _file(suffix: str, **flags: object) -> Run:
    """One file, read in every way."""

    def run(data: bytes, folder: Path) -> object:
        path = folder / f"input{suffix}"
        path.write_bytes(data)
        return list(_ways(path, flags))

    return run


def _ways(path: Path, flags: dict[str, object]) -> Iterator[object]:
    options, few = (ReadOptions.from_flags(**flags, chunk_bytes=size) for size in (1 << 19, 1))
    for labelled in (False, True):
        whole = _read(path, options, labelled=labelled)
        with _in_pieces():
            _same("tiny blocks differ", whole, _read(path, few, labelled=labelled))
        yield len(whole[0]).bit_length(), whole[2]
    apart = _by_blocks(path, options)
    if apart is not None:
        _same("blocks apart differ", whole, apart)
        with _in_pieces():
            _same("tiny blocks apart differ", whole, _by_blocks(path, few) or whole)


def _packed(data: bytes, folder: Path) -> object:
    """The input as it is, and packed well by each packer, so that what is inside is broken too."""
    runs = [_file(".csv.gz")(data, folder)]
    for suffix, pack in ((".csv.gz", gzip.compress), (".csv.bz2", bz2.compress), (".csv.xz", lzma.compress)):
        runs.append(_file(suffix)(pack(data[:4096]), folder))
    return runs


def _folder(data: bytes, folder: Path) -> object:
    """A Maildir and an MH folder whose mails are the pieces of the input."""
    pieces = data.split(b"\n\n\n")[:4]
    for name in ("cur", "new", "tmp"):
        (folder / "Maildir" / name).mkdir(parents=True, exist_ok=True)
    (folder / "sorted" / "spam").mkdir(parents=True, exist_ok=True)
    (folder / "sorted" / "ham").mkdir(parents=True, exist_ok=True)
    for i in range(4):
        piece = pieces[i] if i < len(pieces) else b""
        for place in ("Maildir/cur", "Maildir/new", "sorted/spam", "sorted/ham"):
            (folder / place / f"{i}").write_bytes(piece)
    boxes = _read(folder / "Maildir", ReadOptions(), labelled=False)
    tidy = _read(folder / "sorted", ReadOptions(), labelled=True)
    return len(boxes[0]), boxes[2], len(tidy[0]), tidy[2]


def _index(data: bytes, folder: Path) -> object:
    """An index of mails beside some that are there."""
    (folder / "mail").write_bytes(b"Subject: x\n\nhello\n")
    path = folder / "index"
    path.write_bytes(data)
    runs = [_read(path, ReadOptions(format="index"), labelled=labelled) for labelled in (False, True)]
    return [(len(texts).bit_length(), status) for texts, _, status in runs]


def _predictions(data: bytes, folder: Path) -> object:
    """A file of predictions, up to the figures."""
    path = folder / f"p.{'jsonl' if data[:1] == b'{' else 'csv'}"
    path.write_bytes(data)
    file = read_predictions(str(path), StatedColumns(), ReadOptions(), joined=False)
    predictions, left = collect_predictions(file, None, None)
    return evaluate_predictions(
        predictions, {"unsure": None, "threshold": None}
    ).__class__.__name__, left.count.bit_length()


READERS: dict[str, tuple[str, Run]] = {  # target -> folder of its seeds, and what is run
    "csv": ("csv", _file(".csv")),
    "tsv": ("tsv", _file(".tsv")),
    "jsonl": ("jsonl", _file(".jsonl")),
    "json": ("json", _file(".json")),
    "parquet": ("parquet", _file(".parquet")),
    "xlsx": ("xlsx", _file(".xlsx")),
    "zip": ("zip", _file(".zip")),
    "text lines": ("lines", _file(".txt", format="lines", label="spam")),
    "NUL separated": ("lines", _file(".txt", format="null", label="spam")),
    "any format": ("any", _file("")),
    "gz, bz2, xz": ("packed", _packed),
    "eml": ("mail", _file(".eml", label="spam")),
    "mbox": ("mbox", _file(".mbox", label="ham")),
    "Maildir, folders": ("mbox", _folder),
    "index": ("index", _index),
    "predictions": ("predictions", _predictions),
}  # fmt: skip

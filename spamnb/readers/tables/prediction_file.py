"""Reads a file of predictions, of spamnb or another filter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spamnb.core import FloatArray, excerpt
from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.byte_stream import open_bytes
from spamnb.readers.decoded_input import DecodedInput, refuse_binary
from spamnb.readers.format_detection import begins_array
from spamnb.readers.formats import any_of, format_by_suffix
from spamnb.readers.read_options import ColumnOptions, ReadOptions
from spamnb.readers.tables.csv_dialect import detect_dialect
from spamnb.readers.tables.delimited import RowReader, TableReader, describe_table, text_owns_rest
from spamnb.readers.tables.json_records import RecordTable
from spamnb.readers.tables.jsonl import LineReader, describe_lines, read_sample
from spamnb.readers.tables.label_words import is_ham_column, known_label
from spamnb.readers.tables.labels import UNSURE_NAME, LabelMap
from spamnb.readers.tables.prediction_columns import (
    PredictionColumns,
    StatedColumns,
    check_scores,
    find_columns,
)

_FORMATS = ("csv", "tsv", "jsonl")


@dataclass(frozen=True)
class PredictionFile:
    """The rows of a file of predictions, in chunks."""

    name: str
    description: str
    columns: PredictionColumns
    chunks: list[Chunk]

    def truth(self, spam_label: str | None) -> tuple[list[str], dict[int, str]]:
        """Returns the true classes, and for rows without a usable one the reasons."""
        assert self.columns.truth is not None
        name = self.columns.names[self.columns.truth]
        if is_ham_column(name):  # 1 is the positive class here, as it is in the other columns
            name = ""
        written = [value for chunk in self.chunks for value in chunk.categories["truth"]]
        label_map = LabelMap(written, name, spam_label)
        label_map.check_sample(self.name)
        labels = [label_map[value.encode()] for value in written]
        label_map.check(self.name)
        return labels, {i: label_map.reason(written[i].encode()) for i, c in enumerate(labels) if not c}

    def verdicts(self, classes: set[str], spam_label: str | None) -> list[str] | None:
        """Returns the verdicts as classes, "unsure", or "" for anything else."""
        if self.columns.verdict is None:
            return None
        name, binary = self.columns.names[self.columns.verdict], classes <= {"ham", "spam", ""}
        name = "" if is_ham_column(name) else name
        verdicts = [value for chunk in self.chunks for value in chunk.categories["verdict"]]
        known = LabelMap((value for value in verdicts if value.lower() != UNSURE_NAME), name)

        def meaning(written: str) -> str:
            if written.lower() == UNSURE_NAME:
                return UNSURE_NAME
            if not binary:
                return written if written in classes else ""
            if spam_label is not None and written:
                return "spam" if written.lower() in (spam_label.strip().lower(), "spam") else "ham"
            return known[written.encode()] if known.binary else known_label(written, name)

        meanings = {value: meaning(value) for value in set(verdicts)}
        return [meanings[value] for value in verdicts]

    def scores(self) -> FloatArray | None:
        return self._numbers("score") if self.columns.score is not None else None

    def probabilities(self) -> FloatArray | None:
        """Returns the probabilities that stand beside log-odds; None if there are none."""
        return self._numbers("probability") if self.columns.probability is not None else None

    def _numbers(self, name: str) -> FloatArray | None:
        return np.concatenate([chunk.numbers[name] for chunk in self.chunks]) if self.chunks else None

    def texts(self) -> list[str]:
        """Returns the texts; none if there is no column of them."""
        if self.columns.text is None:
            return []
        texts = [text for chunk in self.chunks for text in chunk.texts.tolist()]
        return [text.decode("utf-8", "replace") for text in texts]

    def check_count(self, labels: int, skipped: int) -> None:
        """Refuses labelled data that has another number of messages than the file has predictions."""
        rows = sum(len(chunk) for chunk in self.chunks)
        if rows == labels:
            return
        more = f" ({skipped:,} more had to be left out)" if skipped else ""
        raise DataError(
            f"{self.name} has {rows:,} predictions, the data {labels:,} labelled messages{more}",
            hint="both need one row for each message, in the same order: predict this file, or give "
            "the predictions a column with the truth and name it with --label-column",
        )

    def check_same(self, data: Chunk) -> None:
        """Refuses labelled data with other messages than the file, if both have the texts."""
        if self.columns.text is None or data.sources or not self.chunks:
            return
        pairs = zip(self.chunks[0].texts.tolist(), data.texts.tolist(), strict=False)
        same = [theirs.lstrip(b"'").split() == ours.lstrip(b"'").split() for theirs, ours in pairs]
        if 2 * sum(same) < len(same):
            row = same.index(False)
            text = excerpt(data.texts[row].decode("utf-8", "replace"))
            raise DataError(
                f'{self.name} is about other messages than the data: number {row + 1} there is "{text}"',
                hint="give the data that was predicted, in the same order",
            )


def read_predictions(
    path: str, stated: StatedColumns, options: ReadOptions, *, joined: bool
) -> PredictionFile:
    """Reads CSV, TSV or JSON lines; `joined`: the truth comes from labelled data."""
    stream = open_bytes(path, live=False)
    try:
        return _read(DecodedInput(stream), stated, options, joined)
    finally:
        stream.close()


def _read(decoded: DecodedInput, stated: StatedColumns, options: ReadOptions, joined: bool) -> PredictionFile:
    if not decoded.raw_head:
        raise DataError(f"{decoded.name} is empty", hint="give a file with a truth and a score column")
    refuse_binary(decoded, options.encoding)
    decoded.decode(options.encoding)
    format = format_by_suffix(decoded.name) or ("jsonl" if decoded.head.lstrip().startswith(b"{") else "csv")
    if format == "json" and not begins_array(decoded.head):
        format = "jsonl"
    if format not in _FORMATS:
        raise DataError(
            f"{decoded.name} is {format}, expected predictions as {any_of(_FORMATS)}",
            hint="write it as CSV with a column for the truth and one for the score",
        )
    read = _read_lines if format == "jsonl" else _read_table
    return read(decoded, stated, options, joined)


def _read_table(
    decoded: DecodedInput, stated: StatedColumns, options: ReadOptions, joined: bool
) -> PredictionFile:
    known = ColumnOptions(categorical=stated.known_names)
    tabs, final = format_by_suffix(decoded.name) == "tsv", decoded.stream.ended
    dialect = detect_dialect(decoded.head, known, tabs=tabs, final=final, name=decoded.name)
    columns = find_columns(decoded.name, dialect.names, stated, dialect.sample, joined=joined)
    check_scores(decoded.name, columns, dialect.sample)
    rows = RowReader(dialect, columns.builder(), joins=text_owns_rest(dialect, columns.text))
    reader = TableReader(decoded, rows, options.chunk_bytes)
    return _prediction_file(decoded, describe_table(decoded, dialect), columns, reader.chunks())


def _read_lines(
    decoded: DecodedInput, stated: StatedColumns, options: ReadOptions, joined: bool
) -> PredictionFile:
    names, sample = read_sample(decoded, stated.known_names)
    columns = find_columns(decoded.name, names, stated, sample, joined=joined)
    check_scores(decoded.name, columns, sample)
    reader = LineReader(RecordTable(tuple(names), columns.builder(), keep=False))
    chunks = reader.chunks(decoded, options.chunk_bytes)
    return _prediction_file(decoded, describe_lines(decoded), columns, chunks)


def _prediction_file(
    decoded: DecodedInput, format: str, columns: PredictionColumns, chunks: Iterator[Chunk]
) -> PredictionFile:
    return PredictionFile(decoded.name, f"{format}, {columns.describe()}", columns, list(chunks))

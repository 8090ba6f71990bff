"""Files of predictions, of spamnb or any other filter: which column is truth, score or verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.byte_stream import open_bytes
from spamnb.readers.decoded_input import DecodedInput, refuse_binary
from spamnb.readers.formats import format_by_suffix
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.tables.chunk_builder import ChunkBuilder
from spamnb.readers.tables.column_choice import Columns, Rows, find_column, number
from spamnb.readers.tables.label_words import LABEL_NAMES, TEXT_NAMES, known_label, normal
from spamnb.readers.tables.labels import shown

# In order of preference. What `predict` writes (label, probability, log_odds) is found too: log_odds say more
# than a probability of six digits, and its label is the verdict.
TRUTH_NAMES = ("truth", "true_label", "actual", "gold", "expected", "y_true", "target", "ground_truth")
SCORE_NAMES = (
    *("log_odds", "probability", "spam_probability", "p_spam", "p(spam)", "prob", "proba", "p"),
    *("score", "spam_score", "y_score", "confidence"),
)
VERDICT_NAMES = (
    "verdict",
    "predicted",
    "prediction",
    "predicted_label",
    "pred",
    "y_pred",
    "said",
    "decision",
)


@dataclass(frozen=True)
class Wanted:
    """The columns that the user named, or None to find them."""

    truth: str | None = None
    score: str | None = None
    verdict: str | None = None

    @property
    def stated(self) -> tuple[str, ...]:
        return tuple(name for name in (self.truth, self.score, self.verdict) if name)


@dataclass(frozen=True)
class Found:
    """Column numbers from 0, and the names of all columns."""

    names: Sequence[str]
    truth: int | None
    score: int | None
    verdict: int | None
    text: int | None

    @property
    def log_odds(self) -> bool:
        """Are the scores log-odds by their name?"""
        return self.score is not None and normal(self.names[self.score]) == "log_odds"

    def describe(self) -> str:
        """`truth "actual", score "p", no verdict`."""
        kinds = {"truth": self.truth, "score": self.score, "verdict": self.verdict}
        return ", ".join(
            f"no {kind}" if i is None else f'{kind} "{shown(self.names[i])}"' for kind, i in kinds.items()
        )


@dataclass(frozen=True)
class PredictionFile:
    """A file: chunks whose categories are `truth` and `verdict` and whose number is `score`."""

    name: str
    description: str
    found: Found
    chunks: list[Chunk]
    skipped: SkippedRecords


def read_predictions(path: str, wanted: Wanted, options: ReadOptions, *, joined: bool) -> PredictionFile:
    """Read CSV, TSV or JSON lines; `joined`: the truth comes from elsewhere."""
    stream = open_bytes(path, live=False)
    try:
        return _read(DecodedInput(stream), wanted, options, joined)
    finally:
        stream.close()


def _read(given: DecodedInput, wanted: Wanted, options: ReadOptions, joined: bool) -> PredictionFile:
    if not given.raw_head:
        raise DataError(f"{given.name} is empty", hint="give a file with a truth and a score column")
    refuse_binary(given, options.encoding)
    given.decode(options.encoding)
    format = format_by_suffix(given.name) or ("jsonl" if given.head.lstrip().startswith(b"{") else "csv")
    if format not in ("csv", "tsv", "jsonl"):
        raise DataError(
            f"{given.name} is {format}, expected predictions as CSV, TSV or JSON lines",
            hint="write it as CSV with a column for the truth and one for the score",
        )
    if format == "jsonl":
        return _jsonl(given, wanted, options, joined)
    return _table(given, wanted, options, joined, tabs=format == "tsv")


def _table(
    given: DecodedInput, wanted: Wanted, options: ReadOptions, joined: bool, *, tabs: bool
) -> PredictionFile:
    from dataclasses import replace

    from spamnb.readers.tables.csv_dialect import detect_shape
    from spamnb.readers.tables.delimited import TableRows, _describe, _Table

    named = replace(options, categorical=(*wanted.stated, *TRUTH_NAMES, *SCORE_NAMES, *VERDICT_NAMES))
    shape = detect_shape(given.head, named, tabs=tabs, final=given.stream.ended, name=given.name)
    found = find_columns(given.name, shape.names, shape.rows, wanted, joined)
    skipped = SkippedRecords()
    columns = _columns(found)
    rows = _Table(given, TableRows(shape, ChunkBuilder(columns, None, skipped)), options.chunk_bytes)
    return PredictionFile(
        given.name, f"{_describe(given, shape)}, {found.describe()}", found, list(rows.chunks()), skipped
    )


def _jsonl(given: DecodedInput, wanted: Wanted, options: ReadOptions, joined: bool) -> PredictionFile:
    from spamnb.readers.tables.jsonl import JsonLines, _chunks, as_bytes, names_of, parse_lines

    head = given.head if given.stream.ended else given.head[: given.head.rfind(b"\n") + 1]
    sample, _, _ = parse_lines(head)
    names = names_of(sample, (*wanted.stated, *TRUTH_NAMES, *SCORE_NAMES, *VERDICT_NAMES))
    rows = [[as_bytes(record.get(name)).decode("utf-8", "replace") for name in names] for record in sample]
    found = find_columns(given.name, names, rows, wanted, joined)
    skipped, columns = SkippedRecords(), _columns(found)
    lines = JsonLines({i: names[i] for i in columns.wanted}, ChunkBuilder(columns, None, skipped))
    inside = _chunks(given, lines, options.chunk_bytes)
    about = f"{given.name}: JSONL ({given.encoding}), {found.describe()}"
    return PredictionFile(given.name, about, found, list(inside), skipped)


def _columns(found: Found) -> Columns:
    kinds = {"truth": found.truth, "verdict": found.verdict}
    numeric = {} if found.score is None else {"score": found.score}
    return Columns(found.text, None, {k: i for k, i in kinds.items() if i is not None}, numeric)


def find_columns(source: str, names: Sequence[str], rows: Rows, wanted: Wanted, joined: bool) -> Found:
    """As stated, else by name; `label` is the verdict in what `predict` writes, else the truth.

    >>> find_columns("x.csv", ["label", "p"], [["spam", "0.9"]], Wanted(), joined=False).describe()
    'truth "label", score "p", no verdict'
    >>> find_columns("x.csv", ["label", "log_odds"], [["spam", "2"]], Wanted(), joined=True).describe()
    'no truth, score "log_odds", verdict "label"'
    """
    truth, score, verdict = (
        _stated(source, name, names) for name in (wanted.truth, wanted.score, wanted.verdict)
    )
    score = _by_name(names, SCORE_NAMES, {truth, verdict}) if score is None else score
    truth = _by_name(names, TRUTH_NAMES, {score, verdict}) if truth is None and not joined else truth
    verdict = _by_name(names, VERDICT_NAMES, {score, truth}) if verdict is None else verdict
    label = _by_name(names, LABEL_NAMES, {truth, score, verdict})
    own = "log_odds" in [normal(name) for name in names]
    if truth is None and not joined and not own:
        truth = label
    elif verdict is None and label is not None and _labels(rows, label):
        verdict = label
    text = _by_name(names, TEXT_NAMES, {truth, score, verdict})
    _check(source, names, truth, score, verdict, joined)
    _check_score(source, names, score, rows)
    return Found(names, truth, score, verdict, text)


def _labels(rows: Rows, column: int) -> bool:
    values = {row[column].strip() for row in rows if column < len(row)}
    return all(known_label(value) or value == "unsure" for value in values) or len(values) <= 20


def _stated(source: str, name: str | None, names: Sequence[str]) -> int | None:
    if name is None:
        return None
    found = find_column(name, names)
    if found is None:
        raise DataError(f'{source} has no column "{name}"', hint=f"its columns: {_listed(names)}")
    return found


def _by_name(names: Sequence[str], known: Sequence[str], taken: set[int | None]) -> int | None:
    plain = [normal(name) for name in names]
    return next(
        (plain.index(name) for name in known if name in plain and plain.index(name) not in taken), None
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shown(name) or '""' for name in names[:20]) + (", ..." if len(names) > 20 else "")


def _check(
    source: str,
    names: Sequence[str],
    truth: int | None,
    score: int | None,
    verdict: int | None,
    joined: bool,
) -> None:
    if truth is None and not joined:
        raise DataError(
            f"no column of {source} says what each message really is; its columns: {_listed(names)}",
            hint=f"name it with --truth, or give the labelled messages too: "
            f"spamnb evaluate --predictions {source} DATA",
        )
    if score is None and verdict is None:
        raise DataError(
            f"no column of {source} is a score or a verdict; its columns: {_listed(names)}",
            hint="name one with --score or --verdict",
        )


def _check_score(source: str, names: Sequence[str], score: int | None, rows: Rows) -> None:
    if score is None:
        return
    values = [row[score] for row in rows if score < len(row) and row[score].strip()]
    if values and all(number(value) != number(value) for value in values):
        raise DataError(
            f'column "{shown(names[score])}" of {source} holds no numbers, for example "{shown(values[0])}"',
            hint="name the column of the scores with --score",
        )

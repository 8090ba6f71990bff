"""Finds the columns of a file of predictions: the truth, the score and the verdict, as stated or by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from spamnb.core import excerpt
from spamnb.errors import DataError
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.tables.chunk_builder import ChunkBuilder
from spamnb.readers.tables.column_choice import Columns, Rows, list_names, number, stated_column
from spamnb.readers.tables.label_words import LABEL_NAMES, PREDICTED_NAMES, TEXT_NAMES, normalize_name

# In order of preference. Of the scores that `predict` writes, log_odds have more digits than probability, and
# rank messages of which too little is known to state a probability near 0 or 1.
TRUTH_NAMES = ("truth", "true_label", "actual", "gold", "expected", "y_true", "target", "ground_truth")
SCORE_NAMES = (
    *("log_odds", "probability", "spam_probability", "p_spam", "p(spam)", "prob", "proba", "p"),
    *("score", "spam_score", "y_score", "confidence"),
)
VERDICT_NAMES = (*PREDICTED_NAMES, "said", "decision", "label")


@dataclass(frozen=True)
class StatedColumns:
    """The columns that the user states; others are found by name.

    A column of `predictions` has scores if it has numbers, else verdicts.
    """

    truth: str | None = None
    predictions: tuple[str, ...] = ()

    @property
    def known_names(self) -> tuple[str, ...]:
        truth = () if self.truth is None else (self.truth,)
        return (*truth, *self.predictions, *TRUTH_NAMES, *SCORE_NAMES, *VERDICT_NAMES)


@dataclass(frozen=True)
class PredictionColumns:
    """The names of all columns, and which of them are the truth, the score, the verdict and the text."""

    names: Sequence[str]
    truth: int | None
    score: int | None
    verdict: int | None
    text: int | None

    @property
    def has_log_odds(self) -> bool:
        """Whether the scores are log-odds, by the name of their column."""
        return self.score is not None and normalize_name(self.names[self.score]) == "log_odds"

    @property
    def probability(self) -> int | None:
        """The column of the probabilities that stand beside log-odds."""
        return (
            _by_name(self.names, ["probability"], {self.truth, self.verdict}) if self.has_log_odds else None
        )

    def describe(self) -> str:
        """Writes `truth "actual", score "p", no verdict`."""
        kinds = {"truth": self.truth, "score": self.score, "verdict": self.verdict}
        return ", ".join(
            f"no {kind}" if i is None else f'{kind} "{excerpt(self.names[i])}"' for kind, i in kinds.items()
        )

    def builder(self) -> ChunkBuilder:
        """Builds chunks with the categories `truth` and `verdict`, the numbers `score` and `probability`."""
        categories = {"truth": self.truth, "verdict": self.verdict}
        categorical = {kind: i for kind, i in categories.items() if i is not None}
        numbers = {"score": self.score, "probability": self.probability}
        numeric = {kind: i for kind, i in numbers.items() if i is not None}
        return ChunkBuilder(Columns(self.text, None, categorical, numeric), None, SkippedRecords())


def find_columns(
    source: str, names: Sequence[str], stated: StatedColumns, sample: Rows, *, joined: bool
) -> PredictionColumns:
    """Finds the columns: as stated, else by name; `label` is the truth, unless that is in the data.

    >>> find_columns("x.csv", ["label", "p"], StatedColumns(), [], joined=False).describe()
    'truth "label", score "p", no verdict'
    >>> find_columns("x.csv", ["label", "log_odds"], StatedColumns(), [], joined=True).describe()
    'no truth, score "log_odds", verdict "label"'
    """
    truth = None if stated.truth is None else stated_column(source, stated.truth, names)
    score, verdict = _stated_predictions(source, names, stated.predictions, sample)
    if score is None:
        score = _by_name(names, SCORE_NAMES, {truth, verdict})
    if truth is None and not joined:
        truth = _by_name(names, (*TRUTH_NAMES, *LABEL_NAMES), {score, verdict})
    if verdict is None:
        verdict = _by_name(names, VERDICT_NAMES, {truth, score})
    text = _by_name(names, TEXT_NAMES, {truth, score, verdict})
    columns = PredictionColumns(names, truth, score, verdict, text)
    _check_columns(source, columns, joined)
    return columns


def _stated_predictions(
    source: str, names: Sequence[str], stated: Sequence[str], sample: Rows
) -> tuple[int | None, int | None]:
    """Returns the stated column of scores and that of verdicts."""
    columns: dict[bool, int] = {}
    for name in stated:
        index = stated_column(source, name, names)
        has_numbers = any(not math.isnan(number(value)) for value in _values(sample, index))
        if has_numbers in columns:
            kind = "scores" if has_numbers else "verdicts"
            raise DataError(
                f'columns "{excerpt(names[columns[has_numbers]])}" and "{excerpt(names[index])}" of {source} '
                f"both have {kind}",
                hint="name one of them with --prediction-column",
            )
        columns[has_numbers] = index
    return columns.get(True), columns.get(False)


def _values(sample: Rows, column: int) -> list[str]:
    return [row[column] for row in sample if column < len(row) and row[column].strip()]


def _by_name(names: Sequence[str], usual: Sequence[str], taken: set[int | None]) -> int | None:
    normal = [normalize_name(name) for name in names]
    indexes = (normal.index(name) for name in usual if name in normal)
    return next((index for index in indexes if index not in taken), None)


def _check_columns(source: str, columns: PredictionColumns, joined: bool) -> None:
    if columns.truth is None and not joined:
        raise DataError(
            f"no column of {source} has the true labels; its columns: {list_names(columns.names)}",
            hint=f"name it with --label-column, or give the labelled messages too: "
            f"spamnb evaluate --predictions {quote(source)} DATA",
        )
    if columns.score is None and columns.verdict is None:
        raise DataError(
            f"no column of {source} is a score or a verdict; its columns: {list_names(columns.names)}",
            hint="name one with --prediction-column",
        )


def check_scores(source: str, columns: PredictionColumns, sample: Rows) -> None:
    """Refuses a column of scores without any number in the sample."""
    score = columns.score
    if score is None:
        return
    values = _values(sample, score)
    if values and all(math.isnan(number(value)) for value in values):
        name = excerpt(columns.names[score])
        raise DataError(
            f'column "{name}" of {source} has no numbers, for example "{excerpt(values[0])}"',
            hint="name the column of the scores with --prediction-column",
        )

"""Predictions of a file beside the truth: from a column of its own, or by order from labelled data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from spamnb.errors import DataError
from spamnb.message import Chunk
from spamnb.predicted import UNSURE_NAME, Predictions
from spamnb.readers.labels import LabelMap, shown
from spamnb.readers.predictions import PredictionFile
from spamnb.readers.skipped import Skipped
from spamnb.readers.words import about_ham, known_label


def collect(
    file: PredictionFile, truth: Sequence[str] | None, spam_label: str | None
) -> tuple[Predictions, Skipped]:
    """What can be compared, and the rows that cannot; `truth` is that of labelled data, if any."""
    labels, reason = _own_truth(file, spam_label) if truth is None else (list(truth), _no_label)
    said = _verdicts(file, set(labels), spam_label)
    score = _scores(file.chunks)
    left, rows = Skipped("left out"), []
    for i, line in enumerate(line for chunk in file.chunks for line in chunk.lines.tolist()):
        if not labels[i]:
            left.add(line, reason(i))
        elif score is not None and np.isnan(score[i]):
            left.add(line, "no score")
        elif said is not None and not said[i]:
            left.add(line, "unknown verdict")
        else:
            rows.append(i)
    if not rows:
        raise DataError(
            f"no usable rows in {file.name}: {left.summary() if left.count else 'nothing but a header'}",
            hint="name the columns with --truth, --score and --verdict",
        )
    texts = [text for chunk in file.chunks for text in _texts(chunk)] if file.found.text is not None else []
    return Predictions(
        [labels[i] for i in rows],
        None if said is None else [said[i] for i in rows],
        None if score is None else score[rows],
        file.found.log_odds,
        [texts[i] for i in rows] if texts else [],
    ), left


def _no_label(_: int) -> str:
    return "no label"


def _own_truth(file: PredictionFile, spam_label: str | None) -> tuple[list[str], Callable[[int], str]]:
    raw = [value.encode() for chunk in file.chunks for value in chunk.categories["truth"]]
    assert file.found.truth is not None
    column = file.found.names[file.found.truth]
    if about_ham(column):  # 1 is the class looked for here, as it is in the other columns
        column = ""
    mapped = LabelMap((value.decode() for value in raw), column, spam_label)
    labels = [mapped[value] for value in raw]
    mapped.check(file.name)
    return labels, lambda i: mapped.reason(raw[i])


def _verdicts(file: PredictionFile, classes: set[str], spam_label: str | None) -> list[str] | None:
    """Verdicts as classes, "unsure", or "" for anything else."""
    if file.found.verdict is None:
        return None
    column, two = file.found.names[file.found.verdict], classes <= {"ham", "spam", ""}

    def use(value: str) -> str:
        if value.lower() == UNSURE_NAME:
            return UNSURE_NAME
        if not two:
            return value if value in classes else ""
        if spam_label is not None and value:
            return "spam" if value.lower() in (spam_label.strip().lower(), "spam") else "ham"
        return known_label(value, "" if about_ham(column) else column)

    raw = [value for chunk in file.chunks for value in chunk.categories["verdict"]]
    meaning = {value: use(value) for value in set(raw)}
    return [meaning[value] for value in raw]


def _scores(chunks: Sequence[Chunk]) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    if not chunks or "score" not in chunks[0].numbers:
        return None
    return np.concatenate([chunk.numbers["score"] for chunk in chunks])


def _texts(chunk: Chunk) -> list[str]:
    return [text.decode("utf-8", "replace") for text in chunk.texts.tolist()]


def check_count(file: PredictionFile, labels: int, skipped: int) -> None:
    """Joining by order needs as many predictions as messages."""
    found = sum(len(chunk) for chunk in file.chunks)
    if found == labels:
        return
    left = f" ({skipped:,} more had to be left out)" if skipped else ""
    raise DataError(
        f"{file.name} has {found:,} predictions, the data {labels:,} labelled messages{left}",
        hint="both need one row for each message, in the same order: predict this very file, or give "
        "the predictions a column with the truth and name it with --truth",
    )


def check_same(file: PredictionFile, data: Chunk) -> None:
    """Refuse to compare verdicts with the truth about other messages, where both files show the messages."""
    if file.found.text is None or data.sources or not file.chunks:
        return
    pairs = zip(file.chunks[0].texts.tolist(), data.texts.tolist(), strict=False)
    same = [theirs.lstrip(b"'").split() == ours.lstrip(b"'").split() for theirs, ours in pairs]
    if 2 * sum(same) < len(same):
        row = same.index(False)
        text = data.texts[row].decode("utf-8", "replace")
        raise DataError(
            f'{file.name} is about other messages than the data: number {row + 1} there is "{shown(text)}"',
            hint="give the data that was predicted, in the same order",
        )

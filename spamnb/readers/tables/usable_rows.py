"""Leaves out messages in Python that have no text or no label, as the rows of a table are left out."""

from __future__ import annotations

import numpy as np

from spamnb.errors import InputError, counted, warn
from spamnb.messages import Chunk, Texts
from spamnb.readers.skipped_rows import NO_TEXT, SkippedRecords
from spamnb.readers.tables.python_columns import Columns
from spamnb.readers.tables.python_labels import ReadLabels


def check_lengths(texts: Texts, labels: ReadLabels) -> None:
    """Refuses more or fewer labels than messages."""
    if len(texts) != len(labels.names):
        raise InputError(
            f"{counted(len(texts), 'message')} but {counted(len(labels.names), 'label')}",
            hint="pass one label for each message",
        )


def usable_rows(texts: Texts, labels: ReadLabels, columns: Columns) -> Chunk:
    """Returns the messages that can be learned, with their labels and columns; warns of the others.

    A message without text is of use if it has other columns.
    """
    chunk = Chunk(texts, np.arange(len(texts)), labels.names, *columns)
    reasons = dict.fromkeys(texts.blank_rows(), NO_TEXT) if not any(columns) else {}
    reasons |= labels.reasons
    if not reasons:
        return chunk
    skipped = SkippedRecords()
    for row in sorted(reasons):
        skipped.add(f"messages[{row}]", reasons[row])
    warn(skipped.summary())
    return chunk.select(np.delete(chunk.lines, list(reasons)))

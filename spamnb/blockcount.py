"""What one block of an input gives, wherever it was counted, and how its source is told."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from spamnb.readers import Source
from spamnb.readers.blocks import BlockReader
from spamnb.readers.skipped import Skipped
from spamnb.samples import Order
from spamnb.training import Trainer


@dataclass
class Report:
    """What became of one block: usable rows, lines, what was left out, and the labels that occurred.

    `last`: nothing more comes of what a worker was given. `stuck`: here begins a record that is too long.
    """

    order: Order
    size: int = 0
    last: bool = True
    stuck: bool = False
    rows: int = 0
    lines: int = 0
    skipped: Skipped = field(default_factory=lambda: Skipped(most=sys.maxsize))
    labels: dict[bytes, str] = field(default_factory=dict)


def count_block(trainer: Trainer, order: Order, reader: BlockReader, block: bytes) -> Report:
    """Count the messages of one block."""
    report = Report(order)
    for chunk, lines in reader.read(block, report.skipped):
        assert chunk.labels is not None
        report.rows, report.lines = report.rows + len(chunk), report.lines + lines
        if len(chunk):
            trainer.add(chunk.texts, chunk.labels, dict(chunk.categories), dict(chunk.numbers), order)
    report.labels = dict(reader.labels or {})
    return report


def settle(source: Source, reports: list[Report]) -> None:
    """Tell a source what its blocks were like, as if it had been read here, and let it complain."""
    assert source.blocks is not None
    before = source.blocks.first_line - 1
    for report in sorted(reports, key=lambda report: report.order):
        source.skipped.extend(report.skipped, before)
        before += report.lines
        meet(source, report)
    source.check(sum(report.rows for report in reports))


def meet(source: Source, report: Report) -> None:
    """Let a source see the labels of a block: too many are an error."""
    if source.labels is not None:
        for written in report.labels:
            source.labels[written]
    report.labels = {}

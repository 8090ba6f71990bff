"""Measures the memory of lines that are long, not ASCII and all different: more of them must not take more.

    python -m tests.robustness.memory_growth

The words repeat, so the vocabulary does not grow; what would grow is a cache of whole lines.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.robustness.child_process import run_command, spamnb
from tests.robustness.every_command import MODEL, prepare
from tests.robustness.result_row import Row

MAX_GROWTH = 1.3
SMALL, LARGE = 20_000_000, 120_000_000  # bytes
LENGTHS = (900, 12_000)  # bytes of a line, which is one run of non-ASCII bytes
COMMANDS = {
    "predict": ("predict", "-m", MODEL),
    "train": ("train", "-o", "new.spamnb", "--folds", "0", "--set", "digests=no", "--jobs", "1", "--force"),
}


class Growth(NamedTuple):
    """Peak memory with many lines, in megabytes, and how many times that of few lines it is."""

    megabytes: float
    ratio: float
    seconds: float


def write_lines(path: Path, size: int, length: int) -> None:
    """A table of about so many bytes; a blank that is not ASCII stands between the words of a line."""
    dice = random.Random(length)
    letters = [chr(code) for code in range(0x430, 0x450)]
    words = ["".join(dice.choices(letters, k=6)) for _ in range(500)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("label,text\n")
        for i in range(size // length):
            line = "\u00a0".join(dice.choices(words, k=length // 14))
            file.write(f"{'spam' if i % 2 else 'ham'},{line}\n")


def growth(command: str, length: int, folder: Path, small: int = SMALL, large: int = LARGE) -> Growth:
    results = []
    for size in (small, large):
        write_lines(folder / "lines.csv", size, length)
        results.append(run_command(spamnb(*COMMANDS[command], "lines.csv"), folder))
        assert results[-1].code == 0, results[-1].err
    few, many = results
    return Growth(many.megabytes, many.megabytes / few.megabytes, many.seconds)


def rows(budget: float) -> list[Row]:  # noqa: ARG001
    """For the table of `make hardening`; takes about two minutes, whatever the budget."""
    results = []
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        for command in COMMANDS:
            for length in LENGTHS:
                one = growth(command, length, Path(name))
                what = f"{command}, lines of {length:,}: x{one.ratio:.2f}"
                failed = int(one.ratio > MAX_GROWTH)
                results.append(Row("memory growth", what, 1, failed, one.seconds, one.megabytes))
    return results


if __name__ == "__main__":
    for row in rows(0):
        print(row)

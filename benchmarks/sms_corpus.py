"""Makes a large SMS corpus for timing: the UCI collection (or the shipped sample) many times, varied."""

from __future__ import annotations

import csv
from pathlib import Path

from benchmarks.command_cost import ROOT
from benchmarks.corpora import UCI

SAMPLE = ROOT / "data" / "sms_sample.csv"
_SYLLABLES = (
    *("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu"),
    *("na", "pe", "ri", "so", "tu", "va", "we", "xi", "yo", "zu"),
)


def base() -> list[tuple[str, str]]:
    """(label, text) rows of the UCI collection, or of the sample seven times where that is absent."""
    if UCI.exists():
        lines = UCI.read_text(encoding="utf-8").splitlines()
        return [(label, text) for label, _, text in (line.partition("\t") for line in lines)]
    with open(SAMPLE, encoding="utf-8", newline="") as file:
        rows = [(row["label"], " ".join(row["text"].split())) for row in csv.DictReader(file)]
    return rows * 7


def varied(copies: int) -> list[tuple[str, str]]:
    """Copy k shifts every digit by k and ends each message with one of 8,000 made-up words."""
    rows = base()
    result = list(rows)
    for k in range(1, copies):
        digits = str.maketrans("0123456789", "".join(str((d + k) % 10) for d in range(10)))
        for j, (label, text) in enumerate(rows):
            word = made_up_word((j * 7919 + k * 104_729) % 8000)
            result.append((label, f"{text.translate(digits)} {word}"))
    return result


def made_up_word(number: int, syllables: int = 20, length: int = 3) -> str:
    """The number written in syllables.

    >>> made_up_word(1), made_up_word(17, 16, 2)
    ('cebaba', 'cece')
    """
    return "".join(_SYLLABLES[number // syllables**i % syllables] for i in range(length))


def write(folder: Path, copies: int) -> tuple[Path, Path]:
    """The corpus as a quoted CSV for training and as lines for predicting."""
    rows = varied(copies)
    table, lines = folder / f"x{copies}.csv", folder / f"x{copies}.txt"
    with open(table, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["label", "text"])
        writer.writerows(rows)
    lines.write_text("".join(text + "\n" for _, text in rows), encoding="utf-8")
    return table, lines

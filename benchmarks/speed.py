"""`make bench`: speed and memory of the commands beside scikit-learn doing the same, in one run.

Every figure is a ratio of two processes measured in turn on one core. The targets are those that the
project holds itself to; the run prints whether they are met and ends with 1 if one is not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import corpus
from benchmarks.common import Cost, interleaved, run, spamnb

# The peer's model: all occurrences, add-one smoothing, words as they are, no memory of the messages.
SAME = ("--tokens", "plain", "--counts", "all", "--alpha", "1", "--damping", "0", "--no-digests")
PEER = [sys.executable, "-m", "benchmarks.peer_sklearn"]


class Table:
    """Rows of measured against wanted; remembers whether all are met."""

    def __init__(self) -> None:
        self.missed = 0
        print(f"{'measure':<44}{'spamnb':>11}{'peer':>11}{'ratio':>9}  wanted")

    def row(
        self, name: str, ours: str, theirs: str, ratio: float, wanted: float, at_least: bool = True
    ) -> None:
        good = ratio >= wanted if at_least else ratio <= wanted
        self.missed += not good
        sign = ">=" if at_least else "<="
        state = "ok" if good else "MISSED"
        print(f"{name:<44}{ours:>11}{theirs:>11}{ratio:>8.2f}x  {sign} {wanted:g}x {state}", flush=True)


def against_sklearn(table: Table, folder: Path, copies: int, rounds: int) -> None:
    """The same model on both sides, with words and with words and bigrams, then our defaults.

    Ours is also cross-validated.
    """
    data, lines = corpus.write(folder, copies)
    for name, ngrams, flags, wanted in (
        ("words", 1, [*SAME], (8.0, 8.0)),
        ("words+bigrams", 2, [*SAME, "--ngrams", "2"], (12.0, 12.0)),
        ("our defaults / peer's bigrams", 2, [], (12.0, 12.0)),
    ):
        model, peer = str(folder / f"m{ngrams}{len(flags)}"), str(folder / f"p{ngrams}")
        commands = {
            "ours": spamnb("train", str(data), "-o", model, "-q", *flags),
            "peer": [*PEER, "train", str(data), peer, str(ngrams)],
        }
        cost = interleaved(commands, rounds)
        _compare(table, f"train, {name}", cost, wanted[0])
        commands = {
            "ours": spamnb("predict", "-m", model, "-q", str(lines)),
            "peer": [*PEER, "predict", str(lines), peer],
        }
        cost = interleaved(commands, rounds, stdout=folder / "out")
        _compare(table, f"predict, {name}", cost, wanted[1])


def _compare(table: Table, name: str, cost: dict[str, Cost], wanted: float) -> None:
    ours, peer = cost["ours"], cost["peer"]
    table.row(name, f"{ours.seconds:.2f} s", f"{peer.seconds:.2f} s", peer.seconds / ours.seconds, wanted)
    share = ours.megabytes / peer.megabytes
    sizes = f"{ours.megabytes:.0f} MB", f"{peer.megabytes:.0f} MB"
    table.row(f"  peak memory, {name}", *sizes, share, 1 / 3, at_least=False)


def scaling(table: Table, folder: Path, copies: int, rounds: int) -> None:
    """Four times the input may take 4.4 times as long."""
    small, small_lines = corpus.write(folder, copies)
    large, large_lines = corpus.write(folder, 4 * copies)
    model = str(folder / "scale")
    for name, one, four in (
        ("train", _train(small, model), _train(large, model)),
        ("predict", _predict(small_lines, model), _predict(large_lines, model)),
    ):
        cost = interleaved({"one": one, "four": four}, rounds, stdout=folder / "out")
        a, b = cost["one"].seconds, cost["four"].seconds
        table.row(f"{name}, 4x the input", f"{b:.2f} s", f"{a:.2f} s", b / a, 4.4, at_least=False)


def _train(data: Path, model: str) -> list[str]:
    return spamnb("train", str(data), "-o", model, "-q", "--force")


def _predict(lines: Path, model: str) -> list[str]:
    return spamnb("predict", "-m", model, "-q", str(lines))


def start_up(table: Table, folder: Path, rounds: int) -> None:
    """One message against importing click and numpy."""
    data, _ = corpus.write(folder, 1)
    model, message = str(folder / "one"), folder / "message"
    message.write_text("WIN a FREE prize now\n")
    run(spamnb("train", str(data), "-o", model, "-q"))
    commands = {
        "ours": spamnb("predict", "-m", model),
        "peer": [sys.executable, "-c", "import click, numpy"],
        "help": spamnb("--help"),
        "click": [sys.executable, "-c", "import click"],
    }
    cost = interleaved(commands, rounds, stdin=message)
    ours, peer = cost["ours"].seconds, cost["peer"].seconds
    table.row(
        "one message / import click, numpy",
        f"{ours * 1e3:.0f} ms",
        f"{peer * 1e3:.0f} ms",
        ours / peer,
        1.5,
        False,
    )
    ours, peer = cost["help"].seconds, cost["click"].seconds
    table.row(
        "--help / import click", f"{ours * 1e3:.0f} ms", f"{peer * 1e3:.0f} ms", ours / peer, 1.5, False
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start_up(table, folder, 7 * given.rounds)
        against_sklearn(table, folder, given.copies, given.rounds)
        scaling(table, folder, given.copies, given.rounds)
    sys.exit(1 if table.missed else 0)


if __name__ == "__main__":
    main()

"""`make bench`: speed and memory of the commands beside scikit-learn doing the same, in one run.

Every figure is a ratio of two processes measured in turn on one core. The targets are those that the
project holds itself to; the run prints whether they are met and ends with 1 if one is not. Then come
other filters, without targets. `--page` writes all of it into docs/internals/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import peer_commands, sms_corpus
from benchmarks.command_cost import Cost, in_turn, run, spamnb
from benchmarks.machine import facts
from benchmarks.peers.known import TOOLS, present
from benchmarks.peers.sklearn import Multinomial
from benchmarks.results_page import times, write
from benchmarks.speed_table import Table, megabytes, milliseconds, seconds

# The peer's model: all occurrences, add-one smoothing, words as they are, no memory of the messages.
SAME = (
    "--tokens",
    "plain",
    "--set",
    "counts=all",
    "--alpha",
    "1",
    "--set",
    "damping=0",
    "--set",
    "digests=no",
)
PEER = [sys.executable, "-m", "benchmarks.peers.sklearn_script"]


def against_sklearn(table: Table, folder: Path, copies: int, rounds: int) -> None:
    """The same model on both sides, with words and with words and bigrams, then our defaults.

    Ours is also cross-validated. Our defaults do more than the peer (shapes, disguises, repeats, digests).
    """
    data, lines = sms_corpus.write(folder, copies)
    for name, ngrams, flags, wanted in (
        ("words", 1, [*SAME], (8.0, 8.0)),
        ("words+bigrams", 2, [*SAME, "--ngrams", "2"], (12.0, 12.0)),
        ("our defaults / peer's bigrams", 2, [], (None, None)),
    ):
        model, peer = str(folder / f"m{ngrams}{len(flags)}"), str(folder / f"p{ngrams}")
        commands = {
            "ours": spamnb("train", str(data), "-o", model, "-q", *flags),
            "peer": [*PEER, "train", str(data), peer, str(ngrams)],
        }
        _compare(table, f"train, {name}", in_turn(commands, rounds), wanted[0])
        commands = {
            "ours": spamnb("predict", "-m", model, "-q", str(lines)),
            "peer": [*PEER, "predict", str(lines), peer],
        }
        _compare(table, f"predict, {name}", in_turn(commands, rounds, stdout=folder / "out"), wanted[1])


def _compare(table: Table, name: str, costs: dict[str, list[Cost]], wanted: float | None) -> None:
    table.at_least(name, wanted, seconds, *_seconds(costs, "ours", "peer"))
    ours, peer = ([cost.megabytes for cost in costs[side]] for side in ("ours", "peer"))
    table.at_most(f"  peak memory, {name}", 1 / 3, megabytes, ours, peer, best=max)


def _seconds(costs: dict[str, list[Cost]], *names: str) -> list[list[float]]:
    return [[cost.seconds for cost in costs[name]] for name in names]


def scaling(table: Table, folder: Path, copies: int, rounds: int) -> None:
    """Four times the input may take 4.4 times as long."""
    small, small_lines = sms_corpus.write(folder, copies)
    large, large_lines = sms_corpus.write(folder, 4 * copies)
    model = str(folder / "scale")
    for name, one, four in (
        ("train", _train(small, model), _train(large, model)),
        ("predict", _predict(small_lines, model), _predict(large_lines, model)),
    ):
        costs = in_turn({"one": one, "four": four}, rounds, stdout=folder / "out")
        large_cost, small_cost = _seconds(costs, "four", "one")
        table.at_most(f"{name}, 4x the input", 4.4, seconds, large_cost, small_cost)


def _train(data: Path, model: str) -> list[str]:
    return spamnb("train", str(data), "-o", model, "-q", "--force")


def _predict(lines: Path, model: str) -> list[str]:
    return spamnb("predict", "-m", model, "-q", str(lines))


def start_up(table: Table, folder: Path, rounds: int) -> None:
    """One message against importing click and numpy."""
    data, _ = sms_corpus.write(folder, 1)
    model, message = str(folder / "one"), folder / "message"
    message.write_text("WIN a FREE prize now\n")
    run(spamnb("train", str(data), "-o", model, "-q"))
    commands = {
        "ours": spamnb("predict", "-m", model),
        "peer": [sys.executable, "-c", "import click, numpy"],
        "help": spamnb("--help"),
        "click": [sys.executable, "-c", "import click"],
    }
    costs = in_turn(commands, rounds, stdin=message)
    one, bare = _seconds(costs, "ours", "help"), _seconds(costs, "peer", "click")
    table.at_most("one message / import click, numpy", 1.5, milliseconds, one[0], bare[0])
    table.at_most("--help / import click", 1.5, milliseconds, one[1], bare[1])


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, help="how large the data is: 50, with --quick 3")
    parser.add_argument("--rounds", type=int, help="how often each command runs: 4, with --quick 1")
    parser.add_argument("--quick", action="store_true", help="a minute or two, to see that it works")
    parser.add_argument("--page", type=Path, help="write the section on speed of this page")
    parsed = parser.parse_args(arguments)
    parsed.copies = parsed.copies or (3 if parsed.quick else 50)
    parsed.rounds = parsed.rounds or (1 if parsed.quick else 4)
    return parsed


def section(table: Table, parts: Sequence[str], arguments: argparse.Namespace, load: float) -> str:
    """The text for the page."""
    command = f"make bench{' ARGS=--quick' if arguments.quick else ''}"
    size = f"{arguments.copies * len(sms_corpus.base()):,} messages"
    title = f"### Beside scikit-learn: {size}, {times(arguments.rounds)}"
    return "\n\n".join(
        [facts((Multinomial, *TOOLS), command, arguments.quick, load), title, table.markdown(), *parts]
    )


def main() -> None:
    arguments, load = options(), os.getloadavg()[0]
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start_up(table, folder, 7 * arguments.rounds)
        against_sklearn(table, folder, arguments.copies, arguments.rounds)
        scaling(table, folder, arguments.copies, arguments.rounds)
        parts = peer_commands.measured(folder, present(TOOLS), arguments.rounds, arguments.quick)
    if arguments.page:
        write(arguments.page, "speed", section(table, parts, arguments, load))
    sys.exit(1 if table.missed else 0)


if __name__ == "__main__":
    main()

"""Measures the processor time of `spamnb compare` beside one `train` and a scikit-learn script.

The targets: all scorers in 5 folds take less than 6 times one training and less than a quarter of the script.
Runs are interleaved and the least processor time (user and system) of each counts: the machine may be busy.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.command_cost import interleaved, spamnb
from benchmarks.corpora import UCI, require

ROUNDS = 5


def main() -> None:
    data = str(require(UCI))
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "train": spamnb("train", data, "-q", "-o", str(Path(folder) / "model")),
            "compare": spamnb("compare", data, "-q"),
            "script": [sys.executable, "-m", "benchmarks.peers.compare_script", data],
        }
        cpu = {name: cost.cpu for name, cost in interleaved(commands, ROUNDS).items()}
    for name, seconds in cpu.items():
        print(f"{name:<10}{seconds:>7.2f} s of processor time")
    trainings, share = cpu["compare"] / cpu["train"], cpu["compare"] / cpu["script"]
    print(f"compare is {trainings:.2f} trainings (wanted < 6) and {share:.2f} of the script (wanted < 0.25)")
    sys.exit(trainings >= 6 or share >= 0.25)


if __name__ == "__main__":
    main()

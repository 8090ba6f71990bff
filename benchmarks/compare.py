"""`python -m benchmarks.compare`: processor time of `compare` beside one `train` and a scikit-learn script.

The bars: all scorers in 5 folds take less than 6 times one training and less than a quarter of the script.
Runs are interleaved and the least processor time (user and system) of each counts: the machine may be busy.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.common import ONE_THREAD, spamnb
from benchmarks.corpus import UCI

ROUNDS = 5


def cpu_seconds(command: list[str]) -> float:
    """User and system time of a finished process."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, env=os.environ | ONE_THREAD, stdout=nowhere, stderr=nowhere)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed with exit code {process.returncode}: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    if not UCI.exists():
        raise SystemExit(f"needs {UCI.name} in the folder shared/data/sms beside the clone")
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "train": spamnb("train", str(UCI), "-q", "-o", f"{folder}/model"),
            "compare": spamnb("compare", str(UCI), "-q"),
            "script": [sys.executable, "-m", "benchmarks.peer_compare", str(UCI)],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(ROUNDS):
            for name, command in commands.items():
                best[name] = min(best[name], cpu_seconds(command))
    for name, seconds in best.items():
        print(f"{name:<10}{seconds:>7.2f} s of processor time")
    trainings, share = best["compare"] / best["train"], best["compare"] / best["script"]
    met = trainings < 6 and share < 0.25
    print(f"compare is {trainings:.2f} trainings (wanted < 6) and {share:.2f} of the script (wanted < 0.25)")
    raise SystemExit(not met)


if __name__ == "__main__":
    main()

"""`--jobs`: auto by default, capped at the cores unless forced, and the same result in any case."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.helpers.command_line import Cli, Sms

# Reports each start of worker processes; the machine has 3 cores, and 4 kB are worth a process.
WATCHED = """
import sys
import spamnb.core.cpu_and_memory as cpu, spamnb.core.worker_pool as pool
cpu.available_cores = lambda: 3
import spamnb.readers.job_count as job_count
job_count._BYTES_PER_JOB = int(sys.argv.pop(1))
start = pool.WorkerPool.start
def watched(self):
    if not self.workers:
        print("workers", self._jobs, file=sys.stderr)
    start(self)
pool.WorkerPool.start = watched
from spamnb.cli import main
main()
"""


def workers(cli: Cli, *args: object, per_job: int = 4000, stdin: bytes = b"") -> set[str]:
    """Runs a command; returns the numbers of worker processes that it has started."""
    command = [sys.executable, "-c", WATCHED, str(per_job), *map(str, args)]
    done = subprocess.run(
        command, cwd=cli.here, env=cli.env, input=stdin, capture_output=True, text=False, check=True
    )
    return {line.split()[1] for line in done.stderr.decode().splitlines() if line.startswith("workers")}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="auto means one process without fork")
def test_auto_starts_processes_for_large_inputs_and_changes_nothing(cli: Cli, sms: Sms) -> None:
    one, auto = ("train", sms.train, "-q", "-o", "1.spamnb"), ("train", sms.train, "-q", "-o", "2.spamnb")
    assert workers(cli, *one, "--jobs", "1") == set()
    assert workers(cli, *auto) == {"3"}
    assert (cli.here / "1.spamnb").read_bytes() == (cli.here / "2.spamnb").read_bytes()
    assert workers(cli, *auto, "--jobs", "auto") == {"3"}
    assert workers(cli, *auto, per_job=1 << 30) == set()
    assert workers(cli, "train", "-", "-q", "-o", "2.spamnb", stdin=sms.train.read_bytes()) == set()


def test_a_number_is_capped_at_the_cores_unless_forced(cli: Cli, sms: Sms) -> None:
    train = "train", sms.train, "-q", "-o", "m.spamnb", "--jobs"
    assert workers(cli, *train, "2") == {"2"}
    assert workers(cli, *train, "9") == {"3"}
    assert workers(cli, *train, "4!") == {"4"}


@pytest.mark.parametrize("jobs", ["0", "-1", "x", "2!!", "!", "1.5", "99999", ""])
def test_jobs_that_cannot_be(cli: Cli, jobs: str) -> None:
    assert cli("train", "x.csv", f"--jobs={jobs}", code=2).err.splitlines()[-2:] == [
        f"Error: --jobs must be auto or a number of processes, got {jobs!r}",
        "Hint: for example --jobs 2",
    ]

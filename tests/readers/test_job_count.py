"""The number of processes by the size of the inputs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spamnb.core import available_cores
from spamnb.readers import choose_jobs, job_count

MB = 1_000_000


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with four cores that can fork."""
    monkeypatch.setattr(job_count, "available_cores", lambda: 4)
    monkeypatch.setattr(job_count, "can_fork", lambda: True)


def sparse(path: Path, size: int) -> str:
    """Makes a file that has a size but takes no room."""
    with path.open("wb") as file:
        file.truncate(size)
    return str(path)


@pytest.mark.parametrize(
    ("size", "jobs"), [(0, 1), (4 * MB, 1), (8 * MB - 1, 1), (8 * MB, 2), (12 * MB, 3), (900 * MB, 4)]
)
def test_one_process_for_every_four_megabytes(here: Path, size: int, jobs: int) -> None:
    assert choose_jobs([sparse(here / "x.csv", size)]) == jobs


def test_all_inputs_count(here: Path) -> None:
    (here / "mail" / "cur").mkdir(parents=True)
    files = [sparse(here / "mail" / "cur" / str(i), 3 * MB) for i in range(2)]
    table = sparse(here / "x.csv", 3 * MB)
    assert choose_jobs(["mail"]) == 1
    assert choose_jobs(["mail", table]) == 2
    assert choose_jobs([(files[0], files[1]), table]) == 2


def test_standard_input_and_missing_files_have_no_size() -> None:
    assert choose_jobs(["-"]) == choose_jobs([]) == choose_jobs(["nowhere.csv"]) == 1


def test_one_core_or_no_fork_means_one_process(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sparse(here / "x.csv", 900 * MB)
    monkeypatch.setattr(job_count, "can_fork", lambda: False)
    assert choose_jobs([path]) == 1
    monkeypatch.setattr(job_count, "can_fork", lambda: True)
    monkeypatch.setattr(job_count, "available_cores", lambda: 1)
    assert choose_jobs([path]) == 1


def test_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 5, 7}, raising=False)
    assert available_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1

"""Processes that learn, forget, undo, age, prune and merge at once: a short run of `concurrent_changes`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spamnb.model.prune_model import age, prune
from tests.reference.changes import Tally
from tests.reference.journal import counts_of
from tests.robustness.crash_recovery import message, trained


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("seed", [1, 2])
def test_counts_are_those_of_a_slow_tally(tmp_path: Path, seed: int) -> None:
    from tests.robustness.concurrent_changes import change_at_once

    log = change_at_once(tmp_path, processes=4, steps=80, seed=seed)
    kinds = {line.split()[0] for line in log} - {"refused"}  # an undo of what was learned before an ageing
    assert kinds == {"learn", "forget", "undo", "age", "prune", "merge"}


def test_the_order_matters() -> None:
    """So a tally without the order of the log would not do."""
    tallies = []
    for halve_first in (True, False):
        tally = Tally(["ham", "spam"])
        for number in range(20):
            tally.learn(*message(number))
        if halve_first:
            tally.age()
        tally.learn(*message(20))
        if not halve_first:
            tally.age()
        tallies.append(tally.counts())
    assert tallies[0] != tallies[1]


def test_the_tally_agrees_step_by_step() -> None:
    rows = [message(number) for number in range(40)]
    tally, model = Tally(["ham", "spam"]), trained(rows)
    for row in rows:
        tally.learn(*row)
    assert tally.counts() == counts_of(model.store)
    tally.age()
    model = age(model)
    assert tally.counts() == counts_of(model.store)
    tally.prune(3)
    assert tally.counts() == counts_of(prune(model, min_count=3).store)

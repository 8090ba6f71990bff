"""Reads and extends thousands of broken journals: exact counts or an error, and nothing is lost.

    python -m tests.robustness.hostile_journals --journals 2500 --seed 1

What is exact is calculated by a second reader, in plain Python. A journal without right checks may only give
the counts of the model file and some of its first records.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np

from spamnb.errors import JournalError, SpamnbError
from spamnb.model.spam_model import SpamModel
from spamnb.storage import update_journal
from spamnb.training.incremental import Learner
from tests.reference.journal import Counts, Refused, counts_of
from tests.robustness.broken_journals import FIELDS, HEAD, SEALED, WAYS, Journals
from tests.robustness.result_row import Row

LEAST = 2500


def tried(journals: Journals, data: bytes, sealed: bool) -> str:
    """What is wrong with the way a journal is read and extended ("": nothing)."""
    journals.file.write_bytes(data)
    right = _right(journals, data, sealed)
    try:
        model = SpamModel.load(journals.path)
    except SpamnbError as error:
        return _wrong_after_refusal(journals, data, error)
    except Exception as error:
        return f"fault: {type(error).__name__}: {error}"
    counts = counts_of(model.store)
    if counts not in right:
        return f"wrong counts, {len(right)} would be right"
    return _wrong_after_learning(journals, data, counts)


def _right(journals: Journals, data: bytes, sealed: bool) -> list[Counts]:
    """The counts that may be read; none if the journal has to be refused."""
    if not sealed:
        return journals.prefixes
    payloads, at = [], HEAD
    while at < len(data):
        size = FIELDS.unpack_from(data, at)[1]
        payloads.append(data[at + 20 : at + 20 + size])
        at += 20 + size
    try:
        return [journals.counts(payloads)]
    except Refused:
        return []


def _wrong_after_refusal(journals: Journals, data: bytes, error: SpamnbError) -> str:
    """A reader that asks for it goes on with the model file; a learner refuses and changes nothing."""
    if not isinstance(error, JournalError):
        return f"no error of the journal: {error.message}"
    warnings: list[JournalError] = []
    if counts_of(SpamModel.load(journals.path, warn=warnings.append).store) != journals.base or not warnings:
        return "a reader did not go on with the model file"
    try:
        with Learner(journals.path) as learner:
            learner.learn(["one more"], ["spam"])
    except SpamnbError:
        return "" if journals.file.read_bytes() == data else "a refused journal was changed"
    return "a learner took a journal that readers refuse"


def _wrong_after_learning(journals: Journals, data: bytes, before: Counts) -> str:
    try:
        with Learner(journals.path) as learner:
            learner.learn(["one more"], ["spam"], {"kind": ["k1"]}, {"size": np.array([1.0])}, again=True)
    except SpamnbError:
        return "" if journals.file.read_bytes() == data else "a failed learner changed the journal"
    except Exception as error:
        return f"fault in learning: {type(error).__name__}: {error}"
    after = counts_of(SpamModel.load(journals.path).store)
    more = {name: sum(row) - sum(before.get(name, ())) for name, row in after.items()}
    if more["messages"] != 1 or more["value", "kind", "k1"] != 1 or set(before) - set(after):
        return f"one message more is {more['messages']}"
    return ""


def run(many: int, seed: int, end: float = float("inf")) -> Iterator[tuple[str, str]]:
    """Tries journals until they are many or the time is up; yields how each was broken, and what is wrong."""
    with (
        tempfile.TemporaryDirectory() as name,
        patch.object(update_journal, "_PAUSE", 0.0),  # no learner is about to mend a damaged journal
    ):
        journals = Journals(Path(name))
        for number in range(many):
            if time.monotonic() > end:
                return
            way, dice = WAYS[number % len(WAYS)], random.Random(f"{seed} {number}")
            model = journals.path.read_bytes()
            wrong = tried(journals, way(journals, dice), way in SEALED)
            if journals.path.read_bytes() != model:
                journals.path.write_bytes(model)  # a large change went into the model file
            yield way.__name__, f"journal {number}: {wrong}" if wrong else ""


def rows(budget: float) -> list[Row]:
    """At least 2,500 journals, more if there is time."""
    results: dict[str, list[str]] = {}
    started = time.monotonic()
    for way, wrong in run(LEAST, 1):
        results.setdefault(way, []).append(wrong)
    for way, wrong in run(1_000_000, 2, started + budget):
        results.setdefault(way, []).append(wrong)
    each = (time.monotonic() - started) / sum(map(len, results.values()))
    for way, tries in results.items():
        for wrong in filter(None, tries):
            print(f"{way}: {wrong}")
    return [
        Row("hostile journals", way.replace("_", " "), len(tries), sum(map(bool, tries)), each, 0.0)
        for way, tries in results.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--journals", type=int, default=LEAST)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    faults = [f"{way}, {wrong}" for way, wrong in run(arguments.journals, arguments.seed) if wrong]
    for fault in faults:
        print(fault)
    print(f"{arguments.journals:,} journals: {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

"""A short run of every fuzz target, and the inputs that once broke something."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from tests.robustness.fuzz_parsers import altered, good_model
from tests.robustness.fuzzing import SEEDS, TARGETS, Hang, attempt, corpus, fuzz, limited
from tests.robustness.mutants import mutant

FOUND = Path(__file__).parent / "found"


@pytest.mark.parametrize("name", TARGETS)
def test_only_our_own_errors_come_out(name: str) -> None:
    result = fuzz(name, "ci", most=len(corpus(name)) + 25)
    assert result.crashes == {}
    assert result.tried == len(corpus(name)) + 25


@pytest.mark.parametrize("path", sorted(FOUND.iterdir()), ids=lambda path: path.name)
def test_what_was_found_stays_mended(path: Path, tmp_path: Path) -> None:
    """The name of a file begins with the target that it broke."""
    name = next(
        name for name in TARGETS if path.name.startswith(name.replace(",", "").replace(" ", "-") + ".")
    )
    assert attempt(name, path.read_bytes(), tmp_path)[1] == ""


def test_every_folder_of_seeds_is_used() -> None:
    assert {folder.name for folder in SEEDS.iterdir()} == {seeds for seeds, _ in TARGETS.values()}


def test_a_crash_is_seen_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes, _: Path) -> object:
        return 1 // (len(data) - len(corpus("HTML")[0]))

    monkeypatch.setitem(TARGETS, "HTML", ("html", broken))
    result = fuzz("HTML", "1", most=50)
    assert [place.partition(":")[0] for place in result.crashes] == ["ZeroDivisionError in test_fuzzing.py"]
    assert next(iter(result.crashes.values())) == corpus("HTML")[0]


def test_a_hang_is_ended() -> None:
    def hang() -> None:
        with limited(0.05):
            while True:
                pass

    with pytest.raises(Hang):
        hang()


def test_the_same_seed_makes_the_same_inputs() -> None:
    def some(seed: int) -> list[bytes]:
        dice = random.Random(seed)
        return [mutant(dice, corpus("csv")) for _ in range(50)]

    assert some(1) == some(1) != some(2)


def test_altered_states_differ_and_share_nothing() -> None:
    state = good_model().to_state()
    before = str(state)
    assert sum(str(altered(state, random.Random(i))) != before for i in range(100)) > 80
    assert str(state) == before
    assert isinstance(state["counts"]["tokens"], np.ndarray)

"""Messages from before a model was aged or pruned: known, but not taken out of counts they no longer have."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from spamnb.errors import DataError, ModelError
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import age, prune
from spamnb.model.seen_messages import KEPT, SeenMessages
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines, import_lines
from spamnb.training.incremental import Learner
from tests.helpers.count_stores import identical
from tests.helpers.small_models import trained

ROWS = [(f"win prize {i} {i % 3}", "spam") for i in range(8)] + [
    (f"see you {i} {i % 3}", "ham") for i in range(8)
]
OLD = "win prize 1 1"
STEPS = ("ham", "spam", "forget", "age")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    age(trained(ROWS)).save(tmp_path / "m.spamnb")
    return tmp_path / "m.spamnb"


def totals(path: Path) -> list[int]:
    return [int(n) for n in SpamModel.load(path).store.message_totals]


def test_what_has_faded_is_still_known(path: Path) -> None:
    with Learner(path) as learner:
        learner.learn([OLD], ["spam"])
    assert (learner.outcome.known, learner.outcome.learned) == ({"spam": 1}, {})


def test_what_has_faded_is_forgotten_without_its_counts(path: Path) -> None:
    before = SpamModel.load(path)
    with Learner(path) as learner:
        learner.forget([OLD])
    assert (learner.outcome.forgotten, learner.outcome.faded) == ({"spam": 1}, 1)
    identical(SpamModel.load(path).store, before.store)
    with Learner(path) as learner:
        learner.forget([OLD])
    assert learner.outcome.unknown == 1


def test_what_has_faded_gets_another_label(path: Path) -> None:
    before = totals(path)
    with Learner(path) as learner:
        learner.learn([OLD, "quite new"], ["ham", "ham"])
    assert (learner.outcome.relabelled, learner.outcome.faded) == ({("spam", "ham"): 1}, 1)
    assert totals(path) == [before[0] + 2, before[1]]
    with Learner(path) as learner:  # now it is whole, and goes back exactly
        learner.learn([OLD], ["spam"])
    assert (learner.outcome.relabelled, learner.outcome.faded) == ({("ham", "spam"): 1}, 0)
    assert totals(path) == [before[0] + 1, before[1] + 1]


def test_of_two_copies_the_whole_one_goes_first(path: Path) -> None:
    before = SpamModel.load(path)
    with Learner(path) as learner:
        learner.learn([OLD], ["spam"], again=True)
        learner.forget([OLD])
    assert learner.outcome.faded == 0
    identical(SpamModel.load(path).store, before.store)
    with Learner(path) as learner:
        learner.learn([OLD], ["spam"], again=True)
        learner.forget([OLD, OLD, OLD])
    assert (learner.outcome.forgotten, learner.outcome.faded) == ({"spam": 2}, 1)
    assert learner.outcome.unknown == 1


def test_one_pruned_message_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "m.spamnb"
    prune(trained(ROWS), min_count=2).save(path)
    before = totals(path)
    with Learner(path) as learner:
        learner.learn([OLD, "quite new"], ["ham", "spam"])
    assert learner.outcome.learned == {"spam": 1}
    assert (learner.outcome.relabelled, learner.outcome.faded) == ({("spam", "ham"): 1}, 1)
    assert totals(path) == [before[0] + 1, before[1] + 1]


def test_in_the_end_nothing_is_left(path: Path) -> None:
    model = SpamModel.load(path)
    assert model.seen_messages is not None
    assert len(model.seen_messages) == len(ROWS)
    for halvings in (KEPT - 1, KEPT, 62):
        older = age(model, halvings).seen_messages
        assert older is not None
        assert len(older) == (len(ROWS) if halvings == KEPT - 1 else 0)


def faded(model: SpamModel) -> list[dict[str, list[int]]]:
    assert model.seen_messages is not None
    return [{label: d.tolist() for label, d in part.items()} for part in model.seen_messages.faded]


def test_it_survives_saving_exporting_and_merging(path: Path) -> None:
    model = SpamModel.load(path)
    assert sum(len(d) for part in faded(model) for d in part.values()) == len(ROWS)
    for form in ("tsv", "jsonl"):
        assert faded(import_lines(export_lines(model, form), "x")) == faded(model)
    fresh = trained(ROWS[:2] + ROWS[-2:])
    both = merge_models([fresh, replace(model, decision=fresh.decision)], [1, 2])
    assert both.seen_messages is not None
    assert len(both.seen_messages) == 4 + 2 * len(ROWS)
    assert {d: len(x) for d, x in both.seen_messages.labels.items()} == {"ham": 2, "spam": 2}
    assert len(fresh.merge(model).seen_messages or ()) == 4 + len(ROWS)


def test_a_model_in_memory_refuses(path: Path) -> None:
    with pytest.raises(DataError, match="cannot forget what was never learned"):
        SpamModel.load(path).forget([OLD], ["spam"])


def test_damaged_digests_are_told() -> None:
    good = {"ham": np.zeros(1, "<u8")}
    for wrong in ("x", [good] * (KEPT + 1), [{"ham": [1]}]):
        with pytest.raises(ModelError, match="the model's digests are damaged"):
            SeenMessages.from_state(good, wrong)


def test_moving_to_and_fro_is_the_same_in_one_run_and_in_many(path: Path, tmp_path: Path) -> None:
    """Records of the journal are added up before they are put in: the order must not matter."""
    other = tmp_path / "other.spamnb"
    other.write_bytes(path.read_bytes())
    for target, compact in ((path, False), (other, True)):
        for label in ("ham", "spam", "ham", "spam", "spam"):
            with Learner(target) as learner:
                learner.learn([OLD], [label])
            kept = learner.model
            if compact:
                with Learner(target) as learner:
                    learner.compact()
            same(kept, SpamModel.load(target))
    same(SpamModel.load(path), SpamModel.load(other))
    for again in (True, False):
        with Learner(path) as learner:
            learner.forget([OLD])
        assert (learner.outcome.faded, learner.outcome.forgotten) == (0, {"spam": 1} if again else {})


def same(a: SpamModel, b: SpamModel) -> None:
    identical(a.store, b.store)
    assert faded(a) == faded(b)
    assert a.seen_messages is not None
    assert b.seen_messages is not None
    assert {x: d.tolist() for x, d in a.seen_messages.labels.items()} == {
        x: d.tolist() for x, d in b.seen_messages.labels.items()
    }


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 3)), max_size=8))
def test_any_sequence_is_the_same_from_the_journal(steps: list[tuple[str, int]]) -> None:
    texts = [ROWS[1][0], ROWS[9][0], "quite new", "and another"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.spamnb"
        trained(ROWS).save(path)
        for step, i in steps:
            if step == "age":
                age(SpamModel.load(path)).save(path)
                continue
            with Learner(path) as learner:
                if step == "forget":
                    learner.forget([texts[i]])
                else:
                    learner.learn([texts[i]], [step])
            same(learner.model, SpamModel.load(path))

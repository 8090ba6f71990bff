"""Messages that were learned before a model was aged or pruned: recognized, but not exactly removable."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from spamnb.errors import DataError, ModelError
from spamnb.model import seen_messages
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import age, prune
from spamnb.model.seen_messages import SeenMessages
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.model.text_import import import_lines
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


def test_stale_messages_are_recognized(path: Path) -> None:
    with Learner(path) as learner:
        learner.learn([OLD], ["spam"])
    assert (learner.outcome.known, learner.outcome.learned) == ({"spam": 1}, {})


def test_stale_messages_are_forgotten_without_their_counts(path: Path) -> None:
    before = SpamModel.load(path)
    with Learner(path) as learner:
        learner.forget([OLD])
    assert (learner.outcome.forgotten, learner.outcome.stale) == ({"spam": 1}, 1)
    identical(SpamModel.load(path).store, before.store)
    with Learner(path) as learner:
        learner.forget([OLD])
    assert learner.outcome.not_found == 1


def test_stale_messages_get_another_label(path: Path) -> None:
    before = totals(path)
    with Learner(path) as learner:
        learner.learn([OLD, "quite new"], ["ham", "ham"])
    assert (learner.outcome.relabelled, learner.outcome.stale) == ({("spam", "ham"): 1}, 1)
    assert totals(path) == [before[0] + 2, before[1]]
    with Learner(path) as learner:  # now it is exact, and goes back exactly
        learner.learn([OLD], ["spam"])
    assert (learner.outcome.relabelled, learner.outcome.stale) == ({("ham", "spam"): 1}, 0)
    assert totals(path) == [before[0] + 1, before[1] + 1]


def test_of_two_copies_the_exact_one_goes_first(path: Path) -> None:
    before = SpamModel.load(path)
    with Learner(path) as learner:
        learner.learn([OLD], ["spam"], again=True)
        learner.forget([OLD])
    assert learner.outcome.stale == 0
    identical(SpamModel.load(path).store, before.store)
    with Learner(path) as learner:
        learner.learn([OLD], ["spam"], again=True)
        learner.forget([OLD, OLD, OLD])
    assert (learner.outcome.forgotten, learner.outcome.stale) == ({"spam": 2}, 1)
    assert learner.outcome.not_found == 1


def test_one_pruned_message_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "m.spamnb"
    prune(trained(ROWS), min_count=2).save(path)
    before = totals(path)
    with Learner(path) as learner:
        learner.learn([OLD, "quite new"], ["ham", "spam"])
    assert learner.outcome.learned == {"spam": 1}
    assert (learner.outcome.relabelled, learner.outcome.stale) == ({("spam", "ham"): 1}, 1)
    assert totals(path) == [before[0] + 1, before[1] + 1]


def test_pruned_tokens_that_came_back_stay(tmp_path: Path) -> None:
    """The token 1x was pruned away; another message has brought it back, and keeps it."""
    path, rows = tmp_path / "m.spamnb", [*ROWS, ("win prize 1x", "spam")]
    prune(trained(rows), min_count=2).save(path)
    with Learner(path) as learner:
        learner.learn(["other 1x"], ["spam"])
    after = SpamModel.load(path)
    with Learner(path) as learner:
        learner.forget(["win prize 1x"])
    assert (learner.outcome.forgotten, learner.outcome.stale) == ({"spam": 1}, 1)
    identical(SpamModel.load(path).store, after.store)


def test_pruning_nothing_leaves_messages_exact() -> None:
    assert stale(prune(trained(ROWS), min_count=1)) == {}


def test_counts_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    """Another version of spamnb may find tokens in a message that it did not count when it was learned."""
    path, rows = tmp_path / "m.spamnb", [*ROWS, ("win now", "spam"), ("win now ok", "spam")]
    model = trained(rows)
    replace(model, store=model.store.prune(2)).save(path)
    with Learner(path) as learner:
        learner.learn(["win now", OLD, "quite new"], ["ham", "ham", "spam"])
    assert learner.outcome.learned == {"spam": 1}
    assert (learner.outcome.relabelled, learner.outcome.stale) == ({("spam", "ham"): 2}, 1)
    assert totals(path) == [8 + 2, 10 - 1 + 1]  # ham, spam: only the counts of "win now" were all there
    assert stale(SpamModel.load(path)) == {}


def test_stale_messages_are_few_enough(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = age(SpamModel.load(path), 62)
    assert sum(map(len, stale(model).values())) == len(ROWS)  # however old they are
    model = model.learn(["a", "b", "c"], ["ham", "spam", "spam"])
    assert model.seen_messages is not None
    new = {label: digests.tolist() for label, digests in model.seen_messages.exact.items()}
    every = sorted(digest for digests in stale(model).values() for digest in digests)
    for most in (19, 18, 8, 4, 3):  # older ones go first, the largest digest before others
        monkeypatch.setattr(seen_messages, "MAX_STALE", most)
        left = stale(age(model))
        assert all(set(digests) <= set(left[label]) for label, digests in new.items())
        old = {digest for label, digests in left.items() for digest in digests} - {
            d for x in new.values() for d in x
        }
        assert sorted(old) == every[: most - 3]
    monkeypatch.setattr(seen_messages, "MAX_STALE", 2)
    assert (
        sorted(d for x in stale(age(model)).values() for d in x)
        == sorted(d for x in new.values() for d in x)[:2]
    )


def stale(model: SpamModel) -> dict[str, list[int]]:
    assert model.seen_messages is not None
    return {label: digests.tolist() for label, digests in model.seen_messages.stale.items()}


def test_it_survives_saving_exporting_and_merging(path: Path) -> None:
    model = SpamModel.load(path)
    assert sum(map(len, stale(model).values())) == len(ROWS)
    assert stale(import_lines(export_lines(model), "x")) == stale(model)
    fresh = trained(ROWS[:2] + ROWS[-2:])
    both = merge_models([fresh, replace(model, decision=fresh.decision)], [1, 2])
    assert both.seen_messages is not None
    assert len(both.seen_messages) == 4 + 2 * len(ROWS)
    assert {d: len(x) for d, x in both.seen_messages.exact.items()} == {"ham": 2, "spam": 2}
    assert len(merge_models([fresh, model]).seen_messages or ()) == 4 + len(ROWS)


def test_a_model_in_memory_refuses(path: Path) -> None:
    with pytest.raises(DataError, match="cannot forget what was never learned"):
        SpamModel.load(path).forget([OLD], ["spam"])


def test_damaged_digests_are_refused() -> None:
    good = {"ham": np.zeros(1, "<u8")}
    assert SeenMessages.from_state({"exact": good, "stale": {}}) is not None
    for wrong in (
        "x",
        good,
        {"exact": good},
        {"exact": good, "stale": "x"},
        {"exact": {"ham": [1]}, "stale": {}},
        {"exact": {}, "stale": {"ham": np.zeros(1)}},
        {"exact": good, "stale": {}, "more": {}},
    ):
        with pytest.raises(ModelError, match="the model's digests are damaged"):
            SeenMessages.from_state(wrong)


def test_moving_to_and_fro_is_the_same_in_one_run_and_in_many(path: Path, tmp_path: Path) -> None:
    """Records of the journal are added up before they are put in: the order must not matter."""
    other = tmp_path / "other.spamnb"
    other.write_bytes(path.read_bytes())
    for target, compact in ((path, False), (other, True)):
        for label in ("ham", "spam", "ham", "spam", "spam"):
            with Learner(target) as learner:
                learner.learn([OLD], [label])
            before = learner.model
            if compact:
                with Learner(target) as learner:
                    learner.compact()
            same(before, SpamModel.load(target))
    same(SpamModel.load(path), SpamModel.load(other))
    for again in (True, False):
        with Learner(path) as learner:
            learner.forget([OLD])
        assert (learner.outcome.stale, learner.outcome.forgotten) == (0, {"spam": 1} if again else {})


def same(a: SpamModel, b: SpamModel) -> None:
    identical(a.store, b.store)
    assert stale(a) == stale(b)
    assert a.seen_messages is not None
    assert b.seen_messages is not None
    assert {x: d.tolist() for x, d in a.seen_messages.exact.items()} == {
        x: d.tolist() for x, d in b.seen_messages.exact.items()
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

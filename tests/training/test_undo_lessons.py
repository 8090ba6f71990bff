"""Lessons are listed, and taken back so exactly that the model is as if it never had them."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from spamnb.errors import ConfigError, ModelError
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import age
from spamnb.model.spam_model import SpamModel
from spamnb.settings import TrainingConfig
from spamnb.storage import history_file
from spamnb.training import lesson_writer
from spamnb.training.incremental import Learner
from spamnb.training.trainer import train
from spamnb.training.undo_lessons import history, undo
from tests.helpers.small_models import NEWS, ROWS, is_trained_on, learn, trained

LIMITS = lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE
TEXTS = ["win a prize", "WIN a prize!", "see you", "?", "see you at 6", "é ü 100%", "keep ham", "only here"]
BASE = [("keep spam", "spam"), ("keep ham", "ham"), ("keep spam too", "spam"), ("keep ham too", "ham")]
Rows = list[tuple[str, str]]

pairs = st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(["ham", "spam"])), min_size=1, max_size=3)


def frozen(value: Any) -> Any:
    """A state whose arrays are bytes, so that states can be compared."""
    if isinstance(value, dict):
        return {name: frozen(inner) for name, inner in value.items()}
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def state_of(path: Path) -> dict[str, Any]:
    """The state of a model but for the number of its lessons and of its files."""
    state: dict[str, Any] = frozen(SpamModel.load(path).to_state())
    return {key: value for key, value in state.items() if key not in ("lesson_mark", "generation")}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    trained(ROWS).save(tmp_path / "m.spamnb")
    return tmp_path / "m.spamnb"


def compact(path: Path) -> None:
    with Learner(path) as learner:
        learner.compact()


class Machine(RuleBasedStateMachine):
    """A model file beside the list of its lessons, each with what it did, and those that are in force."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "m.spamnb"
        trained(BASE).save(self.path)
        self.lessons: list[
            tuple[str, Any]
        ] = []  # lesson i + 1: (learn, rows), (forget, rows), (undo, numbers)
        self.in_force: list[set[int]] = [set()]  # after each lesson, the lessons that are no undo

    def teardown(self) -> None:
        lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = LIMITS
        shutil.rmtree(self.folder)

    def add(self, kind: str, what: Any, in_force: set[int]) -> None:
        self.lessons.append((kind, what))
        self.in_force.append(in_force)

    @rule(batch=pairs)
    def learn(self, batch: Rows) -> None:
        self.change("learn", batch)

    @rule(batch=pairs)
    def forget(self, batch: Rows) -> None:
        self.change("forget", batch)

    def change(self, kind: str, batch: Rows) -> None:
        """Lets a learner learn or forget; what it skips is no part of the lesson."""
        done = []
        with Learner(self.path) as learner:
            for text, label in batch:
                before = learner.outcome.changes
                getattr(learner, kind)([text], [label])
                done += [(text, label)] if learner.outcome.changes > before else []
        if done:
            self.add(kind, done, {*self.in_force[-1], len(self.lessons) + 1})

    @rule(place=st.integers(0, 30))
    def undo(self, place: int) -> None:
        if not self.lessons:
            return
        number = place % len(self.lessons) + 1
        kind = self.lessons[number - 1][0]
        before = state_of(self.path)
        try:
            undo(self.path, lesson=number)
        except ModelError as error:
            self.check_refusal(error.message, number)
            assert state_of(self.path) == before
            return
        now = self.in_force[-1]
        if kind == "undo":
            after = now | (self.in_force[number - 1] - self.in_force[number])
            after -= self.in_force[number] - self.in_force[number - 1]
        else:
            after = now - {number}
        self.add("undo", [number], after)

    def check_refusal(self, message: str, number: int) -> None:
        """Only a lesson that is undone, or that a later one has a message of, is refused."""
        if "was already undone" not in message:
            assert "cannot be undone alone" in message
            assert self.shares_a_message(number)

    def shares_a_message(self, number: int) -> bool:
        texts = self.texts(number)
        return any(texts & self.texts(later) for later in range(number + 1, len(self.lessons) + 1))

    def texts(self, number: int) -> set[str]:
        kind, what = self.lessons[number - 1]
        if kind == "undo":
            return set().union(*(self.texts(n) for n in what))
        return {text for text, _ in what}

    @rule(place=st.integers(0, 30))
    def undo_all_since(self, place: int) -> None:
        if not self.lessons:
            return
        first = place % len(self.lessons) + 1
        times = {info.entry.id: info.entry.time for info in history(self.path)}
        numbers = undo(self.path, since=times[first]).undone
        assert numbers == list(range(numbers[0], len(self.lessons) + 1))
        self.add("undo", numbers, self.in_force[numbers[0] - 1])

    @rule()
    def compact(self) -> None:
        compact(self.path)

    @rule(records=st.integers(1, 6), large=st.sampled_from([0, 1500, 1 << 18]))
    def change_when_to_tidy_up(self, records: int, large: int) -> None:
        lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = records, large, 1 << 30

    @invariant()
    def is_as_if_only_the_others_were_learned(self) -> None:
        fresh = self.folder / "fresh.spamnb"
        trained(BASE).save(fresh)
        for number in sorted(self.in_force[-1]):
            kind, rows = self.lessons[number - 1]
            with Learner(fresh) as learner:
                for text, label in rows:
                    getattr(learner, kind)([text], [label])
        mine, its = state_of(self.path), state_of(fresh)
        assert mine["counts"] == its["counts"]
        assert mine["seen_messages"] == its["seen_messages"]
        for name in ("learned", "forgotten", "relabelled"):
            assert mine["change_history"][name] == its["change_history"][name]
        infos = history(self.path)
        assert [info.entry.id for info in infos] == list(range(len(self.lessons), 0, -1))


TestMachine = Machine.TestCase


TestMachine.settings = settings(max_examples=30, stateful_step_count=12, deadline=None)


@pytest.mark.parametrize("folded", [False, True])
def test_taking_back_all_since_gives_the_state_of_then(path: Path, folded: bool) -> None:
    learn(path, NEWS[0])
    before = state_of(path)
    middle = time.time() + 1000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spamnb.training.journal_history.time.time", lambda: middle + 1)
        learn(path, *NEWS[1:], ("see you", "spam"))
        with Learner(path) as learner:
            learner.forget(["win a prize"])
        undo(path, lesson=1)
    if folded:
        compact(path)
    assert undo(path, since=middle).undone == [2, 3, 4]
    assert state_of(path) == before
    compact(path)
    assert state_of(path) == before


def test_without_a_number_the_last_lesson_in_force_is_taken_back(path: Path) -> None:
    for row in NEWS[:3]:
        learn(path, row)
    assert undo(path).undone == [3]
    assert is_trained_on(path, [*ROWS, *NEWS[:2]])
    assert undo(path).undone == [2]
    undo(path, lesson=5)  # brings lesson 2 back
    assert undo(path).undone == [2]
    assert undo(path).undone == [1]
    nothing = undo(path)
    assert (nothing.lesson, nothing.undone) == (None, [])
    assert is_trained_on(path, ROWS)


def test_the_last_lesson_is_refused_if_the_model_was_aged_since(path: Path) -> None:
    learn(path, NEWS[0])
    age(SpamModel.load(path)).save(path)
    before = state_of(path)
    with pytest.raises(ModelError, match=r"^lesson 1 was learned before the model was aged"):
        undo(path)
    assert state_of(path) == before


def test_a_lesson_and_a_time_exclude_each_other(path: Path) -> None:
    learn(path, NEWS[0])
    with pytest.raises(ConfigError) as caught:
        undo(path, lesson=1, since=0)
    assert (caught.value.message, caught.value.hint) == (
        "lesson and since exclude each other",
        "pass one of them",
    )


def test_a_forgotten_token_comes_back_with_its_spelling_and_weight(tmp_path: Path) -> None:
    """Forgetting the only message with a token, and folding that in, removes the token from the file."""
    rows = [(f"win prize number{i} now", "spam") for i in range(30)]
    rows += [(f"see you at place{i} then", "ham") for i in range(30)]
    path = tmp_path / "m.spamnb"
    training = TrainingConfig(refine="yes")
    train([text for text, _ in rows], [label for _, label in rows], training=training).save(path)
    before = state_of(path)
    assert before["correction"] is not None
    with Learner(path) as learner:
        learner.forget([rows[0][0]])
    compact(path)
    assert state_of(path) != before
    undo(path, lesson=1)
    compact(path)
    assert state_of(path) == before


def test_a_lesson_whose_message_changed_since_is_refused(path: Path) -> None:
    learn(path, NEWS[0])
    learn(path, (NEWS[0][0], "ham"))
    with pytest.raises(ModelError) as caught:
        undo(path, lesson=1)
    assert caught.value.message == "lesson 1 cannot be undone alone: lesson 2 changed a message of it"
    assert caught.value.hint == "undo lesson 2 first, or all lessons since a time"
    undo(path, lesson=2)
    undo(path, lesson=1)
    assert is_trained_on(path, ROWS)


@pytest.mark.parametrize("how", ["age", "merge"])
def test_lessons_before_ageing_or_merging_are_final(path: Path, how: str) -> None:
    learn(path, NEWS[0])
    model = SpamModel.load(path)
    (age(model) if how == "age" else merge_models([model, trained(ROWS)])).save(path)
    with pytest.raises(ModelError) as caught:
        undo(path, lesson=1)
    assert caught.value.message == (
        "lesson 1 was learned before the model was aged, pruned or merged: "
        "what is left of its counts is unknown"
    )
    before = state_of(path)
    learn(path, NEWS[1])
    assert undo(path, lesson=2).undone == [2]
    assert state_of(path)["counts"] == before["counts"]
    with pytest.raises(ModelError, match="begins on"):
        undo(path, since=0)


def test_a_model_trained_anew_has_none_of_the_old_lessons(path: Path) -> None:
    for row in NEWS:
        learn(path, row)
    compact(path)
    assert Path(history_file.path_of(path)).exists()
    trained(ROWS).save(path)
    assert not Path(history_file.path_of(path)).exists()
    assert history(path) == []
    with pytest.raises(ModelError) as caught:
        undo(path, lesson=1)
    assert caught.value.message == f"{path} has no lesson 1: it has none"


def test_what_a_killed_learner_added_to_the_history_is_ignored(path: Path) -> None:
    """It dies after the history is written and before the model file is."""

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    learn(path, NEWS[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SpamModel, "save", killed)
        with pytest.raises(KeyboardInterrupt):
            compact(path)
    assert Path(history_file.path_of(path)).exists()
    assert [info.entry.id for info in history(path)] == [1]
    undo(path, lesson=1)
    compact(path)
    assert [info.entry.id for info in history(path)] == [2, 1]
    assert is_trained_on(path, ROWS)


def test_a_history_of_other_lessons_is_replaced(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.spamnb"
    trained(ROWS[1:] + NEWS).save(other)
    learn(other, ("another one", "spam"))
    compact(other)
    learn(path, NEWS[0])
    shutil.copy(history_file.path_of(other), history_file.path_of(path))
    assert [info.entry.digest for info in history(path)] == [history(path)[0].entry.digest]
    compact(path)
    assert len(history(path)) == 1
    undo(path, lesson=1)
    assert is_trained_on(path, ROWS)


@pytest.mark.parametrize("damage", ["cut", "flipped", "removed"])
def test_a_damaged_history_leaves_the_model_alone(path: Path, damage: str) -> None:
    learn(path, NEWS[0])
    compact(path)
    beside = Path(history_file.path_of(path))
    data = bytearray(beside.read_bytes())
    data[-1] ^= 1
    {
        "cut": lambda: beside.write_bytes(data[:-9]),
        "flipped": lambda: beside.write_bytes(data),
        "removed": beside.unlink,
    }[damage]()
    assert history(path) == []
    with pytest.raises(ModelError) as caught:
        undo(path, lesson=1)
    missing = f"there is no {beside}, which keeps lesson 1"
    no_longer = f"lesson 1 is no longer in the history of {path}"
    assert caught.value.message == (missing if damage == "removed" else no_longer)
    learn(path, NEWS[1])
    assert [info.entry.id for info in history(path)] == [2]
    assert is_trained_on(path, [*ROWS, *NEWS[:2]])
    with pytest.raises(ModelError, match=r"begins on .* with lesson 2"):
        undo(path, since=0)


def test_old_lessons_are_dropped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn(path, NEWS[0])
    compact(path)
    monkeypatch.setattr("spamnb.storage.history_file.time.time", lambda: time.time_ns() / 1e9 + 91 * 86_400)
    learn(path, NEWS[1])
    compact(path)
    assert [info.entry.id for info in history(path)] == [2]


def test_no_days_keep_no_history(path: Path) -> None:
    for days in (90, 0):
        learn(path, NEWS[0] if days else NEWS[1])
        with Learner(path, history_days=days) as learner:
            learner.compact()
        assert Path(history_file.path_of(path)).exists() == bool(days)


def test_more_lessons_than_the_limit_are_dropped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_file, "MOST_LESSONS", 2)
    for row in NEWS:
        learn(path, row)
        compact(path)
    assert [info.entry.id for info in history(path)] == [3, 2]


def test_the_history_has_the_mode_of_the_model(path: Path) -> None:
    path.chmod(0o640)
    learn(path, NEWS[0])
    compact(path)
    assert Path(history_file.path_of(path)).stat().st_mode & 0o777 == 0o640


def test_a_link_in_place_of_the_history_is_refused(path: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    learn(path, NEWS[0])
    Path(history_file.path_of(path)).symlink_to(victim)
    with pytest.raises(ModelError, match="is a link, expected a history"):
        compact(path)
    assert victim.read_text() == "precious"
    assert is_trained_on(path, [*ROWS, NEWS[0]])


def test_an_entry_has_no_text_of_the_message(path: Path) -> None:
    learn(path, NEWS[0])
    entry = history(path)[0].to_dict()
    assert {
        name: entry[name] for name in ("id", "source", "messages", "labels", "undone_by", "undoable")
    } == {
        "id": 1,
        "source": "learn",
        "messages": 1,
        "labels": {"spam": 1},
        "undone_by": None,
        "undoable": True,
    }
    assert not any(word in str(entry) for word in NEWS[0][0].split())

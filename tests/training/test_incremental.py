"""`Learner`: what it does with messages it knows and does not know, and the account it keeps."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spamnb.errors import ConfigError, DataError, ModelError, SpamnbWarning
from spamnb.messages import Texts
from spamnb.model.change_history import ChangeHistory
from spamnb.model.model_merge import merge_models
from spamnb.model.seen_messages import SeenMessages
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.storage.lock import Lock
from spamnb.training.incremental import Learner
from spamnb.training.trainer import Trainer, train
from tests.helpers.count_stores import identical
from tests.helpers.small_models import NEWS, ROWS, is_trained_on, learn, trained


@pytest.fixture
def path(tmp_path: Path) -> Path:
    trained(ROWS).save(tmp_path / "m.spamnb")
    return tmp_path / "m.spamnb"


# --- which messages were learned ---------------------------------------------------------------------


@pytest.mark.parametrize("missing", [[2, 2, 2], [3], [2, 2, 2, 3], [0], [1, 1]])
def test_what_was_not_learned_cannot_be_removed(missing: list[int]) -> None:
    seen = SeenMessages({"ham": np.array([1, 2, 2], np.uint64)})
    with pytest.raises(DataError, match="cannot forget what was never learned"):
        _ = seen.minus({"ham": np.array(missing, np.uint64)}).exact
    with pytest.raises(DataError, match="cannot forget what was never learned"):
        _ = seen.minus({"ham": np.array([1], np.uint64)}, "stale").exact
    assert seen.minus({"ham": np.array([2, 1, 2], np.uint64)}).exact == {}


def test_a_digest_is_contained_whatever_its_label() -> None:
    seen = SeenMessages({"ham": np.array([1], np.uint64)}, {"spam": np.array([2, 2], np.uint64)})
    digests = np.array([2, 3, 1], np.uint64)
    assert seen.contains(digests).tolist() == [True, False, True]
    assert SeenMessages({}).contains(digests).tolist() == [False] * 3
    assert seen.count("spam", digests).tolist() == [2, 0, 0]
    assert seen.count_exact("spam", digests).tolist() == [0, 0, 0]
    assert (seen.labels, len(seen)) == (["ham", "spam"], 3)


# --- learning, relabelling, forgetting -----------------------------------------------------------------


def test_learning_twice_is_noticed(path: Path) -> None:
    assert learn(path, NEWS[0]).outcome.learned == {"spam": 1}
    second = learn(path, NEWS[0], NEWS[1], NEWS[1])
    assert (second.outcome.learned, second.outcome.known) == ({"ham": 1}, {"spam": 1, "ham": 1})
    assert is_trained_on(path, [*ROWS, *NEWS[:2]])


def test_what_training_saw_is_known(path: Path) -> None:
    assert learn(path, *ROWS).outcome.known == {"spam": 2, "ham": 2}


def test_another_label_moves_all_copies(tmp_path: Path) -> None:
    path, copies = tmp_path / "m", [("win a prize", "ham")] * 3
    trained([*ROWS, *copies]).save(path)
    done = learn(path, ("win a prize", "spam")).outcome
    assert (done.relabelled, done.learned, done.known) == ({("ham", "spam"): 3}, {}, {})
    assert is_trained_on(path, [*ROWS, *[("win a prize", "spam")] * 3])


def test_forgetting_needs_a_label_only_where_there_are_two(path: Path) -> None:
    with Learner(path) as learner:
        learner.learn(["see you", "see you"], ["spam", "spam"], again=True)
        learner.forget(["see you"])
        assert (learner.outcome.conflicting_labels, learner.outcome.forgotten) == (1, {})
        learner.forget(["see you"] * 3, ["spam"] * 3)
        assert (learner.outcome.not_found, learner.outcome.forgotten) == (1, {"spam": 2})
        learner.forget(["see you"])
    assert learner.outcome.forgotten == {"spam": 2, "ham": 1}
    assert is_trained_on(path, [row for row in ROWS if row[0] != "see you"])


def test_the_first_label_wins(path: Path) -> None:
    learner = Learner(path, first_label_wins=True)
    with learner:
        learner.learn(["new one"], ["spam"])
        learner.learn(["new one", "new one"], ["ham", "spam"])
    assert (learner.outcome.conflicting_labels, learner.outcome.known) == (1, {"spam": 1})
    assert is_trained_on(path, [*ROWS, ("new one", "spam")])
    with learner:  # what counts is one run
        learner.learn(["new one"], ["ham"])
    assert learner.outcome.relabelled == {("spam", "ham"): 1}
    with Learner(path) as learner:
        learner.learn(["new one", "new one", "other"], ["ham", "spam", "spam"])
        learner.learn(["other"], ["ham"])
    assert (learner.outcome.conflicting_labels, learner.outcome.known) == (0, {"ham": 1})
    assert is_trained_on(path, [*ROWS, ("new one", "spam"), ("other", "ham")])


def test_on_error_learns_only_what_is_misclassified_or_unsure(path: Path) -> None:
    inputs = ["a prize", "see you later", "prize", "unheard"]
    with Learner(path) as learner:
        learner.learn(inputs, ["spam", "spam", "spam", "ham"], mode="on-error")
    assert (learner.outcome.learned, learner.outcome.already_correct) == ({"spam": 1, "ham": 1}, 2)
    assert is_trained_on(path, [*ROWS, ("see you later", "spam"), ("unheard", "ham")])
    for _ in range(2):  # what is classified right is not known the next time: it must not count each time
        with Learner(path) as learner:
            learner.learn(inputs, ["spam", "spam", "spam", "ham"], mode="on-error")
        assert (learner.outcome.already_correct, learner.outcome.learned) == (2, {})
    since = SpamModel.load(path).change_history
    assert (since.learned, since.classified) == (2, 0)
    with (
        pytest.raises(ConfigError, match="mode must be all or on-error, got 'toe'"),
        Learner(path) as learner,
    ):
        learner.learn(["x"], ["ham"], mode="toe")


def test_columns_are_learned_and_forgotten(tmp_path: Path) -> None:
    features = FeatureConfig(categorical=("from",), numeric=("size",))
    trainer = Trainer(features, ScorerConfig(), training=TrainingConfig(folds=0))
    trainer.add(Texts.of(["a", "b"]), ["ham", "spam"], {"from": ["x", "y"]}, {"size": np.array([1.0, 2.0])})
    before, path = trainer.finish(), tmp_path / "m"
    before.save(path)
    news = (["c", "c"], ["ham", "ham"], {"from": ["x", "z"]}, {"size": np.array([0.1, 0.1])})
    with Learner(path) as learner:
        learner.learn(*news)
    assert learner.outcome.learned == {"ham": 2}
    whole = Trainer(features, ScorerConfig(), training=TrainingConfig(folds=0))
    whole.add(Texts.of(["a", "b"]), ["ham", "spam"], {"from": ["x", "y"]}, {"size": np.array([1.0, 2.0])})
    whole.add(Texts.of(news[0]), *news[1:])
    identical(SpamModel.load(path).store, whole.finish().store)
    with Learner(path) as learner:
        learner.forget(*news)
    identical(SpamModel.load(path).store, before.store)


def test_a_model_that_does_not_remember(tmp_path: Path) -> None:
    trainer = Trainer(training=TrainingConfig(folds=0, remember=False))
    trainer.add(Texts.of([t for t, _ in ROWS]), [label for _, label in ROWS])
    path = tmp_path / "m"
    trainer.finish().save(path)
    assert SpamModel.load(path).seen_messages is None
    assert learn(path, NEWS[0], NEWS[0]).outcome.learned == {"spam": 2}
    with Learner(path) as learner:
        learner.forget([NEWS[0][0]], [NEWS[0][1]])
    assert is_trained_on(path, [*ROWS, NEWS[0]])
    with pytest.raises(ModelError) as caught, Learner(path) as learner:
        learner.forget(["x"])
    assert caught.value.message == "the model does not remember which messages it has learned"
    assert caught.value.hint == "pass the label that they were learned with (command line: --spam or --ham)"


def test_a_label_that_is_no_class_is_a_slip(path: Path) -> None:
    with pytest.raises(DataError) as caught:
        learn(path, ("x", "spma"))
    assert caught.value.message == "the model knows ham, spam, got the label 'spma'; nothing was changed"
    with pytest.raises(DataError, match="2 messages but 1 label"), Learner(path) as learner:
        learner.learn(["x", "y"], ["ham"])
    assert is_trained_on(path, ROWS)


def test_nothing_new_writes_nothing(path: Path) -> None:
    learn(path, *ROWS)
    assert sorted(os.listdir(path.parent)) == ["m.spamnb", "m.spamnb.lock"]


# --- the account ----------------------------------------------------------------------------------------


def test_messages_are_classified_before_they_are_learned(path: Path) -> None:
    inputs, truth = ["a prize", "see you later"], ["spam", "spam"]
    before = SpamModel.load(path)
    p = before.predict_proba(inputs)[:, 1]
    learn(path, *zip(inputs, truth, strict=True))
    learn(path, ("a prize", "spam"))  # known: not classified again
    since = SpamModel.load(path).change_history
    assert (since.learned, since.classified, since.wrong, since.unsure) == (2, 2, 1, 0)
    assert since.loss == pytest.approx(-math.log(p[0]) - math.log(p[1]))
    with Learner(path) as learner:
        learner.compact()
    assert SpamModel.load(path).change_history.to_state() == since.to_state()


def test_figures_grow_stale() -> None:
    metrics = {"of": 1000, "accuracy": 0.98}
    assert ChangeHistory().outdated_because(metrics) == ""
    assert ChangeHistory(learned=100, classified=100, wrong=4).outdated_because(metrics) == ""
    assert ChangeHistory(learned=100, classified=100, wrong=9).outdated_because(None) == ""
    assert (
        ChangeHistory(learned=100, classified=100, wrong=9).outdated_because(metrics)
        == "9.0% of the new messages were misclassified, the metrics say 2.0%"
    )
    assert (
        ChangeHistory(learned=200, forgotten=1, relabelled=50).outdated_because(metrics)
        == "251 changes to the 1,000 messages that the metrics are about"
    )


@pytest.mark.parametrize("state", [3, {}, {"learned": 1}, ChangeHistory().to_state() | {"classified": -1}])
def test_a_damaged_account_is_refused(state: object) -> None:
    with pytest.raises(ModelError, match="the model's change history is damaged"):
        ChangeHistory.from_state(state)


def test_a_model_in_memory_keeps_the_account_too() -> None:
    model = train([t for t, _ in ROWS], [label for _, label in ROWS])
    wiser = model.learn(["x"], ["ham"])
    assert (wiser.change_history.learned, wiser.forget(["x"], ["ham"]).change_history.forgotten) == (1, 1)
    both = merge_models([model, model])
    assert both.seen_messages is not None
    assert len(both.seen_messages) == 8


# --- the lock ---------------------------------------------------------------------------------------------


def test_a_learner_gives_up_in_the_end(path: Path) -> None:
    with Lock(path), pytest.raises(ModelError) as caught, Learner(path, wait=0.05):
        pass
    assert caught.value.message == f"{path} is being changed by another process: gave up after 0.05 s"
    assert caught.value.hint == "try again later"


def test_a_lock_ends_with_its_process(path: Path) -> None:
    code = (
        "import os, sys; from spamnb.storage.lock import Lock; "
        "Lock(sys.argv[1]).__enter__(); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, path], check=False)
    assert os.path.exists(f"{path}.lock")
    learn(path, NEWS[0])


def test_readers_do_not_wait(path: Path) -> None:
    with Learner(path) as learner:
        learner.learn(["x y"], ["ham"])
        assert is_trained_on(path, ROWS)
    assert is_trained_on(path, [*ROWS, ("x y", "ham")])


def test_what_others_did_between_reading_and_locking_counts(path: Path) -> None:
    slow, changed = Learner(path), Learner(path)
    slow.load()
    changed.load()
    learn(path, NEWS[0])
    with slow:
        slow.learn([NEWS[0][0], NEWS[1][0]], [NEWS[0][1], NEWS[1][1]])
    assert slow.outcome.known == {"spam": 1}
    with Learner(path) as tidy:
        tidy.compact()
    with changed:
        changed.learn([NEWS[2][0]], [NEWS[2][1]])
    assert is_trained_on(path, [*ROWS, *NEWS])


def test_another_model_in_its_place_is_an_error(path: Path) -> None:
    slow = Learner(path)
    slow.load()
    train(["a", "b"], ["ham", "spam"], features=FeatureConfig.plain()).save(path)
    with pytest.raises(ModelError, match="was replaced by another model"), slow:
        pass


def test_there_must_be_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model at"), Learner(tmp_path / "none"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_learner_can_be_used_again(path: Path) -> None:
    learner = Learner(path)
    for text in ("one more", "two more"):
        with learner:
            learner.learn([text], ["spam"])
        assert learner.outcome.learned == {"spam": 1}
    expected = SpamModel.load(path)
    assert expected.seen_messages is not None
    assert int(expected.store.message_totals.sum()) == len(expected.seen_messages)


def test_a_learner_is_used_once_at_a_time(path: Path) -> None:
    learner = Learner(path, wait=0.1)
    with learner:
        learner.learn(["new words"], ["spam"])
        with pytest.raises(ConfigError, match="this Learner is in use"), learner:
            pass
    assert learner.outcome.learned == {"spam": 1}
    with Lock(path, 1.0), pytest.raises(ModelError), learner:
        pass
    with learner:
        learner.forget(["new words"])
    assert is_trained_on(path, ROWS)


def test_a_learner_learns_inside_with(path: Path) -> None:
    learner = Learner(path)
    for work in (lambda: learner.learn(["x"], ["spam"]), lambda: learner.forget(["x"]), learner.compact):
        with pytest.raises(ConfigError, match="a Learner changes its model inside `with`"):
            work()
    with learner:
        learner.learn(["before it"], ["spam"])
    with learner:
        learner.compact()
        learner.learn(["after it"], ["spam"])
    known = SpamModel.load(path).seen_messages
    assert known is not None
    with learner:
        learner.learn(["before it", "after it"], ["spam", "spam"])
    assert learner.outcome.known == {"spam": 2}
    assert not os.path.exists(f"{path}.journal")


def test_no_name_is_no_label(path: Path) -> None:
    with Learner(path) as learner, pytest.warns(SpamnbWarning, match="no label"):
        learner.learn(["odd one"], [""])
    assert (learner.lesson, learner.outcome.learned, learner.outcome.skipped) == (None, {}, 1)


def test_what_is_learned_again_says_nothing_of_new_messages(path: Path) -> None:
    with Learner(path) as learner:
        learner.learn([text for text, _ in ROWS], [label for _, label in ROWS], again=True)
    assert learner.outcome.learned == {"ham": 2, "spam": 2}
    assert (learner.outcome.verdicts.classified, SpamModel.load(path).change_history.classified) == (0, 0)
    with Learner(path) as learner:
        learner.learn(["see you", "something else"], ["ham", "ham"], again=True)
    assert (learner.outcome.verdicts.classified, SpamModel.load(path).change_history.classified) == (1, 1)

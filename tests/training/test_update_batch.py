"""An update tokenises each message at most once, and those that it leaves alone not at all."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

from spamnb.cli import cli
from spamnb.counts import count
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig
from spamnb.training.incremental import Learner
from spamnb.training.trainer import train
from tests.helpers.count_stores import identical

TEXTS = ["win a prize", "free prize 100!", "see you", "ok, see YOU"]
LABELS = ["spam", "spam", "ham", "ham"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    train(TEXTS, LABELS).save(tmp_path / "m.spamnb")
    return tmp_path / "m.spamnb"


def tokenized(work: Callable[[], object]) -> list[list[bytes]]:
    """The messages of each call of `extract`, from wherever it is called."""
    calls: list[list[bytes]] = []

    def record(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is extract.__code__:
            calls.append(frame.f_locals["texts"].tolist())

    before = sys.getprofile()
    sys.setprofile(record)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def changing(path: Path, work: Callable[[Learner], None]) -> Callable[[], None]:
    def run() -> None:
        with Learner(path) as learner:
            work(learner)

    return run


@pytest.mark.parametrize("mode", ["all", "on-error"])
def test_learning_tokenizes_new_messages_once(path: Path, mode: str) -> None:
    rows = ["see you", "a new prize", "a new prize", "win it"]
    labels = ["ham", "spam", "spam", "ham"]
    work = changing(path, lambda learner: learner.learn(rows, labels, mode=mode))
    assert tokenized(work) == [[b"a new prize", b"win it"]]


def test_relabelling_and_forgetting_tokenize_once(path: Path) -> None:
    work = changing(path, lambda learner: learner.learn(["see you", "win a prize"], ["spam", "spam"]))
    assert tokenized(work) == [[b"see you"]]
    work = changing(path, lambda learner: learner.forget(["win a prize", "see you", "never learned"]))
    assert tokenized(work) == [[b"win a prize", b"see you"]]
    assert tokenized(work) == []


def test_a_model_that_does_not_remember_tokenizes_once(path: Path) -> None:
    replace(SpamModel.load(path), seen_messages=None).save(path)
    assert tokenized(changing(path, lambda learner: learner.learn(["see you"], ["ham"]))) == [[b"see you"]]
    assert tokenized(changing(path, lambda learner: learner.forget(["see you"], ["ham"]))) == [[b"see you"]]


def test_predicting_tokenizes_once(path: Path) -> None:
    model = SpamModel.load(path)
    assert tokenized(lambda: model.predict(["see it", "win it"])) == [[b"see it", b"win it"]]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["predict", "-q"], [[b"see you", b"new one"]]),
        (["learn", "--ham", "-q"], [[b"new one"]]),
        (["learn", "--ham", "-q", "--mode", "on-error"], [[b"new one"]]),
        (["learn", "--spam", "-q"], [[b"see you", b"new one"]]),
        (["forget", "-q"], [[b"see you"]]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value[0], str) else "",
)
def test_commands_tokenize_once(
    path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], expected: list[list[bytes]]
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"see you\nnew one\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    assert tokenized(lambda: cli.main([*args, "-m", str(path)], standalone_mode=False)) == expected


def test_a_change_of_the_features_leaves_messages_known(path: Path) -> None:
    """As with a new version of spamnb that finds other tokens in the same messages."""
    model = SpamModel.load(path)
    other = replace(model, features=FeatureConfig(ngrams=3, chars=3))
    other.save(path)
    with Learner(path) as learner:
        learner.learn([*TEXTS, "new one"], [*LABELS, "ham"])
    assert (learner.outcome.known, learner.outcome.learned) == ({"ham": 2, "spam": 2}, {"ham": 1})
    with Learner(path) as learner:
        learner.learn([TEXTS[0]], ["ham"])
    assert (learner.outcome.relabelled, learner.outcome.stale) == ({("spam", "ham"): 1}, 1)


@pytest.mark.parametrize(
    "features", [FeatureConfig(), FeatureConfig.plain(), FeatureConfig(ngrams=3, chars=2)], ids=repr
)
def test_taken_messages_have_the_tokens_of_their_texts(features: FeatureConfig) -> None:
    texts = ["Win 100 NOW!", "", "f r e e c4sh", "see you, see you"]
    batch, rows = extract(Texts.of(texts), features), [3, 0, 0, 2, 1, 3]
    taken = batch.take(np.array(rows, np.int64))
    labels = ["ham", "spam"] * 3
    identical(count(taken, labels), count(extract(Texts.of([texts[i] for i in rows]), features), labels))
    assert taken.size == len(rows)

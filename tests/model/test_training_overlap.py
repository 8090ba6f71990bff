"""Messages that a model was trained on are recognized: by its own digests, or those beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from spamnb.messages import Chunk, Texts
from spamnb.model import READY_MADE_NAMES, SpamModel, message_digests, shipped_model
from spamnb.model.training_overlap import WIDTH, TrainingOverlap, digest_file, read_digests, write_digests
from tests.helpers.paths import ROOT, SHARED

TEXTS = ["win a prize", "free cash now", "see you", "home by seven"]
LABELS = ["spam", "spam", "ham", "ham"]


def chunk(texts: Texts) -> Chunk:
    return Chunk(texts, np.arange(len(texts)), None, {}, {})


def test_learned_messages_are_known_whatever_their_label() -> None:
    model = SpamModel().learn(TEXTS, LABELS)
    texts = Texts.of([*TEXTS[1:], "something else"])
    assert TrainingOverlap.of(model).count(chunk(texts)) == 3
    assert TrainingOverlap.of(SpamModel()).count(chunk(texts)) == 0
    assert TrainingOverlap.of(SpamModel(seen_messages=None)).count(chunk(texts)) is None


@settings(max_examples=50)
@given(digests=st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_digests_come_back_shortened(tmp_path_factory: pytest.TempPathFactory, digests: list[int]) -> None:
    path = str(tmp_path_factory.mktemp("digests") / "x.digests")
    many = write_digests(path, [np.array(digests, np.uint64)])
    expected = sorted({digest >> (64 - 8 * WIDTH) for digest in digests})
    assert read_digests(path).tolist() == expected
    assert many == len(expected)
    assert Path(path).stat().st_size == WIDTH * many


def test_shortened_digests_recognize_messages(tmp_path: Path) -> None:
    path = str(tmp_path / "x.digests")
    write_digests(path, [message_digests(Texts.of(TEXTS))])
    overlap = TrainingOverlap(SpamModel(seen_messages=None), (read_digests(path),))
    others = [f"another message {i}" for i in range(1000)]
    assert overlap.count(chunk(Texts.of([*others, *TEXTS]))) == 4
    write_digests(path, [message_digests(Texts.of([]))])
    assert TrainingOverlap(SpamModel(), (read_digests(path),)).count(chunk(Texts.of(TEXTS))) == 0


@pytest.mark.parametrize("kind", READY_MADE_NAMES)
def test_ready_made_models_have_digests_beside_them(kind: str) -> None:
    path = shipped_model(kind)
    digests = read_digests(digest_file(path))
    assert (np.diff(digests.astype(np.int64)) > 0).all()
    messages = int(SpamModel.load(path).store.message_totals.sum())
    assert 0.98 * messages < len(digests) <= messages  # white space makes no difference


def test_models_and_digests_stay_small() -> None:
    files = (ROOT / "spamnb/model/ready_made").iterdir()
    assert sum(path.stat().st_size for path in files) < 6_000_000


@pytest.mark.parametrize("kind", READY_MADE_NAMES)
def test_the_digests_are_those_of_the_corpora(kind: str, tmp_path: Path) -> None:
    """Fails if mail is read in another way: then run `python -m tools.ready_made_models --digests`."""
    if not SHARED.is_dir():
        pytest.skip("needs the corpora in ../shared/data")
    from tools.model_sources import SOURCES, read

    model = SpamModel.load(shipped_model(kind))
    overlap = TrainingOverlap.of(model, shipped_model(kind))
    name = SOURCES[kind][0]
    parts = read(name, tmp_path)
    seen = [overlap.count(chunk(part.texts)) for part in parts]
    assert seen == [len(part.labels) for part in parts]

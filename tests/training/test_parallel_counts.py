"""What several processes have counted, put together, is what one would have counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spamnb.core import worker_pool
from spamnb.core.worker_pool import ordered_map
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.mailboxes import mail_batches
from spamnb.settings import TrainingConfig
from spamnb.training.parallel_training import CountInWorker, ScoreInWorker
from spamnb.training.trainer import Trainer

WORDS = ["free", "prize", "meeting", "lunch", "invoice", "winner", "agenda", "notes", "cheap", "offer"]


def write_mails(folder: Path, count: int = 40) -> None:
    for number in range(count):
        label = "spam" if number % 3 == 0 else "ham"
        text = " ".join(WORDS[(number * step) % 10] for step in range(1, 6 + number % 4))
        path = folder / label / f"{number}.eml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"From: a{number}@x{number % 5}.example\nSubject: {text[:9]}\n\n{text} {number}\n")
    (folder / "ham" / "empty.eml").write_text("\n")


def trained(folder: Path, jobs: int) -> tuple[Trainer, list[str]]:
    trainer = Trainer(training=TrainingConfig(jobs=jobs))
    with open_source(str(folder), ReadOptions.from_flags(jobs=jobs), labelled=True) as source:
        source.work = CountInWorker(trainer)
        for chunk in source:
            if chunk.worker_result is None:
                trainer.add_chunk(chunk)
    return trainer, [source.skipped.summary(), source.notes.summary()]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_batches, "BATCH_MAILS", 3)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("jobs", [2, 3])
def test_several_processes_train_the_same_model(tmp_path: Path, jobs: int) -> None:
    write_mails(tmp_path)
    one, reported = trained(tmp_path, 1)
    many, told_by_many = trained(tmp_path, jobs)
    assert told_by_many == reported
    assert many.messages == one.messages == 40
    paths = [tmp_path / "one", tmp_path / "many"]
    for trainer, path in zip((one, many), paths, strict=True):
        trainer.finish().save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.usefixtures("small_batches")
def test_a_large_sample_is_thinned_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spamnb.training.sampling.SAMPLE", 30)
    monkeypatch.setattr("spamnb.training.sampling.WHOLE", 0)
    write_mails(tmp_path, 80)
    figures = [trained(tmp_path, jobs)[0].finish().metrics for jobs in (1, 2)]
    assert figures[0] == figures[1]
    assert figures[0] is None or figures[0]["sample"] <= 30


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("wanted", [True, False])
def test_several_processes_say_the_same(tmp_path: Path, wanted: bool) -> None:
    write_mails(tmp_path)
    model = trained(tmp_path, 1)[0].finish()
    output = []
    for jobs in (1, 2):
        with open_source(str(tmp_path), ReadOptions.from_flags(jobs=jobs), labelled=False) as source:
            source.work = ScoreInWorker(model, wanted)
            chunks = [(chunk, chunk.worker_result or model.score(chunk.texts)) for chunk in source]
        assert all((chunk.worker_result is not None) == (jobs > 1) for chunk, _ in chunks)
        places = [place for chunk, _ in chunks for place in chunk.sources]
        numbers = [number for chunk, _ in chunks for number in chunk.lines.tolist()]
        subjects = [subject for chunk, _ in chunks for subject in chunk.texts.subjects]
        assert len(subjects) == len(places)
        assert any(subjects)
        if jobs == 1 or wanted:
            assert any(b"".join(chunk.texts.tolist()) for chunk, _ in chunks)
        else:
            assert not any(chunk.texts.data for chunk, _ in chunks)
        log_odds = [x for _, predictions in chunks for x in predictions.log_odds.tolist()]
        output.append((places, numbers, subjects, log_odds))
    assert output[0] == output[1]
    assert output[0][1] == list(range(1, 42))


class Summing:
    """Adds up its items, for itself in each process."""

    def __init__(self) -> None:
        self.total = np.zeros(1000)
        self.collected: list[tuple[list[int], np.ndarray]] = []

    def __call__(self, item: int) -> int:
        self.total += item
        return -item

    def finish(self) -> np.ndarray:
        return self.total

    def gather(self, collected: list[tuple[list[int], np.ndarray]]) -> None:
        self.collected = collected


@pytest.mark.usefixtures("small_batches")
def test_spawned_processes_train_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_mails(tmp_path)
    one = trained(tmp_path, 1)[0].finish()
    with monkeypatch.context() as patch:
        patch.setattr(worker_pool, "can_fork", lambda: False)
        many = trained(tmp_path, 2)[0]
    assert many.messages == 40
    one.save(tmp_path / "one")
    many.finish().save(tmp_path / "many")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()


@pytest.mark.parametrize("forked", [True, False])
def test_processes_hand_over_what_they_have_gathered(forked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "can_fork", lambda: forked)
    summing = Summing()
    assert list(ordered_map(summing, range(20), 3, summing)) == [-n for n in range(20)]
    assert sorted(n for numbers, _ in summing.collected for n in numbers) == list(range(20))
    assert all((total == sum(numbers)).all() for numbers, total in summing.collected)
    assert not summing.total.any()

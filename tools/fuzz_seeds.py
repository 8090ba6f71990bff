"""Writes the fuzzing seeds that are not plain text: models, journals, exported counts, packed files.

The others in tests/robustness/seeds were written by hand. Run it again when the form of one of these changes.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tempfile
from pathlib import Path

import numpy as np

from spamnb import SpamModel, train
from spamnb.model.text_export import export_lines
from spamnb.settings import TrainingConfig
from spamnb.storage import model_file
from spamnb.storage.update_journal import path_of
from spamnb.training.incremental import Learner
from tests.robustness.fuzzing import SEEDS

_TEXTS = [
    "win a free prize now",
    "free cash, call 0909 123",
    "see you at 7",
    "lunch at one?",
    "ok :)",
    "WIN! c4sh",
]
_LABELS = ["spam", "spam", "ham", "ham", "ham", "spam"]


def _put(folder: str, name: str, data: bytes) -> None:
    path = SEEDS / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _body(model: SpamModel, folder: Path) -> bytes:
    model.save(folder / "m")
    return (folder / "m").read_bytes()[: -model_file.TRAILER_SIZE]


def _models() -> dict[str, SpamModel]:
    columns = {"categories": {"who": list("abcabc")}, "numbers": {"size": np.arange(6.0)}}
    few = SpamModel().learn(_TEXTS[:3], _LABELS[:3])
    return {
        "few": few,
        "columns": SpamModel().learn(_TEXTS, _LABELS, **columns),  # type: ignore[arg-type]
        "three": SpamModel().learn(_TEXTS, ["a", "b", "c"] * 2),
        "trained": train(_TEXTS * 4, _LABELS * 4, training=TrainingConfig(refine="yes")),
    }


def _journals(folder: Path) -> None:
    path = folder / "small.spamnb"
    train(_TEXTS * 4, _LABELS * 4, training=TrainingConfig(refine="yes")).save(path)
    for text, label in (("a new prize", "spam"), ("see you later", "ham")):
        with Learner(path) as learner:
            learner.learn([text], [label])
    raw = Path(path_of(path)).read_bytes()
    _put("journal", "small.spamnb", path.read_bytes())
    _put("journal", "two-records.journal", raw)
    from spamnb.storage.update_journal import parse

    journal = parse(raw, model_file.checksum_of(path))
    assert journal is not None
    for i, payload in enumerate(journal.payloads):
        _put("journal", f"record-{i}", payload)


def main() -> None:
    table = b'label,text\nspam,win a prize\nham,see you\nham,"a, b"\n'
    _put("packed", "table.csv.gz", gzip.compress(table, mtime=0))
    _put("packed", "table.csv.bz2", bz2.compress(table))
    _put("packed", "table.csv.xz", lzma.compress(table))
    _put("packed", "table.csv", table)
    import pyarrow
    import pyarrow.parquet

    frame = pyarrow.table({"label": ["spam", "ham", None], "text": ["win", "see you", "ok"], "n": [1, 2, 3]})
    for name, how in (("plain", "none"), ("snappy", "snappy")):
        path = SEEDS / "parquet" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(frame, path, compression=how)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, model in _models().items():
            _put("model", f"{kind}.body", _body(model, folder))
            _put("counts", f"{kind}.jsonl", b"".join(export_lines(model)))
        _journals(folder)


if __name__ == "__main__":
    main()

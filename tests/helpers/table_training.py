"""Trains on small tables, by one process and by several."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from pathlib import Path

from spamnb.model.spam_model import SpamModel
from spamnb.readers import ReadOptions, open_source
from spamnb.training.parallel_training import BlockCounter
from spamnb.training.trainer import Trainer

SMALL = ReadOptions(default_format="csv", chunk_bytes=256)


def rows(count: int) -> list[tuple[str, str]]:
    own = {
        "spam": ["win", "prize", 'say "yes"', "two\nlines", "a, b"],
        "ham": ["see", "mum", "ok,", "at 5", "é"],
    }
    return [
        (label, f"{own[label][i % 5]} {own[label][i * 3 % 5]} {i % 11} {i % 3}")
        for i in range(count)
        for label in ("ham", "spam")
    ]


def table(count: int, *, end: str = "\n", header: bool = True) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=end)
    writer.writerows([("label", "text")] * header + rows(count))
    return out.getvalue().encode()


def serial(paths: list[Path], reading: ReadOptions = SMALL, trainer: Trainer | None = None) -> SpamModel:
    trainer = trainer or Trainer()
    for path in paths:
        with open_source(str(path), reading, labelled=True) as source:
            for chunk in source:
                trainer.add_chunk(chunk)
    return trainer.finish()


def parallel(
    paths: list[Path], jobs: int, reading: ReadOptions = SMALL, trainer: Trainer | None = None
) -> SpamModel:
    trainer = trainer or Trainer()
    with BlockCounter(trainer, jobs) as pool:
        for number, path in enumerate(paths):
            with open_source(str(path), reading, labelled=True) as source:
                for _ in pool.feed(source, number):
                    pass
        list(pool.finish())
    return trainer.finish()


def same(a: SpamModel, b: SpamModel, folder: Path) -> None:
    a.save(folder / "a.model")
    b.save(folder / "b.model")
    assert (folder / "a.model").read_bytes() == (folder / "b.model").read_bytes()


def jsonl(count: int) -> bytes:
    return b"".join(
        json.dumps({"label": label, "text": text}).encode() + b"\n" for label, text in rows(count)
    )


FILES = {
    "plain.csv": table(60),
    "crlf.csv": table(60, end="\r\n"),
    "bare.csv": table(60, header=False),
    "bom.csv": b"\xef\xbb\xbf" + table(60),
    "wide.csv": table(60).decode().encode("utf-16"),
    "zip.csv.gz": gzip.compress(table(60)),
    "zip.csv.bz2": bz2.compress(table(60)),
    "end.csv": table(60).rstrip(b"\n"),
    "open.csv": table(60) + b'ham,"never closed\nham,x\n',
    "stray.csv": table(20) + b'ham,5" wide\nham,6" wide and "more\nspam,"a"b\n' + table(20, header=False),
    "blank.csv": table(20) + b"\n\nham,\n,lost\nham,a,b,c\n" + table(20, header=False),
    "mac.csv": table(20).replace(b"two\nlines", b"two lines").replace(b"\n", b"\r"),
    "lines.jsonl": jsonl(60),
    "odd.jsonl": jsonl(20) + b'\n{"text": 3}\nnonsense\n' + jsonl(20),
    "tabs.tsv": table(60).replace(b",", b"\t"),
    "sep.csv": b"sep=;\r\n" + table(60, end="\r\n").replace(b",", b";"),
    "sep-bare.csv": b"\xef\xbb\xbfsep=;\n" + table(60, header=False).replace(b",", b";"),
    "typo.csv": table(60).replace(b"spam,", b"spma,", 1),
    "question.csv": table(60).replace(b"ham,", b"1,").replace(b"spam,", b"0,").replace(b"label,", b"is_ham,"),
}


def files(folder: Path, number: int) -> list[Path]:
    paths = [folder / f"part-{i:02}.csv" for i in range(number)]
    for i, path in enumerate(paths):
        path.write_bytes(table(20 + i))
    return paths


def inputs(paths: list[Path], reading: ReadOptions = SMALL) -> list[tuple[str, ReadOptions]]:
    return [(str(path), reading) for path in paths]

"""Journals, and ways to break them: cut, flipped, spliced, and changed with all checks made right again."""

from __future__ import annotations

import hashlib
import json
import random
import struct
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.storage import model_file, update_journal
from spamnb.training.incremental import Learner
from spamnb.training.trainer import Trainer
from tests.reference.journal import WIDTHS, Counts, added_up, counts_of
from tests.robustness.mutants import mutant

FIELDS = struct.Struct("<4sI8s")
HEAD = 16 + 1 + 64 + 1  # the name of the format, the checksum of the model file, and two line feeds
TEXTS = ["win a prize now", "see you at home", "free prize, call 0900 123", "ok at six", "win cash", "kids"]


class Journals:
    """A model file and the records of its journal; the last of them forgets and relabels."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "m.spamnb"
        self.file = Path(f"{self.path}.journal")
        labels = ["spam" if i % 2 else "ham" for i in range(12)]
        trainer = Trainer(
            FeatureConfig(categorical=("kind",), numeric=("size",)), training=TrainingConfig(folds=0)
        )
        columns = {"kind": [f"k{i % 3}" for i in range(12)]}, {"size": np.arange(12.0)}
        trainer.add(Texts.of([f"{TEXTS[i % 6]} m{i}" for i in range(12)]), labels, *columns)
        trainer.finish().save(self.path)
        for i, text in enumerate(TEXTS[:5]):
            with Learner(self.path) as learner:
                learner.learn([text], ["spam" if i % 2 else "ham"], {"kind": ["k1"]}, {"size": np.array([i])})
        with Learner(self.path) as learner:
            learner.forget([TEXTS[0]], None, {"kind": ["k1"]}, {"size": np.array([0.0])})
            learner.learn([TEXTS[1]], ["ham"], {"kind": ["k1"]}, {"size": np.array([1.0])})
        self.whole = self.file.read_bytes()
        self.checksum = model_file.checksum_of(self.path)
        journal = update_journal.parse(self.whole, self.checksum)
        assert journal is not None
        self.payloads = journal.payloads
        self.base = counts_of(SpamModel.from_state(model_file.read(self.path)).store)
        self.labels = SpamModel.load(self.path).store.labels
        self.prefixes = [self.counts(self.payloads[:n]) for n in range(len(self.payloads) + 1)]

    def counts(self, payloads: list[bytes]) -> Counts:
        """The counts that the model has with these records."""
        return added_up(self.base, self.labels, payloads)


def chained(checksum: bytes, payloads: list[bytes]) -> bytes:
    """A journal of these records whose marks, lengths and checks are right."""
    out, check = [b"spamnb-journal 1\n" + checksum + b"\n"], checksum
    for payload in payloads:
        check = hashlib.sha256(check + payload).digest()[:8]
        head = FIELDS.pack(b"rec1", len(payload), check)
        out.append(head + zlib.crc32(head).to_bytes(4, "little") + payload)
    return b"".join(out)


def cut(journals: Journals, dice: random.Random) -> bytes:
    return journals.whole[: dice.randrange(len(journals.whole))]


def flipped(journals: Journals, dice: random.Random) -> bytes:
    data = bytearray(journals.whole)
    for _ in range(dice.choice((1, 1, 1, 2, 8))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def zeroed(journals: Journals, dice: random.Random) -> bytes:
    data = bytearray(journals.whole)
    at, size = dice.randrange(len(data)), dice.choice((1, 16, 20, 100, 512))
    data[at : at + size] = bytes(len(data[at : at + size]))
    return bytes(data)


def spliced(journals: Journals, dice: random.Random) -> bytes:
    """Whole records missing, twice, in another order, with old checks."""
    whole_, bounds = journals.whole, [HEAD]
    for payload in journals.payloads:
        bounds.append(bounds[-1] + 20 + len(payload))
    records = [whole_[a:b] for a, b in pairwise(bounds)]
    chosen = [dice.choice(records) for _ in range(dice.randrange(1, 9))]
    if dice.random() < 0.5:
        chosen = records[: dice.randrange(len(records))] + chosen
    return whole_[:HEAD] + b"".join(chosen)


def mangled(journals: Journals, dice: random.Random) -> bytes:
    return mutant(dice, [journals.whole, chained(b"0" * 64, journals.payloads[:2])])


def sealed_mutants(journals: Journals, dice: random.Random) -> bytes:
    payloads = list(journals.payloads)
    payloads[dice.randrange(len(payloads))] = mutant(dice, journals.payloads)
    return chained(journals.checksum, payloads)


_VALUES: tuple[Any, ...] = (
    0,
    -1,
    1,
    2,
    127,
    2**31,
    2**62,
    2**63 - 1,
    2**63,
    1.0,
    1.5,
    True,
    None,
    "1",
    "",
    [],
    {},
    [1],
    {"": 1},
)
_NUMBERS = (0, 1, -1, 5, 127, -128, 2**31 - 1, -(2**63), 2**63 - 1, 2**62, -(2**62))


def sealed_heads(journals: Journals, dice: random.Random) -> bytes:
    """Records with a wrong value somewhere in their JSON object."""
    payloads = list(journals.payloads)
    number = dice.randrange(len(payloads))
    (size,) = struct.unpack_from("<I", payloads[number])
    head = json.loads(payloads[number][4 : 4 + size])
    for _ in range(dice.choice((1, 1, 2))):
        _change(head, dice)
    text = json.dumps(head).encode()
    payloads[number] = struct.pack("<I", len(text)) + text + payloads[number][4 + size :]
    return chained(journals.checksum, payloads)


def _change(value: Any, dice: random.Random) -> None:
    """Changes one value in a tree of dicts and lists."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = dice.choice(keys)
        if isinstance(value[key], (dict, list)) and value[key] and dice.random() < 0.8:
            value = value[key]
            continue
        if dice.random() < 0.15:
            del value[key]
        else:
            value[key] = dice.choice(_VALUES)
        return


def sealed_counts(journals: Journals, dice: random.Random) -> bytes:
    """Records with other counts, wide enough to overflow when they are added."""
    payloads = list(journals.payloads)
    for number in dice.sample(range(len(payloads)), dice.choice((1, 2))):
        (size,) = struct.unpack_from("<I", payloads[number])
        head, arrays = json.loads(payloads[number][4 : 4 + size]), payloads[number][4 + size :]
        rows, many = head["rows"], head["rows"] * len(head["labels"])
        old = WIDTHS[head["width"]]
        counts = list(struct.unpack_from(f"<{2 * many}{old}", arrays, 9 * rows))
        for _ in range(dice.choice((1, 2, 4))):
            at = dice.randrange(many)
            counts[at] = counts[many + at] = dice.choice(_NUMBERS)
            if dice.random() < 0.5:
                counts[dice.randrange(2 * many)] = dice.choice(_NUMBERS)
        head["width"] = "<i8"
        if dice.random() < 0.5:
            head["totals"] = [dice.choice(_NUMBERS) for _ in head["totals"]]
        text = json.dumps(head).encode()
        rest = arrays[9 * rows + 2 * many * struct.calcsize(f"<{old}") :]
        table = struct.pack(f"<{2 * many}q", *counts)
        payloads[number] = struct.pack("<I", len(text)) + text + arrays[: 9 * rows] + table + rest
    return chained(journals.checksum, payloads)


def sealed_order(journals: Journals, dice: random.Random) -> bytes:
    """Right records in another order, some of them twice or missing."""
    return chained(journals.checksum, [dice.choice(journals.payloads) for _ in range(dice.randrange(1, 9))])


UNSEALED = (cut, flipped, zeroed, spliced, mangled)
SEALED = (sealed_mutants, sealed_heads, sealed_counts, sealed_order)
WAYS: tuple[Callable[[Journals, random.Random], bytes], ...] = (*UNSEALED, *SEALED)

"""Fuzz targets that take bytes: mail, HTML, tokens, patterns, model files, journals, exported counts."""

from __future__ import annotations

import hashlib
import random
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from spamnb.core.terminal_text import visible
from spamnb.features import extract
from spamnb.features.batch import Batch
from spamnb.mail import TAGS, mail_texts
from spamnb.mail.header_block import split_block, split_envelope
from spamnb.mail.html_text import parse_html
from spamnb.mail.parse import parse_mail
from spamnb.mail.parsed_mail import DEFAULT
from spamnb.mail.verdict_header import annotate
from spamnb.messages import Texts
from spamnb.metrics import stored_scores
from spamnb.model.inspection import Inspector, card
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.model.text_import import import_lines
from spamnb.report.model_card import card_rows
from spamnb.settings import FeatureConfig
from spamnb.storage import model_file, safe_unpickler, update_journal
from tests.helpers.paths import ROOT
from tests.robustness.broken_journals import chained
from tests.robustness.fuzz_readers import Run

_CONFIGS = (
    FeatureConfig(),
    FeatureConfig(ngrams=1, chars=4, patterns=(("digits", r"\d+"),)),
    FeatureConfig.plain(3),
)
SMALL_MODEL = ROOT / "tests" / "robustness" / "seeds" / "journal" / "small.spamnb"
_TRIED: list[str | bytes] = [
    "WIN a FREE prize! Call 0909 879 0123 now",
    "running late, home by 7",
    "",
    b"\xff\0",
    "f r e e \u0430b",
]


def _mail(data: bytes, _: Path) -> object:
    """Parsed, counted, and passed through with a verdict: the body must come out as it went in."""
    mail = parse_mail(data)
    if set(mail.tags) != set(TAGS) or len(mail.body) > 3 * DEFAULT.text:
        raise AssertionError("tags or body out of bounds")
    extract(mail_texts([mail]), _CONFIGS[0])
    out = annotate(data, [("X-Spam-Flag", "YES")])
    if not out.endswith(split_block(split_envelope(data)[1])[2]):
        raise AssertionError("the body changed")
    if annotate(out, [("X-Spam-Flag", "YES")]) != out:
        raise AssertionError("a second verdict changes more than the first")
    return mail.notes, len(mail.tags["mime"].split())


def _html(data: bytes, _: Path) -> object:
    text, facts, misleading, unseen = parse_html(data)
    if len(text) > 6 * len(data) + 16:
        raise AssertionError("more text than source")
    return len(facts), misleading, len(unseen)


def _features(data: bytes, _: Path) -> object:
    """Messages one by one and together must give the same tokens, spelled the same."""
    messages = data[:4096].split(b"\n")[:8]
    rows = 0
    for config in _CONFIGS:
        together = _by_message(extract(Texts.of(messages), config))
        alone = [_by_message(extract(Texts.of([message]), config))[0] for message in messages]
        if together != alone:
            raise AssertionError("a batch differs from its messages")
        rows += sum(map(len, together))
    return rows.bit_length()


def _by_message(batch: Batch) -> list[list[tuple[int, int, bytes]]]:
    """Kind, key and spelling of the tokens of each message."""
    out: list[list[tuple[int, int, bytes]]] = [[] for _ in range(batch.size)]
    for stream in batch.streams:
        spelled = list(stream.spell(np.arange(len(stream.rows))))
        for row, key, word in zip(stream.rows.tolist(), stream.keys.tolist(), spelled, strict=True):
            out[row].append((stream.kind, key, word))
    return [sorted(tokens) for tokens in out]


def _pattern(data: bytes, _: Path) -> object:
    """The first line is a user's pattern, the rest a message."""
    pattern, text = (data + b"\n").split(b"\n", 1)
    config = FeatureConfig(ngrams=1, shapes=False, patterns=(("x", pattern.decode("utf-8", "replace")),))
    return len(extract(Texts.of([text[:2000]]), config).streams[-1].rows)


def with_checksum(body: bytes) -> bytes:
    """A model file with this body and the right checksum."""
    return body + model_file.CHECKSUM_MARK + hashlib.sha256(body).hexdigest().encode() + b"\n"


def try_model(model: SpamModel) -> object:
    """A model that was accepted has to work, whatever it says."""
    predictions = model.score(_TRIED)
    model.explain(_TRIED[0])
    for _ in export_lines(model):
        pass
    shown = card_rows(card(model)) + [(row.token, "") for row in Inspector(model).top(model.labels[0], 5)]
    visible("".join(name + value for name, value in shown)).encode()
    if model.metrics is not None:
        stored_scores(model.metrics)
    return predictions.names


def _stream(data: bytes, _: Path) -> object:
    try:
        return type(safe_unpickler.load(memoryview(data)))
    except safe_unpickler.RefusedError as error:
        return str(error)


def _model(data: bytes, folder: Path) -> object:
    path = folder / "m.spamnb"
    path.write_bytes(with_checksum(data) if data[:1] == b"\x80" else data)
    return try_model(SpamModel.load(path))


@cache
def good_model() -> SpamModel:
    """The small model that the seeds of models and journals are about."""
    return SpamModel.load(SMALL_MODEL)


_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 2**31, 2**63, 2**70),
    *(-(2**80), 0.0, -1.5, 1e308, float("nan"), float("inf"), "", "spam"),
    *("\ud800", b"", b"x", [], [[]], {}),
    *({"": None}, [1, 2, 3], [[1]], {"x": [1.5]}, ["a", "b"], "platt", "beta"),
    *(np.zeros(0, "u8"), np.zeros(3, "f8")),
    *(np.array([2**64 - 1], "u8"), np.full((2, 2), np.nan), np.array(5, "u1")),
)  # fmt: skip


def altered(value: Any, dice: random.Random) -> Any:
    """A copy of a tree in which one branch, leaf or number of an array is another."""
    if isinstance(value, dict) and value and dice.random() < 0.93:
        key = dice.choice(sorted(value))
        changed = dict(value)
        if dice.random() < 0.05:
            del changed[key]
        else:
            changed[key] = altered(value[key], dice)
        return changed
    if isinstance(value, list) and value and dice.random() < 0.7:
        at = dice.randrange(len(value))
        return [*value[:at], altered(value[at], dice), *value[at + 1 :]]
    if isinstance(value, np.ndarray) and value.ndim and value.size and dice.random() < 0.7:
        changed_array = value.copy()
        info = np.iinfo(value.dtype) if value.dtype.kind in "iu" else None
        edges = (info.min, info.max, 0, 1) if info else (np.nan, np.inf, -1e30, 0)
        changed_array.flat[dice.randrange(value.size)] = dice.choice(edges)
        return changed_array if dice.random() < 0.8 else changed_array[:-1]
    return dice.choice(_VALUES)


def _state(data: bytes, _: Path) -> object:
    """The state of a good model with some values changed, as a file with the right checksum could hold it."""
    dice = random.Random(data)
    state = good_model().to_state()
    for _change in range(dice.choice((1, 1, 2, 4))):
        state = altered(state, dice)
        if not isinstance(state, dict):
            return "no model"
    return try_model(SpamModel.from_state(state))


def _journal(data: bytes, folder: Path) -> object:
    """Broken journals as they are, and broken records in journals that are otherwise right."""
    path = folder / "small.spamnb"
    if not path.exists():
        path.write_bytes(SMALL_MODEL.read_bytes())
    checksum = model_file.checksum_of(path)
    if data[:1] == b"\x80":  # the seed that is a model
        return None
    raw = data.startswith(model_file.JOURNAL_HEAD[:4])
    (folder / "small.spamnb.journal").write_bytes(data if raw else chained(checksum, [data]))
    with patch.object(update_journal, "_PAUSE", 0.0):  # no learner is about to mend a damaged journal
        return try_model(SpamModel.load(path))


def _counts(data: bytes, _: Path) -> object:
    return try_model(import_lines(data.split(b"\n"), "counts"))


PARTS: dict[str, tuple[str, Run]] = {
    "mail": ("mail", _mail),
    "HTML": ("html", _html),
    "tokens": ("lines", _features),
    "patterns": ("patterns", _pattern),
    "model streams": ("model", _stream),
    "model files": ("model", _model),
    "model states": ("lines", _state),
    "journals": ("journal", _journal),
    "exported counts": ("counts", _counts),
}  # fmt: skip

"""What several test files need: batches as lists, the public SMS corpus, strategies of odd texts."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import strategies as st

from spamnb.features import extract
from spamnb.features.batch import Batch
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from tests.helpers.paths import SMS

# Letters whose case changes their length or depends on their neighbours, marks, digits of other scripts,
# signs, every kind of line end, and NUL.
ODD = (
    "İıIiΣσςßẞK\u212bÅǅﬁÉe\u0301\u0307\u200d☺😀👍ไทยعرب٣३₹£€¥$½²Ⅷ_-'.,:/@!?"
    " \t\r\n\x0b\x0c\x1c\x85\u2028\xa0\u200b\0019aZ한字"
)
odd_texts = st.text(st.sampled_from(ODD), max_size=30)
any_texts = st.text(st.characters(codec=None), max_size=30)
any_bytes = st.binary(max_size=30) | st.lists(st.sampled_from([*ODD.encode()]), max_size=20).map(bytes)
messages = st.one_of(odd_texts, any_texts, any_bytes)
batches = st.lists(messages, max_size=6)


def spelled(batch: Batch) -> list[list[str]]:
    """The tokens of each message as the model would spell them, stream by stream in reading order."""
    out: list[list[str]] = [[] for _ in range(batch.size)]
    for stream in batch.streams:
        written = stream.spell(np.arange(len(stream.rows))).tolist()
        for row, token in zip(stream.rows.tolist(), written, strict=True):
            out[row].append(token)
    return out


def keyed(batch: Batch) -> list[list[int]]:
    """The keys of each message in the same order."""
    out: list[list[int]] = [[] for _ in range(batch.size)]
    for stream in batch.streams:
        for row, key in zip(stream.rows.tolist(), stream.keys.tolist(), strict=True):
            out[row].append(key)
    return out


def tokens_of(messages: Iterable[str | bytes], config: FeatureConfig) -> list[list[str]]:
    return spelled(extract(Texts.of(messages), config))


def calls_of_extract(monkeypatch: pytest.MonkeyPatch) -> list[list[bytes]]:
    """The messages of each later call of `extract`, from any module."""
    calls: list[list[bytes]] = []

    def counted(texts: Texts, config: FeatureConfig) -> Batch:
        calls.append(texts.tolist())
        return extract(texts, config)

    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("spamnb") and getattr(module, "extract", 0) is extract:
            monkeypatch.setattr(module, "extract", counted)
    return calls


def sms_corpus() -> tuple[list[str], list[str]]:
    """Labels and texts of SMS Spam Collection."""
    if not SMS.exists():
        pytest.skip("the public SMS corpus is not beside the checkout")
    rows = [line.split("\t", 1) for line in SMS.read_text("utf-8").rstrip("\n").split("\n")]
    return [label for label, _ in rows], [text for _, text in rows]

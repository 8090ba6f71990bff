"""Tokens of signs of whole batches against the regular expression of the twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from spamnb.features import extract
from spamnb.features.batch import SHAPE, Batch
from spamnb.features.punctuation import punctuation_stream
from spamnb.features.shapes import ShapeScanner
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from spamnb.training.trainer import train
from tests.helpers.texts import any_bytes, batches, keyed, sms_corpus, spelled
from tests.reference.keys import token_key
from tests.reference.signs import sign_tokens
from tests.reference.tokens import as_bytes

some_signs = st.text(st.sampled_from("aZ09._-:)!?&£€…\u0092\u00a0 é☺😀\t\n\r"), max_size=40)
broken = st.lists(
    st.sampled_from([b"\xc2", b"\xe2", b"\x80", b"\xbf", b"\xa3", b".", b"a", b"1", b" "]), max_size=8
)


def signs_of(messages: list[str | bytes]) -> Batch:
    texts = Texts.of(messages)
    return Batch(len(texts), (punctuation_stream(texts, ShapeScanner(texts)),))


def check(messages: list[str | bytes]) -> None:
    batch = signs_of(messages)
    expected = [sign_tokens(as_bytes(m)) for m in messages]
    assert spelled(batch) == expected
    assert keyed(batch) == [[token_key(t) for t in message] for message in expected]


@given(st.lists(some_signs | any_bytes | broken.map(b"".join), max_size=5))
@example(["...", "", ".", " ", "a", "...."])
@example(["..£", "...£", "..€", ".€.", "€.", "€€", "a_b"])
@example([b"\xe2", b"\x80\x80", b"\xc2", b"\xa3", b"\xe2\x80\xc2\xa3"])
@example(["ok  \t \r", "1 ", "?!  ", "  "])
def test_many_messages(messages: list[str | bytes]) -> None:
    check(messages)


@given(batches)
def test_any_messages(messages: list[str | bytes]) -> None:
    check(messages)


def test_the_sms_corpus() -> None:
    _, texts = sms_corpus()
    check(list(texts[:1500]))


def test_no_message_and_only_empty_ones_have_no_token() -> None:
    assert signs_of([]).rows.tolist() == signs_of(["", ""]).rows.tolist() == []


def test_signs_are_shapes() -> None:
    """So a message of unknown words is not known by its full stop."""
    batch = signs_of(["zzz."])
    assert batch.streams[0].kind == SHAPE
    model = train(["win a prize.", "free prize.", "see you.", "ok see."], ["spam", "spam", "ham", "ham"])
    assert model.predict(["zzz."]) == ["unsure"]


@pytest.mark.parametrize("config", [FeatureConfig(punctuation=False), FeatureConfig.usual(mail=True)])
def test_only_where_they_are_asked_for(config: FeatureConfig) -> None:
    def names(config: FeatureConfig) -> list[str]:
        streams = extract(Texts.of(["Well... ok!"]), config).streams
        return [name for s in streams for name in s.spell(np.arange(len(s.rows))).tolist()]

    assert {"shape:sign=...", "shape:sign=!", "shape:end=!"} <= set(names(FeatureConfig()))
    assert not any(name.startswith(("shape:sign=", "shape:end=")) for name in names(config))


def test_without_shapes_there_are_no_signs() -> None:
    assert not FeatureConfig(shapes=False).punctuation
    assert not FeatureConfig(deobfuscate=False).punctuation

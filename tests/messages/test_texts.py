"""Texts: messages in and out of one byte string, however their lines end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from tests.helpers.texts import batches, keyed

lines = st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"\n", b" ").rstrip(b"\r")), max_size=6)


@given(batches)
def test_there_and_back(given_messages: list[str | bytes]) -> None:
    texts = Texts.of(given_messages)
    expected = [m if isinstance(m, bytes) else m.encode("utf-8", "surrogatepass") for m in given_messages]
    assert texts.tolist() == expected
    assert [texts[i] for i in range(len(texts))] == expected
    assert (texts.starts[1:] > texts.ends[:-1]).all()


def test_text_survives() -> None:
    assert Texts.of(["é\ud800\n"]).tolist() == ["é".encode() + b"\xed\xa0\x80\n"]


@given(lines, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_lines(parts: list[bytes], end: bytes, final: bool) -> None:
    data = end.join(parts) + (end if final else b"")
    if parts and not final and not parts[-1]:
        parts = parts[:-1]  # nothing after the last line end is no message
    if not parts and data:
        parts = [b""]
    assert Texts.lines(data).tolist() == parts


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"\r\n", [b""]),
        (b"\n\n", [b"", b""]),
        (b"a\r\r\n", [b"a\r"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"a\r", [b"a"]),
        (b"\r", [b""]),
    ],
)
def test_odd_line_ends(data: bytes, expected: list[bytes]) -> None:
    assert Texts.lines(data).tolist() == expected


@given(lines)
def test_the_kind_of_line_end_changes_no_token(parts: list[bytes]) -> None:
    config = FeatureConfig(ngrams=2, shapes=True, chars=3, patterns=(("number", r"\d+"),))
    unix, windows = (
        keyed(extract(Texts.lines(b"".join(p + end for p in parts)), config)) for end in (b"\n", b"\r\n")
    )
    assert unix == windows == keyed(extract(Texts.of(parts), config))


def test_spans_are_int64() -> None:
    for texts in (Texts.of([]), Texts.of(["a"]), Texts.lines(b""), Texts.lines(b"a\n")):
        assert texts.starts.dtype == texts.ends.dtype == np.int64

"""Spellings: many byte strings in one array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.core import strings as spellings_module
from spamnb.core.strings import StringArray

parts = st.lists(st.binary(max_size=10), max_size=8)


def shown(listed: list[bytes]) -> list[str]:
    return [part.decode("utf-8", "replace") for part in listed]


@given(parts)
def test_there_and_back(listed: list[bytes]) -> None:
    spellings = StringArray.of(listed)
    assert len(spellings) == len(listed)
    assert spellings.tolist() == shown(listed)
    assert [spellings[i] for i in range(len(listed))] == shown(listed)
    assert list(spellings) == listed
    assert spellings.blob.tobytes() == b"".join(listed)


@given(parts, st.lists(st.integers(0, 7), max_size=12))
def test_take(listed: list[bytes], which: list[int]) -> None:
    which = [i for i in which if i < len(listed)]
    taken = StringArray.of(listed).take(np.array(which, np.int64))
    assert taken.tolist() == shown([listed[i] for i in which])
    assert taken.blob.tobytes() == b"".join(listed[i] for i in which)


@given(parts, st.lists(st.integers(0, 7), max_size=12), st.integers(1, 4))
def test_take_in_blocks(listed: list[bytes], which: list[int], block: int) -> None:
    which = [i for i in which if i < len(listed)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spellings_module, "_BLOCK", block)
        taken = StringArray.of(listed).take(np.array(which, np.int64))
    assert list(taken) == [listed[i] for i in which]


def test_invalid_bytes_are_shown_as_replacement_characters() -> None:
    assert StringArray.of([b"caf\xe9", b""]).tolist() == ["caf\ufffd", ""]

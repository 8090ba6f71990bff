"""Fixtures of the tests of training."""

from __future__ import annotations

import pytest

from spamnb.readers import decoded_input


@pytest.fixture
def small_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at first is the first block: let it be small, so that small files have many."""
    monkeypatch.setattr(decoded_input, "HEAD_BYTES", 512)

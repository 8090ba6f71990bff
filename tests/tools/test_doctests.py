"""Runs the examples in the docstrings of the tools."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from tools import audit, command_docs, man_pages, publishable_tokens, site_pages


@pytest.mark.parametrize(
    "module",
    [audit, command_docs, man_pages, publishable_tokens, site_pages],
    ids=lambda module: module.__name__,
)
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0

"""The reference of the Python API: it is current, and every public name has an example."""

from __future__ import annotations

import inspect

import pytest

import spamnb
from tools import api_docs


def test_the_page_is_current() -> None:
    assert api_docs.PAGE.read_text("utf-8") == api_docs.api_page(), "run `make docs`"


@pytest.mark.parametrize("name", api_docs.public_names())
def test_every_public_name_has_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(getattr(spamnb, name)) or "")


@pytest.mark.parametrize("name", sorted(api_docs.MEMBERS))
def test_every_documented_member_has_a_docstring(name: str) -> None:
    cls = getattr(spamnb, name)
    assert all(inspect.getdoc(getattr(cls, member)) for member in api_docs.MEMBERS[name])


@pytest.mark.parametrize("cls", api_docs.RESULTS)
def test_every_documented_result_has_docstrings(cls: type) -> None:
    assert all(inspect.getdoc(thing) for thing in (cls, *(getattr(cls, m) for m in api_docs.RESULTS[cls])))

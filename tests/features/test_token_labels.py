"""Tokens that are not words have a name that readers understand."""

from __future__ import annotations

import pytest

from spamnb.features.shapes import SHAPE_NAMES
from spamnb.features.token_labels import labelled_token, token_label


@pytest.mark.parametrize("token", SHAPE_NAMES)
def test_every_shape_has_a_label(token: str) -> None:
    label = token_label(token)
    assert label
    assert "shape" not in label


def test_labels_of_shapes_differ() -> None:
    assert len({token_label(token) for token in SHAPE_NAMES}) == len(SHAPE_NAMES)


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("shape:url=1+", "1+ links"),
        ("shape:caps=1", "1 word in capitals"),
        ("shape:number=12+", "12+-digit number"),
        ("shape:end=word", "ends with a word"),
        ('shape:sign="', "punctuation '\"'"),
        ("shape:leet", "digits for letters"),
        ("subject:free", ""),
        ("shape", ""),
        ("shape:new=2", ""),
    ],
)
def test_labels(token: str, label: str) -> None:
    assert token_label(token) == label


def test_a_label_names_its_token() -> None:
    for token in (*SHAPE_NAMES, "shape:end=num", "shape:end=!?", 'shape:sign="', "shape:sign='"):
        assert labelled_token(token_label(token)) == token
    assert labelled_token("free money") == ""

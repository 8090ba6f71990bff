"""The token cases of tests/data/cases: a new case needs no Python.

A file holds cases that are divided by lines of dashes: a line of settings (`ngrams=2 shapes=no punctuation=no
chars=0 pattern:NAME=REGEX`, what is left out is off), the message on one line with the escapes of a Python
string (`b:` in front makes it bytes), and the expected tokens, one per line, written like the message.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from spamnb.settings import FeatureConfig
from tests.helpers.texts import tokens_of

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"


def _settings(line: str) -> FeatureConfig:
    pairs = [part.split("=", 1) for part in line.split()]
    plain = {name: value for name, value in pairs if not name.startswith("pattern:")}
    patterns = tuple((name.removeprefix("pattern:"), value) for name, value in pairs if name not in plain)
    assert set(plain) <= {"ngrams", "shapes", "punctuation", "chars"}, line
    ngrams, chars = int(plain.get("ngrams", 1)), int(plain.get("chars", 0))
    shapes, signs = (plain.get(name) == "yes" for name in ("shapes", "punctuation"))
    return FeatureConfig(ngrams, shapes, chars, patterns, punctuation=signs)


def _text(line: str) -> str | bytes:
    prefix, body = ("b", line[2:]) if line.startswith("b:") else ("", line)
    value = ast.literal_eval(f'{prefix}"{body.replace(chr(34), chr(92) + chr(34))}"')
    assert isinstance(value, (str, bytes))
    return value


def _cases() -> list[object]:
    rows: list[object] = []
    for path in sorted(CASES.glob("*.txt")):
        for number, case in enumerate(path.read_text("utf-8").removesuffix("\n").split("\n---\n"), 1):
            settings, message, *expected = case.split("\n")
            rows.append(pytest.param(settings, message, expected, id=f"{path.stem}-{number}"))
    return rows


@pytest.mark.parametrize(("settings", "message", "expected"), _cases())
def test_case(settings: str, message: str, expected: list[str]) -> None:
    [tokens] = tokens_of([_text(message)], _settings(settings))
    assert tokens == [_text(line) for line in expected]


def test_there_are_cases() -> None:
    assert len(_cases()) >= 20

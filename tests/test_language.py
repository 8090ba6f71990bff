"""Help texts and messages are plain technical English: a closed list of phrases must not come back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from spamnb.cli import cli
from tests.helpers.paths import ROOT

# Each of these was replaced by the term of textbooks, or by saying what happens.
PHRASES = (
    r"\b(mis)?judg",  # classify
    r"\btold\b",  # printed, reported
    r"\b(whoever|nobody|somebody)\b",  # a process, a user
    r"\bthe line (is|was)\b",  # the threshold
    r"\b(these|this|that) very\b",
    r"\b(spoke|speaks?) (for|against)\b",  # evidence for
    r"\bhonest\b",  # out-of-fold
    r"\bfigures\b",  # metrics
    r"\bshare of ham\b",  # false positive rate
    r"\bmeans? little\b",  # unreliable
    r"\bcontenders?\b",  # candidate
    r"\b(had|have|has) no say\b",  # held out
    r"\bdraws? the line\b",  # set the threshold
)
_PHRASE = re.compile("|".join(PHRASES), re.IGNORECASE)
SOURCES = sorted((ROOT / "spamnb").rglob("*.py"))


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yields the line and text of every string that is no docstring."""
    tree = ast.parse(source)
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = (node.body[0] for node in ast.walk(tree) if isinstance(node, scopes) and node.body)
    docstrings = {id(statement.value) for statement in first if isinstance(statement, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def helps(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yields the whole help of a command and of its subcommands, advanced options too."""
    yield command.get_help(context)
    yield from (one.help or "" for one in command.params if isinstance(one, click.Option))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from helps(inner, click.Context(inner, info_name=name, parent=context))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_messages(path: Path) -> None:
    wrong = [(line, text) for line, text in messages(path.read_text("utf-8")) if _PHRASE.search(text)]
    assert wrong == []


def test_help() -> None:
    texts = list(helps(cli, click.Context(cli, info_name="spamnb", **cli.context_settings)))
    assert len(texts) > 100
    assert [text for text in texts if _PHRASE.search(" ".join(text.split()))] == []


def test_the_page_of_a_report() -> None:
    for path in (ROOT / "spamnb" / "report" / "html").glob("*.j2"):
        assert _PHRASE.findall(path.read_text("utf-8")) == []


def test_the_phrases_are_found() -> None:
    source = (
        'def f():\n    """Nobody."""\n    raise ValueError(f"{x} was misjudged", "look at the figures")\n'
    )
    assert [line for line, text in messages(source) if _PHRASE.search(text)] == [3, 3]

"""Hints name packages that can be installed: spamnb itself may be on no index."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from spamnb.errors import EXTRA_PACKAGES, MissingExtraError
from tests.helpers.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FOR_DEVELOPERS = {"dev", "bench"}
BROUGHT = ("markupsafe", "starlette", "pydantic", "anyio")  # by jinja2, FastAPI and kilter
_IMPORT = re.compile(r"(?:import|from) (\w+)")


def distribution(requirement: str) -> str:
    return re.split(r"[<>=\[; ]", requirement)[0]


def guarded_imports() -> list[tuple[str, str, str]]:
    """The file, module and extra of every import that may fail."""
    rows = []
    for path in sorted((ROOT / "spamnb").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Try) and any("ImportError" in ast.unparse(h) for h in node.handlers):
                modules = [m[1] for line in node.body if (m := _IMPORT.match(ast.unparse(line)))]
                extra = re.search(r"raise MissingExtraError\(.*'(\w+)'\)", ast.unparse(node.handlers[0]))
                assert modules, path
                if modules[0] in sys.stdlib_module_names:  # of other systems
                    continue
                assert extra, f"{path} needs MissingExtraError"
                rows += [(path.name, module, extra[1]) for module in modules]
    return rows


def test_extras_are_those_of_the_project() -> None:
    extras = {
        name: wanted
        for name, wanted in PROJECT["optional-dependencies"].items()
        if name not in FOR_DEVELOPERS
    }
    assert {name: packages.split() for name, packages in EXTRA_PACKAGES.items()} == {
        name: [distribution(requirement) for requirement in wanted] for name, wanted in extras.items()
    }


def test_every_hint_names_the_distribution_of_the_module() -> None:
    imports = guarded_imports()
    assert {extra for _, _, extra in imports} == set(EXTRA_PACKAGES)
    installed = packages_distributions()
    for _, module, extra in imports:
        error = MissingExtraError("this", extra)
        assert error.hint == f"pip install {EXTRA_PACKAGES[extra]}"
        if module in installed:  # in the environment of developers, all are
            assert set(EXTRA_PACKAGES[extra].split()) & {name.replace("_", "-") for name in installed[module]}


def test_no_other_package_is_imported() -> None:
    """Every import is of the standard library, a dependency or brought by one, or behind a hint."""
    installed = packages_distributions()
    dependencies = {distribution(requirement) for requirement in PROJECT["dependencies"]}
    hinted = {module for _, module, _ in guarded_imports()}
    for path in sorted((ROOT / "spamnb").rglob("*.py")):
        for module in imported_by(path) - hinted - {"spamnb", *BROUGHT, *sys.stdlib_module_names}:
            names = {name.lower() for name in installed.get(module, ())}
            assert dependencies & names, (path.name, module)


def imported_by(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("folder", ["spamnb", "docs", "README.md"])
def test_no_text_names_an_extra_of_spamnb(folder: str) -> None:
    root = ROOT / folder
    files = [root] if root.is_file() else [*root.rglob("*.py"), *root.rglob("*.md")]
    assert [file.name for file in files if "pip install 'spamnb[" in file.read_text()] == []

"""Imports point one way, and each heavy package has its few users; read off the source with `ast`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# A module may import modules of lower layers, and others of its own package where that forms no cycle. A name
# stands for a module or for a whole package; what does not exist (yet) is passed over.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "_version", "moments", "record", "memory", "outcome", "exchangecode", "processor"),
    ("figures", "regex"),
    ("private", "message", "config", "gathering", "guarded", "curved"),
    ("mail", "forked", "growing", "spool"),
    ("spellings", "runs", "decision", "calibration", "metrics", "safeload", "since", "lock", "flags"),
    ("sparse", "plain", "operating", "curvefit", "sealing"),
    ("modelfile",),
    ("counts", "features", "keytable", "parallel", "categorystate"),
    ("counting", "countstate", "readers", "digests", "plan", "correction", "logistic", "mergetokens"),
    ("changes", "modelstate", "turns"),
    ("changecode", "patch"),
    ("journal",),
    ("scorers",),
    ("scoring",),
    ("predictions", "start"),
    ("explain", "foldcounts"),
    ("crossval",),
    ("refine",),
    ("model",),
    ("merging",),
    ("samples", "settling"),
    ("starting", "doubting"),
    ("training", "suitability", "inspection", "lab", "given", "pruning", "exchange"),
    ("wholeness", "blockcount"),
    ("evaluate", "sklearn", "panels", "apart", "learning", "objectives", "passes", "shards"),
    ("mistakes", "foldbench", "cluster"),
    ("predicted", "findings", "comparison", "online", "backends"),
    ("joining", "peers", "tuning", "protocols"),
    ("report",),
    ("cli",),
    ("__main__",),
)
USERS = {
    "click": {"cli"},
    "rich": {"cli", "report"},
    "pandas": {"readers", "lab"},
    "joblib": {"sealing", "parallel", "backends"},
    "distributed": {"cluster", "guarded"},
    "sklearn": {"peers"},
    "scipy": set[str](),
}
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def imports_of(path: Path) -> Iterator[str]:
    """The full names a module imports, inside functions too; those for type checkers alone do not count."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped = {id(n) for block in ast.walk(tree) if _for_types(block) for n in _inside(block)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _inside(block: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(block, ast.If)
    for statement in block.body:
        yield from ast.walk(statement)


def modules(root: Path) -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = {}
    for path in sorted((root / "spamnb").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def part_of(module: str) -> str:
    """`spamnb.readers.tables.delimited` belongs to `readers`; the package's own `__init__` is the empty part."""
    return module.split(".")[1] if "." in module else ""


def edges(root: Path) -> Iterator[tuple[str, str]]:
    """Module -> what it imports; names within spamnb are cut to modules."""
    known = modules(root)
    for module, path in known.items():
        for name in imports_of(path):
            if name.split(".")[0] != "spamnb":
                yield module, name
                continue
            while name not in known and "." in name:
                name = name.rpartition(".")[0]
            if name not in (module, "spamnb"):
                yield module, name


def faults(root: Path) -> list[str]:
    """Everything that is imported the wrong way."""
    found = [f"{m} is in no layer" for m in modules(root) if part_of(m) and part_of(m) not in RANK]
    for module, name in edges(root):
        mine, top = part_of(module), name.split(".")[0]
        if top in USERS and mine not in USERS[top]:
            found.append(f"{module} imports {top}")
        elif top == "spamnb" and mine and mine != part_of(name):
            if RANK.get(part_of(name), 99) >= RANK.get(mine, -1):
                found.append(f"{module} imports {name}")
        elif top == "spamnb" and not mine and part_of(name) != "_version":
            found.append(f"spamnb itself imports {name}")
    return found + [f"cycle: {' -> '.join(c)}" for c in cycles(root)]


def cycles(root: Path) -> list[list[str]]:
    """Modules that import each other, by depth-first search over the edges within spamnb."""
    graph: dict[str, list[str]] = {module: [] for module in modules(root)}
    for module, name in edges(root):
        if name in graph:
            graph[module].append(name)
    found: list[list[str]] = []
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> None:
        if module in path:
            found.append([*path[path.index(module) :], module])
        elif module not in done:
            for name in graph[module]:
                visit(name, [*path, module])
            done.add(module)

    for module in graph:
        visit(module, [])
    return found


def test_imports_point_down() -> None:
    assert faults(ROOT) == []


def test_no_layer_is_named_twice() -> None:
    names = [name for layer in LAYERS for name in layer]
    assert len(names) == len(set(names))


CLEAN = {
    "__init__.py": "from spamnb._version import __version__\n",
    "_version.py": "__version__ = '0'\n",
    "errors.py": "import os\n",
    "counts/count_store.py": "from spamnb.errors import DataError\n",
    "cli/__init__.py": "import click\n",
    "cli/commands/train.py": "from spamnb import cli, counts\n",
}


def tree(root: Path, changed: dict[str, str]) -> list[str]:
    for name, source in (CLEAN | changed).items():
        path = root / "spamnb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return faults(root)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        (
            {"errors.py": "from spamnb.counts.count_store import x\n"},
            ["spamnb.errors imports spamnb.counts.count_store"],
        ),
        (
            {"errors.py": "def f():\n    import spamnb.counts.count_store\n"},
            ["spamnb.errors imports spamnb.counts.count_store"],
        ),
        ({"errors.py": "from spamnb import counts\n"}, ["spamnb.errors imports spamnb.counts.count_store"]),
        ({"counts/count_store.py": "import click\n"}, ["spamnb.counts.count_store imports click"]),
        (
            {"counts/count_store.py": "from rich.table import Table\n"},
            ["spamnb.counts.count_store imports rich"],
        ),
        (
            {"counts/count_store.py": "def f():\n    import pandas as pd\n"},
            ["spamnb.counts.count_store imports pandas"],
        ),
        ({"cli/commands/train.py": "import joblib.memory\n"}, ["spamnb.cli.commands.train imports joblib"]),
        ({"lab_filters.py": "import sklearn.base\n"}, ["spamnb.lab_filters imports sklearn"]),
        ({"new.py": ""}, ["spamnb.new is in no layer"]),
        (
            {"__init__.py": "import spamnb.counts.count_store\n"},
            ["spamnb itself imports spamnb.counts.count_store"],
        ),
    ],
    ids=lambda value: str(value)[:60],
)
def test_the_checker_catches(changed: dict[str, str], expected: list[str], tmp_path: Path) -> None:
    found = [fault for fault in tree(tmp_path, changed) if not fault.startswith("cycle")]
    assert found == expected


def test_the_checker_catches_cycles(tmp_path: Path) -> None:
    found = tree(tmp_path, {"cli/a.py": "import spamnb.cli.b\n", "cli/b.py": "from spamnb.cli import a\n"})
    assert found == ["cycle: spamnb.cli.a -> spamnb.cli.b -> spamnb.cli.a"]


def test_imports_for_type_checkers_do_not_count(tmp_path: Path) -> None:
    source = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from spamnb.counts.count_store import x\n"
    )
    assert tree(tmp_path, {"errors.py": source}) == []
    assert tree(tmp_path, {"errors.py": source + "else:\n    import spamnb.counts.count_store\n"}) != []

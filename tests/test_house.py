"""Guards of the house: rooms and their direction, contracts, names, small classes, first lines."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]

# A room imports only from rooms above it; a room is a module or a package at the top of spamnb/.
ROOMS = [
    "_version",
    "errors",
    "core",
    "settings",
    "messages",
    "metrics",
    "storage",
    "mail",
    "readers",
    "features",
    "counts",
    "scorers",
    "model",
    "training",
    "evaluation",
    "tuning",
    "report",
    "service",
    "lab_filters",
    "sklearn_classifier",
    "mailbox",
    "cli",
    "__main__",
]
RANK = {room: rank for rank, room in enumerate(ROOMS)}
# Each heavy package has few users.
USERS = {
    "click": {"cli"},
    "rich": {"cli", "report"},
    "jinja2": {"report", "service"},
    "pandas": {"readers", "lab_filters"},
    "joblib": {"storage"},
    "distributed": {"training"},
    "re2": {"features"},
    "imapclient": {"mailbox"},
    "sklearn": {"lab_filters"},
    "scipy": set[str](),
    "multiprocessing": {"core"},
    **{name: {"service"} for name in ("fastapi", "starlette", "pydantic", "uvicorn", "prometheus_client")},
}
MAX_ENTRIES = 25  # at the top of spamnb/
# docs/internals/decisions.md says why these have more than MAX_FIELDS.
LARGE_CLASSES = ["ModelParts", "ScorerConfig", "Scores", "SpamClassifier"]
MAX_FIELDS = 10
VAGUE_NAMES = {"found", "given", "told", "said", "made", "held", "judged"}


@cache
def tree_of(path: Path) -> ast.Module:
    """Parses a file, once."""
    return ast.parse(path.read_text("utf-8"))


def modules(root: Path) -> dict[str, Path]:
    """Maps the full name of every module to its file."""
    paths = sorted((root / "spamnb").rglob("*.py"))
    parts = {path: path.relative_to(root).with_suffix("").parts for path in paths}
    return {".".join(p[:-1] if p[-1] == "__init__" else p): path for path, p in parts.items()}


def room_of(module: str) -> str:
    """`spamnb.readers.source` is in the room `readers`; the package's own `__init__` is in none."""
    return module.split(".")[1] if "." in module else ""


def imports_of(path: Path) -> Iterator[str]:
    """Yields the full names that a module imports, also inside functions, but not for type checkers alone."""
    tree = tree_of(path)
    typing_only = {id(node) for block in ast.walk(tree) if _is_for_types(block) for node in _inside(block)}
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _inside(block: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(block, ast.If)
    for statement in block.body:
        yield from ast.walk(statement)


def edges(root: Path) -> Iterator[tuple[str, str]]:
    """Yields pairs of a module and the module, or foreign name, that it imports."""
    known = modules(root)
    for module, path in known.items():
        for name in imports_of(path):
            if name.split(".")[0] == "spamnb":
                while name not in known and "." in name:
                    name = name.rpartition(".")[0]
            if name not in (module, "spamnb"):
                yield module, name


def wrong_imports(root: Path) -> list[str]:
    """Lists the imports against the direction of the rooms and the foreign packages in the wrong room."""
    wrong = [
        f"{m} is in no room: add it to ROOMS and to the table of docs/design.md"
        for m in modules(root)
        if room_of(m) and room_of(m) not in RANK
    ]
    for module, name in edges(root):
        room, top = room_of(module), name.split(".")[0]
        if top in USERS and room not in USERS[top]:
            wrong.append(
                f"{module} imports {top}, which only {' and '.join(sorted(USERS[top])) or 'nobody'} may"
            )
        elif top == "spamnb" and room and room != room_of(name):
            if RANK.get(room_of(name), 99) >= RANK.get(room, -1):
                wrong.append(
                    f"{module} imports {name}: {room} stands above it in the table of docs/design.md"
                )
        elif top == "spamnb" and not room and room_of(name) != "_version":
            wrong.append(f"spamnb itself imports {name}")
    return wrong + [f"cycle: {' -> '.join(cycle)}" for cycle in cycles(root)]


def cycles(root: Path) -> list[list[str]]:
    """Finds modules that import each other, by depth-first search."""
    graph: dict[str, list[str]] = {module: [] for module in modules(root)}
    for module, name in edges(root):
        if name in graph:
            graph[module].append(name)
    circles: list[list[str]] = []
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> None:
        if module in path:
            circles.append([*path[path.index(module) :], module])
        elif module not in done:
            for name in graph[module]:
                visit(name, [*path, module])
            done.add(module)

    for module in graph:
        visit(module, [])
    return circles


def test_imports_follow_the_rooms() -> None:
    assert wrong_imports(ROOT) == []


def test_module_names_are_unique() -> None:
    names = Counter(
        name.rpartition(".")[2] for name, path in modules(ROOT).items() if path.stem != "__init__"
    )
    twice = [name for name, times in names.items() if times > 1 and name != "base"]
    assert twice == [], "no two modules of spamnb have the same name, whatever their folders"


def test_there_are_few_entries_at_the_top() -> None:
    entries = [p for p in (ROOT / "spamnb").iterdir() if p.suffix or (p / "__init__.py").exists()]
    assert len(entries) <= MAX_ENTRIES, "put the module into a room"


def test_other_rooms_import_from_the_face_of_a_room() -> None:
    wrong = []
    for module, path in modules(ROOT).items():
        for name in imports_of(path):
            room = room_of(name)
            behind = name.startswith("spamnb.") and (ROOT / "spamnb" / room).is_dir() and name.count(".") != 2
            if behind and room != room_of(module) and module != "spamnb" and ".lazy_names." not in name:
                wrong.append(
                    f"{module} imports {name}: add it to spamnb/{room}/__init__.py, import it from there"
                )
    assert wrong == []


@pytest.mark.parametrize(
    "room", [room for room in ROOMS if (ROOT / "spamnb" / room).is_dir() and room != "cli"]
)
def test_a_face_shows_type_checkers_what_it_loads(room: str) -> None:
    path = ROOT / "spamnb" / room / "__init__.py"
    blocks = [node for node in tree_of(path).body if _is_for_types(node)]
    imports = [node for block in blocks for node in _inside(block) if isinstance(node, ast.ImportFrom)]
    shown = {alias.name: node.module for node in imports for alias in node.names}
    face = import_module(f"spamnb.{room}")
    loaded = {name: getattr(face, name) for name in face.__all__}
    names = {name for name, value in loaded.items() if not isinstance(value, ModuleType)}
    assert names == set(shown), "the imports below TYPE_CHECKING and lazy_names differ"
    assert all(loaded[name] is getattr(import_module(str(home)), name) for name, home in shown.items())


def test_the_design_shows_the_rooms_in_their_order() -> None:
    rows = (
        line for line in (ROOT / "docs" / "design.md").read_text("utf-8").splitlines() if line[:3] == "| `"
    )
    shown = [line.split("`")[1].rstrip("/") for line in rows]
    assert shown == [room for room in ROOMS if not room.startswith("_")]


def fields(node: ast.ClassDef) -> set[str]:
    """Returns the annotated names of a class and what its methods assign to self."""
    names = {
        s.target.id for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    }
    methods = (s for s in node.body if isinstance(s, ast.FunctionDef))
    targets = (n for method in methods for n in ast.walk(method) if isinstance(n, ast.Attribute))
    stored = (n for n in targets if isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name))
    return names | {n.attr for n in stored if ast.unparse(n.value) == "self"}


def test_classes_have_few_fields() -> None:
    classes = [node for tree in trees(ROOT / "spamnb") for node in tree if isinstance(node, ast.ClassDef)]
    large = sorted(node.name for node in classes if len(fields(node)) > MAX_FIELDS)
    assert large == LARGE_CLASSES, f"a class has at most {MAX_FIELDS} fields: divide it"


def trees(folder: Path) -> Iterator[list[ast.AST]]:
    """Yields all nodes of each file."""
    for path in sorted(folder.rglob("*.py")):
        yield list(ast.walk(tree_of(path)))


@pytest.mark.parametrize("folder", ["spamnb", "tests", "benchmarks", "tools"])
def test_names_of_variables_say_what_they_are(folder: str) -> None:
    vague = [
        f"{path.relative_to(ROOT)}:{node.lineno} {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node, name in _named(path)
        if name in VAGUE_NAMES
    ]
    assert vague == [], "such a name says nothing: name the thing"


def _named(path: Path) -> Iterator[tuple[ast.Name | ast.arg, str]]:
    """Yields the variables and parameters of a file with their names."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node, node.id
        elif isinstance(node, ast.arg):
            yield node, node.arg


def test_verdicts_come_from_one_place() -> None:
    callers = {
        module
        for module, path in modules(ROOT).items()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "verdicts"
    }
    expected = {"spamnb.model.unsure_verdicts", "spamnb.evaluation.other_filter"}
    assert callers == expected, "ask the model: SpamModel.decide or score"


def test_classes_are_chosen_in_one_place() -> None:
    callers = {
        module
        for module, path in modules(ROOT).items()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("decision.choose")
    }
    assert callers == {"spamnb.model.model_parts"}, "ask the model: SpamModel.choose knows ties too"


def first_lines(path: Path) -> Iterator[str]:
    """Yields the first lines of a module and its functions; a property is a noun, a command has its help."""
    for node in ast.walk(tree := tree_of(path)):
        if isinstance(node, ast.FunctionDef):
            decorators = " ".join(map(ast.unparse, node.decorator_list))
            if "property" in decorators or "command(" in decorators or "group(" in decorators:
                continue
        elif node is not tree or path.parent == ROOT / "spamnb":
            continue
        if text := ast.get_docstring(node):  # type: ignore[arg-type]
            yield text.split("\n")[0]


def test_the_first_line_of_a_docstring_begins_with_a_verb() -> None:
    begin = re.compile(r"(`spamnb [a-z ]+`: )?[A-Za-z-]+s\b")
    lines = [line for path in modules(ROOT).values() for line in first_lines(path)]
    assert len(lines) > 2000
    wrong = [line for line in lines if not begin.match(line)]
    assert wrong == [], "begin with a verb that ends in s; a property is a noun and needs none"

"""The documents cannot drift: examples run, links resolve, and nothing in the code is left out."""

from __future__ import annotations

import ast
import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from spamnb._version import __version__
from spamnb.cli import COMMANDS, cli
from spamnb.cli.set_option import SettingOption
from spamnb.model.model_state import FIELDS
from spamnb.readers.formats import FORMATS, Format
from spamnb.scorers import REGISTRY
from tests.helpers.paths import ROOT
from tools import command_docs

READMES = [ROOT / folder / "README.md" for folder in ("benchmarks", "data")]
PAGES = [path.relative_to(ROOT).as_posix() for path in (*command_docs.pages(), *READMES)]


def read(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def examples(page: str) -> str:
    """The Python blocks of a page; every other line is blank, so that line numbers stay true."""
    lines, inside = [], False
    for line in read(page).splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            line = ""
        lines.append(line if inside else "")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in examples(page)])
def test_python_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data", target_is_directory=True)
    test = doctest.DocTestParser().get_doctest(examples(page), {}, page, page, 0)
    report: list[str] = []
    result = doctest.DocTestRunner().run(test, out=report.append)
    assert not result.failed, "".join(report)


def test_the_examples_of_the_python_guide_are_typed(tmp_path: Path) -> None:
    parsed = doctest.DocTestParser().get_examples(examples("docs/how-to/use-from-python.md"))
    (tmp_path / "guide.py").write_text("".join(example.source for example in parsed), "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", tmp_path / "guide.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stdout + done.stderr


def test_the_pages_that_promise_examples_have_them() -> None:
    for page in (
        "README.md",
        "docs/explanation/formulas.md",
        "docs/how-to/use-from-python.md",
        "docs/reference/model-file.md",
    ):
        assert ">>>" in examples(page), page


@pytest.mark.parametrize("page", [page for page in PAGES if command_docs.commands_of(read(page))])
def test_console_examples_are_current(page: str) -> None:
    assert command_docs.refreshed(read(page)) == read(page), f"{page} shows old output: run `make docs`"


# --- The command line


def commands() -> dict[str, click.Command]:
    context = click.Context(cli)
    each = {name: cli.get_command(context, name) for name in COMMANDS}
    for group in cli.inner_groups:
        inner = cli.inner(group)
        each |= {f"{group} {name}": inner.get_command(context, name) for name in inner.summaries}
    return {name: command for name, command in each.items() if command is not None}


def options_of(command: click.Command) -> set[str]:
    shown = [p for p in command.params if not isinstance(p, SettingOption)]
    known = {flag for p in shown for flag in (*p.opts, *p.secondary_opts) if flag.startswith("-")}
    return known | {"-h", "--help", "--help-all"}


def test_commands_page_is_current() -> None:
    # Words, not blanks: another version of click may break lines elsewhere.
    assert command_docs.commands_page().split() == read("docs/reference/commands.md").split(), (
        "run `make docs`"
    )


@pytest.mark.parametrize("name", commands())
def test_every_option_is_documented(name: str) -> None:
    section = read("docs/reference/commands.md").split(f"\n## spamnb {name}\n")[1].split("\n## ")[0]
    for option in options_of(commands()[name]) - {"--help-all"}:
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", section), option
    for setting in commands()[name].params:
        if isinstance(setting, SettingOption):
            assert f"\n  {setting.key}=" in section, setting.key


def test_every_command_is_in_the_readme() -> None:
    for name in COMMANDS:
        assert f"spamnb {name}" in read("README.md"), name


def shell_lines(page: str) -> list[str]:
    """Console examples, `sh` blocks, and code within a line that starts with the command."""
    text = read(page)
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(
        r"`((?:[^`\n]*\| )?spamnb [^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    )
    return [
        *command_docs.commands_of(text),
        *(line for block in blocks for line in block.splitlines()),
        *inline,
    ]


def calls(line: str) -> list[list[str]]:
    """The arguments of each call of spamnb in a line of shell.

    >>> calls("tail -f x | spamnb predict --only spam")
    [['predict', '--only', 'spam']]
    """
    words = list(shlex.shlex(line, posix=True, punctuation_chars="|<>;"))
    ends = [i for i, word in enumerate(words) if set(word) <= set("|<>;")] + [len(words)]
    starts = [0, *(end + 1 for end in ends[:-1])]
    parts = [words[start:end] for start, end in zip(starts, ends, strict=True)]
    return [part[1:] for part in parts if part[:1] == ["spamnb"]]


def test_shell_examples_are_found() -> None:
    called = {name for line in shell_lines("README.md") for name, *_ in calls(line)}
    assert set(COMMANDS) <= called


@pytest.mark.parametrize("page", PAGES)
def test_shell_examples_name_what_exists(page: str) -> None:
    for line in shell_lines(page):
        for name, *arguments in calls(line):
            if name.startswith("-"):
                assert name in options_of(cli), line
                continue
            assert name in COMMANDS, line
            command = commands()[name]
            if isinstance(command, click.Group) and arguments:
                inner = command.get_command(click.Context(command), arguments[0])
                assert inner is not None, line
                command = inner
            flags = {word.partition("=")[0] for word in arguments if re.match(r"-{1,2}[a-zA-Z0]", word)}
            assert flags <= options_of(command), line


# --- Nothing is left out


def test_every_scorer_has_its_formula() -> None:
    headings = re.findall(r"^## `(.+)`$", read("docs/explanation/formulas.md"), re.MULTILINE)
    assert sorted(headings) == sorted(REGISTRY)
    for name in REGISTRY:
        assert f"`{name}`" in read("README.md"), name


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_every_format_is_documented(format: Format) -> None:
    suffixes = ", ".join(f"`{suffix}`" for suffix in format.suffixes)
    row = f"| `{format.name}` | {format.help} | {suffixes} | {'yes' if format.labelled else 'no'} |"
    assert any(row.replace("  ", " ") in read(page) for page in PAGES), row


@pytest.mark.parametrize("key", [field.key for field in FIELDS])
def test_every_part_of_a_model_is_documented(key: str) -> None:
    table = read("docs/internals/model-format.md").split("\n## The model\n")[1].split("\n## ")[0]
    assert re.search(rf"^\|[^|]*`{key}`", table, re.MULTILINE), (
        "add the key to docs/internals/model-format.md"
    )


def test_every_module_is_in_the_design() -> None:
    for path in sorted((ROOT / "spamnb").iterdir()):
        if path.suffix == ".py" and not path.stem.startswith("_"):
            assert f"| `{path.stem}` |" in read("docs/design.md"), path.name
        elif path.is_dir() and (path / "__init__.py").exists():
            assert f"| `{path.name}/` |" in read("docs/design.md"), path.name


def test_every_make_target_is_in_the_guide() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", read("Makefile"), re.MULTILINE)
    for target in set(targets) - {"help"}:
        assert re.search(rf"`make {target}[` ]", read("CONTRIBUTING.md")), target


def test_every_measurement_is_in_the_list_of_benchmarks() -> None:
    runnable = {
        path.stem
        for path in (ROOT / "benchmarks").glob("*.py")
        if '__name__ == "__main__"' in path.read_text("utf-8")
    }
    assert len(runnable) > 5
    listed = set(re.findall(r"^\| `(\w+)`", read("benchmarks/README.md"), re.MULTILINE))
    assert listed == runnable


def test_this_version_is_in_the_changelog() -> None:
    assert f"\n## [{__version__}]" in read("CHANGELOG.md")


def test_every_module_begins_with_a_sentence() -> None:
    for path in sorted((ROOT / "spamnb").rglob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        assert text, f"{path.relative_to(ROOT)} has no docstring"
        first = text.splitlines()[0]
        assert first.endswith("."), f"{path.relative_to(ROOT)}: {first}"


# --- Links, the picture, and what must not be there


def anchors(page: str) -> set[str]:
    """The names of a page's headings, made as GitHub makes them."""
    titles = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_links_resolve(page: str) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", read(page), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        linked = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        assert linked.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in anchors(linked.relative_to(ROOT).as_posix()), f"{page} links to {target}"


@pytest.mark.parametrize("page", PAGES)
def test_paths_of_the_repository_exist(page: str) -> None:
    for path in re.findall(r"`((?:benchmarks|data|docs|tests|tools)/[\w./-]*)`", read(page)):
        assert (ROOT / path).exists(), f"{page} names {path}"


@pytest.mark.parametrize("page", PAGES)
def test_modules_that_pages_run_exist(page: str) -> None:
    for module in re.findall(r"python -m ((?:benchmarks|tests|tools)[\w.]*)", read(page)):
        path = ROOT / module.rstrip(".").replace(".", "/")
        assert module == "benchmarks.NAME" or path.with_suffix(".py").exists(), f"{page} runs {module}"


def test_the_picture_is_small_and_fetches_nothing() -> None:
    picture = read("docs/run.svg")
    assert len(picture.encode()) < 120_000
    addresses = re.findall(r"https?://[^\s\"')]+", re.sub(r">[^<]*<", "><", picture))  # text is not fetched
    assert addresses == ["http://www.w3.org/2000/svg"]


# Written in pieces, so that this file is clean too. /home/me is the home of nobody.
FOREIGN = re.compile(
    "|".join(
        [r"/wor" + r"k/", r"/ro" + r"ot/", r"/tm" + r"p/\w", r"/ho" + r"me/(?!me\b)\w", r"[A-Z]:\\User" + "s"]
    )
    + "|"
    + "|".join([r"pypi\.o" + "rg", r"pythonhosted\.o" + "rg", r"npmjs\.o" + "rg", r"anaconda\.o" + "rg"])
)


def test_no_paths_of_a_machine_and_no_registries() -> None:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(listed, cwd=ROOT, capture_output=True, check=False)
    if listing.returncode:
        pytest.skip("this is no git checkout")
    for name in listing.stdout.decode().split("\0")[:-1]:
        path = ROOT / name
        if path.is_file() and b"\0" not in (data := path.read_bytes()):
            match = FOREIGN.search(data.decode("utf-8", "replace"))
            assert match is None, f"{name}: {match and match[0]}"

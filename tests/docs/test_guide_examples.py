"""Tests the examples of the guide: a scorer and a token shape, both applied to a copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT, SMALL_SMS

GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def section(title: str) -> str:
    return GUIDE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def blocks(text: str, kind: str) -> list[str]:
    """The fenced blocks of this kind within a numbered list."""
    matches = re.findall(rf"^   ```{kind}\n(.*?)^   ```$", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for block in matches]


def apply_diff(block: str, root: Path) -> None:
    """Applies a diff of whole lines, whose first line names the file, at the one place that it fits."""
    head, *lines = block.splitlines()
    path = root / head.removeprefix("--- ")
    before = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
    after = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
    text = path.read_text("utf-8")
    assert text.count(f"\n{before}") == 1, f"{path.name} has not exactly one place for\n{block}"
    path.write_text(text.replace(f"\n{before}", f"\n{after}"), "utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with both examples in place."""
    root = tmp_path_factory.mktemp("guide")
    unneeded = shutil.ignore_patterns("__pycache__", "seeds", "found", "joblib")
    for folder in ("spamnb", "tests"):
        shutil.copytree(ROOT / folder, root / folder, ignore=unneeded)
    shutil.copy(ROOT / "pyproject.toml", root)
    scorer = section("How to add a scorer")
    [module] = blocks(scorer, "python")
    (root / "spamnb" / "scorers" / "dirichlet.py").write_text(module, "utf-8")
    for block in (*blocks(scorer, "diff"), *blocks(section("How to add a token shape"), "diff")):
        apply_diff(block, root)
    return root


def run(root: Path, *args: str | Path, code: int = 0) -> str:
    """Runs Python on the copy; returns what it prints."""
    env = os.environ | {"PYTHONPATH": str(root), "XDG_DATA_HOME": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *map(str, args)], cwd=root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "chosen", "least"),
    [("tests/scorers/test_scorers.py", "dirichlet", 20), ("tests/features/test_shapes.py", "", 10)],
)
def test_the_checks_of_the_room_pass(copy: Path, path: str, chosen: str, least: int) -> None:
    output = run(copy, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", path, "-k", chosen)
    passed = re.search(r"(\d+) passed", output)
    assert passed is not None, output
    assert int(passed[1]) >= least


def test_the_commands_have_the_new_setting(copy: Path) -> None:
    flags = ("--scorer", "dirichlet", "--set", "imagined-words=7")
    run(copy, "-m", "spamnb", "train", SMALL_SMS, *flags, "--folds", "0", "-o", "m.spamnb", "-q")
    card = run(copy, "-m", "spamnb", "inspect", "m.spamnb", "--json", "-")
    assert '"imagined_words": 7' in card
    run(copy, "-m", "spamnb", "evaluate", SMALL_SMS, "--folds", "2", *flags, "-q")
    candidate = "scorer=dirichlet,imagined-words=7"
    table = run(copy, "-m", "spamnb", "compare", SMALL_SMS, "--with", candidate, "--json", "-")
    assert '"flags": "--scorer dirichlet --set imagined-words=7"' in table


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("evaluate", "-m", "m.spamnb"), "--set imagined-words is a setting for training"),
        (
            ("train", SMALL_SMS),
            "--set imagined-words is a setting of --scorer dirichlet, got --scorer multinomial",
        ),
        (("train", SMALL_SMS, "--scorer", "dirichlet"), "--set imagined-words must be 0 or more, got -5.0"),
    ],
    ids=["a trained model", "another scorer", "out of range"],
)
def test_a_wrong_use_of_the_new_setting_is_refused(
    copy: Path, args: tuple[str | Path, ...], error: str
) -> None:
    assert error in run(copy, "-m", "spamnb", *args, "--set", "imagined-words=-5", code=2)


def test_ready_made_models_still_load(copy: Path) -> None:
    output = run(copy, "-m", "spamnb", "inspect", "spamnb/model/ready_made/sms.spamnb", "--json", "-")
    assert '"imagined_words": 100' in output


def test_the_new_shape_is_read(copy: Path) -> None:
    run(copy, "-m", "spamnb", "train", SMALL_SMS, "--folds", "0", "-o", "s.spamnb", "-q")
    output = run(copy, "-m", "spamnb", "inspect", "s.spamnb", "shape:percent=0", "shape:percents=0")
    assert [line.split()[0] for line in output.splitlines() if "unknown" in line] == ["shape:percents=0"]

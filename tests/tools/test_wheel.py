"""Sdist and wheel: what is inside, and the wheel in an empty environment that has only declared dependencies.

An editable installation reads the checkout, so it does not notice a missing file.
"""

from __future__ import annotations

import shutil
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.helpers.clean_environment import install, run
from tests.helpers.paths import ROOT

MAIL = b"From: a@example.org\nTo: b@example.org\nSubject: WIN a FREE prize\n\nClaim your FREE prize now!\n"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds sdist and wheel, the wheel from the sdist: a file that the sdist lacks is not in the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


def wheel_of(dist: Path) -> Path:
    (wheel,) = dist.glob("spamnb-*.whl")
    return wheel


def package_files() -> set[str]:
    """The files of the package that git tracks."""
    listed = run("git", "-C", ROOT, "ls-files", "spamnb", cwd=ROOT).decode().split()
    return {name for name in listed if (ROOT / name).exists()}


def test_the_wheel_holds_the_package_and_its_manual_pages(dist: Path) -> None:
    with zipfile.ZipFile(wheel_of(dist)) as wheel:
        names = set(wheel.namelist())
    inside = {name for name in names if name.startswith("spamnb/")}
    if (ROOT / ".git").exists():
        assert inside == package_files(), "`git add` new files of the package"
    assert {"spamnb/model/ready_made/sms.spamnb", "spamnb/model/ready_made/mail.spamnb"} <= inside
    assert {"spamnb/py.typed", "spamnb/report/html/report.html.j2"} <= inside
    others = {name.partition("/")[2] for name in names - inside}
    pages = {f"data/share/man/man1/{page.name}" for page in (ROOT / "docs" / "man").iterdir()}
    assert pages
    assert others == pages | {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_the_sdist_holds_no_tests_and_no_data(dist: Path) -> None:
    (path,) = dist.glob("spamnb-*.tar.gz")
    with tarfile.open(path) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    tops = {name.partition("/")[0] for name in names}
    expected = {"spamnb", "docs", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert tops - {".gitignore"} == expected
    assert {name for name in names if name.startswith("docs/")} == {
        f"docs/man/{page.name}" for page in (ROOT / "docs" / "man").iterdir()
    }


def test_the_metadata_are_valid(dist: Path) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir(), cwd=dist)


def test_the_wheel_works_in_an_empty_environment(dist: Path, tmp_path: Path) -> None:
    use(install(wheel_of(dist), tmp_path / "environment"), tmp_path)


def test_the_wheel_works_with_the_oldest_dependencies(dist: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    pip = (sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "install", "--quiet")
    try:
        run(*pip, wheel_of(dist), *oldest_dependencies(), cwd=tmp_path)
    except AssertionError as error:
        if "No matching distribution found" in str(error) or "connection" in str(error).lower():
            pytest.skip("the oldest versions cannot be downloaded here")
        raise
    use(environment / "bin", tmp_path)


def oldest_dependencies() -> list[str]:
    """The declared dependencies, each pinned to its lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = [Requirement(text) for text in project["dependencies"]]
    bounds = {r.name: [one.version for one in r.specifier if one.operator == ">="] for r in listed}
    return [f"{name}=={bound}" for name, (bound,) in bounds.items()]


def use(programs: Path, folder: Path) -> None:
    """Trains, predicts, filters and reports with the installed program."""
    here = folder / "here"
    here.mkdir()
    shutil.copy(ROOT / "data" / "sms_sample.csv", here / "data.csv")

    def spamnb(*args: str, stdin: bytes = b"") -> bytes:
        home = {"HOME": str(here), "XDG_DATA_HOME": str(here / "home")}
        return run(programs / "spamnb", *args, cwd=here, stdin=stdin, **home)

    place = run(programs / "python", "-c", "import spamnb; print(spamnb.__file__)", cwd=here)
    assert (folder / "environment") in Path(place.decode().strip()).parents

    # Without a model of the user the ready-made ones for messages and for mail are used.
    assert spamnb("predict", stdin=b"WIN a FREE prize, call now\n").startswith(b"spam\t")
    assert spamnb("filter", stdin=MAIL).startswith(b"X-Spam-Flag: ")

    spamnb("train", "data.csv", "-o", "m.spamnb")
    assert spamnb("predict", "-m", "m.spamnb", stdin=b"running late, home by 7\n").startswith(b"ham\t")
    assert spamnb("filter", "-m", "m.spamnb", stdin=MAIL).startswith(b"X-Spam-Flag: ")

    spamnb("evaluate", "data.csv", "-m", "m.spamnb", "--report", "report.html")
    page = (here / "report.html").read_text("utf-8")
    for name in ("report.css", "report.js"):
        assert (ROOT / "spamnb" / "report" / "html" / name).read_text("utf-8") in page
    assert page.endswith("</html>\n")

"""The wheel, installed into an empty environment: all files are inside, and all dependencies are declared.

An editable installation reads the checkout, so it does not notice a missing file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300.0  # seconds after which a process is taken to hang; nothing here is timed
MAIL = b"From: a@example.org\nTo: b@example.org\nSubject: WIN a FREE prize\n\nClaim your FREE prize now!\n"


def run(*command: str | Path, cwd: Path, stdin: bytes = b"", **more: str) -> bytes:
    """Runs a command that cannot see the checkout; `more` are variables of its environment."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SPAMNB"))}
    done = subprocess.run(
        [str(part) for part in command],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=env | more,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Builds from a copy, so that no earlier build in the checkout can add files."""
    source = folder / "source"
    shutil.copytree(ROOT / "spamnb", source / "spamnb", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *isolation())
    run(*pip, "--wheel-dir", folder, source, cwd=folder)
    return next(folder.glob("spamnb-*.whl"))


def isolation() -> list[str]:
    """Uses the setuptools of the environment if it is new enough; else pip downloads one for the build."""
    try:
        version = metadata.version("setuptools")
    except metadata.PackageNotFoundError:
        return []
    return ["--no-build-isolation"] if int(version.partition(".")[0]) >= 77 else []


def install(wheel: Path, folder: Path) -> Path:
    """Installs the wheel into an environment that has its declared dependencies and nothing else."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel, cwd=folder)
    site = next(folder.glob("lib/python*/site-packages"))
    (own,) = metadata.distributions(path=[str(site)])
    waiting, done = requirements(own), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in done:
            done.add(name)
            package = metadata.distribution(name)
            link_files(package, site)
            waiting += requirements(package)
    return folder / "bin"


def requirements(package: metadata.Distribution) -> list[str]:
    """The names of what a package requires here, without extras."""
    listed = [Requirement(text) for text in package.requires or ()]
    return [r.name.lower() for r in listed if r.marker is None or r.marker.evaluate({"extra": ""})]


def link_files(package: metadata.Distribution, site: Path) -> None:
    """Links a package of the environment in which the tests run; copying all of them would take longer."""
    for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
        (site / name).symlink_to(Path(str(package.locate_file(name))))


def test_the_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    programs = install(build_wheel(tmp_path), tmp_path / "environment")
    here = tmp_path / "here"
    here.mkdir()
    shutil.copy(ROOT / "data" / "sms_sample.csv", here / "data.csv")

    def spamnb(*args: str, stdin: bytes = b"") -> bytes:
        home = {"HOME": str(here), "XDG_DATA_HOME": str(here / "home")}
        return run(programs / "spamnb", *args, cwd=here, stdin=stdin, **home)

    place = run(programs / "python", "-c", "import spamnb; print(spamnb.__file__)", cwd=here)
    assert (tmp_path / "environment") in Path(place.decode().strip()).parents

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

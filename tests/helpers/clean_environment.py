"""Installs the package into an environment of its own, without a network: dependencies are links."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PATIENCE = 300.0  # seconds after which a process is taken to hang; nothing here is timed


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


def install(wheel: Path, folder: Path, extra: str = "") -> Path:
    """Installs a wheel with its declared dependencies and nothing else; returns the programs."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel, cwd=folder)
    site = next(folder.glob("lib/python*/site-packages"))
    (own,) = metadata.distributions(path=[str(site)])
    waiting, done = requirements(own, extra), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in done:
            done.add(name)
            package = metadata.distribution(name)
            link_files(package, site)
            waiting += requirements(package)
    return folder / "bin"


def requirements(package: metadata.Distribution, extra: str = "") -> list[str]:
    """The names of what a package requires here, without extras or with one."""
    listed = [Requirement(text) for text in package.requires or ()]
    here = [r for r in listed if r.marker is None or r.marker.evaluate({"extra": extra})]
    return [canonicalize_name(r.name) for r in here]


def link_files(package: metadata.Distribution, site: Path) -> None:
    """Links a package of the environment in which the tests run; copying all of them would take longer."""
    for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
        (site / name).symlink_to(Path(str(package.locate_file(name))))

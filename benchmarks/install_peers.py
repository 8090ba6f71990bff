"""Installs the peers that the benchmarks need; a peer that cannot be installed is left out, and named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence

from benchmarks.command_cost import ROOT

PROGRAMS = ("bogofilter", "spamprobe")


def packages() -> list[str]:
    """What the extra `bench` lists."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return list(project["optional-dependencies"]["bench"])


def install_packages(wanted: Sequence[str]) -> list[str]:
    """One by one, so that one that cannot be installed does not stop the others; gives those."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return [name for name in wanted if not _done([*pip, "--prefer-binary", name])]


def install_programs(wanted: Sequence[str]) -> list[str]:
    """Debian packages, where that is possible without asking for rights; gives those that are not there."""
    missing = [name for name in wanted if shutil.which(name) is None]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        _done(["apt-get", "update", "-qq"])
        for name in missing:
            _done(["apt-get", "install", "-qq", "-y", "--no-install-recommends", name])
    return [name for name in missing if shutil.which(name) is None]


def _done(command: Sequence[str]) -> bool:
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, env=quiet, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Ends with 1 if something is missing, so that the next run tries again."""
    left_out = install_packages(packages())
    for name in left_out:
        print(f"{name} could not be installed: it is left out")
    programs = install_programs(PROGRAMS)
    if programs:
        print(f"{' and '.join(programs)} left out: install the Debian packages as root to have them measured")
    sys.exit(bool(left_out or programs))


if __name__ == "__main__":
    main()

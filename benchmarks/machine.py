"""Describes what a benchmark ran on: machine, date and versions, without a path or the name of a host."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path

from benchmarks.peers.base import Peer
from spamnb._version import __version__


def processor() -> str:
    """The model of the processor, as Linux tells it, else what Python knows."""
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text().splitlines() if listed.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"


def memory() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / 2**30:.1f} GiB of memory"


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def versions(peers: Iterable[type[Peer]]) -> str:
    """spamnb, numpy and the peers that are there, each once."""
    facts = {"spamnb": __version__, "numpy": importlib.metadata.version("numpy")}
    facts |= {peer.package: version for peer in peers if (version := peer.version())}
    return ", ".join(f"{name} {version}" for name, version in facts.items())


def facts(peers: Iterable[type[Peer]], command: str, quick: bool, load: float) -> str:
    """The first lines of a section."""
    date = datetime.datetime.now(datetime.UTC).date()
    facts = (
        f"{processor()}, {usable_cores()} cores, {memory()}, {system()}, Python {platform.python_version()}."
    )
    lines = [f"- Written by `{command}` on {date}.", f"- {facts}", f"- Versions: {versions(peers)}."]
    lines.append(f"- Load average when it began: {load:.1f} (others at work, if it is much above 0).")
    if quick:
        lines.append(
            "- **A quick run**: few repetitions on little data. Its figures only show that it works."
        )
    return "\n".join(lines)

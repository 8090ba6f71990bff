"""Looks for known vulnerabilities in what spamnb needs, by pip-audit; skipped where its service is silent.

Ends with 1 if pip-audit finds a vulnerability. Without an answer for any package it says so in one line.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_PATIENCE = 300.0  # seconds
_COMMAND = ("-m", "pip_audit", "--progress-spinner", "off", "--skip-editable", "--format", "json")


def answer() -> list[dict[str, Any]] | None:
    """What pip-audit says of each package; None where it could not ask."""
    try:
        done = subprocess.run(
            [sys.executable, *_COMMAND], capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return None
    return packages


def outcome_of(packages: list[dict[str, Any]] | None) -> tuple[list[str], int]:
    """What to say and the exit code.

    >>> outcome_of([{"name": "a", "skip_reason": "not found"}])
    (['pip-audit: skipped, the advisory service did not answer'], 0)
    >>> outcome_of([{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}])
    (['a 1: X-1 (fixed in 2)', 'pip-audit: 1 package asked about, 1 vulnerability'], 1)
    """
    audited = [package for package in packages or [] if "vulns" in package]
    if not audited:
        return ["pip-audit: skipped, the advisory service did not answer"], 0
    lines = [
        f"{package['name']} {package['version']}: {each['id']} (fixed in {_versions(each)})"
        for package in audited
        for each in package["vulns"]
    ]
    many = "package" if len(audited) == 1 else "packages"
    noun = "vulnerability" if len(lines) == 1 else "vulnerabilities"
    return [*lines, f"pip-audit: {len(audited)} {many} asked about, {len(lines)} {noun}"], int(bool(lines))


def _versions(package: dict[str, Any]) -> str:
    return ", ".join(package["fix_versions"]) or "no version"


def main() -> None:
    lines, code = outcome_of(answer())
    print("\n".join(lines))
    sys.exit(code)


if __name__ == "__main__":
    main()

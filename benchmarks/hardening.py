"""`make hardening`: all that is tried to break spamnb, in one table; ends with 1 if anything failed.

python -m benchmarks.hardening --seconds 600 --only faults
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib import import_module

from benchmarks.hardrow import Row

# Each module has rows(budget), and its share of the seconds; they come with what they try.
AREAS = {
    "fuzz": 0.15,
    "hostile_models": 0.1,
    "doubling": 0.1,
    "hostile_mail": 0.05,
    "terminal": 0.1,
    "faults": 0.35,
    "permissions": 0.05,
    "crash": 0.1,
}


def area(name: str) -> Callable[[float], list[Row]] | None:
    """The function of a module that gives its rows; None if the module is not there."""
    try:
        found: Callable[[float], list[Row]] = import_module(f"benchmarks.{name}").rows
    except ModuleNotFoundError:
        return None
    return found


def line(row: Row) -> str:
    """A row of the table.

    >>> line(Row("faults", "no HOME", 20, 0, 1.25, 60.0))
    'faults         no HOME                                    20        0     1.25 s      60 MB  ok'
    """
    memory = f"{row.megabytes:>8,.0f} MB" if row.megabytes else f"{'':>11}"
    state = "FAILED" if row.failures or not row.tried else "ok"
    counts = f"{row.tried:>9,}{row.failures:>9,}"
    return f"{row.area:<15}{row.what:<36}{counts}{row.seconds:>9.2f} s{memory}  {state}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1800, help="for all areas together, about")
    parser.add_argument("--only", choices=[*AREAS], help="one area alone, for all the seconds")
    given = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    print(f"{'area':<15}{'what':<36}{'tried':>9}{'failures':>9}{'worst':>11}{'worst':>11}")
    started, failed = time.monotonic(), 0
    for name, share in {given.only: 1.0}.items() if given.only else AREAS.items():
        tries = area(name)
        if tries is None:
            print(f"{name:<15}not there")
            continue
        for row in tries(share * given.seconds):
            failed += bool(row.failures or not row.tried)
            print(line(row))
    print(f"{failed} failed; {time.monotonic() - started:.0f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

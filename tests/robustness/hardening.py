"""`make hardening`: prints all that is tried to break spamnb in one table; ends with 1 if anything failed.

python -m tests.robustness.hardening --seconds 600 --only system-faults
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from tests.robustness import (
    altered_models,
    charsets,
    concurrent_changes,
    crash_recovery,
    file_permissions,
    fuzzing,
    header_forms,
    hidden_text,
    hostile_journals,
    hostile_mail,
    hostile_models,
    killed_servers,
    killed_workers,
    lesson_kills,
    mailbox_kills,
    malformed_requests,
    memory_growth,
    system_faults,
    terminal_output,
    time_growth,
)
from tests.robustness.result_row import Row

# What each area tries, and its share of the seconds.
AREAS: dict[str, tuple[Callable[[float], list[Row]], float]] = {
    "fuzzing": (fuzzing.rows, 0.05),
    "hostile-models": (hostile_models.rows, 0.05),
    "altered-models": (altered_models.rows, 0.1),
    "memory-growth": (memory_growth.rows, 0.05),
    "hostile-journals": (hostile_journals.rows, 0.05),
    "time-growth": (time_growth.rows, 0.05),
    "hostile-mail": (hostile_mail.rows, 0.03),
    "header-forms": (header_forms.rows, 0.05),
    "hidden-text": (hidden_text.rows, 0.0),
    "charsets": (charsets.rows, 0.0),
    "terminal-output": (terminal_output.rows, 0.05),
    "system-faults": (system_faults.rows, 0.12),
    "file-permissions": (file_permissions.rows, 0.02),
    "crash-recovery": (crash_recovery.rows, 0.07),
    "concurrent-changes": (concurrent_changes.rows, 0.03),
    "killed-workers": (killed_workers.rows, 0.05),
    "mailbox-kills": (mailbox_kills.rows, 0.1),
    "lesson-kills": (lesson_kills.rows, 0.03),
    "killed-servers": (killed_servers.rows, 0.05),
    "malformed-requests": (malformed_requests.rows, 0.05),
}


def line(row: Row) -> str:
    """A row of the table.

    >>> line(Row("system faults", "no HOME", 20, 0, 1.25, 60.0))
    'system faults     no HOME                                    20        0     1.25 s      60 MB  ok'
    """
    memory = f"{row.megabytes:>8,.0f} MB" if row.megabytes else f"{'':>11}"
    state = "FAILED" if row.failures or not row.tried else "ok"
    counts = f"{row.tried:>9,}{row.failures:>9,}"
    return f"{row.area:<18}{row.what:<36}{counts}{row.seconds:>9.2f} s{memory}  {state}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1800, help="for all areas together, about")
    parser.add_argument("--only", choices=[*AREAS], help="one area alone, for all the seconds")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    print(f"{'area':<18}{'what':<36}{'tried':>9}{'failures':>9}{'worst':>11}{'worst':>11}")
    started, failed = time.monotonic(), 0
    for tries, share in [(AREAS[arguments.only][0], 1.0)] if arguments.only else AREAS.values():
        for row in tries(share * arguments.seconds):
            failed += bool(row.failures or not row.tried)
            print(line(row))
    print(f"{failed} failed; {time.monotonic() - started:.0f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

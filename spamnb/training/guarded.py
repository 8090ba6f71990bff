"""Work that may have taken a dask worker down: the second attempt is made in a process of its own.

Whether a lost worker was killed by its work or died for another reason cannot be told from outside. So before
a task begins it leaves a mark at the scheduler. Who finds a mark there already lets a child process do the
work: if that dies too, the work is to blame, the worker is still there to say so, and nobody has to wait for
workers to be started again.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from spamnb.errors import SpamnbError

R = TypeVar("R")
_BEGUN, _ENDED = "begun", "ended"
_CHILD = "from spamnb.training.guarded import serve; serve()"
_HINT = "look at that part of the data alone; it may need more memory than there is"


def guarded(work: Callable[[Any], R], item: Any, name: str, topic: str) -> R:
    """The result of `work(item)`; `name` says what the item is, and only its marks stand under `topic`."""
    result = in_child(work, item, name) if _begun(topic) else work(item)
    _mark(topic, _ENDED)
    return result


def _begun(topic: str) -> bool:
    """Leave a mark that the work begins; was it begun before and not ended?"""
    before = _mark(topic, _BEGUN)
    return bool(before) and before[-1] == _BEGUN


def _mark(topic: str, mark: str) -> list[str]:
    """Leave a mark at the scheduler, and wait until it has it; gives those that stood there before."""
    from distributed import get_client

    try:
        client: Any = get_client()
        before = client.get_events(topic)
        client.log_event(topic, mark)
    except (OSError, ValueError, TimeoutError):  # then it is as it would be without marks
        return []
    return [told for _, told in before]


def in_child(work: Callable[[Any], R], item: Any, name: str) -> R:
    """The result of `work(item)` in a new process; if it dies, that is an error like any other."""
    paths = os.pathsep.join(filter(None, sys.path))  # so that it finds all that this process finds
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=pickle.dumps((work, item), 5),
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": paths},
        check=False,
    )
    if done.returncode:
        raise SpamnbError(f"a worker died while it counted {name}, and so did {_how(done.returncode)}", _HINT)
    good, result = pickle.loads(done.stdout)
    if not good:
        raise result
    found: R = result
    return found


def _how(code: int) -> str:
    ended = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    return f"a process that did nothing else ({ended})"


def serve() -> None:
    """In the child: what was asked for on standard input is answered on standard output."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the work prints is no answer
    work, item = pickle.load(sys.stdin.buffer)
    try:
        told = True, work(item)
    except Exception as error:
        told = False, error
    with answer:
        pickle.dump(told, answer, 5)

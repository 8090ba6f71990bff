"""Keeps a state of builtins and arrays on disk: written all or nothing, read without running anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.storage.history_file import HISTORY_DAYS as HISTORY_DAYS
    from spamnb.storage.lock import SUFFIX as SUFFIX, WAIT as WAIT, Lock as Lock
    from spamnb.storage.model_file import (
        HISTORY as HISTORY,
        JOURNAL as JOURNAL,
        begins_model as begins_model,
        finite_number as finite_number,
        require as require,
    )
    from spamnb.storage.safe_unpickler import RefusedError as RefusedError, check_plain as check_plain
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "history_file": ["HISTORY_DAYS"],
            "lock": ["Lock", "SUFFIX", "WAIT"],
            "model_file": ["HISTORY", "JOURNAL", "begins_model", "finite_number", "require"],
            "safe_unpickler": ["RefusedError", "check_plain"],
        },
        modules=["history_file", "model_file", "model_writer", "update_journal"],
    )

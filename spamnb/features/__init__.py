"""Turns texts into token keys: the tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.features.batch import (
        NO_GRAM as NO_GRAM,
        SHAPE as SHAPE,
        Batch as Batch,
        Entries as Entries,
        KeyArray as KeyArray,
        Stream as Stream,
        repeats as repeats,
    )
    from spamnb.features.extraction import extract as extract
    from spamnb.features.token_keys import mix as mix, token_key as token_key
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "extraction": ["extract"],
            "batch": ["Batch", "Entries", "KeyArray", "NO_GRAM", "SHAPE", "Stream", "repeats"],
            "token_keys": ["mix", "token_key"],
        },
        modules=["regex"],
    )

"""Turns texts into token keys: the tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.features.batch import (
        SHAPE as SHAPE,
        Batch as Batch,
        KeyArray as KeyArray,
        Stream as Stream,
    )
    from spamnb.features.deobfuscate import rows_to_deobfuscate as rows_to_deobfuscate
    from spamnb.features.extraction import extract as extract
    from spamnb.features.shapes import LACKING_KEYS as LACKING_KEYS
    from spamnb.features.token_keys import mix as mix, token_key as token_key
    from spamnb.features.token_labels import (
        labelled_token as labelled_token,
        token_label as token_label,
    )
    from spamnb.features.user_patterns import compile_patterns as compile_patterns
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "deobfuscate": ["rows_to_deobfuscate"],
            "extraction": ["extract"],
            "batch": ["Batch", "KeyArray", "SHAPE", "Stream"],
            "shapes": ["LACKING_KEYS"],
            "token_keys": ["mix", "token_key"],
            "token_labels": ["labelled_token", "token_label"],
            "user_patterns": ["compile_patterns"],
        },
    )

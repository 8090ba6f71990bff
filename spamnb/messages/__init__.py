"""Defines messages as they travel: many texts in one byte string, with their labels and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.messages.chunk import Chunk as Chunk, InputColumns as InputColumns
    from spamnb.messages.first_lines import (
        begins_header as begins_header,
        by_first_lines as by_first_lines,
        certain_mail as certain_mail,
        may_be_mail as may_be_mail,
    )
    from spamnb.messages.formula_guard import (
        PREDICTED as PREDICTED,
        guarded as guarded,
        is_formula as is_formula,
        is_predicted as is_predicted,
        unguarded as unguarded,
    )
    from spamnb.messages.text_conversion import (
        Categories as Categories,
        Messages as Messages,
        Numbers as Numbers,
        as_texts as as_texts,
        column_hint as column_hint,
        is_missing as is_missing,
        one_message as one_message,
    )
    from spamnb.messages.texts import Texts as Texts
    from spamnb.messages.tsv_escapes import (
        backslash_positions as backslash_positions,
        escape_field as escape_field,
        unescape_fields as unescape_fields,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "chunk": ["Chunk", "InputColumns"],
            "first_lines": ["begins_header", "by_first_lines", "certain_mail", "may_be_mail"],
            "formula_guard": ["PREDICTED", "guarded", "is_formula", "is_predicted", "unguarded"],
            "text_conversion": [
                "Categories",
                "Messages",
                "Numbers",
                "as_texts",
                "column_hint",
                "is_missing",
                "one_message",
            ],
            "texts": ["Texts"],
            "tsv_escapes": ["backslash_positions", "escape_field", "unescape_fields"],
        },
    )

"""Guards messages in CSV files that `predict` writes, and takes the guard away when such a file is read.

A spreadsheet would run a message that begins like a formula (CWE-1236), so an apostrophe is put before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from spamnb.messages.texts import Texts

PREDICTED = ("verdict", "probability", "log_odds")  # columns that `predict` writes, with a prefix; TSV two
_PREFIX = re.compile(r"(?:spamnb\d*_)?")
_FORMULA, _GUARD = ("=", "+", "-", "@", "\t", "\r"), "'"
_FIRST = np.frombuffer("".join(_FORMULA).encode(), np.uint8)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")  # -3 and +4917012345 are no formulas


def is_formula(text: str) -> bool:
    """Returns whether a spreadsheet would run a text.

    >>> is_formula("=1+1"), is_formula("-3"), is_formula("-3+x")
    (True, False, True)
    """
    return text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)


def guarded(text: str) -> str:
    return _GUARD + text if is_formula(text) else text


def is_predicted(columns: Sequence[str], *, tsv: bool = False) -> bool:
    """Tells whether a table with these columns was written by `predict`, whatever was put before or after.

    >>> is_predicted(["label", *PREDICTED, "text"]), is_predicted([f"spamnb_{name}" for name in PREDICTED])
    (True, True)
    """
    names = PREDICTED[:2] if tsv else PREDICTED
    for i, name in enumerate(columns):
        prefix = name.removesuffix(PREDICTED[0])
        written = [prefix + name for name in names]
        if _PREFIX.fullmatch(prefix) and list(columns[i : i + len(written)]) == written:
            return True
    return False


def unguarded(texts: Texts) -> Texts:
    """Takes the guard away from texts that have it.

    >>> unguarded(Texts.of(["'+1", "'tis", "'", "+1"])).tolist()
    [b'+1', b"'tis", b"'", b'+1']
    """
    data = np.frombuffer(texts.data + b"  ", np.uint8)
    has_guard = (data[texts.starts] == ord(_GUARD)) & np.isin(data[texts.starts + 1], _FIRST)
    return texts.replace(starts=texts.starts + (has_guard & (texts.ends - texts.starts > 1)))

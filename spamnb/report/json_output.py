"""Writes results as strict JSON: no NaN, ASCII only, keys in the order of the dict."""

from __future__ import annotations

import json
import math
from typing import Any


def _plain(value: Any) -> Any:
    """Converts to builtins that JSON can express; numpy's numbers and arrays have `tolist`."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def dumps(result: dict[str, Any], indent: int | None = 2) -> str:
    r"""Formats one JSON object and a newline; NaN and infinities become null; `indent=None` gives one line.

    >>> dumps({"recall": float("nan"), "label": "späm"}, indent=None)
    '{"recall": null, "label": "sp\\u00e4m"}\n'
    """
    return json.dumps(_plain(result), indent=indent, ensure_ascii=True, allow_nan=False) + "\n"

"""Results as JSON that any parser takes: no NaN, ASCII only, keys in the order they were given."""

from __future__ import annotations

import json
import math
from typing import Any


def _plain(value: Any) -> Any:
    """Builtins that JSON has a word for; numpy's numbers and arrays have `tolist`."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def dumps(result: dict[str, Any], indent: int | None = 2) -> str:
    r"""One JSON object and a newline; NaN and infinities become null; `indent=None` puts it on one line.

    >>> dumps({"recall": float("nan"), "label": "späm"}, indent=None)
    '{"recall": null, "label": "sp\\u00e4m"}\n'
    """
    return json.dumps(_plain(result), indent=indent, ensure_ascii=True, allow_nan=False) + "\n"

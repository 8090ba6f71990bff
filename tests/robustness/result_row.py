"""A row of the table that `make hardening` prints."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """What was tried in one area, how often it failed, and the worst time and memory that one try took."""

    area: str
    what: str
    tried: int
    failures: int
    seconds: float
    megabytes: float

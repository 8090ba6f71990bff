"""The row of the table that `make hardening` prints."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """How often something was tried in an area, how often that failed, and the worst it took."""

    area: str
    what: str
    tried: int
    failures: int
    seconds: float
    megabytes: float

"""What a learner did, as numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Outcome:
    """Messages by label, or by (old label, new label); see `Learner`.

    `known`: learned before, left alone. `unknown`: nothing to forget or to relabel. `unclear`: known with
    several labels, or called two different things in one run. `right`: left out by mode "on-error".
    `faded` of those forgotten or relabelled were learned before the model was aged or pruned: what is left of
    their counts stays.
    `misjudged` of the `judged` ones got another verdict than their label, before they were learned.
    """

    learned: dict[str, int] = field(default_factory=dict)
    forgotten: dict[str, int] = field(default_factory=dict)
    relabelled: dict[tuple[str, str], int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    unknown: int = 0
    unclear: int = 0
    right: int = 0
    faded: int = 0
    judged: int = 0
    misjudged: int = 0

    @property
    def changes(self) -> int:
        counts = (self.learned, self.forgotten, self.relabelled)
        return sum(sum(c.values()) for c in counts)

    def to_dict(self) -> dict[str, Any]:
        """Stable names, builtins only."""
        moved = [{"from": a, "to": b, "messages": n} for (a, b), n in sorted(self.relabelled.items())]
        return asdict(self) | {"relabelled": moved}

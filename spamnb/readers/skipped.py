"""The records of an input that were left out, and why."""

from __future__ import annotations

_EXAMPLES = 5
_REASONS = 100  # reasons may quote the input: bound them


class Skipped:
    """The records that were left out (or, where each one must come out, came out damaged), and why.

    >>> skipped = Skipped()
    >>> skipped.add(2, "no label")
    >>> skipped.count, skipped.reasons, skipped.summary()
    (1, {'no label': 1}, '1 skipped (line 2: no label)')
    """

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[tuple[int, str]] = []
        self.reasons: dict[str, int] = {}

    def add(self, line: int, reason: str) -> None:
        self.count += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append((line, reason))
        key = reason if reason in self.reasons or len(self.reasons) < _REASONS else "other"
        self.reasons[key] = self.reasons.get(key, 0) + 1

    def summary(self) -> str:
        """`12 skipped (line 2: no label, line 5: no text, ...)`."""
        shown = [f"line {line}: {reason}" for line, reason in self.examples]
        shown += ["..."] if self.count > len(shown) else []
        return f"{self.count} skipped" + (f" ({', '.join(shown)})" if shown else "")

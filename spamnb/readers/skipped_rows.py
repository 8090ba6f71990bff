"""The records of an input that were left out, and why."""

from __future__ import annotations

import errno
import os

_EXAMPLES = 5
_REASONS = 100  # reasons may quote the input: bound them


class SkippedRecords:
    """The records that were left out (or, where each one must come out, came out damaged), and why.

    >>> skipped = SkippedRecords()
    >>> skipped.add(2, "no label")
    >>> skipped.count, skipped.reasons, skipped.summary()
    (1, {'no label': 1}, '1 skipped (line 2: no label)')

    The place is a line, or the path of a file.

    >>> skipped.add("mail/.cache", "hidden")
    >>> skipped.summary()
    '2 skipped (line 2: no label, mail/.cache: hidden)'
    """

    def __init__(self, what: str = "skipped", one: str = "", most: int = _REASONS) -> None:
        self.count, self._most = 0, most
        self.examples: list[tuple[int | str, str]] = []
        self.reasons: dict[str, int] = {}
        self._what, self._one = what, one or what

    def add(self, place: int | str, reason: str) -> None:
        self.count += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append((place, reason))
        self._tell(reason, 1)

    def _tell(self, reason: str, count: int) -> None:
        key = reason if reason in self.reasons or len(self.reasons) < self._most else "other"
        self.reasons[key] = self.reasons.get(key, 0) + count

    @property
    def unread(self) -> int:
        """How many were left out because the system did not let them be read."""
        faults = {os.strerror(number) for number in errno.errorcode}
        return sum(count for reason, count in self.reasons.items() if reason in faults)

    def extend(self, other: SkippedRecords, before: int) -> None:
        """Take over what was left out of a later part of the input, which has `before` lines before it.

        To be counted as in one run, that part must tell of all its reasons (`most`).
        """
        shifted = [
            (place + before if isinstance(place, int) else place, why) for place, why in other.examples
        ]
        self.examples = (self.examples + shifted)[:_EXAMPLES]
        self.count += other.count
        for reason, count in other.reasons.items():
            self._tell(reason, count)

    def summary(self) -> str:
        """`12 skipped (line 2: no label, line 5: no text, ...)`."""
        places = [f"line {place}" if isinstance(place, int) else place for place, _ in self.examples]
        shown = [f"{place}: {reason}" for place, (_, reason) in zip(places, self.examples, strict=True)]
        shown += ["..."] if self.count > len(shown) else []
        return self._counted() + (f" ({', '.join(shown)})" if shown else "")

    def by_reason(self) -> str:
        """`12 skipped (10 no label, 2 no text)`, the most frequent first."""
        most = sorted(self.reasons.items(), key=lambda item: -item[1])
        shown = [f"{count} {reason}" for reason, count in most[:_EXAMPLES]]
        shown += ["..."] if len(most) > len(shown) else []
        return self._counted() + (f" ({', '.join(shown)})" if shown else "")

    def _counted(self) -> str:
        return f"{self.count} {self._one if self.count == 1 else self._what}"

"""Counts the records of an input that were skipped, by reason, and the texts that were put together."""

from __future__ import annotations

import errno
import os

NO_TEXT, NO_LABEL = "no text", "no label"
_EXAMPLES = 5
_REASONS = 100  # reasons may quote the input: bound them


class SkippedRecords:
    """The records that were skipped (or, where every record must come out, came out damaged), by reason.

    >>> skipped = SkippedRecords()
    >>> skipped.add(2, "no label")
    >>> skipped.count, skipped.reasons, skipped.summary()
    (1, {'no label': 1}, '1 skipped (line 2: no label)')

    `joined` counts the texts that were joined from several fields, and used.

    A place is a line, or the path of a file.

    >>> skipped.add("mail/.cache", "hidden")
    >>> skipped.summary()
    '2 skipped (line 2: no label, mail/.cache: hidden)'
    """

    def __init__(self, plural: str = "skipped", singular: str = "", most: int = _REASONS) -> None:
        self.count = 0
        self.joined = 0
        self.examples: list[tuple[int | str, str]] = []
        self.reasons: dict[str, int] = {}
        self._most_reasons = most
        self._plural, self._singular = plural, singular or plural

    def add(self, place: int | str, reason: str) -> None:
        self.count += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append((place, reason))
        self._count(reason, 1)

    def _count(self, reason: str, count: int) -> None:
        key = reason if reason in self.reasons or len(self.reasons) < self._most_reasons else "other"
        self.reasons[key] = self.reasons.get(key, 0) + count

    @property
    def unread(self) -> int:
        """The number of records that the operating system refused to read."""
        messages = {os.strerror(number) for number in errno.errorcode}
        return sum(count for reason, count in self.reasons.items() if reason in messages)

    def extend(self, other: SkippedRecords, before: int) -> None:
        """Adds the skipped records of a later part of the input, which has `before` lines before it.

        To be counted as in one run, that part must keep all its reasons (`most`).
        """
        shifted = [
            (place + before if isinstance(place, int) else place, reason) for place, reason in other.examples
        ]
        self.examples = (self.examples + shifted)[:_EXAMPLES]
        self.count += other.count
        self.joined += other.joined
        for reason, count in other.reasons.items():
            self._count(reason, count)

    def lines(self) -> list[str]:
        """Returns what to print about the input: nothing if every record was used as it is."""
        fields = f"{self.joined:,} text{'' if self.joined == 1 else 's'} joined from several fields"
        joined = [f"{fields}: unquoted delimiters"] if self.joined else []
        return [*joined, *([self.summary()] if self.count else [])]

    def take(self, reason: str) -> int:
        """Removes the records with this reason, and returns how many they were.

        >>> skipped = SkippedRecords()
        >>> skipped.add(2, "no label"), skipped.add(3, "no text")
        (None, None)
        >>> skipped.take("no label"), skipped.summary()
        (1, '1 skipped (line 3: no text)')
        """
        count = self.reasons.pop(reason, 0)
        self.count -= count
        self.examples = [example for example in self.examples if example[1] != reason]
        return count

    def summary(self) -> str:
        """Writes `12 skipped (line 2: no label, line 5: no text, ...)`, without examples the reasons."""
        if not self.examples:
            return self.by_reason()
        places = [f"line {place:,}" if isinstance(place, int) else place for place, _ in self.examples]
        listed = [f"{place}: {reason}" for place, (_, reason) in zip(places, self.examples, strict=True)]
        listed += ["..."] if self.count > len(listed) else []
        return self._total() + (f" ({', '.join(listed)})" if listed else "")

    def by_reason(self) -> str:
        """Writes `12 skipped (10 no label, 2 no text)`, the most frequent reason first."""
        ranked = sorted(self.reasons.items(), key=lambda item: -item[1])
        listed = [f"{count:,} {reason}" for reason, count in ranked[:_EXAMPLES]]
        listed += ["..."] if len(ranked) > len(listed) else []
        return self._total() + (f" ({', '.join(listed)})" if listed else "")

    def _total(self) -> str:
        return f"{self.count:,} {self._singular if self.count == 1 else self._plural}"

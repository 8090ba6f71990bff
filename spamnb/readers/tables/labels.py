"""Maps labels as files write them (spam, 1, junk, ...) to the labels that spamnb uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from spamnb.core import excerpt
from spamnb.errors import DataError
from spamnb.readers.tables.label_words import MINUS_ONE, ZERO, is_ham_column, known_label, normalize_label

_MOST_LABELS = 1000  # more is a wrong column (an id, the text itself), not classes
# Labels beside spam and ham are typing errors, not classes, if together they are at most this share of the
# labels, each occurs at most so often, and there are at least so many labels.
_TYPO_SHARE, _MOST_TYPOS, _FEWEST_ROWS = 0.02, 3, 10


class LabelMap(dict[bytes, str]):
    """Maps labels as written to labels as used ("" if unusable), and remembers which occurred.

    With a `spam_label`, that one is spam and all others are ham. Without it, the classes are spam and ham if
    all labels of the sample, except a few typing errors, are words for them. Else labels stay as they are.

    >>> LabelMap(["1", "0"])[b" 1 "], LabelMap(["1", "2"])[b" 1 "], LabelMap([], spam_label="2")[b"1"]
    ('spam', '1', 'ham')
    """

    def __init__(
        self,
        sample: Iterable[str],
        column: str = "",
        spam_label: str | None = None,
        classes: Collection[str] = (),
    ) -> None:
        super().__init__()
        counts = Counter(label.strip() for label in sample if label.strip())
        self._sample = list(counts)
        self._column = column
        self._spam_label = spam_label
        self._classes = classes  # of a model: none of them is a typing error
        words = {normalize_label(label) for label in counts}
        # -1 is ham beside 1 alone; beside 0 it is something else, such as "not known".
        self._barred = MINUS_ONE if words & ZERO else ZERO if words & MINUS_ONE else frozenset[str]()
        self.binary = spam_label is not None or self._is_binary(counts)
        tolerated = self.binary and spam_label is None
        self._typos = [label for label in counts if tolerated and not self._known(label)]

    def _is_binary(self, counts: Counter[str]) -> bool:
        """Returns whether the labels mean spam and ham; where both occur, a few others are tolerated."""
        if any(label in self._classes and self._known(label) != label for label in counts):
            return False  # a class of its own in the model, whatever the word means elsewhere
        others = {label: count for label, count in counts.items() if not self._known(label)}
        both = {self._known(label) for label in counts} >= {"ham", "spam"}
        if not others or not both or not others.keys().isdisjoint(self._classes):
            return not others
        rows, most = counts.total(), max(others.values())
        total = sum(others.values())
        return rows >= _FEWEST_ROWS and most <= _MOST_TYPOS and total <= max(1, _TYPO_SHARE * rows)

    def _known(self, label: str) -> str:
        return "" if normalize_label(label) in self._barred else known_label(label, self._column)

    @property
    def positive(self) -> str | None:
        return "spam" if self.binary else None

    def __missing__(self, raw: bytes) -> str:
        label = self._use(raw.decode("utf-8", "replace").strip())
        if len(self) >= _MOST_LABELS and label and not self.binary:
            raise DataError(
                f'column "{excerpt(self._column)}" has more than {_MOST_LABELS} different labels',
                hint="name the column of the labels with --label-column",
            )
        if len(self) < 2 * _MOST_LABELS:
            self[raw] = label
        return label

    def _use(self, label: str) -> str:
        if not label or not self.binary:
            return label
        if self._spam_label is not None:
            return "spam" if label.lower() == self._spam_label.strip().lower() else "ham"
        return self._known(label)

    def reason(self, raw: bytes) -> str:
        """Returns why a label is unusable."""
        label = raw.decode("utf-8", "replace").strip()
        return f"unknown label {excerpt(label)}" if label else "no label"

    def describe(self) -> str:
        """Writes `spam = "1"`, or lists the labels of the sample."""
        if self._spam_label is not None:
            return f'spam = "{excerpt(self._spam_label)}", all others ham'
        if not self.binary:
            names = [excerpt(label) for label in self._sample[:5]] + ["..."] * (len(self._sample) > 5)
            return "labels: " + ", ".join(names) + self._positive_note()
        spam = self._written("spam")
        if is_ham_column(self._column) and (ham := self._written("ham")):
            return f"spam = {spam}, ham = {ham}" if spam else f"ham = {ham}"
        return f"spam = {spam}" if spam else 'spam = "spam"'

    def _written(self, label: str) -> str:
        """Returns how the sample writes a label: `"junk" or "smishing"`."""
        return " or ".join(f'"{excerpt(word)}"' for word in self._sample if self._known(word) == label)

    def _positive_note(self) -> str:
        """Names the positive class of two that are not spam and ham."""
        if len(self._sample) != 2 or "spam" in self._sample or self._classes:
            return ""
        return f'; treating "{excerpt(max(self._sample))}" as spam, change with --spam-label'

    def check(self, name: str, rows: int = 0, skipped: Mapping[str, int] = MappingProxyType({})) -> None:
        """Refuses, at the end of an input, a spam label that never occurred, and frequent typing errors.

        `rows` were used; `skipped` counts the others by reason.
        """
        for label in self._typos:
            left_out = skipped.get(self.reason(label.encode("utf-8", "surrogateescape")), 0)
            if left_out > max(_MOST_TYPOS, _TYPO_SHARE * (rows + left_out)):
                described = f'{left_out:,} rows with the label "{excerpt(label)}"'
                raise DataError(
                    f"{name} has {described}, hardly any at its beginning",
                    hint="shuffle its rows, so that the first ones show all classes",
                )
        if self._spam_label is not None and "spam" not in self.values():
            seen = sorted({raw.decode("utf-8", "replace").strip() for raw, label in self.items() if label})
            listed = ", ".join(excerpt(label) for label in seen[:10]) + (", ..." if len(seen) > 10 else "")
            raise DataError(
                f'spam label "{excerpt(self._spam_label)}" never occurs in {name}; its labels: {listed}',
                hint="give one of these labels with --spam-label",
            )

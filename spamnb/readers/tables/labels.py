"""Labels as files write them (spam, 1, junk, ...) to the labels spamnb works with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from spamnb.errors import DataError
from spamnb.readers.tables.label_words import MINUS, ZERO, about_ham, known_label, plain

_MOST_LABELS = 1000  # more is a wrong column (an id, the text itself), not classes
# Up to so many labels beside spam and ham, together and of each, are typing errors and not classes.
_ODD_SHARE, _MOST_ODD, _FEWEST_ROWS = 0.02, 3, 10


def shown(text: str, limit: int = 40) -> str:
    r"""Text from a file for a message to the user: short, and control characters escaped.

    >>> shown("a\x1b[2J")
    'a\\x1b[2J'
    """
    text = text if len(text) <= limit else text[: limit - 3] + "..."
    return text if text.isprintable() else repr(text)[1:-1]


class LabelMap(dict[bytes, str]):
    """Label as written -> label as used, "" where it is unusable; remembers what occurred.

    Three ways: `spam_label` given: that one is spam, all others ham; all labels of the sample known as words
    for spam and ham, but for a few that look like typing errors: these two; else labels stay as they are.

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
        found = Counter(label.strip() for label in sample if label.strip())
        self._sample = list(found)
        self._column = column
        self._spam_label = spam_label
        self._classes = classes  # of a model: none of them is a typing error
        words = {plain(label) for label in found}
        # -1 is ham beside 1 alone; beside 0 it is something else, such as "not known".
        self._barred = MINUS if words & ZERO else ZERO if words & MINUS else frozenset[str]()
        self.binary = spam_label is not None or self._two_classes(found)
        tolerated = self.binary and spam_label is None
        self._slips = [label for label in found if tolerated and not self._known(label)]

    def _two_classes(self, found: Counter[str]) -> bool:
        """Whether the labels say spam and ham; others are tolerated where both occur and others hardly."""
        if any(label in self._classes and self._known(label) != label for label in found):
            return False  # a class of its own in the model, whatever the word means elsewhere
        odd = {label: count for label, count in found.items() if not self._known(label)}
        both = {self._known(label) for label in found} >= {"ham", "spam"}
        if not odd or not both or not odd.keys().isdisjoint(self._classes):
            return not odd
        rows, most = found.total(), max(odd.values())
        together = sum(odd.values())
        return rows >= _FEWEST_ROWS and most <= _MOST_ODD and together <= max(1, _ODD_SHARE * rows)

    def _known(self, label: str) -> str:
        return "" if plain(label) in self._barred else known_label(label, self._column)

    @property
    def positive(self) -> str | None:
        return "spam" if self.binary else None

    def __missing__(self, raw: bytes) -> str:
        label = self._use(raw.decode("utf-8", "replace").strip())
        if len(self) >= _MOST_LABELS and label and not self.binary:
            raise DataError(
                f'column "{shown(self._column)}" has more than {_MOST_LABELS} different labels',
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
        """Why a label is unusable."""
        label = raw.decode("utf-8", "replace").strip()
        return f"unknown label {shown(label)}" if label else "no label"

    def describe(self) -> str:
        """`spam = "1"`, or the labels that were found."""
        if self._spam_label is not None:
            return f'spam = "{shown(self._spam_label)}", all others ham'
        if not self.binary:
            names = [shown(label) for label in self._sample[:5]] + ["..."] * (len(self._sample) > 5)
            return "classes " + ", ".join(names) + self._looked_for()
        spam = self._written("spam")
        if about_ham(self._column) and (ham := self._written("ham")):
            return f"spam = {spam}, ham = {ham}" if spam else f"ham = {ham}"
        return f"spam = {spam}" if spam else 'spam = "spam"'

    def _written(self, label: str) -> str:
        """How the sample writes a label: `"junk" or "smishing"`."""
        return " or ".join(f'"{shown(word)}"' for word in self._sample if self._known(word) == label)

    def _looked_for(self) -> str:
        """Of two classes of other names, the one that takes the place of spam."""
        if len(self._sample) != 2 or "spam" in self._sample or self._classes:
            return ""
        return f'; "{shown(max(self._sample))}" is looked for, --spam-label changes that'

    def check(self, name: str, rows: int = 0, skipped: Mapping[str, int] = MappingProxyType({})) -> None:
        """Complain, when all is read, about a spam label that never came, and about slips that were none.

        `skipped` are rows beside the `rows` that were used, by their reasons.
        """
        for label in self._slips:
            left_out = skipped.get(self.reason(label.encode("utf-8", "surrogateescape")), 0)
            if left_out > max(_MOST_ODD, _ODD_SHARE * (rows + left_out)):
                many = f'{left_out:,} rows with the label "{shown(label)}"'
                raise DataError(
                    f"{name} has {many}, hardly any at its beginning",
                    hint="shuffle its rows, so that the first ones show all classes",
                )
        if self._spam_label is not None and "spam" not in self.values():
            seen = sorted({raw.decode("utf-8", "replace").strip() for raw, label in self.items() if label})
            listed = ", ".join(shown(label) for label in seen[:10]) + (", ..." if len(seen) > 10 else "")
            raise DataError(
                f'spam label "{shown(self._spam_label)}" never occurs in {name}; its labels: {listed}',
                hint="give one of these labels with --spam-label",
            )

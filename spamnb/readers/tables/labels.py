"""Maps labels as files write them (spam, 1, junk, ...) to the labels that spamnb uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from shlex import quote
from types import MappingProxyType

from spamnb.core import excerpt
from spamnb.errors import DataError
from spamnb.readers.skipped_rows import NO_LABEL
from spamnb.readers.tables.label_words import (
    MINUS_ONE,
    MISSING,
    ZERO,
    is_class_word,
    is_ham_column,
    is_spam_word,
    known_label,
    normalize_label,
)

UNSURE_NAME = "unsure"
_MOST_LABELS = 1000  # more is a wrong column (an id, the text itself), not classes
_LISTED = 10
_UNKNOWN = "unknown label "
# Labels beside spam and ham are typing errors, not classes, if together they are at most this share of the
# labels, each occurs at most so often, and there are at least so many labels.
_TYPO_SHARE, _MOST_TYPOS, _FEWEST_ROWS = 0.02, 3, 10
_MOST_DISTINCT = 0.75  # different labels per row; more are texts or numbers
_OPPOSITE = {"spam": "ham", "ham": "spam"}


class LabelMap(dict[bytes, str]):
    """Maps labels as written to labels as used ("" if unusable), and remembers which occurred.

    With a `spam_label`, that one is spam and all others are ham. Without it, the classes are spam and ham if
    all labels of the sample, except missing ones and a few typing errors, are words for them, or if there are
    two labels of which one is such a word. Else labels stay as they are.

    >>> LabelMap(["1", "0"])[b" 1 "], LabelMap(["1", "2"])[b" 1 "], LabelMap([], spam_label="2")[b"1"]
    ('spam', '1', 'ham')
    >>> LabelMap(["junk", "friends"])[b"friends"]
    'ham'
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
        self._counts = counts
        self._column = column
        self._spam_label = spam_label
        self._classes = classes  # of a model: none of them is a typing error
        words = {normalize_label(label) for label in counts}
        # -1 is ham beside 1 alone; beside 0 it is something else, such as "not known".
        self._barred = MINUS_ONE if words & ZERO else ZERO if words & MINUS_ONE else frozenset[str]()
        self._settled: dict[str, str] = {}  # the label of two that is no word for spam or ham
        if spam_label is None:
            self._settled = self._settle()
        self._has_both = {self._known(label) for label in counts} >= {"ham", "spam"}
        self.binary = spam_label is not None or self._is_binary()
        tolerated = self.binary and spam_label is None
        self._typos = [label for label in counts if tolerated and not self._known(label)]

    def _settle(self) -> dict[str, str]:
        """Finds the one label beside words for spam, or beside words for ham: it means the other class."""
        meanings = {self._known(label) for label in self._counts if is_class_word(label)}
        if len(meanings) != 1 or not {*self._classes} <= {"ham", "spam"}:
            return {}
        others = Counter[str]()
        for label, count in self._counts.items():
            others[normalize_label(label)] += 0 if self._known(label) else count
        names = [label for label, count in others.items() if count]
        if len(names) > 1:  # a typing error is no class
            names = [label for label in names if others[label] > _MOST_TYPOS]
        return {names[0]: _OPPOSITE[meanings.pop()]} if len(names) == 1 and names != [UNSURE_NAME] else {}

    def _is_binary(self) -> bool:
        """Returns whether the labels mean spam and ham; where both occur, a few others are tolerated."""
        counts = self._counts
        if any(label in self._classes and self._known(label) != label for label in counts):
            return False  # a class of its own in the model, whatever the word means elsewhere
        unknown = [label for label in counts if not self._known(label)]
        others = {label: counts[label] for label in unknown if not self._is_missing(label)}
        if not others or not self._has_both or not others.keys().isdisjoint(self._classes):
            return not others
        rows, most = counts.total(), max(others.values())
        return rows >= _FEWEST_ROWS and most <= _MOST_TYPOS and is_rare(sum(others.values()), rows)

    def _known(self, label: str) -> str:
        word = normalize_label(label)
        return "" if word in self._barred else self._settled.get(word) or known_label(label, self._column)

    def _is_missing(self, label: str) -> bool:
        """Returns whether a label stands for none, as N/A does beside spam and ham."""
        return self._has_both and label not in self._classes and normalize_label(label) in MISSING

    @property
    def positive(self) -> str | None:
        return "spam" if self.binary else None

    def __missing__(self, raw: bytes) -> str:
        label = self._use(raw.decode("utf-8", "replace").strip())
        if len(self) >= _MOST_LABELS and label and not self.binary:
            raise DataError(
                f'column "{excerpt(self._column)}" has more than {_MOST_LABELS:,} different labels',
                hint="name the column of the labels with --label-column",
            )
        if len(self) < 2 * _MOST_LABELS:
            self[raw] = label
        return label

    def _use(self, label: str) -> str:
        word = label.lower()
        if not label or (self._spam_label is None and self._is_missing(label)):
            return ""
        if self._spam_label is not None:
            return "spam" if word == self._spam_label.strip().lower() else "ham"
        if self.binary:
            return self._known(label)
        if word == UNSURE_NAME:
            raise _no_class(label)
        return word if word in _OPPOSITE and label not in self._classes else label

    def reason(self, raw: bytes) -> str:
        """Returns why a label is unusable."""
        label = raw.decode("utf-8", "replace").strip()
        return NO_LABEL if not label or self._is_missing(label) else _UNKNOWN + excerpt(label)

    def describe(self) -> str:
        """Writes `spam = "1"`, or lists the labels of the sample; "" if it has none."""
        if self._spam_label is not None:
            return f'spam = "{excerpt(self._spam_label)}", all others ham'
        if not self.binary:
            names = [excerpt(label) for label in self._counts if not self._is_missing(label)]
            return f"labels: {', '.join(names[:5] + ['...'] * (len(names) > 5))}{self._spam_note()}"
        spam, ham = (f"{name} = {words}" if (words := self._written(name)) else "" for name in _OPPOSITE)
        both = self._settled or is_ham_column(self._column)
        return ", ".join(filter(None, (spam, ham))) if both else spam or ham

    def _written(self, label: str) -> str:
        """Returns how the sample writes a label: `"junk" or "smishing"`."""
        return " or ".join(f'"{excerpt(word)}"' for word in self._counts if self._known(word) == label)

    def _spam_note(self) -> str:
        """Notes that none of the classes is spam, unless they are those of a model."""
        spam = any(map(is_spam_word, self._counts))
        return "" if spam or self._classes or len(self._counts) < 2 else "; none is spam"

    def _sizes(self) -> Counter[str]:
        sizes = Counter[str]()
        for label, count in self._counts.items():
            sizes[normalize_label(label)] += count
        return sizes

    @property
    def too_many_values(self) -> str:
        """Returns how many different values the sample has, if they are too many for labels; else ""."""
        values, rows = len(self._sizes()), self._counts.total()
        many = rows >= _FEWEST_ROWS and values > _MOST_DISTINCT * rows
        return f"{values:,} different values in {rows:,} rows" if many or values > _MOST_LABELS else ""

    def check_sample(self, name: str, *, has_text: bool = True) -> None:
        """Refuses two labels of messages of which none is known, and a column that holds no labels."""
        if self.binary:
            return
        if too_many := self.too_many_values:
            raise DataError(
                f'column "{excerpt(self._column)}" of {name} does not look like labels: {too_many}',
                hint="name the column of the labels with --label-column",
            )
        sizes, rows = self._sizes(), self._counts.total()
        of_model = self._classes and "spam" not in self._classes
        if has_text and len(sizes) == 2 and not of_model and sizes.keys().isdisjoint(self._classes):
            for label in self._counts:
                if label.lower() == UNSURE_NAME:
                    raise _no_class(label)
            raise unknown_spam_label(name, self._counts, f"its first {rows:,} rows have")

    def check(self, name: str, rows: int = 0, skipped: Mapping[str, int] = MappingProxyType({})) -> None:
        """Refuses, at the end of an input, a spam label that never occurred, and frequent unknown labels.

        `rows` were used; `skipped` counts the others by reason.
        """
        for label in self._late_labels(skipped):
            left_out = skipped[_UNKNOWN + label]
            if left_out > max(_MOST_TYPOS, _TYPO_SHARE * (rows + left_out)):
                raise self._late_label(name, label, left_out)
        if self._spam_label is not None and "spam" not in self.values():
            seen = sorted({raw.decode("utf-8", "replace").strip() for raw, label in self.items() if label})
            listed = [excerpt(label) for label in seen[:_LISTED]] + ["..."] * (len(seen) > _LISTED)
            raise DataError(
                f'spam label "{excerpt(self._spam_label)}" never occurs in {name}; its labels: '
                f"{', '.join(listed)}",
                hint="give one of these labels with --spam-label",
            )

    def _late_labels(self, skipped: Mapping[str, int]) -> list[str]:
        """Lists unknown labels that may be classes: any where the sample shows one class, else its typos."""
        unknown = [reason.removeprefix(_UNKNOWN) for reason in skipped if reason.startswith(_UNKNOWN)]
        if len({self._known(label) for label in self._counts} - {""}) < 2:
            return unknown
        return [label for label in unknown if label in map(excerpt, self._typos)]

    def _late_label(self, name: str, label: str, rows: int) -> DataError:
        spam = next((word for word in self._counts if self._known(word) == "spam"), "LABEL")
        return DataError(
            f'{name} has {rows:,} rows with the label "{label}", hardly any at its beginning',
            hint="shuffle its rows, so that the first ones show all classes; or name the label that means "
            f"spam: --spam-label {quote(excerpt(spam))}",
        )


def is_rare(count: int, rows: int) -> bool:
    """Returns whether labels are so few of all that they may be typing errors."""
    return count <= max(1, _TYPO_SHARE * rows)


def _no_class(label: str) -> DataError:
    return DataError(
        f'the label "{excerpt(label)}" cannot be a class: it is the verdict on uncertain messages',
        hint="rename it, or leave out its messages",
    )


def unknown_spam_label(name: str, counts: Mapping[str, int], part: str = "it has") -> DataError:
    """Describes labels of which none is a word for spam or ham, and the flag to add.

    >>> error = unknown_spam_label("x.csv", {"1": 7, "2": 1200})
    >>> print(error, error.hint, sep="\\n")
    cannot tell which label of x.csv means spam: it has "2" (1,200) and "1" (7)
    add --spam-label 2 or --spam-label 1
    """
    ranked = sorted(counts.items(), key=lambda item: -item[1])[:_LISTED]
    labels = " and ".join(f'"{excerpt(label)}" ({count:,})' for label, count in ranked)
    flags = " or ".join(f"--spam-label {quote(excerpt(label))}" for label, _ in ranked)
    return DataError(f"cannot tell which label of {name} means spam: {part} {labels}", hint=f"add {flags}")

"""Labels as files write them (spam, 1, junk, ...) to the labels spamnb works with."""

from __future__ import annotations

from collections.abc import Iterable

from spamnb.errors import DataError

_SPAM = {"spam", "junk", "1", "1.0", "true", "phishing", "smishing", "unsolicited"}
_HAM = {"ham", "0", "0.0", "false", "legit", "legitimate", "good", "ok", "normal"}
_HAM |= {"not spam", "notspam", "non-spam"}
_MOST_LABELS = 1000  # more is a wrong column (an id, the text itself), not classes


def known_label(label: str, column: str = "") -> str:
    """`spam`, `ham`, or "" for a word that says neither; yes and no count in a column named after spam.

    >>> known_label(" Junk "), known_label("0"), known_label("yes"), known_label("yes", "is_spam")
    ('spam', 'ham', '', 'spam')
    """
    word = label.strip().lower()
    if word in _SPAM or word in _HAM:
        return "spam" if word in _SPAM else "ham"
    if word in ("yes", "no") and "spam" in column.lower():
        return "spam" if word == "yes" else "ham"
    return ""


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
    for spam and ham: these two; else labels stay as they are.

    >>> LabelMap(["1", "0"])[b" 1 "], LabelMap(["1", "2"])[b" 1 "], LabelMap([], spam_label="2")[b"1"]
    ('spam', '1', 'ham')
    """

    def __init__(self, sample: Iterable[str], column: str = "", spam_label: str | None = None) -> None:
        super().__init__()
        found = dict.fromkeys(label.strip() for label in sample if label.strip())
        self._sample = list(found)
        self._column = column
        self._spam_label = spam_label
        self.binary = spam_label is not None or all(known_label(label, column) for label in found)

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
        return known_label(label, self._column)

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
            return "classes " + ", ".join(names)
        spam = [label for label in self._sample if known_label(label, self._column) == "spam"]
        return "spam = " + " or ".join(f'"{shown(label)}"' for label in spam or ["spam"])

    def check(self, name: str) -> None:
        """Complain, when all is read, about a spam label that never came."""
        if self._spam_label is not None and "spam" not in self.values():
            seen = sorted({raw.decode("utf-8", "replace").strip() for raw, label in self.items() if label})
            listed = ", ".join(shown(label) for label in seen[:10]) + (", ..." if len(seen) > 10 else "")
            raise DataError(
                f'spam label "{shown(self._spam_label)}" never occurs in {name}; its labels: {listed}',
                hint="give one of these labels with --spam-label",
            )

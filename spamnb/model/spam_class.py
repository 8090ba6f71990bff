"""Tells which classes of a model are spam, by words that mean the same in every data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spamnb.core import excerpt
from spamnb.errors import ConfigError, DataError
from spamnb.model.predictions import UNSURE_LABEL
from spamnb.readers import is_spam_word, spam_of_two, unknown_spam_label


class Classes(NamedTuple):
    """The labels of all classes, and that of the class to detect.

    >>> Classes(("ham", "spam"), "spam").negative
    'ham'
    """

    labels: tuple[str, ...]
    positive: str

    @property
    def negative(self) -> str:
        """The other one of two classes."""
        return next((label for label in self.labels if label != self.positive), "ham")


def spam_classes(labels: Sequence[str]) -> tuple[str, ...]:
    """Returns the classes that are spam; none if no word tells, whatever class comes last.

    >>> spam_classes(["ham", "spam"]), spam_classes(["0", "1"]), spam_classes(["legit", "x"])
    (('spam',), ('1',), ('x',))
    >>> spam_classes(["ham", "junk", "promo", "spam"]), spam_classes(["no", "yes"])
    (('junk', 'spam'), ())
    """
    words = tuple(label for label in labels if is_spam_word(label))
    return words if words or len(labels) != 2 else tuple(filter(None, [spam_of_two(*labels)]))


def check_labels(labels: Sequence[str]) -> None:
    """Refuses a class that has the name of a verdict."""
    if UNSURE_LABEL in labels:
        raise DataError(
            f'no class can be named "{UNSURE_LABEL}": it is the verdict on uncertain messages',
            hint="rename it, or leave out its messages",
        )


def require_spam(labels: Sequence[str], what: str) -> tuple[str, ...]:
    """Returns the classes that are spam; refuses a model without one."""
    classes = spam_classes(labels)
    if not classes:
        raise ConfigError(
            f"no class of the model is spam: {', '.join(map(excerpt, labels))}",
            hint=f"{what} needs one: train a model with --spam-label LABEL",
        )
    return classes


def positive_class(sizes: Mapping[str, int], stated: str = "spam", *, has_text: bool = True) -> str:
    """Returns the class that probabilities are for; refuses two classes of messages that no word tells apart.

    More than two classes have a probability each. Without any text there is no spam, so the second of two
    classes is as good as the first.

    >>> positive_class({"bad": 3, "good": 4}), positive_class({"no": 1, "yes": 1}, has_text=False)
    ('bad', 'yes')
    """
    labels = sorted(sizes)
    if stated in labels or len(labels) != 2:
        return stated
    positive = spam_of_two(*labels) or ("" if has_text else labels[1])
    if not positive:
        raise unknown_spam_label("the data", sizes)
    return positive

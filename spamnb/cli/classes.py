"""The classes that training has found: told in a few words, refused where they can be none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.errors import DataError

if TYPE_CHECKING:
    from spamnb.counts import CountStore
    from spamnb.training import Trainer

_SHOWN = 10
_MANY, _FEW_EACH = 50, 3  # more classes than that, with fewer messages each on average, are texts or numbers


def check_classes(trainer: Trainer) -> None:
    """Refuse a wrong label column; under-sampling leaves too few messages of each class to tell."""
    classes, messages = len(trainer.classes), trainer.messages
    if trainer.keep is None and classes > _MANY and messages < _FEW_EACH * classes:
        raise DataError(
            "the label column does not look like labels: expected few different values, "
            f"got {classes:,} in {messages:,} rows",
            hint="name the column of the labels with --label-column",
        )


def classes_text(store: CountStore) -> str:
    """`640 ham, 173 spam`; of many classes the largest ten and the number of the others."""
    from spamnb.readers.labels import shown

    each = list(zip(store.labels, store.message_totals.tolist(), strict=True))
    more = len(each) - _SHOWN
    if more > 0:
        each = sorted(each, key=lambda item: -item[1])[:_SHOWN]
    text = ", ".join(f"{n:,} {shown(label)}" for label, n in each)
    return f"{text} and {more:,} more class{'es' * (more > 1)}" if more > 0 else text

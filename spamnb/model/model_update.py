"""Changes a model by messages: adds or removes their counts, and remembers or drops their digests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from spamnb.counts import CountStore, PairColumns, add_delta, count, merge_stores
from spamnb.features import KeyArray, extract
from spamnb.messages import Categories, Messages, Numbers, as_texts
from spamnb.model.base_model import FOLLOWS
from spamnb.model.change_history import ChangeHistory
from spamnb.model.message_digest import message_digests
from spamnb.model.model_delta import Change, ChangedDigests
from spamnb.model.seen_messages import ByLabel, by_label
from spamnb.readers import (
    ReadLabels,
    check_lengths,
    class_names,
    columns_of_values,
    usable_rows,
    written_labels,
)

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel


def learn_messages(
    model: SpamModel,
    messages: Messages,
    labels: Iterable[object],
    categories: Categories,
    numbers: Numbers,
    *,
    new_classes: bool = False,
) -> SpamModel:
    """Returns the model with these messages added; it does not remember them as lessons."""
    as_written = new_classes or (not model.labels and model.positive != "spam")
    read = written_labels(labels) if as_written else class_names(labels, model.labels)
    counts, digests = count_messages(model, messages, read, categories, numbers)
    history = ChangeHistory(learned=int(counts.message_totals.sum()))
    return apply_change(model, Change(counts, ChangedDigests(learned=digests), history))


def forget_messages(
    model: SpamModel, messages: Messages, labels: Iterable[object], categories: Categories, numbers: Numbers
) -> SpamModel:
    """Returns the model as if it had never learned these messages; refuses messages it never learned."""
    read = class_names(labels, model.labels, hint="pass the labels that they were learned with")
    counts, digests = count_messages(model, messages, read, categories, numbers)
    untaught: ByLabel = {}
    if model.seen_messages is not None:
        _ = model.seen_messages.minus(digests).exact  # refuses unknown digests
        untaught = model.seen_messages.lessons_among(digests)
    history = ChangeHistory(forgotten=int(counts.message_totals.sum()))
    removed = merge_stores([counts], [-1])
    return apply_change(model, Change(removed, ChangedDigests(forgotten=digests, untaught=untaught), history))


def apply_change(model: SpamModel, change: Change) -> SpamModel:
    """Returns the model with a change."""
    seen, correction, digests = model.seen_messages, model.correction, change.digests
    if seen is not None:
        seen = seen.plus(digests.learned).plus(digests.stale_added, "stale").plus(digests.taught, "lessons")
        seen = seen.minus(digests.forgotten).minus(digests.stale_removed, "stale")
        seen = seen.minus(digests.untaught, "lessons")
    if correction is not None and len(change.weights[0]):
        correction = correction.with_weights(*change.weights)
    store, base, calibration = add_delta(model.store, change.counts), model.base, model.calibration
    if base is not None and calibration.note == FOLLOWS and len(store.labels) <= 2:
        base, calibration = base.usual(store)
    history = model.change_history.plus(change.change_history)
    return replace(
        model,
        store=store,
        base=base,
        calibration=calibration,
        decision=model.decision.after_lessons(history.ham, history.lost_ham),
        seen_messages=seen,
        change_history=history,
        correction=correction,
        lesson_mark=model.lesson_mark if change.mark is None else change.mark.after(model.lesson_mark),
    )


def count_messages(
    model: SpamModel, messages: Messages, labels: ReadLabels, categories: Categories, numbers: Numbers
) -> tuple[CountStore, dict[str, KeyArray]]:
    """Returns the counts of labelled messages, and their digests by label."""
    texts = as_texts(messages)
    check_lengths(texts, labels)
    chunk = usable_rows(texts, labels, columns_of_values(model.features, len(texts), categories, numbers))
    names, columns = chunk.labels or [], (chunk.categories, chunk.numbers)
    digests = by_label(message_digests(chunk.texts, *columns), names)
    pairs = PairColumns.needed(model.features, model.scoring)
    return count(extract(chunk.texts, model.features), names, *columns, pairs), digests

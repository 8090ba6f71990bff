"""Plans what an update does with each message: learn, relabel, forget or skip it."""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableMapping
from dataclasses import asdict, dataclass, field
from typing import Any

from spamnb.errors import ConfigError, ModelError
from spamnb.features import KeyArray
from spamnb.model import ChangeHistory, SeenMessages, SpamModel, spam_classes

MOST_LESSONS = 20  # beyond, verdicts are not compared: it takes as long as learning
Pair = tuple[int, str]  # the row of a message in its batch, and a label


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a message was called before it was learned as `label`, and is called now.

    `evidence` is what it would be called now by its words alone, as messages like it are.
    """

    label: str
    before: str
    now: str
    evidence: str


@dataclass
class VerdictsBefore:
    """The verdicts on new messages before they were learned.

    `misclassified` of the `classified` ones got another verdict than their label. `lessons` has the verdicts
    before and after, of at most `MOST_LESSONS` learned and relabelled messages in one run.
    """

    classified: int = 0
    misclassified: int = 0
    lessons: list[Lesson] = field(default_factory=list)


@dataclass
class UnchangedMessages:
    """Counts the messages that an update left as they were, as `LearnResult` describes."""

    known: dict[str, int] = field(default_factory=dict)
    not_found: int = 0
    conflicting_labels: int = 0
    already_correct: int = 0
    skipped: int = 0


@dataclass
class LearnResult(UnchangedMessages):
    """Counts what an update did with its messages, by label or by (old label, new label).

    `known`: learned before with this label, skipped. `not_found`: not forgotten because never learned.
    `conflicting_labels`: skipped because learned with several labels, or in one run with two labels.
    `already_correct`: not learned in mode "on-error". `skipped`: without a text or a label. `stale` of the
    forgotten or relabelled messages were learned before the model was aged or pruned: what is left of their
    counts stays. `still_learned`: copies of forgotten messages that the model has learned more than once.
    """

    learned: dict[str, int] = field(default_factory=dict)
    forgotten: dict[str, int] = field(default_factory=dict)
    relabelled: dict[tuple[str, str], int] = field(default_factory=dict)
    stale: int = 0
    still_learned: int = 0
    verdicts: VerdictsBefore = field(default_factory=VerdictsBefore)

    @property
    def changes(self) -> int:
        """Returns the number of messages that were learned, forgotten or relabelled."""
        return sum(sum(done.values()) for done in (self.learned, self.forgotten, self.relabelled))

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields by stable names, builtins only."""
        moved = [{"from": a, "to": b, "messages": n} for (a, b), n in sorted(self.relabelled.items())]
        counts = asdict(self) | {"relabelled": moved}
        counts.update(counts.pop("verdicts"))
        return counts


@dataclass
class UpdatePlan:
    """Lists the rows of a batch by what happens to them."""

    labels: list[str]
    new: list[int] = field(default_factory=list)
    forgotten: list[Pair] = field(default_factory=list)
    moved: list[tuple[int, str, str]] = field(default_factory=list)  # old and new label, once for each copy
    known: list[int] = field(default_factory=list)
    not_found: int = 0
    conflicting_labels: int = 0
    copies_left: dict[int, int] = field(default_factory=dict)  # of forgotten messages, by digest

    def without(self, rows: list[int]) -> UpdatePlan:
        """Returns the plan that does not learn these new messages."""
        left_out = set(rows)
        self.new = [i for i in self.new if i not in left_out]
        return self

    @property
    def added(self) -> list[Pair]:
        """The messages whose counts are added, and under which label."""
        return [*((i, self.labels[i]) for i in self.new), *((i, new) for i, _, new in self.moved)]

    @property
    def removed(self) -> list[Pair]:
        """The messages whose counts are removed, and from which label."""
        return [*self.forgotten, *((i, old) for i, old, _ in self.moved)]

    @property
    def rows(self) -> list[int]:
        """The rows of all messages that the plan learns, relabels or forgets."""
        return sorted({i for i, _ in (*self.added, *self.removed)})

    @property
    def history(self) -> ChangeHistory:
        return ChangeHistory(learned=len(self.new), forgotten=len(self.forgotten), relabelled=len(self.moved))

    def report(self, result: LearnResult) -> None:
        """Adds this plan to the numbers of a learner."""
        for name, counts in (
            ("learned", Counter(self.labels[i] for i in self.new)),
            ("known", Counter(self.labels[i] for i in self.known)),
            ("forgotten", Counter(label for _, label in self.forgotten)),
            ("relabelled", Counter((old, new) for _, old, new in self.moved)),
        ):
            setattr(result, name, dict(Counter(getattr(result, name)) + counts))
        result.not_found += self.not_found
        result.conflicting_labels += self.conflicting_labels


class _LearnedCopies:
    """Counts the learned copies of each message of a batch, kept up to date while a plan is made."""

    def __init__(self, seen: SeenMessages | None, digests: KeyArray | None) -> None:
        self._digests: list[int] | None = None
        self._copies: dict[str, list[int]] = {}  # by label, then by row
        self._planned: dict[int, Counter[str]] = {}  # by digest
        if seen is not None and digests is not None:
            self._digests = digests.tolist()
            counts = {label: seen.count(label, digests) for label in seen.labels}
            self._copies = {label: each.tolist() for label, each in counts.items() if each.any()}

    def of(self, row: int) -> dict[str, int]:
        """Returns label -> copies, for the labels with any."""
        if self._digests is None:
            return {}
        copies = Counter({label: each[row] for label, each in self._copies.items() if each[row]})
        copies.update(self._planned.get(self._digests[row], {}))
        return {label: copies[label] for label in sorted(copies) if copies[label] > 0}

    def add(self, row: int, label: str, copies: int) -> None:
        if self._digests is not None:
            self._planned.setdefault(self._digests[row], Counter())[label] += copies

    def conflicts(self, row: int, label: str, first_labels: MutableMapping[int, str]) -> bool:
        """Tells whether this message came with another label before; remembers its first label."""
        return self._digests is not None and first_labels.setdefault(self._digests[row], label) != label


def plan_learning(
    seen: SeenMessages | None,
    digests: KeyArray | None,
    labels: list[str],
    *,
    again: bool = False,
    first_labels: MutableMapping[int, str] | None = None,
) -> UpdatePlan:
    """Learns new messages, relabels those that were learned with another label, skips the others.

    With `again` every message is learned. With `first_labels`, a message that came with another label before
    is skipped.
    """
    plan, learned = UpdatePlan(labels), _LearnedCopies(seen, digests)
    for row, label in enumerate(labels):
        if not again and first_labels is not None and learned.conflicts(row, label, first_labels):
            plan.conflicting_labels += 1
            continue
        copies = {} if again else learned.of(row)
        if not copies:
            plan.new.append(row)
            learned.add(row, label, 1)
        elif copies.keys() == {label}:
            plan.known.append(row)
        else:
            _relabel(plan, learned, row, label)
    return plan


def _relabel(plan: UpdatePlan, learned: _LearnedCopies, row: int, label: str) -> None:
    """Moves all copies of a message to this label."""
    for old, copies in learned.of(row).items():
        if old != label:
            plan.moved += [(row, old, label)] * copies
            learned.add(row, old, -copies)
            learned.add(row, label, copies)


def plan_forgetting(seen: SeenMessages | None, digests: KeyArray | None, labels: list[str]) -> UpdatePlan:
    """Forgets one copy of each message; the label "" means the only one that it was learned with."""
    plan, learned = UpdatePlan(labels), _LearnedCopies(seen, digests)
    for row, wanted in enumerate(labels):
        copies = learned.of(row)
        if seen is None or wanted in copies:
            label = wanted
        elif wanted or not copies:
            plan.not_found += 1
            continue
        elif len(copies) > 1:
            plan.conflicting_labels += 1
            continue
        else:
            (label,) = copies
        plan.forgotten.append((row, label))
        learned.add(row, label, -1)
        if digests is not None:
            plan.copies_left[int(digests[row])] = learned.of(row).get(label, 0)
    return plan


def class_label(model: SpamModel, spam: bool) -> str:
    """Returns the model's label for spam, or the one for ham.

    >>> class_label(SpamModel().learn(["win", "see"], ["spam", "ok"]), spam=False)
    'ok'
    """
    classes, name = spam_classes(model.labels), "spam" if spam else "ham"
    if spam and (classes or len(model.labels) < 2):
        return model.positive if model.positive in classes or not classes else classes[0]
    others = [label for label in model.labels if label not in classes] if classes else []
    if len(others) == 1 or "ham" in others:
        return others[0] if len(others) == 1 else "ham"
    raise ConfigError(
        f"--{name} needs a model with a class {name}, got {', '.join(model.labels)}",
        hint=f"name the class: --label {model.labels[0]}=PATH, or --label {model.labels[0]}=- for stdin",
    )


def check_can_sync(model: SpamModel) -> None:
    """Refuses to synchronise folders with a model that would learn all their messages each time."""
    if model.seen_messages is None:
        raise ModelError(
            "the model does not remember which messages it has learned, so all would be learned each time",
            hint="--sync needs a model that was trained without --set digests=no",
        )

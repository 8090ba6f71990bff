"""Classifies mails by the newest state of a model file, and teaches it what people have sorted."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

from spamnb.core import excerpt
from spamnb.mail import Limits, Mail, StoredLists, mail_texts, parse_mail
from spamnb.model import require_spam
from spamnb.storage import HISTORY_DAYS
from spamnb.training import Learner, LearnResult, StoredModel, check_can_sync, class_label


class Verdict(NamedTuple):
    """`spam`, `ham` or `unsure`, P(spam), and the beginning of the subject."""

    label: str
    probability: float
    subject: str


class MailClassifier:
    """One model for several accounts, each of which may have a thread of its own."""

    def __init__(self, path: str, limits: Limits, history_days: int = HISTORY_DAYS) -> None:
        self.path = path
        self._history_days = history_days
        self._limits, self._lists = limits, StoredLists()
        self._stored = StoredModel(path)
        self._lock = Lock()
        check_can_sync(self._stored.newest())

    def classify(self, mails: Sequence[bytes]) -> list[Verdict]:
        """Returns the verdicts of the model as it is on disk now."""
        limits = self._limits.replace(lists=self._lists.newest())
        parsed = [parse_mail(raw, limits) for raw in mails]
        with self._lock:
            model = self._stored.newest()
            spam = require_spam(model.labels, "spamnb imap")
            predictions = model.score(mail_texts(parsed))
        labels = ["spam" if one in spam else one if one == "unsure" else "ham" for one in predictions.labels]
        return list(map(Verdict, labels, predictions.probability.tolist(), map(_subject, parsed)))

    def learn(self, lessons: Sequence[tuple[str, bytes]]) -> LearnResult:
        """Learns mails as `spam` or `ham`; of two labels for a mail the last one counts."""
        texts = mail_texts([parse_mail(raw, self._limits) for _, raw in lessons])
        with self._lock, Learner(self.path, history_days=self._history_days) as learner:
            labels = [class_label(learner.model, label == "spam") for label, _ in lessons]
            learner.learn(texts, labels)
        return learner.outcome


def subject_of(raw: bytes) -> str:
    r"""Returns a mail's subject, cut to fit a line.

    >>> subject_of(b"Subject: Win a prize!\n\nNow")
    'Win a prize!'
    """
    return _subject(parse_mail(raw))


def _subject(mail: Mail) -> str:
    return excerpt(" ".join(mail.subject.decode("utf-8", "replace").split()), 60)

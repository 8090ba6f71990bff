"""Trains a first model from the folders of an account: Junk is spam, Archive and Sent are ham."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from spamnb.mail import Limits, mail_texts, parse_mail
from spamnb.mailbox.account_sync import MailSession
from spamnb.mailbox.special_folders import find_special_folders
from spamnb.mailbox.sync_plan import batches
from spamnb.model import SpamModel
from spamnb.settings import TrainingConfig
from spamnb.training import MAIL_MAX_FPR, Trainer, common_base

_MOST = 2000  # mails of each folder, the newest


class FolderMails(NamedTuple):
    """How many mails the folders have that could be learned, by folder."""

    spam: dict[str, int]
    ham: dict[str, int]

    @classmethod
    def of(cls, session: MailSession) -> FolderMails:
        folders = find_special_folders(session.folders())
        return cls(_counted(session, [folders.junk]), _counted(session, [folders.archive, folders.sent]))

    @property
    def enough(self) -> bool:
        """Whether there are mails of both kinds."""
        return bool(self.spam and self.ham)

    def __str__(self) -> str:
        return ", ".join(f"{n:,} in {name}" for name, n in {**self.spam, **self.ham}.items())


def train_from_folders(session: MailSession, mails: FolderMails, limits: Limits) -> SpamModel:
    """Trains a model that starts from the common one for mail, measured by cross-validation.

    Its weight is fitted to the base model as it is now, so it does not follow the site's model.
    """
    base = common_base("mail").replace(path="", stamp="")
    training = replace(TrainingConfig(), max_fpr=MAIL_MAX_FPR, max_fpr_is_default=True)
    trainer = Trainer(base.model.features, training=training, base=base)
    for label, folders in (("spam", mails.spam), ("ham", mails.ham)):
        for folder in folders:
            for raw in _newest(session, folder):
                trainer.add(mail_texts([parse_mail(one, limits) for one in raw]), [label] * len(raw))
    return trainer.finish()


def _counted(session: MailSession, folders: list[str | None]) -> dict[str, int]:
    counts = {name: min(session.status(name).messages, _MOST) for name in folders if name is not None}
    return {name: n for name, n in counts.items() if n}


def _newest(session: MailSession, folder: str) -> Iterator[list[bytes]]:
    session.open(folder)
    for batch in batches(session.envelopes(session.uids()[-_MOST:])):
        yield list(session.raw([one.uid for one in batch]).values())

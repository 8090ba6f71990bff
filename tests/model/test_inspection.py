"""A model that is asked about a kind of messages that it does not know is found out."""

from __future__ import annotations

import pytest

from spamnb.mail import mail_texts
from spamnb.mail.parse import parse_mail
from spamnb.model.mail_knowledge import knows_mail
from spamnb.model.spam_model import SpamModel
from tests.helpers.paths import ROOT, TEST_DATA

TEXTS = ["win a prize", "free cash now", "see you", "home by seven"]
LABELS = ["spam", "spam", "ham", "ham"]


def test_mail_leaves_traces() -> None:
    mails = mail_texts(
        [parse_mail(path.read_bytes()) for path in sorted((TEST_DATA / "mail/ham").iterdir())[:2]]
    )
    assert knows_mail(SpamModel().learn(mails, LABELS[1:3]))
    assert not knows_mail(SpamModel().learn(TEXTS, LABELS))


@pytest.mark.parametrize(("name", "expected"), [("sms", False), ("mail", True)])
def test_the_ready_made_models_know_what_they_are_for(name: str, expected: bool) -> None:
    assert knows_mail(SpamModel.load(ROOT / f"spamnb/model/ready_made/{name}.spamnb")) is expected

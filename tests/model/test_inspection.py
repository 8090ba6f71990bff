"""A model that is asked about what it does not know, or about what it has learned, is found out."""

from __future__ import annotations

import numpy as np
import pytest

from spamnb.mail import as_texts
from spamnb.mail.parse import parse_mail
from spamnb.messages import Chunk, Texts
from spamnb.model.inspection import count_seen, knows_mail
from spamnb.model.spam_model import SpamModel
from tests.helpers.paths import ROOT

TEXTS = ["win a prize", "free cash now", "see you", "home by seven"]
LABELS = ["spam", "spam", "ham", "ham"]


def chunk(texts: Texts) -> Chunk:
    return Chunk(texts, np.arange(len(texts)), None, {}, {})


def test_mail_leaves_traces() -> None:
    mails = as_texts(
        [parse_mail(path.read_bytes()) for path in sorted((ROOT / "data/mail/ham").iterdir())[:2]]
    )
    assert knows_mail(SpamModel().learn(mails, LABELS[1:3]))
    assert not knows_mail(SpamModel().learn(TEXTS, LABELS))


@pytest.mark.parametrize(("name", "expected"), [("sms", False), ("mail", True)])
def test_the_ready_made_models_know_what_they_are_for(name: str, expected: bool) -> None:
    assert knows_mail(SpamModel.load(ROOT / f"spamnb/model/ready_made/{name}.spamnb")) is expected


def test_learned_messages_are_known_whatever_their_label() -> None:
    model = SpamModel().learn(TEXTS, LABELS)
    texts = Texts.of([*TEXTS[1:], "something else"])
    assert count_seen(model, chunk(texts)) == 3
    assert count_seen(SpamModel(), chunk(texts)) == 0

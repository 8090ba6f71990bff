"""The benchmark that learns mail by mail scores as the model does that has learned the same mails."""

from __future__ import annotations

import pytest

from benchmarks.online_learning import Online
from spamnb.features import extract
from spamnb.mail import mail_texts
from spamnb.mail.parse import parse_mail
from spamnb.model.scoring_engine import Engine, log_odds_of
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig
from tests.helpers.paths import SMALL_MAILS


def test_each_step_is_that_of_the_model() -> None:
    online, model = Online(), SpamModel(FeatureConfig.usual(mail=True))
    for path in sorted(SMALL_MAILS, key=lambda path: path.name):
        texts, label = mail_texts([parse_mail(path.read_bytes())]), path.parent.name
        batch = online.extract(texts)
        if len(model.labels) == 2:
            scored = Engine(model.store, model.scoring).score(extract(texts, model.features))
            expected = log_odds_of(scored.damped, model.labels.index("spam"))
            assert online.score(batch) == pytest.approx(float(expected[0]), rel=1e-9)
        online.learn(batch, label == "spam")
        model = model.learn(texts, [label])
    assert model.store.vocabulary == online.table.size

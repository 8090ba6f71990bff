"""Prediction lines are strict JSON, whatever the scores are."""

from __future__ import annotations

import json

import numpy as np
import pytest

from spamnb.messages import Chunk, Texts
from spamnb.model.spam_model import SpamModel
from spamnb.report.prediction_jsonl import Jsonl


def test_jsonl_has_null_for_what_is_no_number() -> None:
    model = SpamModel().learn(["win", "see"], ["spam", "ham"])
    predictions = model.score(["win"]).replace(probability=np.array([np.nan]), log_odds=np.array([np.inf]))
    chunk = Chunk(Texts.of(["win"]), np.array([1]))
    (line,) = Jsonl().lines(chunk, predictions, np.array([0])).splitlines()
    result = json.loads(line, parse_constant=pytest.fail)
    assert (result["probability"], result["log_odds"]) == (None, None)

"""The formula of a model in words: one for every scorer and setting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from spamnb.model import BaseModel, Beta, Platt, Temperature
from spamnb.model.formula import formula_of
from spamnb.model.spam_model import SpamModel
from spamnb.report.form_words import FORM_WORDS
from spamnb.report.formula_text import FormulaText, formula_texts, probability_headings
from spamnb.scorers import Form
from spamnb.settings import FeatureConfig, ScorerConfig

TEXTS, LABELS = ["win a prize", "win win", "see you", "see a friend"], ["spam", "spam", "ham", "ham"]


def model(name: str, labels: list[str] = LABELS, ngrams: int = 1, **settings: Any) -> SpamModel:
    features = FeatureConfig(ngrams, shapes=False, punctuation=False)
    scoring = ScorerConfig.of(name, alpha=1.0, **settings)
    slightly = Temperature(1.000001) if len(set(labels)) > 2 else Platt(1.000001)  # else there is no damping
    return SpamModel(features, scoring, calibration=slightly).learn(TEXTS, labels)


def text(shown: SpamModel) -> FormulaText:
    return formula_texts(formula_of(shown))[0]


LINE = "log-odds(spam against ham) = 1.0000 * "


@pytest.mark.parametrize(
    ("name", "settings", "title", "equations"),
    [
        ("multinomial", {"damping": 0.0}, "linear view", [f"{LINE}(w.x + b) + 0.0000"]),
        ("multinomial", {"damping": 0.5}, "linear view", [f"{LINE}(w.x + b) / m^0.5 + 0.0000"]),
        ("multinomial", {"max_evidence": 3}, "formula", [f"{LINE}s + 0.0000", "s = (w.x + b) / m^1"]),
        ("binary", {}, "linear view", [f"{LINE}(w.x + b) + 0.0000"]),
        ("bernoulli", {}, "linear view", [f"{LINE}(w.x + b) + 0.0000"]),
        ("complement", {}, "linear view", [f"{LINE}(w.x + b) + 0.0000"]),
        (
            *("poisson", {}, "formula"),
            [f"{LINE}s + 0.0000", "s = b + sum of [k w - n (r_spam - r_ham)]"],
        ),
        (
            *("less-naive", {"ngrams": 2}, "formula"),
            [f"{LINE}s + 0.0000", "s = b + sum of [log P(w|h, spam) - log P(w|h, ham)]"],
        ),
    ],
)
def test_equations(name: str, settings: dict[str, Any], title: str, equations: list[str]) -> None:
    assert text(model(name, **settings))[:2] == (title, equations)


def test_a_bent_calibration_is_not_called_linear() -> None:
    bent = replace(model("binary"), calibration=Beta(0.8, 0.2, 0.6, 1.4, -0.1))
    assert text(bent)[:2] == (
        "formula",
        [
            "log-odds(spam against ham) = 1.4000 * log(1 + e^z) - 0.6000 * log(1 + e^-z) - 0.1000",
            "z = 0.8000 * s + 0.2000",
            "s = w.x + b",
        ],
    )


def test_three_classes() -> None:
    three = replace(model("binary", ["spam", "news", "ham", "ham"]), calibration=Temperature(0.5))
    assert text(three) == FormulaText(
        "formula",
        [
            "P(c|message) = e^f(c) / the sum of that over all classes",
            "f(c) = 0.5000 * score(c)",
            "score(c) = b(c) + sum of x log P(w|c)",
        ],
        [
            ("b(c)", "ham -0.6931, news -1.3863, spam -1.3863: log P(c)"),
            ("x", "1 for a token that the message has"),
            ("P(w|c)", "(in + 1) / N, where N is 4 for ham, 3 for news, 3 for spam"),
            ("in", "messages with the token"),
        ],
    )


def test_a_base_model_has_a_formula_of_its_own() -> None:
    base = replace(model("multinomial", damping=1.0), calibration=Platt(2.0, -0.5))
    own, other = formula_texts(formula_of(replace(base, base=BaseModel.of("office", base, 0.3))))
    assert own.equations == [
        "log-odds(spam against ham) = 2.0000 * s - 0.5000",
        "s = (w.x + b) / m^1 + 0.3 * base",
    ]
    assert (own.title, other.title) == ("linear view", "linear view of the base model")
    assert other.equations == ["log-odds(spam against ham) = 2.0000 * (w.x + b) / m^1 - 0.5000"]
    assert dict(other.legend)["w"] == 'the column "base model": log P(w|spam) - log P(w|ham)'


def test_the_meaning_of_numbers() -> None:
    legends = {
        name: dict(text(model(name, class_weights=(("spam", 3.0),))).legend)
        for name in ("complement", "poisson", "bernoulli")
    }
    assert legends["complement"]["in"] == "occurrences of the token, in spam times 3"
    assert legends["complement"]["P(w|not c)"] == (
        "(sum of the other classes + 1) / N, where N is 21 for ham, 11 for spam"
    )
    assert legends["poisson"]["r"] == "(in + 1) / N, where N is 7 for ham, 17 for spam"
    assert legends["complement"]["b"] == "+0.0000: this scorer uses no prior"
    assert legends["poisson"]["w"] == 'the column "weight": log(r_spam / r_ham)'
    assert legends["poisson"]["n"] == "number of tokens of the message, known or not"
    assert legends["bernoulli"]["w"] == (
        'the column "weight": log P/(1 - P) for spam - log P/(1 - P) for ham'
    )
    assert legends["bernoulli"]["b"].endswith("as if all tokens were absent")


def test_every_form_has_words() -> None:
    assert list(FORM_WORDS) == list(Form), "add the form to spamnb/report/form_words.py, in the same order"


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("multinomial", ["P(w|ham)", "P(w|spam)"]),
        ("complement", ["P(w|not ham)", "P(w|not spam)"]),
        ("poisson", ["rate in ham", "rate in spam"]),
    ],
)
def test_headings(name: str, headings: list[str]) -> None:
    assert probability_headings(formula_of(model(name))) == headings

"""Names the words in which the formula of each form of score is written."""

from __future__ import annotations

from typing import NamedTuple

from spamnb.scorers import Form


class FormWords(NamedTuple):
    """A form in words; {0} is the positive class of two, {1} the other one."""

    estimate: str  # what the scorer estimates of token w in class c
    heading: str  # of the column with it for class {0}
    score: str  # of a class c
    difference: str  # of the scores of two classes
    weight: str  # of token w, for the first class against the second


_SUM = FormWords("P(w|c)", "P(w|{0})", "b(c) + sum of x log P(w|c)", "w.x + b", "log P(w|{0}) - log P(w|{1})")
FORM_WORDS = {
    Form.SUM: _SUM,
    Form.COMPLEMENT: FormWords(
        "P(w|not c)",
        "P(w|not {0})",
        "- sum of x log P(w|not c)",
        "w.x + b",
        "log P(w|not {1}) - log P(w|not {0})",
    ),
    Form.PRESENCE: _SUM._replace(
        score="b(c) + sum of x [log P(w|c) - log(1 - P(w|c))]",
        weight="log P/(1 - P) for {0} - log P/(1 - P) for {1}",
    ),
    Form.RATES: FormWords(
        "r",
        "rate in {0}",
        "b(c) + sum of [k log(r n) - r n - log k!]",
        "b + sum of [k w - n (r_{0} - r_{1})]",
        "log(r_{0} / r_{1})",
    ),
    Form.CHAIN: _SUM._replace(
        score="b(c) + sum of log P(w|h, c)",
        difference="b + sum of [log P(w|h, {0}) - log P(w|h, {1})]",
    ),
}


def form_words(form: str) -> FormWords:
    """Returns the words of a form; each form has its own, or a table would show a wrong formula."""
    return FORM_WORDS[Form(form)]

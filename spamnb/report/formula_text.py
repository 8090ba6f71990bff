"""Writes the formula of a model in plain words: the log-odds, and what each letter means."""

from __future__ import annotations

from typing import NamedTuple

from spamnb.model import Formula, linear_view
from spamnb.report.form_words import form_words

Legend = list[tuple[str, str]]  # letter, meaning


class FormulaText(NamedTuple):
    """The formula of a model, or of its base model: title, equations, and the meaning of each letter."""

    title: str
    equations: list[str]
    legend: Legend


def formula_texts(formula: Formula, column: str = "weight") -> list[FormulaText]:
    """Describes a formula and that of the base model; `column` is the heading of the weights in tables."""
    title = "linear view" if linear_view(formula) is not None else "formula"
    if column != "weight":
        title = f"{title} of the base model"
    if len(formula.classes) != 2:
        return [FormulaText(title, _class_equations(formula), _legend(formula, column))]
    described = FormulaText(title, _pair_equations(formula), _legend(formula, column))
    return [
        described,
        *(formula_texts(formula.base.formula, "base model") if formula.base is not None else []),
    ]


def probability_headings(formula: Formula) -> list[str]:
    """Names the numbers that a scorer estimates of tokens, for each class.

    They are rates for poisson, and for complement the probabilities in all other classes together.
    """
    return [form_words(formula.form).heading.format(label) for label in formula.classes]


def _sides(formula: Formula) -> tuple[str, str]:
    plus = formula.classes.index(formula.positive)
    return formula.classes[plus], formula.classes[1 - plus]


def _pair_equations(formula: Formula) -> list[str]:
    plus, minus = _sides(formula)
    short = linear_view(formula) is not None and formula.base is None
    score = _score(formula)
    return [
        *_calibration(formula, f"log-odds({plus} against {minus})", score if short else "s"),
        *([] if short else [f"s = {score}"]),
    ]


def _calibration(formula: Formula, result: str, score: str) -> list[str]:
    """Writes how the calibration makes a result of a score: by a line or a curve, on two classes or more."""
    fit = formula.calibration
    if fit["kind"] == "temperature":
        return [f"{result} = {fit['scale']:.4f} * {score}"]
    offset = fit["offset"] + fit["slope"] * (formula.constants.correction_bias or 0.0)
    line = f"{fit['slope']:.4f} * {score} {_signed(offset)}"
    if fit["kind"] == "platt":
        return [f"{result} = {line}"]
    curve = f"{fit['b']:.4f} * log(1 + e^z) - {fit['a']:.4f} * log(1 + e^-z) {_signed(fit['c'])}"
    return [f"{result} = {curve}", f"z = {line}"]


def _signed(x: float) -> str:
    return f"{'-' if x < 0 else '+'} {abs(x):.4f}"


def _score(formula: Formula) -> str:
    plus, minus = _sides(formula)
    terms = form_words(formula.form).difference.format(plus, minus)
    is_linear = linear_view(formula) is not None
    score = _damped(formula, terms if formula.estimate.vocabulary else "b", always=is_linear)
    if formula.base is None:
        return score
    own = f"share * ({score})" if formula.base.by_share else score
    return f"{own} + {formula.base.weight:g} * base"


def _damped(formula: Formula, terms: str, always: bool = False) -> str:
    """Adds columns and damping to the terms of the text; brackets with damping or `always`."""
    terms += " + columns" if formula.sum.columns else ""
    divisor = f" / m^{formula.sum.damping:g}" if formula.sum.damping else ""
    return f"({terms}){divisor}" if divisor or always else terms


def _class_equations(formula: Formula) -> list[str]:
    terms = form_words(formula.form).score if formula.estimate.vocabulary else "b(c)"
    return [
        "P(c|message) = e^f(c) / the sum of that over all classes",
        *_calibration(formula, "f(c)", "score(c)"),
        f"score(c) = {_damped(formula, terms)}",
    ]


def _legend(formula: Formula, column: str) -> Legend:
    rows = [*_bias_rows(formula), *(_token_rows(formula, column) if formula.estimate.vocabulary else [])]
    if formula.sum.max_evidence and len(formula.classes) == 2:
        least = f"{formula.sum.max_evidence:,} times the lowest w"
        rows.append(("", f"the terms with w below 0 are scaled so that their sum is at least {least}"))
    if formula.sum.columns:
        rows.append(("columns", _column_meaning(formula)))
    if formula.sum.damping:
        columns = " and columns" * formula.sum.columns
        scaled = "; scaled ones count that much less" if formula.sum.max_evidence else ""
        rows.append(
            ("m", f"number of distinct known tokens{columns} in the message, shapes included{scaled}")
        )
    if formula.base is not None:
        rows.append(("base", "log-odds by the base model"))
        if formula.base.by_share:
            rows.append(("share", "the known tokens of a message that your messages have, as a share"))
    if not formula.estimate.vocabulary:
        return rows
    return [*rows, *_estimate_rows(formula), ("in", _count_meaning(formula))]


def _bias_rows(formula: Formula) -> Legend:
    absent = "; and log(1 - P(w|c)) of all tokens" if formula.form == "presence" else ""
    if len(formula.classes) != 2:
        by_class = zip(formula.classes, formula.constants.bias, strict=True)
        biases = ", ".join(f"{c} {b:+.4f}" for c, b in by_class)
        return [] if formula.form == "complement" else [("b(c)", f"{biases}: log P(c){absent}")]
    (plus, minus), at = _sides(formula), formula.classes.index(formula.positive)
    b, prior = (bias[at] - bias[1 - at] for bias in (formula.constants.bias, formula.constants.log_prior))
    if formula.form == "complement":
        return [("b", f"{b:+.4f}: this scorer uses no prior")]
    text = f"log P({plus}) - log P({minus})"
    if formula.form == "presence":
        return [("b", f"{b:+.4f}: {prior:+.4f}, {text}, and {b - prior:+.4f} as if all tokens were absent")]
    return [("b", f"{b:+.4f}: {text}")]


def _token_rows(formula: Formula, column: str) -> Legend:
    if formula.form == "chain":
        return _chain_rows(formula)
    x = "1 for a token that the message has" if formula.sum.once else "how often the message has the token"
    if formula.form == "rates":
        rates = [] if len(formula.classes) != 2 else [("w", _weight_meaning(formula, column))]
        return [*rates, ("k", x), ("n", "number of tokens of the message, known or not")]
    return [*([] if len(formula.classes) != 2 else [("w", _weight_meaning(formula, column))]), ("x", x)]


def _weight_meaning(formula: Formula, column: str) -> str:
    plus, minus = _sides(formula)
    ratio = form_words(formula.form).weight.format(plus, minus)
    correction = ", plus the correction" if formula.constants.correction_bias is not None else ""
    limit = f", at least {-formula.sum.max_token_weight:g}" if formula.sum.max_token_weight else ""
    return f'the column "{column}": {ratio}{correction}{limit}'


def _chain_rows(formula: Formula) -> Legend:
    s, order = f"{formula.sum.back_off:g}", formula.sum.order
    before = {0: "no words: the order is 0", 1: "the word before w"}
    return [
        ("h", before.get(order or 0, f"the {order} words before w; fewer at the start of a message")),
        ("P(w|h, c)", f'(N(h w) + {s} P(w|h\', c)) / (N(h) + {s}); `spamnb inspect "h w"` shows it'),
        ("h'", "h without its first word, down to P(w|c), which the tables show"),
        ("N(..)", "occurrences in class c"),
    ]


def _column_meaning(formula: Formula) -> str:
    if len(formula.classes) != 2:
        return "log P(value|c) of each column, or the log of its normal density"
    plus, minus = _sides(formula)
    return f"log P(value|{plus}) - log P(value|{minus}) of each column, for numbers of their normal densities"


def counts_text(formula: Formula) -> str:
    """Describes the counts of tokens that the tables show."""
    in_messages = formula.estimate.counted == "messages"
    return "messages with the token" if in_messages else "occurrences of the token"


def _count_meaning(formula: Formula) -> str:
    weights = zip(formula.classes, formula.estimate.class_weights, strict=True)
    changed = " and ".join(f"in {c} times {weight:.4g}" for c, weight in weights if weight != 1)
    return f"{counts_text(formula)}{', ' * bool(changed)}{changed}"


def _estimate_rows(formula: Formula) -> Legend:
    """Describes how probabilities, or rates, come from the counts."""
    estimate = formula.estimate
    if estimate.below is None or estimate.added is None or estimate.added_to_ngrams is None:
        return []
    name = form_words(formula.form).estimate
    others = "sum of the other classes" if formula.form == "complement" else "in"
    added, more = f"{estimate.added:g}", f"{estimate.added_to_ngrams:g}"
    ngrams = f" (n-grams {more})" if more != added else ""
    below = ", ".join(f"{x:,.8g} for {c}" for c, x in zip(formula.classes, estimate.below, strict=True))
    return [(name, f"({others} + {added}{ngrams}) / N, where N is {below}")]

"""Recomputes the log-odds of a message by plain arithmetic, from nothing but the numbers that are shown.

It shares no code with the scorers, so that equal results mean that the shown numbers are those of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, isfinite, isnan, lgamma, log, log1p
from typing import NamedTuple

from spamnb.model.calibration import LIMIT
from spamnb.model.recomputed_columns import Scores, Shown, column_terms, log_or_inf
from spamnb.scorers import HUGE, NEUTRAL


class Recomputed(NamedTuple):
    """The log-odds of the positive class of two, and the probability of every class."""

    log_odds: float | None
    probabilities: dict[str, float]


def recompute(numbers: Shown) -> Recomputed:
    """Computes log-odds and probabilities from the result of `numbers_of`, or that read from JSON."""
    formula = numbers["formula"]
    classes = formula["classes"]
    tokens = numbers["tokens"]
    columns = column_terms(numbers, len(classes))
    scores = [
        sum(each) for each in zip(formula["bias"], *_text_terms(numbers, tokens), *columns, strict=True)
    ]
    scores = _comparable(scores, formula["log_prior"])
    shares = _shares_of_tokens(tokens, formula)
    scale = max(sum(shares), 1) ** -formula["damping"] * numbers.get("share", 1.0)
    if len(classes) != 2:
        return Recomputed(None, dict(zip(classes, _shares(scores, scale, formula), strict=True)))
    plus = classes.index(formula["positive"])
    raw = _difference(scores[plus], scores[1 - plus]) * scale
    changes = (_change(row, share, formula) for row, share in zip(tokens, shares, strict=True))
    raw += sum(changes) * scale
    raw += formula["correction_bias"] or 0.0
    if "base" in numbers:
        base = recompute(numbers["base"]).log_odds
        raw += formula["base_weight"] * (base or 0.0)
    log_odds = min(max(_calibrated(raw, formula["calibration"]), -LIMIT), LIMIT)
    p = _sigmoid(log_odds)
    return Recomputed(log_odds, {classes[plus]: p, classes[1 - plus]: 1 - p})


def _shares_of_tokens(rows: Sequence[Shown], formula: Shown) -> list[float]:
    """Returns how much of each token counts; the tokens against the positive class may have a limit."""
    if not formula["max_evidence"]:
        return [1.0] * len(rows)
    weights = [_weight(row, formula) for row in rows]
    is_against = [isfinite(weight) and weight < -NEUTRAL for weight in weights]
    against = [(weight, row) for weight, row, one in zip(weights, rows, is_against, strict=True) if one]
    evidence = -sum(weight * _times(row, formula) for weight, row in against)
    most = -formula["max_evidence"] * min((weight for weight, _ in against), default=0.0)
    share = most / evidence if evidence > most else 1.0
    return [share if one else 1.0 for one in is_against]


def _change(row: Shown, share: float, formula: Shown) -> float:
    """Returns what correction and limits add to a token's evidence for the positive class of two."""
    change = _added(row, formula) * _times(row, formula)
    if share != 1.0:
        change -= (1.0 - share) * _weight(row, formula) * _times(row, formula)
    return change


def _weight(row: Shown, formula: Shown) -> float:
    """Returns a token's weight for the positive class of two, with its correction and the limit on it."""
    return _bayes_weight(row, formula) + _added(row, formula)


def _bayes_weight(row: Shown, formula: Shown) -> float:
    log_p, plus = _log_p(row), formula["classes"].index(formula["positive"])
    return _difference(log_p[plus], log_p[1 - plus])


def _added(row: Shown, formula: Shown) -> float:
    """Returns what correction and limit add to a token's weight for the positive class of two."""
    added, limit = row["correction"] or 0.0, formula["max_token_weight"]
    if not limit or not isfinite(_bayes_weight(row, formula)):
        return float(added)
    return float(max(added, -limit - _bayes_weight(row, formula)))


def _times(row: Shown, formula: Shown) -> int:
    return 1 if formula["once"] else int(row["times"])


def _log_p(row: Shown) -> Scores:
    """Returns log P(i|c) of each class."""
    return [log_or_inf(p) for p in row["probabilities"]]


def _text_terms(numbers: Shown, tokens: Sequence[Shown]) -> list[Scores]:
    """Returns what each token, or each word in its order, adds to the score of each class."""
    formula, n = numbers["formula"], numbers["length"]
    if formula["form"] == "chain":
        return _chain(numbers)
    terms = []
    for row in tokens:
        k, log_p = _times(row, formula), _log_p(row)
        if formula["form"] == "complement":
            terms.append([-k * x for x in log_p])
        elif formula["form"] == "presence":
            terms.append([x - max(log_or_inf(1 - exp(x)), -HUGE) for x in log_p])
        elif formula["form"] == "rates":
            terms.append([k * (x + log(n)) - exp(x) * n - lgamma(k + 1) for x in log_p])
        else:
            terms.append([k * x for x in log_p])
    return terms


def _chain(numbers: Shown) -> list[Scores]:
    """Returns log P(w_j | the words before it, c): N(h w) + s P(w|h') over N(h) + s, from short h to long."""
    formula, words = numbers["formula"], numbers["words"]
    rows = {row["token"]: row for row in numbers["tokens"]}
    s, classes = formula["back_off"], range(len(formula["classes"]))

    def count(some: Sequence[str | None], c: int) -> float:
        row = None if None in some else rows.get(" ".join(filter(None, some)))
        return 0.0 if row is None else row["occurrences"][c] * formula["class_weights"][c]

    terms = []
    for j, word in enumerate(words):
        if word is None:
            continue
        p = list(rows[word]["probabilities"])
        for m in range(1, min(formula["order"], j) + 1):
            h, hw = words[j - m : j], words[j - m : j + 1]
            p = [(count(hw, c) + s * p[c]) / (count(h, c) + s) for c in classes]
        terms.append([log_or_inf(x) for x in p])
    return terms


def _calibrated(raw: float, fit: Shown) -> float:
    if fit["kind"] == "temperature":
        return float(raw * fit["scale"])
    z = raw * fit["slope"] + fit["offset"]
    if fit["kind"] == "beta":
        z = fit["b"] * _softplus(z) - fit["a"] * _softplus(-z) + fit["c"]
    return float(z)


def _shares(scores: Scores, scale: float, formula: Shown) -> list[float]:
    """Returns the probabilities of classes from their scores."""
    damped = [_calibrated(score * scale, formula["calibration"]) for score in scores]
    top = max(damped)
    shares = [exp(x - top) for x in damped]
    return [share / sum(shares) for share in shares]


def _comparable(scores: Scores, log_prior: Scores) -> Scores:
    """Returns the scores, or the log prior where every class is impossible, or several are certain."""
    top = max(scores)
    if isfinite(top):
        return scores
    return [prior if score == top else -inf for score, prior in zip(scores, log_prior, strict=True)]


def _difference(plus: float, minus: float) -> float:
    """Returns the difference of two log scores; 0 if both classes are impossible."""
    difference = plus - minus
    return 0.0 if isnan(difference) else difference


def _softplus(z: float) -> float:
    """Computes log(1 + e^z) without overflow."""
    return max(z, 0.0) + log1p(exp(-abs(z)))


def _sigmoid(z: float) -> float:
    return 1 / (1 + exp(-z)) if z >= 0 else exp(z) / (1 + exp(z))

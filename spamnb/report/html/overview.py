"""The beginning of a page: what was measured, in plain words and a few large figures."""

from __future__ import annotations

from spamnb.evaluation import EvaluationSummary
from spamnb.metrics import MultiScores, Scores, wilson_interval
from spamnb.report.html.markup import Html, h, join
from spamnb.report.html.numbers import count, messages, number, odds, percent, share


def overview(found: EvaluationSummary) -> Html:
    """Title, summary, tiles."""
    scores = found.scores
    words = _two(found, scores) if isinstance(scores, Scores) else _many(scores)
    tiles = _two_tiles(found, scores) if isinstance(scores, Scores) else _many_tiles(scores)
    return h(
        "section",
        h("h2", "In plain words", id="words"),
        h("ul", join([h("li", line) for line in words]), class_="plain"),
        h("div", join(tiles), class_="tiles"),
        aria_labelledby="words",
    )


def _two(found: EvaluationSummary, scores: Scores) -> list[Html]:
    spam, ham = found.positive, found.negative
    lines = [_caught(scores, spam), _lost(scores, spam, ham)]
    called = scores.true_positives + scores.false_positives
    if called:
        right = h("b", share(scores.true_positives, called))
        lines.append(
            join([f"Of the {messages(called)} called {spam}, ", right, f" really {_are(called)} {spam}."])
        )
    if scores.unsure:
        line = f"{messages(scores.unsure)} {_were(scores.unsure)} left unsure; they count as called {ham}."
        lines.append(join([line]))
    if not scores.false_positives and not scores.false_negatives:
        lines.append(h("b", "Not one message was judged wrongly."))
    return lines


def _caught(scores: Scores, spam: str) -> Html:
    if not scores.spam:
        return join([f"There was no {spam} among these messages, so nothing can be said about catching it."])
    part = h("b", f"{count(scores.true_positives)} of {count(scores.spam)}")
    return join([part, f" {spam} messages were caught: {_plausible(scores.true_positives, scores.spam)}."])


def _lost(scores: Scores, spam: str, ham: str) -> Html:
    if not scores.ham:
        return join([f"There was no {ham} among these messages, so nothing can be said about losing it."])
    part = h("b", f"{count(scores.false_positives)} of {count(scores.ham)}")
    said = _plausible(scores.false_positives, scores.ham)
    about = odds(scores.false_positives, scores.ham)
    return join(
        [part, f" {ham} messages were wrongly called {spam}: {said}{', about ' + about if about else ''}."]
    )


def _plausible(part: int, whole: int) -> str:
    low, high = wilson_interval(part, whole)
    return f"{share(part, whole)}, plausibly {100 * low:.1f} to {100 * high:.1f}%"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _were(n: int) -> str:
    return "was" if n == 1 else "were"


def _many(scores: MultiScores) -> list[Html]:
    right = sum(row[i] for i, row in enumerate(scores.confusion))
    part = h("b", f"{count(right)} of {count(scores.messages)}")
    lines = [join([part, f" messages were put into the right class: {_plausible(right, scores.messages)}."])]
    seen = [c for c in scores.classes if c.support]
    if seen:
        worst = min(seen, key=lambda c: c.recall)
        line = f"Hardest to recognise was {worst.label}: {percent(worst.recall)} of its "
        lines.append(join([line + f"{messages(worst.support)} {_were(worst.support)} found."]))
    if scores.unsure:
        lines.append(
            join(
                [f"{messages(scores.unsure)} held nothing that is known and count as their likeliest class."]
            )
        )
    if right == scores.messages:
        lines.append(h("b", "Not one message was judged wrongly."))
    return lines


def _tile(value: str, *meaning: str) -> Html:
    return h("div", h("b", value), h("span", *meaning), class_="tile")


def _two_tiles(found: EvaluationSummary, scores: Scores) -> list[Html]:
    spam, ham = found.positive, found.negative
    return [
        _tile(share(scores.true_positives, scores.spam), f"of {spam} caught (recall)"),
        _tile(share(scores.false_positives, scores.ham), f"of {ham} called {spam}"),
        _tile(percent(scores.precision), f"of what is called {spam} is so (precision)"),
        _tile(number(scores.roc_auc), "ROC AUC: 1 is perfect, 0.5 is guessing"),
    ]


def _many_tiles(scores: MultiScores) -> list[Html]:
    return [
        _tile(percent(scores.accuracy), "of all messages are right"),
        _tile(number(scores.macro_f1), "F1, mean over the classes"),
        _tile(count(len(scores.classes)), "classes"),
    ]

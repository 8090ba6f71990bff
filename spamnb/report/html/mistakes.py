"""The worst mistakes on a page: the message, made harmless, and what misled the model."""

from __future__ import annotations

from collections.abc import Sequence

from spamnb.evaluation import EvaluationSummary, Mistake
from spamnb.metrics import Scores
from spamnb.model import Explanation
from spamnb.report.html.markup import Html, h, join
from spamnb.report.html.numbers import log_odds, messages, probability

LONGEST = 500  # characters that are shown
PARTS = 7


def mistakes(found: EvaluationSummary) -> Html | None:
    """By kind for two classes, in one list for more."""
    if found.mistakes is None:
        return None
    if not found.wrong:
        body: list[Html] = [h("p", "There were no mistakes on these messages.")]
    elif len(found.labels) > 2:
        body = [h("p", _about(found, found.mistakes)), *(_card(m, found) for m in found.mistakes)]
    else:
        body = [*_kind(found, False), *_kind(found, True)]
    return h("section", h("h2", "The worst mistakes", id="worst"), join(body), aria_labelledby="worst")


def _kind(found: EvaluationSummary, positive: bool) -> list[Html]:
    assert found.mistakes is not None
    assert isinstance(found.scores, Scores)
    own = [m for m in found.mistakes if (m.truth == found.positive) == positive]
    if not own:
        return []
    spam, ham = found.positive, found.negative
    title = f"{spam} that was let through" if positive else f"{ham} that was called {spam}"
    wrong = found.scores.false_negatives if positive else found.scores.false_positives
    some = f" {wrong:,}" if wrong == len(own) else f" {wrong:,}, the worst {len(own)} are shown"
    heading = h("h3", title[:1].upper() + title[1:], h("small", some))
    return [heading, *(_card(m, found) for m in own)]


def _about(found: EvaluationSummary, shown: Sequence[Mistake]) -> str:
    return f"{messages(found.wrong)} judged wrongly; the {len(shown)} worst are shown."


def _card(mistake: Mistake, found: EvaluationSummary) -> Html:
    head = [h("b", f"{mistake.truth}, called {mistake.said}")]
    if mistake.probability == mistake.probability:
        of = found.positive if len(found.labels) == 2 else mistake.said
        head.append(h("span", f"P({of}) = {probability(mistake.probability)}"))
    if mistake.place:
        head.append(h("span", mistake.place, class_="muted"))
    return h(
        "article",
        h("header", join(head)),
        _message(mistake),
        None if mistake.told is None else _told(mistake.told),
        class_="mistake",
    )


def _message(mistake: Mistake) -> Html:
    given = mistake.text.replace("\r\n", "\n").strip("\n")
    shown = given[:LONGEST]
    rest = len(given) - len(shown)
    subject = join([h("b", mistake.subject), h("br")]) if mistake.subject else ""
    more = h("span", f" … {rest:,} more characters", class_="muted") if rest else ""
    empty = h("span", "(no text)", class_="muted") if not shown and not mistake.subject else ""
    return h("p", subject, shown, empty, more, class_="message", dir="auto")


def _told(told: Explanation) -> Html:
    """The strongest parts; with the others they sum to the log-odds."""
    shown, weaker = told.parts[:PARTS], told.parts[PARTS:]
    chips = [_chip(part.token, part.log_odds) for part in shown]
    if weaker:
        chips.append(_chip(f"{len(weaker)} weaker", sum(p.log_odds for p in weaker), plain=True))
    chips.append(_chip("prior and calibration", told.bias, plain=True))
    chips.append(_chip(f"sum, for {told.label} against {told.other}", told.log_odds, plain=True))
    return h("ul", join(chips), class_="chips", aria_label="What spoke for and against")


def _chip(name: str, value: float, plain: bool = False) -> Html:
    side = "pro" if value > 0 else "con" if value < 0 else None
    words = name if plain else h("span", name, class_="token")
    return h("li", words, " ", h("b", log_odds(value)), class_=side)

"""The page of an evaluation: whole, harmless whatever the messages say, small whatever their number."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from markupsafe import escape

from spamnb.evaluation.mistakes import Mistake
from spamnb.evaluation.report_data import ScoredLabels, make_panels
from spamnb.evaluation.summary import EvaluationSummary
from spamnb.metrics import Scores, evaluate_binary, evaluate_multi
from spamnb.model.evidence import Basis, Evidence
from spamnb.model.explanation import Explanation
from spamnb.model.spam_class import Classes
from spamnb.report.html import threshold_data
from spamnb.report.html.page import read_resource, render_page, show_hidden
from spamnb.report.plots.palette import PAGE_DARK, PAGE_LIGHT

HOSTILE = (
    "</p><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnp.exe\x1b[2J\0 & \"quotes\" 'n' all"
)
VOID = {"meta", "input", "br", "hr", "img"}


class Reader(HTMLParser):
    """Checks that elements nest, and collects names, attributes, ids and text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["script"], ["style"]):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def values(self, name: str) -> list[str]:
        return [value or "" for key, value in self.attributes if key == name]


HAM_SPAM = Classes(("ham", "spam"), "spam")


def told(token: str) -> Explanation:
    evidence = tuple(Evidence(f"{token}{i}", 1, 0.5 - i, (1, 2)) for i in range(9))
    return Explanation("spam", "ham", 2.0, 0.88, "spam", 0.1, evidence, Basis(("ham", "spam"), -3.0, 9, 2))


def two(size: int = 60, label: str = "spam", word: str = "win", spam_share: float = 0.4) -> EvaluationSummary:
    rng = np.random.default_rng(5)
    truth = rng.random(size) < spam_share
    rank = rng.normal(np.where(truth, 1.5, -1.5), 1.2)
    called = rank >= 0
    scores = evaluate_binary(truth, 1 / (1 + np.exp(-rank)), called, None, scores=rank)
    mistakes = [
        Mistake("ham", label, 0.91, 2.3, f"{word} now", source="line 3", explanation=told(word)),
        Mistake(label, "unsure", 0.01, 4.0, f"{word} later\nsecond line", subject=word),
    ]
    shown = make_panels(ScoredLabels(truth, called, rank, True, np.zeros(size, bool), 0.0))
    classes = Classes(("ham", label), label)
    return EvaluationSummary(
        f"model on {word}", scores, classes, (word,), ((word, word),), shown, {}, mistakes
    )


def data_of(source: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="sweep">(.*?)</script>', source)
    assert match is not None
    result: dict[str, Any] = json.loads(match[1])
    return result


def test_a_page_is_well_formed_and_has_all_parts() -> None:
    page = Reader(render_page(two()))
    for title in (
        *("Summary", "Try another threshold", "ROC curve", "Precision-recall curve"),
        *("Score distribution", "Calibration", "All metrics", "Worst mistakes"),
        "About the data",
    ):
        assert title in page.text, title
    assert "spam classified as unsure" in page.text
    assert "line 3" in page.text
    ids = page.values("id")
    assert len(ids) == len(set(ids))


def test_figures_on_the_page_are_those_of_the_metrics() -> None:
    scored = two()
    assert isinstance(scored.scores, Scores)
    source = render_page(scored)
    for name, value in (
        ("n-tp", scored.scores.true_positives),
        ("n-fp", scored.scores.false_positives),
        ("n-fn", scored.scores.false_negatives),
        ("n-tn", scored.scores.true_negatives),
    ):
        assert f'id="{name}">{value}<' in source
    assert f'id="v-recall" class="n">{scored.scores.recall:.2%}<' in source
    assert f'id="v-f1" class="n">{scored.scores.f1:.4f}<' in source
    row = data_of(source)
    at = row["rows"][row["at"]]
    assert at[:3] == ["50.0%", scored.scores.true_positives, scored.scores.false_positives]


def test_nothing_is_fetched_and_only_one_script_may_run() -> None:
    source = render_page(two())
    page = Reader(source)
    assert not {"img", "link", "iframe", "object", "embed", "base", "form"} & set(page.names)
    assert not [
        name for name, _ in page.attributes if name in ("src", "href", "action") or name.startswith("on")
    ]
    assert "http" not in source.replace("http-equiv", "")
    policy = next(value for value in page.values("content") if "default-src" in value)
    script = read_resource("report.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert f"<script>{script}</script>" in source


def test_hostile_content_is_shown_not_run() -> None:
    harmless, hostile = Reader(render_page(two())), Reader(render_page(two(label=HOSTILE, word=HOSTILE)))
    assert hostile.names.count("script") == harmless.names.count("script") == 2
    assert "img" not in hostile.names
    assert {name for name, _ in hostile.attributes} == {name for name, _ in harmless.attributes}
    source = render_page(two(label=HOSTILE, word=HOSTILE))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", source)
    assert "\\u202e" in hostile.text
    assert "\\x1b" in hostile.text
    assert "<script>alert(1)</script>" in hostile.text


@given(st.text(max_size=40))
def test_any_text_survives_as_text(message: str) -> None:
    source = escape(show_hidden(message))
    assert "<script" not in source.lower()
    page = Reader(f"<p>{source}</p>")
    assert set(page.names) <= {"p", "span", "br"}
    if message.isprintable():
        assert "".join(page.words) == message


def test_hidden_characters_are_shown_and_line_ends_kept() -> None:
    assert show_hidden("a\nb") == 'a<span class="escaped">↵</span><br>b'
    assert show_hidden("<b>\x1b") == '&lt;b&gt;<span class="escaped">\\x1b</span>'


def test_a_title_and_attributes_hold_no_elements() -> None:
    source = render_page(two(label=HOSTILE, word=HOSTILE))
    title = source.partition("<title>")[2].partition("</title>")[0]
    assert "span" not in title
    assert "\\u202egnp.exe" in title
    assert not re.search('="[^"]*[<>]', source.partition("<body>")[2].partition("<script>")[0])


def test_the_data_of_the_slider_cannot_end_its_element(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "</script><script>alert(1)</script><!-- & ' \u2028"
    monkeypatch.setattr(threshold_data, "threshold_label", lambda *_: hostile)
    source = render_page(two())
    assert {row[0] for row in data_of(source)["rows"]} == {hostile}
    assert Reader(source).names.count("script") == 2


def test_a_page_is_small_for_many_messages() -> None:
    small, large = len(render_page(two(60))), len(render_page(two(300_000)))
    assert large < 150_000
    assert large < 3 * small


def test_the_cheapest_threshold_has_all_its_digits_and_the_slider_has_it() -> None:
    p = np.array([0.001, 0.3174, 0.3195, 0.999])
    truth = np.array([False, False, True, True])
    rank = np.log(p / (1 - p))
    scores = evaluate_binary(truth, p, rank > 0)
    shown = make_panels(ScoredLabels(truth, rank > 0, rank, True, np.zeros(4, bool), 0.0))
    source = render_page(EvaluationSummary("x", scores, HAM_SPAM, panels=shown, mistakes=[]))
    assert "On this data the cost is lowest at 31.8%;" in Reader(source).text
    assert [row[1:3] for row in data_of(source)["rows"] if row[0] == "31.8%"] == [[2, 0]]


def test_one_class_only() -> None:
    for share in (0.0, 1.1):
        page = Reader(render_page(two(spam_share=share)))
        assert "ROC curve" not in page.text
        assert re.search("There is no (spam|ham) in this data, so .* is undefined", page.text)
        assert "nan" not in page.text.lower()


def test_no_mistakes() -> None:
    truth = np.array([True, False])
    rank = np.array([3.0, -3.0])
    scores = evaluate_binary(truth, 1 / (1 + np.exp(-rank)), rank > 0)
    shown = make_panels(ScoredLabels(truth, rank > 0, rank, True, np.zeros(2, bool), 0.0))
    page = Reader(render_page(EvaluationSummary("x", scores, HAM_SPAM, panels=shown, mistakes=[])))
    assert "All messages were classified correctly." in page.text
    assert "There are no mistakes on this data." in page.text


def test_several_classes() -> None:
    labels = ("ads", "home", "work")
    truth, predicted = [0, 0, 1, 2, 2], [0, 1, 1, 2, 2]
    scores = evaluate_multi(truth, predicted, np.eye(3)[predicted] * 0.7 + 0.1, labels)
    mistakes = [Mistake("ads", "home", 0.6, 1.0, "milk sale")]
    page = Reader(render_page(EvaluationSummary("x", scores, Classes(labels, "spam"), mistakes=mistakes)))
    for words in (
        "A row is an actual class",
        "Metrics by class",
        "The class with the lowest recall is ads: 50.00% of its 2 messages.",
    ):
        assert words in page.text
    assert "threshold" not in page.text.lower()
    assert "P(home) = 60.0%" in page.text


def test_stored_figures_only() -> None:
    scored = two()
    page = Reader(render_page(EvaluationSummary("x", scored.scores, HAM_SPAM)))
    assert "Confusion matrix" in page.text
    assert "ROC curve" not in page.text
    assert "Worst mistakes" not in page.text


def test_everything_has_a_name_for_who_cannot_see() -> None:
    source = render_page(two())
    page = Reader(source)
    assert source.count('<svg viewBox="') == source.count('role="img" aria-label="') == 5
    assert 'lang="en"' in source
    slider = re.search(r"<input[^>]*>", source)
    assert slider is not None
    assert 'aria-label="Threshold"' in slider[0]
    assert 'aria-valuetext="50.0%"' in slider[0]
    for section in re.findall(r"<section[^>]*>", source):
        name = re.search(r'aria-labelledby="([^"]+)"', section)
        assert name is not None
        assert name[1] in page.values("id")


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("colours", [PAGE_LIGHT, PAGE_DARK], ids=["light", "dark"])
def test_contrast(colours: dict[str, str]) -> None:
    for role in ("text", "muted", "spam", "ham", "cost"):
        for ground in ("ground", "soft") if role != "cost" else ("ground",):
            light, dark = sorted((luminance(colours[role]), luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (role, ground)


def test_the_picture_of_the_readme_is_small() -> None:
    root = Path(__file__).resolve().parents[3]
    assert (root / "docs" / "report.png").stat().st_size < 200_000
    assert (root / "docs" / "page.png").stat().st_size < 200_000
    assert "](docs/report.png)" in (root / "README.md").read_text("utf-8")

"""The page in a real browser: the slider is dragged, clicked and moved by keys; nothing is fetched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, find

from spamnb.evaluation.mistakes import Mistake
from spamnb.evaluation.report_data import ScoredLabels, panels
from spamnb.evaluation.summary import EvaluationSummary
from spamnb.metrics import Confusion, evaluate_binary
from spamnb.report.html.page import page

HOSTILE = "<script>document.title='owned'</script><img src='https://evil.example/x'><b onclick=alert(1)>"
LIVE = ("n-tp", "n-fp", "n-fn", "n-tn", "p-tp", "v-recall", "v-lost", "v-precision", "v-f1", "v-cost", "at")

PROGRAM = find()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium: install it, or name one in SPAMNB_TEST_BROWSER"
)


def findings(spread: float = 1.0) -> EvaluationSummary:
    rng = np.random.default_rng(11)
    truth = rng.random(3000) < 0.35
    rank = spread * rng.normal(np.where(truth, 1.5, -1.5), 1.3)
    called = rank >= 0
    scores = evaluate_binary(truth, 1 / (1 + np.exp(-rank)), called, None, 1.0, 1.0, rank)
    mistakes = [Mistake("ham", "spam", 0.97, 3.5, HOSTILE, place=HOSTILE)]
    shown = panels(ScoredLabels(truth, called, rank, True, np.zeros(3000, bool), 0.0))
    return EvaluationSummary(
        "model on test.csv", scores, ("ham", "spam"), "spam", (HOSTILE,), (), shown, {}, mistakes
    )


@pytest.fixture(scope="module")
def source() -> str:
    return page(findings())


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, source: str) -> Iterator[Browser]:
    yield from opened(tmp_path_factory.mktemp("browser"), source)


def opened(folder: Path, source: str) -> Iterator[Browser]:
    (folder / "report.html").write_text(source, "utf-8")
    assert PROGRAM is not None
    shown = Browser(PROGRAM, folder / "profile")
    try:
        shown.size(1100, 900)
        shown.visit(folder / "report.html")
        yield shown
    finally:
        shown.close()


@pytest.fixture(autouse=True)
def from_the_start(browser: Browser) -> None:
    browser.size(1100, 900)
    browser.scheme("light")
    browser.run("document.getElementById('reset').disabled || document.getElementById('reset').click()")


def live(browser: Browser) -> dict[str, str]:
    names = json.dumps(LIVE)
    found: dict[str, str] = browser.run(
        f"Object.fromEntries({names}.map(n => [n, document.getElementById(n).textContent]))"
    )
    return found


def place(browser: Browser, name: str) -> dict[str, float]:
    found: dict[str, float] = browser.run(
        f"(e => {{ e.scrollIntoView({{block: 'center'}}); return e.getBoundingClientRect().toJSON() }})"
        f"(document.getElementById({name!r}))"
    )
    return found


def rows(source: str) -> dict[str, Any]:
    found = re.search(r'id="sweep">(.*?)</script>', source)
    assert found is not None
    result: dict[str, Any] = json.loads(found[1])
    return result


def expected(source: str, at: int) -> dict[str, str]:
    """What must stand on the page, reckoned by the library."""
    data = rows(source)
    label, tp, fp = data["rows"][at][:3]
    c = Confusion(tp, fp, data["positives"] - tp, data["negatives"] - fp)
    return {
        "at": label,
        "n-tp": f"{c.tp:,}",
        "n-fp": f"{c.fp:,}",
        "n-fn": f"{c.fn:,}",
        "n-tn": f"{c.tn:,}",
        "v-recall": f"{c.recall:.2%}",
        "v-lost": f"{c.false_positive_rate:.2%}",
        "v-precision": f"{c.precision:.2%}",
        "v-f1": f"{c.f1:.4f}",
        "v-cost": f"{(c.fp + c.fn) / (data['positives'] + data['negatives']):.4f}",
    }


def value(browser: Browser) -> int:
    return int(browser.run("document.getElementById('threshold').value"))


def test_dragging_the_slider_moves_everything(browser: Browser, source: str) -> None:
    before = live(browser)
    marks = browser.run("['roc-dot', 'pr-dot'].map(n => document.getElementById(n).getAttribute('cx'))")
    box = place(browser, "threshold")
    y, start = box["y"] + box["height"] / 2, value(browser)
    x = box["x"] + 11 + (box["width"] - 22) * start / 200
    browser.drag((x, y), (x + box["width"] / 5, y))
    assert value(browser) > start + 20
    after = live(browser)
    assert expected(source, value(browser)).items() <= after.items()
    assert before != after
    moved = browser.run("['roc-dot', 'pr-dot'].map(n => document.getElementById(n).getAttribute('cx'))")
    assert all(a != b for a, b in zip(marks, moved, strict=True))
    line = browser.run("document.getElementById('thresholds-cut').getAttribute('d')")
    assert line.startswith(f"M{rows(source)['rows'][value(browser)][3]} ")


def test_a_click_on_the_track_jumps_there(browser: Browser, source: str) -> None:
    box = place(browser, "threshold")
    point = (box["x"] + box["width"] * 0.25, box["y"] + box["height"] / 2)
    browser.drag(point, point)
    assert 30 < value(browser) < 70
    assert expected(source, value(browser)).items() <= live(browser).items()


def test_keys_move_it_and_the_button_brings_it_back(browser: Browser, source: str) -> None:
    before, start = live(browser), value(browser)
    browser.run("document.getElementById('threshold').focus()")
    for _ in range(3):
        browser.press("ArrowRight", 39)
    assert value(browser) == start + 3
    assert expected(source, start + 3).items() <= live(browser).items()
    spoken = browser.run("document.getElementById('threshold').getAttribute('aria-valuetext')")
    assert spoken == live(browser)["at"]
    browser.press("Home", 36)
    assert value(browser) == 0
    assert live(browser)["v-recall"] == "100.00%"
    box = place(browser, "reset")
    point = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    browser.drag(point, point)
    assert live(browser) == before
    assert browser.run("document.getElementById('reset').disabled") is True


def test_the_thumb_stands_below_the_line(browser: Browser) -> None:
    box, line = place(browser, "threshold"), place(browser, "thresholds-cut")
    thumb = box["x"] + 11 + (box["width"] - 22) * value(browser) / 200
    assert abs(thumb - (line["x"] + line["width"] / 2)) < 2


@pytest.mark.parametrize("width", [320, 390, 768, 1100])
def test_no_width_needs_sideways_scrolling(browser: Browser, width: int) -> None:
    browser.size(width, 844, phone=width < 500)
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_dark_and_light_differ(browser: Browser) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(colour)
    browser.scheme("dark")
    assert browser.run(colour) != light
    browser.scheme("dark", media="print")
    assert browser.run(colour) == "rgb(255, 255, 255)"
    assert browser.run("getComputedStyle(document.querySelector('.slider')).display") == "none"


def test_it_prints(browser: Browser) -> None:
    paper = browser.paper()
    assert paper.startswith(b"%PDF-")
    assert paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") >= 1


OVERLAPS = """
      [...document.querySelectorAll("svg")].flatMap(svg => {
        const boxes = [...svg.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
        return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([b, q]) =>
          p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 2 && q.top < p.bottom - 2
        ).map(([b]) => a + " / " + b));
      })"""


def test_words_in_plots_do_not_overlap(browser: Browser) -> None:
    for width in (390, 1100):
        browser.size(width, 844, phone=width < 500)
        assert browser.run(OVERLAPS) == []


def test_nor_do_they_where_probabilities_reach_far(tmp_path: Path) -> None:
    for shown in opened(tmp_path, page(findings(spread=3.0))):
        assert shown.run("document.body.textContent.includes('0.01%')")
        for width in (390, 1100):
            shown.size(width, 844, phone=width < 500)
            assert shown.run(OVERLAPS) == []


def test_nothing_was_fetched_and_nobody_complained(browser: Browser) -> None:
    assert [url for url in browser.requests if not url.startswith("file:")] == []
    assert len(browser.requests) == 1
    assert browser.complaints == []
    assert browser.run("document.title") == "How well the filter works: model on test.csv"
    assert browser.run("document.querySelectorAll('img, [onclick]').length") == 0

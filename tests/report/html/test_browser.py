"""The page in a real browser: the slider is dragged, clicked and moved by keys; nothing is fetched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from spamnb.evaluation.mistakes import Mistake
from spamnb.evaluation.report_data import ScoredLabels, make_panels
from spamnb.evaluation.summary import EvaluationSummary
from spamnb.metrics import Confusion, evaluate_binary
from spamnb.model.spam_class import Classes
from spamnb.report.html.page import render_page
from tests.helpers.chromium import find_chromium, open_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = "<script>document.title='owned'</script><img src='https://evil.example/x'><b onclick=alert(1)>"
LIVE = ("n-tp", "n-fp", "n-fn", "n-tn", "p-tp", "v-recall", "v-fpr", "v-precision", "v-f1", "v-cost", "at")

pytest.importorskip("playwright", reason="no playwright: pip install playwright")
CHROMIUM = find_chromium()
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium: install it, or name one in SPAMNB_TEST_BROWSER"
)


def findings(spread: float = 1.0) -> EvaluationSummary:
    rng = np.random.default_rng(11)
    truth = rng.random(3000) < 0.35
    rank = spread * rng.normal(np.where(truth, 1.5, -1.5), 1.3)
    called = rank >= 0
    scores = evaluate_binary(truth, 1 / (1 + np.exp(-rank)), called, None, scores=rank)
    mistakes = [Mistake("ham", "spam", 0.97, 3.5, HOSTILE, source=HOSTILE)]
    shown = make_panels(ScoredLabels(truth, called, rank, True, np.zeros(3000, bool), 0.0))
    return EvaluationSummary(
        "model on test.csv", scores, Classes(("ham", "spam"), "spam"), (HOSTILE,), (), shown, {}, mistakes
    )


@pytest.fixture(scope="module")
def source() -> str:
    return render_page(findings())


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, source: str) -> Path:
    path = tmp_path_factory.mktemp("browser") / "report.html"
    path.write_text(source, "utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None
    with open_chromium(CHROMIUM) as chromium:
        yield chromium


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    yield from opened(browser, file)


def opened(browser: Browser, file: Path, width: int = 1100) -> Iterator[Page]:
    """A page as a desktop shows it, or as a phone does where it is narrow."""
    height = 900 if width == 1100 else 844
    context = browser.new_context(viewport={"width": width, "height": height}, is_mobile=width < 500)
    page = context.new_page()
    page.goto(file.as_uri())
    yield page
    context.close()


def live(page: Page) -> dict[str, str]:
    return {name: page.locator(f"#{name}").inner_text() for name in LIVE}


def place(page: Page, name: str) -> dict[str, float]:
    box: dict[str, float] = page.locator(f"#{name}").evaluate(
        "e => { e.scrollIntoView({block: 'center'}); return e.getBoundingClientRect().toJSON() }"
    )
    return box


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=5)
    page.mouse.up()


def rows(source: str) -> dict[str, Any]:
    match = re.search(r'id="sweep">(.*?)</script>', source)
    assert match is not None
    result: dict[str, Any] = json.loads(match[1])
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
        "v-fpr": f"{c.false_positive_rate:.2%}",
        "v-precision": f"{c.precision:.2%}",
        "v-f1": f"{c.f1:.4f}",
        "v-cost": f"{(c.fp + c.fn) / (data['positives'] + data['negatives']):.4f}",
    }


def value(page: Page) -> int:
    return int(page.locator("#threshold").input_value())


def dots(page: Page) -> list[str | None]:
    return [page.locator(f"#{name}").get_attribute("cx") for name in ("roc-dot", "pr-dot")]


def test_dragging_the_slider_moves_everything(page: Page, source: str) -> None:
    before, marks = live(page), dots(page)
    box = place(page, "threshold")
    y, start = box["y"] + box["height"] / 2, value(page)
    x = box["x"] + 11 + (box["width"] - 22) * start / 200
    drag(page, (x, y), (x + box["width"] / 5, y))
    assert value(page) > start + 20
    after = live(page)
    assert expected(source, value(page)).items() <= after.items()
    assert before != after
    assert all(a != b for a, b in zip(marks, dots(page), strict=True))
    line = page.locator("#thresholds-cut").get_attribute("d")
    assert line is not None
    assert line.startswith(f"M{rows(source)['rows'][value(page)][3]} ")


def test_a_click_on_the_track_jumps_there(page: Page, source: str) -> None:
    box = place(page, "threshold")
    page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + box["height"] / 2)
    assert 30 < value(page) < 70
    assert expected(source, value(page)).items() <= live(page).items()


def test_keys_move_it_and_the_button_brings_it_back(page: Page, source: str) -> None:
    before, start = live(page), value(page)
    slider = page.locator("#threshold")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert value(page) == start + 3
    assert expected(source, start + 3).items() <= live(page).items()
    assert slider.get_attribute("aria-valuetext") == live(page)["at"]
    page.keyboard.press("Home")
    assert value(page) == 0
    assert live(page)["v-recall"] == "100.00%"
    page.locator("#reset").click()
    assert live(page) == before
    assert page.locator("#reset").is_disabled()


def test_the_thumb_stands_below_the_line(page: Page) -> None:
    box, line = place(page, "threshold"), place(page, "thresholds-cut")
    thumb = box["x"] + 11 + (box["width"] - 22) * value(page) / 200
    assert abs(thumb - (line["x"] + line["width"] / 2)) < 2


@pytest.mark.parametrize("width", [320, 390, 768, 1100])
def test_no_width_needs_sideways_scrolling(browser: Browser, file: Path, width: int) -> None:
    for page in opened(browser, file, width):
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [320, 800, 1200])
def test_the_confusion_matrix_needs_no_scrollbar(browser: Browser, file: Path, width: int) -> None:
    for page in opened(browser, file, width):
        sizes = page.evaluate(
            "[...document.querySelectorAll('.matrix')].map(e => e.parentElement)"
            ".map(e => [e.scrollWidth, e.clientWidth])"
        )
        assert sizes
        assert all(needed <= there for needed, there in sizes)


def test_dark_and_light_differ(page: Page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colour) != light
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert page.locator(".slider").evaluate("e => getComputedStyle(e).display") == "none"


def test_it_prints(page: Page) -> None:
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF-")
    assert paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") >= 1


OVERLAPS = """
      [...document.querySelectorAll("svg")].flatMap(svg => {
        const boxes = [...svg.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
        return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([b, q]) =>
          p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 2 && q.top < p.bottom - 2
        ).map(([b]) => a + " / " + b));
      })"""
OUTSIDE = """
      [...document.querySelectorAll("svg text")].filter(t => {
        const text = t.getBoundingClientRect(), svg = t.ownerSVGElement.getBoundingClientRect();
        return text.width && (text.left < svg.left - 3 || text.right > svg.right + 3);
      }).map(t => t.textContent)"""


@pytest.mark.parametrize("width", [390, 1100])
def test_words_in_plots_do_not_overlap(browser: Browser, file: Path, width: int) -> None:
    for page in opened(browser, file, width):
        assert page.evaluate(OVERLAPS) == []
        assert page.evaluate(OUTSIDE) == []


@pytest.mark.parametrize("width", [390, 1100])
def test_nor_do_they_where_probabilities_reach_far(browser: Browser, tmp_path: Path, width: int) -> None:
    file = tmp_path / "report.html"
    file.write_text(render_page(findings(spread=3.0)), "utf-8")
    for page in opened(browser, file, width):
        assert page.evaluate("document.body.textContent.includes('0.01%')")
        assert page.evaluate(OVERLAPS) == []
        assert page.evaluate(OUTSIDE) == []


def test_nothing_is_fetched_and_nothing_complains(browser: Browser, file: Path, source: str) -> None:
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    page, requests, complaints = context.new_page(), list[str](), list[str]()
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    page.locator("#threshold").focus()
    page.keyboard.press("ArrowRight")
    assert expected(source, value(page)).items() <= live(page).items()
    page.locator("#reset").click()
    page.wait_for_load_state("networkidle")
    assert requests == [file.as_uri()]
    assert complaints == []
    assert page.title() == "Evaluation report: model on test.csv"
    assert page.locator("img, [onclick]").count() == 0
    context.close()

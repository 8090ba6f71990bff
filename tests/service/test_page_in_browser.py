"""The page of a server in a real browser: corrections by click and key, hostile text, widths, colours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.chromium import find_chromium, open_chromium
from tests.helpers.command_line import Cli
from tests.helpers.running_server import SPAM_TEXT, Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)> \u202emoc.evil free"
TEXTS = ("see you at the zeppelin hangar", "the zeppelin is late again", "can you pick up milk", HOSTILE)
TOKEN = "0123456789abcdef0123"

pytest.importorskip("playwright", reason="no playwright: pip install playwright")
CHROMIUM = find_chromium()
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium: install it, or name one in SPAMNB_TEST_BROWSER"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None
    with open_chromium(CHROMIUM) as chromium:
        yield chromium


@pytest.fixture
def server(cli: Cli) -> Iterator[Server]:
    with Server(cli, "--history", "50") as running:
        for text in (SPAM_TEXT, *TEXTS):
            running.post("/predict", {"text": text})
        yield running


class Visit:
    """A page inside `with`, and what the browser complained about or asked other servers for."""

    def __init__(self, browser: Browser, server: Server, width: int = 1280) -> None:
        self.origin = f"http://127.0.0.1:{server.port}"
        self._context = browser.new_context(
            viewport={"width": width, "height": 900 if width > 500 else 844}, is_mobile=width < 500
        )
        self.page, self.complaints = self._context.new_page(), list[str]()
        self.page.set_default_timeout(20_000)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._note)

    def _note(self, request: object) -> None:
        if not (url := request.url).startswith(self.origin):  # type: ignore[attr-defined]
            self.complaints.append(url)

    def __enter__(self) -> Page:
        self.page.goto(f"{self.origin}/")
        return self.page

    def __exit__(self, kind: object, *_: object) -> None:
        self._context.close()
        if kind is None:
            assert self.complaints == []


def wait_for_notice(page: Page, text: str) -> None:
    page.locator("#notice-text", has_text=text).wait_for()


def test_a_wrong_verdict_is_corrected_with_two_clicks(browser: Browser, server: Server) -> None:
    text = TEXTS[2]
    assert server.post("/predict", {"text": text})["verdict"] == "ham"
    with Visit(browser, server) as page:
        page.locator("[data-view=ham]").click()
        page.locator("#messages > li", has_text=text).locator("button.spam").click()
        wait_for_notice(page, "Learned as spam.")
        assert re.fullmatch(
            r"Learned as spam\. This changed the verdict on [1-5] of the last 5 messages\.",
            page.inner_text("#notice-text"),
        )
        page.locator("#messages .label-note", has_text="labelled spam").wait_for()
        row = page.locator("#messages > li", has_text=text)
        assert re.match(
            r"was ham, now\s+spam\s+P\(spam\) [5-9]\d\.\d+%", row.locator(".item-head").inner_text()
        )
        assert page.locator("#tiles .tile").all_inner_texts() == [
            "–\naccuracy\n0 of 1\ntoo few to tell",
            "–\nfalse positives\n0 of 0 ham flagged\ntoo few to tell",
            "–\nmisses\n1 of 1 spam let through\ntoo few to tell",
        ]
        assert server.post("/predict", {"text": text})["verdict"] == "spam"  # moves to the view of spam
        page.locator("#notice-undo").click()
        wait_for_notice(page, "Lesson 1 is undone.")
        page.locator(".label-note").wait_for(state="detached")
        assert server.post("/predict", {"text": text})["verdict"] == "ham"


def test_keys_move_label_and_undo(browser: Browser, server: Server) -> None:
    with Visit(browser, server) as page:
        page.locator("#messages > li").nth(4).wait_for()
        for key in "jjk":
            page.keyboard.press(key)
        assert page.locator("[aria-current=true] .excerpt").inner_text().startswith("<script>")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.locator(".opened .badge").wait_for()
        page.keyboard.press("s")
        wait_for_notice(page, "Learned as spam.")
        page.keyboard.press("h")
        wait_for_notice(page, "Learned as ham.")
        page.locator("[aria-current=true] button.ham[aria-pressed=true]").wait_for()
        page.keyboard.press("u")
        wait_for_notice(page, "Lesson 2 is undone.")
        page.locator("[aria-current=true] button.spam[aria-pressed=true]").wait_for()
        page.keyboard.press("/")
        page.keyboard.type("zeppelin")
        page.locator("#messages > li").nth(2).wait_for(state="detached")
        assert page.locator("#messages > li").count() == 2


def test_keys_belong_to_the_selected_row_after_a_click(browser: Browser, server: Server) -> None:
    with Visit(browser, server) as page:
        rows = page.locator("#messages > li")
        rows.nth(0).locator("button.ham").click()
        wait_for_notice(page, "Learned as ham.")
        for key in ("j", "j", "Enter"):
            page.keyboard.press(key)
        rows.nth(2).locator(".opened .badge").wait_for()
        page.keyboard.press("s")
        wait_for_notice(page, "Learned as spam.")
        rows.nth(2).locator(".label-note", has_text="labelled spam").wait_for()
        assert rows.nth(0).locator(".label-note").inner_text() == "labelled ham"


def test_the_row_with_the_focus_is_the_selected_one(browser: Browser, server: Server) -> None:
    with Visit(browser, server) as page:
        rows = page.locator("#messages > li")
        rows.nth(0).click()
        rows.nth(3).locator("button.ham").focus()
        page.keyboard.press("s")
        wait_for_notice(page, "Learned as spam.")
        rows.nth(3).locator(".label-note", has_text="labelled spam").wait_for()
        assert rows.nth(0).locator(".label-note").count() == 0


def test_words_are_coloured_and_hostile_text_is_inert(browser: Browser, server: Server) -> None:
    with Visit(browser, server) as page:
        page.fill("#try-text", f"{HOSTILE} {SPAM_TEXT}")
        page.keyboard.press("Control+Enter")
        page.locator("#try-result .badge").wait_for()
        shown = page.locator("#try-result .message")
        assert shown.inner_text() == f"{HOSTILE} {SPAM_TEXT}".replace("\u202e", "\\u202e")
        assert "FREE" in page.locator("#try-result mark[class^=pro]").all_inner_texts()
        assert page.locator("#try-result .chips li").count() > 5
        page.locator("#messages > li", has_text="script").locator(".excerpt").click()
        page.locator(".opened .escaped").wait_for()
        assert page.title() == "spamnb"
        assert page.locator("#messages img, #try-result img, main script").count() == 0


def test_scripts_and_emoji_are_shown_as_they_are_written(browser: Browser, server: Server) -> None:
    family, arabic, hidden = "👩🏽\u200d💻 free", "اتصل مجانا", "fr\u200dee 🎁\u200d x"
    with Visit(browser, server) as page:
        page.fill("#try-text", f"{family} {arabic} {hidden}")
        page.locator("#try-form .primary").click()
        page.locator("#try-result .badge").wait_for()
        shown = page.inner_text("#try-result .message")
        assert shown == f"{family} {arabic} fr\\u200dee 🎁\\u200d x"
        order = "element => getComputedStyle(element).unicodeBidi"
        assert page.locator("#try-result .chips li bdi").first.evaluate(order) == "isolate"
        assert page.locator("#try-text").evaluate("element => element.dir") == "auto"


def test_a_screen_reader_hears_what_buttons_and_numbers_mean(browser: Browser, server: Server) -> None:
    server.post("/predict", {"text": f"{TEXTS[2]}!"})
    with Visit(browser, server) as page:
        page.locator("#messages > li", has_text="milk").locator("button.spam").click()
        wait_for_notice(page, "Learned as spam.")
        page.locator("#messages .label-note", has_text="labelled spam").wait_for()
        heard = page.locator("#messages > li", has_text="milk").aria_snapshot()
    assert re.search(r"was ham, now spam P\(spam\) [\d.]+% labelled spam ×2 near-duplicates text", heard), (
        heard
    )
    for button in ('"can you pick up milk!"', '"Label as spam" [pressed]', '"Label as ham"', '"Undo"'):
        assert f"button {button}" in heard, heard


def test_an_empty_history_has_no_empty_chart(browser: Browser, cli: Cli) -> None:
    with Server(cli, "--history", "5") as server, Visit(browser, server) as page:
        page.locator("#list-note", has_text="No messages yet.").wait_for()
        assert page.inner_text("#models") == "Model for short texts: sms · for mail and long texts: mail"
        assert page.locator("#volume").is_hidden()
        server.post("/predict", {"text": TEXTS[0]})
        page.reload()
        page.locator("#volume svg").wait_for()
        assert re.fullmatch(
            r"\d\d:\d\d\s+tallest bar: 1 message\s+\d\d:\d\d\s+spam other · 1 message, 0\.0% spam",
            page.inner_text("#volume"),
        )


def test_ten_labels_are_enough_for_a_share(browser: Browser, cli: Cli) -> None:
    with Server(cli, "--history", "20") as server:
        for number in range(10):
            text = f"see you at the station, {'platform ' * number}"
            server.post("/predict", {"text": text})
            server.post("/learn", {"text": text, "label": "ham"})
        with Visit(browser, server) as page:
            page.locator("#tiles .tile").first.wait_for()
            tiles = page.locator("#tiles .tile").all_inner_texts()
    assert re.fullmatch(r"[\d.]+%\naccuracy\n\d+ of 10\n95% CI [\d.]+%–[\d.]+%", tiles[0])
    assert tiles[2] == "–\nmisses\n0 of 0 spam let through\ntoo few to tell"


def test_a_notice_fades_at_the_next_step_or_alone(browser: Browser, server: Server) -> None:
    with Visit(browser, server) as page:
        page.locator("#messages > li").first.locator("button.ham").click()
        wait_for_notice(page, "Learned as ham.")
        page.keyboard.press("j")
        page.locator("#notice").wait_for(state="hidden", timeout=3000)  # at once, as long as it fades
        page.keyboard.press("u")
        wait_for_notice(page, "Lesson 1 is undone.")
        page.locator("#notice").wait_for(state="hidden")


def test_a_dropped_mail_is_checked_and_taught(browser: Browser, server: Server, tmp_path: Path) -> None:
    mail = tmp_path / "mail.eml"
    mail.write_bytes(
        b"From: Ann <ann@example.org>\nSubject: =?utf-8?q?caf=C3=A9?= free\n\nThe zeppelin at one.\n"
    )
    with Visit(browser, server) as page:
        page.set_input_files("#try-file", mail)
        page.locator("#try-result .badge").wait_for()
        shown = page.locator("#try-result .message").inner_text()
        assert shown == "From: Ann <ann@example.org>\nSubject: café free\n\nThe zeppelin at one."
        assert "free" in page.locator("#try-result mark").all_inner_texts()
        page.locator("#try-result [data-label=spam]").click()
        page.locator("#try-result .reason", has_text="taught as spam").wait_for()
    predicted = server.post("/predict", mail.read_bytes(), Content_Type="message/rfc822")
    assert predicted["verdict"] == "spam"


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_no_width_needs_sideways_scrolling(browser: Browser, server: Server, width: int) -> None:
    server.post("/predict", {"text": "free" * 300})
    with Visit(browser, server, width) as page:
        page.locator("#messages > li").nth(4).click()
        page.fill("#try-text", f"{SPAM_TEXT} {'free' * 300}")
        page.locator("#try-form .primary").click()
        page.locator("#try-result .badge").wait_for()
        page.locator("#model-card summary").click()
        page.locator("#messages > li").first.locator("button.ham").click()
        wait_for_notice(page, "Learned as ham.")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_and_light_differ(browser: Browser, server: Server) -> None:
    with Visit(browser, server) as page:
        colour = "getComputedStyle(document.body).backgroundColor"
        page.emulate_media(color_scheme="light")
        light = page.evaluate(colour)
        page.emulate_media(color_scheme="dark")
        assert (light, page.evaluate(colour)) == ("rgb(246, 247, 249)", "rgb(14, 17, 22)")


def test_the_page_asks_for_the_token(browser: Browser, cli: Cli) -> None:
    cli.write("token", TOKEN.encode())
    with Server(cli, "--history", "5", "--token-file", "token") as server:
        server.post("/predict", {"text": "hello"}, Authorization=f"Bearer {TOKEN}")
        visit = Visit(browser, server)
        with visit as page:
            for token in ("wrong", TOKEN):
                page.locator("#token-dialog[open]").wait_for()
                page.fill("#token", token)
                page.keyboard.press("Enter")
                if token == "wrong":
                    page.locator("#token-error:visible").wait_for()
            page.locator("#messages > li", has_text="hello").wait_for()
            page.reload()
            page.locator("#messages > li", has_text="hello").wait_for()
            assert visit.complaints, "refusals are in the console"
            assert all("status of 401" in complaint for complaint in visit.complaints)
            visit.complaints.clear()


def test_without_history_messages_can_be_checked_and_taught(browser: Browser, cli: Cli) -> None:
    with Server(cli) as server, Visit(browser, server) as page:
        assert "keeps no messages" in page.inner_text("#no-history")
        page.fill("#try-text", TEXTS[0])
        page.locator("#try-form .primary").click()
        page.locator("#try-result [data-label=spam]").click()
        wait_for_notice(page, "Learned as spam.")
        page.locator("#try-result .badge", has_text="spam").wait_for()
        page.keyboard.press("Escape")
        page.locator("#notice-undo").click()
        wait_for_notice(page, "Lesson 1 is undone.")

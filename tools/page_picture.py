"""Takes docs/page.png: the page of `spamnb serve` with messages written for it, as Chromium shows it.

Run it from anywhere with the environment of `make install`: .venv/bin/python -m tools.page_picture
"""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tests.helpers.chromium import find_chromium, open_chromium
from tests.helpers.command_line import Cli
from tests.helpers.running_server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "page.png"
WIDTH, HEIGHT = 1040, 1440
HOURS = 30  # over which the messages are spread
TRIED = "Your parcel is waiting! Pay the fee of 1.99 at http://parcel-fee.example within 24 hours"
SPAM = (
    "Final notice: your account is locked, verify now at http://secure-login.example/{}",
    "You have won a {} voucher! Claim it today: http://voucher.example",
    "Earn {} a day from home, no experience needed. Reply YES",
)
HAM = (
    "Running {} minutes late, please save me a seat",
    "Your table for {} is booked for tonight, see you soon",
    "Can you pick up milk and bread on the way home?",
    "The meeting moved to room {}, same time",
    "Happy birthday! Call me when you are up",
)
LAST = (
    "The invoice for May is attached, please check the amount",
    "Hi mum, my phone is broken, write to me on this new number",
)
LABELS = (
    ("Running", "ham"),
    ("voucher", "spam"),
    ("The meeting", "ham"),
    ("milk", "ham"),
    ("Earn", "spam"),
    ("Hi mum", "spam"),
)


def main() -> None:
    path = find_chromium()
    if path is None:
        sys.exit("no Chromium found: install it, or name one in SPAMNB_TEST_BROWSER")
    with tempfile.TemporaryDirectory() as folder, Server(Cli(Path(folder)), "--history", "1000") as server:
        _send_messages(server)
        _spread_times(server.cli.own_model.parent / "history.sqlite")
        with open_chromium(path) as browser:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
            page.goto(f"http://127.0.0.1:{server.port}/")
            _use(page)
            page.screenshot(path=TARGET)
    print(f"wrote {TARGET.relative_to(ROOT)} ({TARGET.stat().st_size / 1e3:.0f} kB)")


def _send_messages(server: Server) -> None:
    chance = random.Random(7)
    templates = chance.choices((*SPAM, *HAM), (1, 1, 1, 2, 2, 2, 2, 2), k=160)
    for text in (*(one.format(chance.randint(3, 40)) for one in templates), *LAST):
        server.post("/predict", {"text": text})
    server.ask("GET", "/page/messages")  # waits until all are written


def _spread_times(history: Path) -> None:
    """Moves the messages, which came within a second, into the hours before."""
    chance = random.Random(3)
    with closing(sqlite3.connect(history)) as db, db:
        numbers = [number for (number,) in db.execute("SELECT id FROM messages ORDER BY id")]
        ages = sorted((3600 * HOURS * chance.random() ** 1.4 for _ in numbers), reverse=True)
        db.executemany("UPDATE messages SET time = time - ? WHERE id = ?", zip(ages, numbers, strict=True))


def _use(page: Page) -> None:
    for text, label in LABELS:
        row = page.locator("#messages > li", has_text=text).first
        row.locator(f"button.{label}").click()
        row.locator(f"button.{label}[aria-pressed=true]").wait_for()
    page.fill("#try-text", TRIED)
    page.locator("#try-form .primary").click()
    page.locator("#try-result .badge").wait_for()
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.wait_for_load_state("networkidle")


if __name__ == "__main__":
    main()

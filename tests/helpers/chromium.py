"""Opens pages in the Chromium of the system by way of playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_chromium() -> str | None:
    """Returns the path of Chromium if it is installed; $SPAMNB_TEST_BROWSER overrides it."""
    return os.environ.get("SPAMNB_TEST_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def open_chromium(path: str) -> Iterator[Browser]:
    """Starts Chromium without a window and ends it afterwards; as root it runs only without its sandbox."""
    from playwright.sync_api import sync_playwright

    args = ["--disable-gpu", "--disable-dev-shm-usage"]
    if os.geteuid() == 0:
        args.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=args)
        try:
            yield browser
        finally:
            browser.close()

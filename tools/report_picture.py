"""Takes docs/report.png: the upper part of a real report on the shipped sample, as Chromium shows it.

Run it from anywhere with the environment of `make install`: .venv/bin/python -m tools.report_picture
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.helpers.chromium import find_chromium, open_chromium

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "report.png"
WIDTH, HEIGHT = 1040, 984  # up to the slider and its matrix


def main() -> None:
    path = find_chromium()
    if path is None:
        sys.exit("no Chromium found: install it, or name one in SPAMNB_TEST_BROWSER")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        command = ("evaluate", "data/sms_sample.csv", "--folds", "5", "--quiet", "--report")
        with open(report, "wb") as file:
            subprocess.run([sys.executable, "-m", "spamnb", *command, "-"], cwd=ROOT, stdout=file, check=True)
        with open_chromium(path) as browser:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
            page.goto(report.as_uri())
            page.screenshot(path=TARGET)
    print(f"wrote {TARGET.relative_to(ROOT)} ({TARGET.stat().st_size / 1e3:.0f} kB)")


if __name__ == "__main__":
    main()

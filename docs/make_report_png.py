"""Takes docs/report.png: the upper part of a real report on the shipped sample, as Chromium shows it.

Run it from anywhere with the environment of `make install`: .venv/bin/python docs/make_report_png.py
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "report.png"
WIDTH, HEIGHT = 1040, 1402

sys.path.insert(0, str(ROOT / "tests"))
from browser import Browser, find  # noqa: E402


def main() -> None:
    program = find()
    if program is None:
        sys.exit("no Chromium found: install it, or name one in SPAMNB_TEST_BROWSER")
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "report.html"
        command = ("evaluate", "data/sms_sample.csv", "--cv", "5", "--quiet", "--report")
        with open(page, "wb") as file:
            subprocess.run([sys.executable, "-m", "spamnb", *command, "-"], cwd=ROOT, stdout=file, check=True)
        browser = Browser(program, Path(name) / "profile")
        browser.size(WIDTH, HEIGHT)
        browser.scheme("light")
        browser.visit(page)
        picture = browser.picture()
        browser.close()
    image = Image.open(io.BytesIO(picture)).convert("RGB").crop((0, 0, WIDTH, HEIGHT))
    image = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    image.save(TARGET, "PNG", optimize=True)
    print(f"wrote {TARGET.relative_to(ROOT)} ({TARGET.stat().st_size / 1e3:.0f} kB)")


if __name__ == "__main__":
    main()

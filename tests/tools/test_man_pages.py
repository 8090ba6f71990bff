"""Manual pages: they are current, and groff renders them without a warning."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tools import man_pages


def test_the_pages_are_current() -> None:
    pages = {path.name: path.read_text("utf-8") for path in man_pages.FOLDER.iterdir()}
    assert pages == man_pages.man_pages(), "run `make docs`"


def test_each_command_has_a_page_with_its_options() -> None:
    page = man_pages.man_pages()["spamnb-predict.1"]
    assert "spamnb\\-predict \\- Classify each message as spam, ham or unsure\n" in page
    assert "\\fB\\-m, \\-\\-model MODEL\\fR\n" in page


@pytest.mark.parametrize("name", sorted(man_pages.man_pages()))
def test_groff_renders_a_page_without_warnings(name: str) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    command = [groff, "-man", "-Tutf8", "-ww", "-z", str(man_pages.FOLDER / name)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")

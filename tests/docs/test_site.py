"""The site: built strictly, with a page for every document, and without a request to another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import command_docs

ROOT = Path(__file__).resolve().parents[2]
_REQUEST = re.compile(r"<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^/]")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_every_document_has_a_page(site: Path) -> None:
    pages = {path.relative_to(site).with_suffix(".md").as_posix() for path in site.rglob("*.html")}
    documents = {
        path.relative_to(ROOT / "docs").as_posix() for path in command_docs.pages() if "docs" in path.parts
    }
    assert documents <= pages
    assert {"index.md", "project/changelog.md", "project/contributing.md", "project/security.md"} <= pages


def test_pages_request_nothing_from_other_hosts(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert not _REQUEST.search(path.read_text("utf-8")), path.name

"""Adds the documents at the top of the repository to the site, and adapts links between them and docs/.

mkdocs loads this module as a hook: see mkdocs.yml. Links that are right in the repository are right on the
site: those to documents become links between pages, those to other files become plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
# document -> its place on the site
PLACES = {
    "README.md": "index.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "data/README.md": "project/data.md",
    "data/messages/README.md": "project/data-messages.md",
    "data/modern_mail/README.md": "project/data-mail.md",
    "benchmarks/README.md": "project/benchmarks.md",
}
_SOURCES = {place: document for document, place in PLACES.items()}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Adds the documents outside docs/ as pages."""
    for document, place in PLACES.items():
        if (ROOT / document).exists():
            files.append(File.generated(config, place, content=(ROOT / document).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Adapts the links of a page."""
    return site_links(markdown, page.file.src_uri)


def site_links(markdown: str, place: str) -> str:
    """Returns the text of the page at `place` with links as they are on the site.

    >>> site_links("[a](docs/design.md#rooms) [b](LICENSE) [c](CHANGELOG.md)", "index.md")
    '[a](design.md#rooms) b [c](project/changelog.md)'
    >>> site_links("[a](../../SECURITY.md) [b](models.md)", "explanation/formulas.md")
    '[a](../project/security.md) [b](models.md)'
    """
    folder = PurePosixPath(_SOURCES.get(place, f"docs/{place}")).parent

    def adapted(link: re.Match[str]) -> str:
        mark, text, target, anchor = link[1], link[2], link[3], link[4] or ""
        path = os.path.normpath(folder / target)
        page = PLACES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
        if page is None:
            return text
        return f"{mark}[{text}]({os.path.relpath(page, PurePosixPath(place).parent)}{anchor})"

    return _LINK.sub(adapted, markdown)

"""Finds the fenced blocks of the pages on mail, so that tests can run the recipes as they stand."""

from __future__ import annotations

import re

from tests.helpers.paths import ROOT

NAMES = "my-mailbox", "my-server", "procmail-maildrop-sieve-cron", "run-a-service"
PAGES = "".join((ROOT / "docs" / "how-to" / f"{name}.md").read_text("utf-8") for name in NAMES)


def blocks(kind: str) -> list[str]:
    """The contents of all blocks of a kind: sh, text, sieve."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGES, re.MULTILINE | re.DOTALL)


def block(kind: str, part: str) -> str:
    """The one block of a kind that holds this text."""
    matching = [text for text in blocks(kind) if part in text]
    assert len(matching) == 1, f"{len(matching)} blocks of {kind} with {part}"
    return matching[0]

"""Writes small mails, mboxes and folders, and reads them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, Source, open_source

MARK = b"From a@b.example Mon Jan  1 00:00:00 2024\n"


TMP = "tmp"  # apart, because no path in this project may look like one of a machine


def mail(word: str) -> bytes:
    return f"From: a@b.example\nSubject: {word}\n\n{word} here\n".encode()


def box(*words: str) -> bytes:
    return b"\n".join(MARK + mail(word) for word in words)


def make(layout: dict[str, bytes | str]) -> None:
    """Write files; a name with / at its end is an empty folder; text is the word of a mail."""
    for name, content in layout.items():
        path = Path(name)
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(mail(content) if isinstance(content, str) else content)


class Found:
    """What came out of a directory: (source, label, first word) of each mail, and what was skipped."""

    def __init__(self, path: str, *, labelled: bool = False, **options: Any) -> None:
        self.source: Source = open_source(path, ReadOptions.from_flags(**options), labelled=labelled)
        self.rows: list[tuple[str, str, str]] = []
        for chunk in self.source:
            labels = chunk.labels if chunk.labels is not None else [""] * len(chunk)
            words = [text.split()[0].decode() if text.split() else "" for text in chunk.texts.tolist()]
            assert len(chunk.sources) == len(chunk)
            assert chunk.lines.tolist() == list(range(len(self.rows) + 1, len(self.rows) + len(chunk) + 1))
            self.rows += zip(chunk.sources, labels, words, strict=True)
        self.skipped = dict(self.source.skipped.examples)
        self.about = self.source.description

    @property
    def words(self) -> list[str]:
        return [word for _, _, word in self.rows]

    @property
    def labels(self) -> list[tuple[str, str]]:
        return [(label, word) for _, label, word in self.rows]


def opened(path: str | tuple[str, ...], *, labelled: bool = False, **options: Any) -> Source:
    return open_source(path, ReadOptions.from_flags(**options), labelled=labelled)


def failure(path: str | tuple[str, ...], *, labelled: bool = True, **options: Any) -> tuple[str, str]:
    with pytest.raises(DataError) as caught:
        list(opened(path, labelled=labelled, **options))
    return str(caught.value), caught.value.hint


class Stdin:
    """A stand-in for sys.stdin."""

    def __init__(self, buffer: io.BufferedIOBase) -> None:
        self.buffer = buffer

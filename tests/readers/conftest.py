"""Reading bytes as if they were a file, and where the public corpora lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from spamnb.messages import Chunk
from spamnb.readers import ReadOptions, Source, open_source
from tests.helpers.paths import SHARED


@dataclass
class Result:
    """What came out of one input."""

    source: Source
    chunks: list[Chunk]
    texts: list[bytes] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for chunk in self.chunks:
            self.texts += chunk.texts.tolist()
            self.labels += chunk.labels or []
            self.lines += chunk.lines.tolist()

    @property
    def rows(self) -> list[tuple[str, bytes]]:
        return list(zip(self.labels, self.texts, strict=True))


Read = Callable[..., Result]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write bytes to a file of the given name and read it; the path in messages is just that name."""

    def read_bytes(data: bytes, name: str = "data.csv", *, labelled: bool = True, **options: Any) -> Result:
        path = tmp_path / name
        path.write_bytes(data)
        source = open_source(str(path), ReadOptions.from_flags(**options), labelled=labelled)
        return Result(source, list(source))

    return read_bytes


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, so that error messages name short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def corpus() -> Callable[[str], str]:
    def find(name: str) -> str:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"the public corpus {name} is not beside the checkout")
        return str(path)

    return find

"""Forged verdicts in more than 60 forms: every program that is installed reads ours first, and no other."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.robustness.header_forms import FORMS, failures, loses_subject
from tests.robustness.mail_programs import PROGRAMS, is_installed

programs = pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            name, marks=pytest.mark.skipif(not is_installed(name), reason=f"{name} is not installed")
        )
        for name in PROGRAMS
    ],
)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may read: Pigeonhole refuses to work as root and becomes another user."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@programs
def test_our_verdict_is_the_first_and_forged_ones_are_gone(program: str, open_folder: Path) -> None:
    wrong = {name: failures(name, [program], open_folder) for name in FORMS}
    assert {name: lines for name, lines in wrong.items() if lines} == {}
    assert len(FORMS) >= 60


# Mails that begin with no field are all body, as they are for most programs: the verdict is their header.
NO_HEADER = {name for name, form in FORMS.items() if form.marked.startswith((b"^", b"\n", b"\r"))}
# formail reads `>From ` lines below a `From ` line, and nowhere else; Python's email reads them nowhere.
LOST = {("formail", "From line and escaped From line")}


@programs
def test_other_fields_stay(program: str, open_folder: Path) -> None:
    lost = {(program, name) for name in FORMS.keys() - NO_HEADER if loses_subject(name, program, open_folder)}
    assert lost <= LOST

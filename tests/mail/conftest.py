"""A model of the sample mails, trained once by the command line itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from mailtools import ROOT, Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture(scope="session")
def mail_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Cli(tmp_path_factory.mktemp("mail"))
    home("train", ROOT / "data" / "mail", "-o", "mail.spamnb")
    return home.here / "mail.spamnb"

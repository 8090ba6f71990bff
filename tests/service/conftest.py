"""A server with the ready-made models for tests that change nothing, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.running_server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(Cli(tmp_path_factory.mktemp("server")), "--spamd", "unix:spamd.sock") as running:
        yield running

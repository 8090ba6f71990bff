"""Runs the steps of the Dockerfile by hand, in a scratch folder: no daemon, no network, no other user."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.clean_environment import install, run
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.paths import ROOT
from tests.helpers.running_server import SPAM_TEXT, Server

TOKEN = "0123456789abcdef0123"


def instructions() -> list[tuple[str, str]]:
    """The name and the arguments of each instruction."""
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    lines = re.sub(r"\s*\\\n\s*", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines if line)]


def arguments(name: str) -> str:
    """The arguments of the last instruction of this name."""
    return next(rest for each, rest in reversed(instructions()) if each == name)


class Container(Cli):
    """The installed program, with the variables of the image, in the place of `spamnb` in this checkout."""

    def __init__(self, programs: Path, here: Path) -> None:
        super().__init__(here)
        self.programs = programs
        variables = dict(word.split("=", 1) for word in arguments("ENV").split())
        path = (
            variables["PATH"].replace("/opt/spamnb/bin", str(programs)).replace("$PATH", os.environ["PATH"])
        )
        data = variables["XDG_DATA_HOME"].replace("/var/lib/spamnb", str(here / "models"))
        self.env = variables | {"PATH": path, "XDG_DATA_HOME": data, "HOME": data}

    def command(self, *args: str | Path) -> list[str]:
        """The entry point, on loopback; `serve` is in it already."""
        entry = [str(part) for part in json.loads(arguments("ENTRYPOINT"))]
        assert entry[:4] == ["spamnb", "serve", "--host", "0.0.0.0"]
        secret = entry[entry.index("--token-file") + 1]
        entry = [{"0.0.0.0": "127.0.0.1", secret: str(self.here / "token")}.get(part, part) for part in entry]
        return [str(self.programs / entry[0]), *entry[1:], *map(str, args[1:])]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Does the first stage: copies the build context, and installs it with the extra."""
    folder = tmp_path_factory.mktemp("image")
    context = folder / "src"
    for name, rest in instructions():
        if name == "COPY" and not rest.startswith("--from"):
            *sources, target = rest.split()
            for source in map(Path, sources):
                copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
                goal = context / target if (ROOT / source).is_dir() else context / target / source.name
                goal.parent.mkdir(parents=True, exist_ok=True)
                copy(ROOT / source, goal)
    command = next(rest for name, rest in instructions() if name == "RUN")
    match = re.fullmatch(r"python -m venv (\S+) && \1/bin/pip install --no-cache-dir '\.\[(\w+)\]'", command)
    assert match is not None, command
    build = sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "."
    run(*build, "--wheel-dir", folder, cwd=context)
    return install(next(folder.glob("*.whl")), folder / "environment", match[2])


@pytest.fixture
def container(programs: Path, tmp_path: Path) -> Iterator[Server]:
    container = Container(programs, tmp_path)
    (tmp_path / "models").mkdir(mode=0o700)
    container.write("token", f"{TOKEN}\n")
    with Server(container) as server:
        yield server


def is_healthy(server: Server) -> bool:
    """Runs the health check of the image."""
    _, _, command = arguments("HEALTHCHECK").partition("CMD ")
    program, *rest = (part.replace(":7726", f":{server.port}") for part in json.loads(command))
    assert isinstance(server.cli, Container)
    done = subprocess.run(
        [server.cli.programs / program, *rest], env=server.cli.env, capture_output=True, timeout=PATIENCE
    )
    return done.returncode == 0


def test_the_image_answers_learns_and_stops(container: Server) -> None:
    assert container.ask("POST", "/predict", b"{}", Content_Type="application/json")[0] == 401
    token = {"Authorization": f"Bearer {TOKEN}"}
    assert container.post("/predict", {"text": SPAM_TEXT}, **token)["verdict"] == "spam"
    learned = container.post("/learn", {"text": "the zeppelin", "label": "ham"}, **token)["model"]
    volume = container.cli.env["XDG_DATA_HOME"]
    assert learned.startswith(volume), "the model is on the volume"
    assert is_healthy(container)
    assert arguments("STOPSIGNAL") == "SIGTERM"
    container.process.terminate()
    assert container.process.wait(PATIENCE) == 0
    assert not is_healthy(container)


def test_the_image_runs_as_a_user_of_its_own_with_its_data_on_a_volume() -> None:
    names = [name for name, _ in instructions()]
    created = next(rest for name, rest in instructions() if rest.startswith("useradd"))
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert created.split()[-1] == arguments("USER")
    assert "--home-dir " + arguments("VOLUME") in created

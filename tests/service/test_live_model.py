"""Models in use follow their files, without losing a request."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import spamnb
from spamnb.errors import ModelError
from spamnb.service.live_model import POLL, LiveModels
from spamnb.training.incremental import Learner
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.running_server import SPAM_TEXT, Server


def test_a_file_is_read_again_only_when_it_has_changed(tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.spamnb"
    path.write_bytes(tiny.read_bytes())
    models = LiveModels(str(path))
    models.load()
    first = models["text"]
    assert models["mail"] is first
    models.check()
    assert models["text"] is first
    with Learner(path) as learner:
        learner.learn(["zeppelin"], ["spam"])
    models.check()
    assert models["text"] is not first
    assert models["mail"] is models["text"]
    assert models["text"].model.predict(["zeppelin"]) == ["spam"]
    assert first.model.predict(["zeppelin"]) == ["unsure"]


def test_a_damaged_or_missing_file_keeps_the_old_model(tiny: Path, tmp_path: Path) -> None:
    path, warnings = tmp_path / "m.spamnb", list[str]()
    path.write_bytes(tiny.read_bytes())
    models = LiveModels(str(path), warnings.append)
    models.load()
    first = models["text"]
    path.write_bytes(b"no model")
    models.check()
    models.check()
    path.unlink()
    models.check()
    assert models["text"] is first
    assert len(warnings) == 2
    path.write_bytes(tiny.read_bytes())
    models.check()
    assert models["text"].model.predict(["win prize"]) == ["spam"]


def test_a_missing_model_is_an_error_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model at"):
        LiveModels(str(tmp_path / "none.spamnb")).load()


def test_changes_on_disk_are_noticed_within_a_second() -> None:
    assert POLL < 0.5  # and loading a model takes about 0.1 s


def test_a_lesson_of_learn_and_a_replaced_model_reach_a_running_server(cli: Cli, tiny: Path) -> None:
    text = "zeppelin newsletter"
    with Server(cli) as server:
        cli("learn", "--spam", stdin=text.encode())
        _wait_until(server, text, "spam")
        cli("learn", "--ham", stdin=text.encode())
        _wait_until(server, text, "ham")
        new = cli.write("new.spamnb", tiny.read_bytes())
        os.replace(new, cli.own_model)
        os.unlink(f"{cli.own_model}.journal")
        _wait_until(server, text, "unsure")
        assert (
            server.post("/predict", {"text": SPAM_TEXT})["known"] <= spamnb.load(str(tiny)).store.vocabulary
        )


def _wait_until(server: Server, text: str, verdict: str) -> None:
    until = time.monotonic() + PATIENCE
    while server.post("/predict", {"text": text})["verdict"] != verdict:
        assert time.monotonic() < until
        time.sleep(0.05)

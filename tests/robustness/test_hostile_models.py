"""Model files made to harm, as several versions of joblib write them: a sample of `hostile_models`."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import joblib
import pytest

from spamnb.model.spam_model import SpamModel
from tests.helpers.paths import ROOT
from tests.robustness import hostile_models
from tests.robustness.fuzz_parsers import with_checksum
from tests.robustness.hostile_models import FILES, bodies, tallies
from tools.joblib_samples import CANARY, COMPRESSORS, forms


def test_nothing_runs_and_all_is_refused_or_harmless() -> None:
    by_case = {one.what: one for one in tallies(1000, stride=9, slack=50.0)}
    assert [fault for one in by_case.values() for fault in one.faults] == []
    assert by_case["code in every form"].tried == 3 * len(forms()) * (4 + len(COMPRESSORS))
    for what in ("code in every form", "crafted streams and bombs", "cut at every byte"):
        assert by_case[what].accepted == 0, what
    for what in ("flipped at every byte", "mutants"):  # else nothing but the checksum would be tried
        assert 0 < by_case[what].accepted < by_case[what].tried / 2, what


@pytest.mark.parametrize(
    "path", sorted(FILES.glob("*/*-4.bad")), ids=lambda path: f"{path.parent.name} {path.name}"
)
def test_the_code_in_the_files_is_live(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    joblib.load(io.BytesIO(path.read_bytes()))
    assert (tmp_path / CANARY).is_dir()


def test_the_watch_sees_code_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that unpickles is found out."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(SpamModel, "load", staticmethod(joblib.load))
    judge = hostile_models.Judge(tmp_path)
    body = next(FILES.glob("*/model-4.bad")).read_bytes()
    assert "pickle.find_class" in judge(body).fault


def test_every_joblib_writes_the_same_good_model(tmp_path: Path) -> None:
    assert len(bodies()) == 1
    (tmp_path / "m").write_bytes(with_checksum(bodies()[0]))
    assert SpamModel.load(tmp_path / "m").labels == ("ham", "spam")


def test_the_files_are_those_that_the_joblib_at_hand_writes(tmp_path: Path) -> None:
    """The oldest joblib that may be used is among the writers, and so is the one that is installed."""
    script = "import sys, pathlib; from tools import joblib_samples as j; "
    script += "j.ROOT = pathlib.Path(sys.argv[1]); j.main()"
    seeds = tmp_path / "tests" / "robustness" / "seeds" / "model"
    seeds.mkdir(parents=True)
    (seeds / "few.body").write_bytes((ROOT / "tests/robustness/seeds/model/few.body").read_bytes())
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, check=True)
    written = next((tmp_path / "tests" / "data" / "joblib").iterdir())
    assert (written / "good").read_bytes() == bodies()[0]
    assert (FILES / "1.6.0").is_dir()
    assert '"joblib>=1.6,<2"' in (ROOT / "pyproject.toml").read_text()

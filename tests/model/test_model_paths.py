"""Names of models: `sms`, `mail`, a name in the data folder, or a path."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from spamnb.errors import ModelError
from spamnb.model import existing_model_file, model_file, model_names, shipped_model


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of this test, which does not exist yet; the current folder is another one."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    return tmp_path / "data"


def test_a_word_is_a_name_and_everything_else_a_path(folder: Path) -> None:
    assert model_file("sms") == shipped_model("sms")
    assert model_file("mail") == shipped_model("mail")
    assert model_file("work") == str(folder / "work.spamnb")
    assert model_file("work.v2") == str(folder / "work.v2.spamnb")
    for path in ("work.spamnb", "./work", "a/work", "/a/work", "sms.spamnb", "./sms", "-", ".", ".."):
        assert model_file(path) == path


def test_names_of_models_are_listed(folder: Path) -> None:
    assert model_names() == ["sms", "mail"]
    folder.mkdir()
    for name in ("work.spamnb", "model.spamnb", "sms.spamnb", "work.spamnb.journal", "notes.txt", ".spamnb"):
        (folder / name).touch()
    assert model_names() == ["sms", "mail", "model", "work"]


def test_a_name_needs_a_model_to_be_read(folder: Path) -> None:
    folder.mkdir()
    (folder / "work.spamnb").touch()
    assert existing_model_file("work") == str(folder / "work.spamnb")
    assert existing_model_file("./nowhere") == "./nowhere"  # reading it says what is wrong
    with pytest.raises(ModelError) as caught:
        existing_model_file("wrok")
    assert caught.value.message == f'there is no model "wrok" ({folder / "wrok.spamnb"} does not exist)'
    assert caught.value.hint == "models: sms, mail, work; for a file write its path, such as ./wrok"


def test_a_file_beside_the_user_is_named_with_a_slash() -> None:
    Path("m").touch()
    with pytest.raises(ModelError) as caught:
        existing_model_file("m")
    assert caught.value.hint == "for the file in this folder write ./m"


def test_a_name_without_a_home_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: "~/.local/share/spamnb")
    with pytest.raises(ModelError) as caught:
        model_file("work")
    assert caught.value.message == 'there is no folder for the model "work": HOME is not set'
    assert caught.value.hint == "for a file in this folder write ./work"
    assert model_file("sms") == shipped_model("sms")
    assert model_names() == ["sms", "mail"]

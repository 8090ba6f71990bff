"""Lists of paths, and an index of labelled emails that is taken for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.errors import DataError
from spamnb.readers.path_list import read_paths
from tests.helpers.command_line import Cli

MAIL = "Subject: win\n\nwin a prize now\n"
ERROR = "Error: {} is an index of labelled emails, not a list of paths"
HINT = "Hint: it is an input of its own, without --files-from: for example spamnb predict {}"


@pytest.fixture
def index(cli: Cli) -> str:
    (cli.here / "full").mkdir()
    (cli.here / "data").mkdir()
    cli.write("data/inmail.1", MAIL)
    cli.write("full/index", "spam ../data/inmail.1\nham ../data/inmail.2\n")
    return "full/index"


@pytest.mark.parametrize("command", ["predict", "evaluate", "train"])
def test_an_index_in_place_of_a_list_is_named(cli: Cli, index: str, command: str) -> None:
    done = cli(command, "--files-from", index, code=1)
    assert done.err.splitlines()[-2:] == [ERROR.format(index), HINT.format(index)]


def test_the_command_of_the_hint_works(cli: Cli, index: str) -> None:
    cli.write("data/inmail.2", MAIL)
    assert cli("predict", index).text.count("inmail") == 2


@pytest.mark.usefixtures("index")
def test_an_index_on_stdin(cli: Cli) -> None:
    cli.write("index", "spam data/inmail.1\n")
    data = (cli.here / "index").read_bytes()
    done = cli("predict", "--files-from", "-", stdin=data, code=1)
    assert done.err.splitlines()[-2:] == [ERROR.format("stdin"), HINT.format("--input-format index -")]
    assert "inmail.1" in cli("predict", "--input-format", "index", "-", stdin=data).text


def test_a_path_that_begins_like_a_label_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("spam mail", "mail"):
        Path(name).write_text(MAIL)
    Path("list").write_text("spam mail\n")
    assert read_paths("list") == ["spam mail"]


def test_an_index_whose_mails_are_gone_is_a_list_of_missing_files(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("spam data/inmail.1\n")
    assert read_paths(str(tmp_path / "list")) == ["spam data/inmail.1"]


def test_an_empty_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("\n")
    with pytest.raises(DataError, match="no paths in"):
        read_paths(str(tmp_path / "list"))

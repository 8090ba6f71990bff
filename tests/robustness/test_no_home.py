"""Without HOME and without an entry in the password database: reading works, writing says where it could."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

if sys.platform == "win32":
    pytest.skip("Windows finds its folders in another way", allow_module_level=True)

from spamnb.core import Account, obstacles
from tests.helpers.command_line import Result
from tests.helpers.other_user import User, needs_root, open_folder, spamnb_as
from tests.helpers.paths import ROOT, SMALL_SMS

STRANGER = User(12_345, (12_345,))
MAIL = b"Subject: win\n\nwin a prize now\n"
READS: dict[str, tuple[tuple[str, ...], bytes]] = {
    "predict": (("predict",), b"win a prize\n"),
    "predict mail": (("predict", "--input-format", "eml"), MAIL),
    "filter": (("filter", "--tempfail"), MAIL),
    "evaluate": (("evaluate", str(SMALL_SMS)), b""),
    "evaluate --folds": (("evaluate", str(SMALL_SMS), "--folds", "2"), b""),
    "inspect": (("inspect", "--top", "1"), b""),
    "inspect word": (("inspect", "prize"), b""),
    "explain": (("explain", "win a prize"), b""),
    "model list": (("model", "list"), b""),
    "completion": (("completion", "bash"), b""),
}
WRITES: dict[str, tuple[tuple[str, ...], str]] = {
    "train": (("train", str(SMALL_SMS)), "home"),
    "train --base": (("train", str(SMALL_SMS), "--base", "ready-made"), "home"),
    "import": (("model", "import", "x.jsonl"), "name"),
    "merge": (("model", "merge", "x.spamnb", "-o", "sum"), "name"),
    "tune -o": (("tune", str(SMALL_SMS), "-o", "tuned", "--time", "1"), "name"),
    "model use": (("model", "use", "sms"), "name"),
    "learn": (("learn", "--spam"), "own"),
    "forget": (("forget",), "own"),
}
ERRORS = {
    "name": [
        "Error: there is no home folder for models with a name: HOME is not set",
        "Hint: name a file, for example ./office.spamnb",
    ],
    "home": [
        "Error: there is no home folder for a model of your own: HOME is not set",
        "Hint: say where to write: -o FILE, or set SPAMNB_MODEL=FILE",
    ],
    "own": [
        "Error: there is no model of your own for text yet, and the ready-made ones do not learn",
        "Hint: train one with `spamnb train DATA -o FILE`, or name one with -m MODEL",
    ],
}


def run(
    args: tuple[str, ...],
    folder: Path,
    stdin: bytes = b"",
    variables: Mapping[str, str] = {},
    **identity: object,
) -> Result:
    """Runs the spamnb of this repository, whichever is installed, with no variables but these."""
    done = subprocess.run(
        [sys.executable, "-m", "spamnb", *args],
        input=stdin,
        capture_output=True,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), **variables},
        check=False,
        **identity,  # type: ignore[call-overload]
    )
    return Result(done.returncode, done.stdout, done.stderr.decode())


def run_as_stranger(program: str, home: Path) -> str:
    """Runs a program that gives up root itself; modules that it needs are imported before."""
    imports = "import grp, pwd\nfrom tests.helpers.other_user import load_all_modules\nload_all_modules()\n"
    done = subprocess.run(
        [sys.executable, "-c", imports + dedent(program)],
        capture_output=True,
        cwd="/",
        env={"PYTHONPATH": str(ROOT), "HOME": str(home)},
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def reachable() -> None:
    program = sys.executable, str(ROOT / "spamnb" / "__init__.py"), str(SMALL_SMS)
    if any(obstacles(path, Account("stranger", *STRANGER)) for path in program):
        pytest.skip(f"{sys.executable} or this repository is in a folder that other users cannot reach")


@pytest.mark.parametrize("name", READS)
def test_reading_needs_no_variables(tmp_path: Path, name: str) -> None:
    args, stdin = READS[name]
    done = run(args, tmp_path, stdin)
    assert (done.code, bool(done.out)) == (0, True), done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("variables", [{"HOME": "/dev/null"}, {"XDG_CONFIG_HOME": "/dev/null/x"}])
def test_reading_where_a_file_is_in_place_of_the_home(
    tmp_path: Path, name: str, variables: dict[str, str]
) -> None:
    """As for many users of mail systems."""
    args, stdin = READS[name]
    done = run(args, tmp_path, stdin, variables)
    assert (done.code, bool(done.out), "/dev/null" in done.err) == (0, True, False), done.err


@needs_root
@pytest.mark.usefixtures("reachable")
@pytest.mark.parametrize("name", READS)
def test_reading_needs_no_entry_in_the_password_database(name: str) -> None:
    args, stdin = READS[name]
    with open_folder() as folder:
        done = run(args, folder, stdin, user=STRANGER.number, group=STRANGER.number, extra_groups=[])
    assert (done.code, bool(done.out)) == (0, True), done.err


@needs_root
@pytest.mark.parametrize("name", [name for name in READS if str(SMALL_SMS) not in READS[name][0]])
def test_reading_in_a_child_process_of_an_unknown_user(name: str) -> None:
    """The same where the interpreter is in a folder that the user cannot reach."""
    args, stdin = READS[name]
    with open_folder() as folder:
        assert spamnb_as(STRANGER, folder, *args, stdin=stdin).out


@needs_root
@pytest.mark.parametrize("name", WRITES)
def test_writing_says_what_it_needs(name: str) -> None:
    args, kind = WRITES[name]
    with open_folder(0o777) as folder:
        done = spamnb_as(STRANGER, folder, *args, stdin=b"win a prize\n", code=1)
        assert done.err.splitlines()[-2:] == ERRORS[kind]
        assert list(folder.iterdir()) == []  # no folder with the name ~


@needs_root
def test_a_named_model_can_be_written_and_used() -> None:
    with open_folder(0o777) as folder:
        (folder / "data.csv").write_text("label,text\n" + "spam,win a prize\nham,see you\n" * 3)
        spamnb_as(STRANGER, folder, "train", "data.csv", "-o", "m.spamnb")
        spamnb_as(STRANGER, folder, "learn", "--spam", "-m", "m.spamnb", stdin=b"free money\n")
        done = spamnb_as(STRANGER, folder, "predict", "-m", "m.spamnb", stdin=b"win a prize\n")
        assert done.text.startswith("spam\t")
        assert {os.stat(folder / name).st_uid for name in ("m.spamnb", "m.spamnb.journal")} == {12_345}


def test_an_own_model_is_not_in_a_folder_called_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    """What earlier versions of platformdirs return where there is no home."""
    import platformdirs

    from spamnb.model.default_model import own_model

    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: "~/.local/share/spamnb")
    assert own_model("text") is None


@needs_root
def test_the_closed_home_of_another_user_is_none() -> None:
    """As in containers, and where root becomes another user: HOME is that of root."""
    with open_folder() as folder:
        home = folder / "home"
        for path in (home / ".config" / "spamnb", home / ".local" / "share" / "spamnb"):
            path.mkdir(parents=True)
        home.chmod(0o700)
        program = """
            import os
            os.setgid(12_345), os.setgroups([]), os.setuid(12_345)
            from spamnb.cli.configuration import user_file
            from spamnb.mail.list_files import own_lists, read_list
            from spamnb.model.default_model import own_model
            from spamnb.model.model_paths import used_model
            assert user_file() is own_lists() is own_model("text") is used_model("text") is None
        """
        assert run_as_stranger(program, home) == ""


@needs_root
def test_a_first_lesson_where_no_folder_can_be_made() -> None:
    """HOME is /nonexistent for the user nobody of Debian."""
    with open_folder() as folder:
        program = """
            import os
            os.setgid(12_345), os.setgroups([]), os.setuid(12_345)
            from spamnb.errors import ModelError
            from spamnb.training.own_model import start_own_model
            try:
                start_own_model(None, lambda: "text")
            except ModelError as error:
                print(error.message, error.hint)
        """
        home = folder / "nonexistent"
        assert run_as_stranger(program, home) == (
            f"cannot write {home}/.local/share/spamnb/my-text.spamnb: Permission denied "
            "train one with `spamnb train DATA -o FILE`\n"
        )

"""Files that are in the way of `export -o`, --json, --report and --plots: only spamnb's own are replaced."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli, Sms

CSV = "label,text\nspam,win\n"
PIPES = pytest.mark.skipif(sys.platform == "win32", reason="needs /dev/stdout and FIFOs")


def refused(path: str | Path, what: str, hint: str) -> list[str]:
    return [f"Error: {path} exists and is not {what}: it was not overwritten", f"Hint: {hint}"]


@pytest.mark.parametrize("flags", [(), ("--force",)])
@pytest.mark.parametrize("name", ["k.spamnb", "k.spamnb.journal", "k.spamnb.lock", "./other/../k.spamnb"])
def test_an_export_never_replaces_its_own_model(
    cli: Cli, tiny: Path, name: str, flags: tuple[str, ...]
) -> None:
    (cli.here / "other").mkdir()
    model = cli.write("k.spamnb", tiny.read_bytes())
    cli("learn", "-m", model, "--spam", "-q", stdin=b"win once more\n")
    before = model.read_bytes(), Path(f"{model}.journal").read_bytes()
    assert cli.fails("model", "export", "k.spamnb", "-o", name, *flags) == [
        f"Error: {name} belongs to the model that is exported: it was not overwritten",
        "Hint: choose another name for -o",
    ]
    assert (model.read_bytes(), Path(f"{model}.journal").read_bytes()) == before


def test_an_export_replaces_exports_only(cli: Cli, tiny: Path) -> None:
    hint = "choose another name for -o, or add --force"
    other = cli.write("other.spamnb", tiny.read_bytes())
    data = cli.write("data.csv", CSV)
    for path in (other, data):
        before = path.read_bytes()
        assert cli.fails("model", "export", tiny, "-o", path) == refused(path, "an export of spamnb", hint)
        assert path.read_bytes() == before
    wanted = cli("model", "export", tiny).out
    cli("model", "export", tiny, "-o", data, "--force")
    assert data.read_bytes() == wanted
    for name in ("m.txt", "m.jsonl", "m.txt", "m.jsonl"):
        cli("model", "export", tiny, "-o", name)
    assert (cli.here / "m.txt").read_bytes() == wanted
    cli("model", "export", tiny, "-o", cli.write("empty", ""))
    assert (cli.here / "empty").read_bytes() == wanted


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
def test_an_export_that_fails_leaves_the_one_before(cli: Cli, sms: Sms, tiny: Path) -> None:
    cli("model", "export", tiny, "-o", "m.txt", "-q")
    before, there = (cli.here / "m.txt").read_bytes(), sorted(os.listdir(cli.here))
    script = "trap '' XFSZ; ulimit -f 8; \"$@\""
    done = cli.shell(script, "model", "export", sms.model, "-o", "m.txt", code=1)
    assert done.err.splitlines() == ["Error: cannot write m.txt: File too large", "Hint: choose another path"]
    assert (cli.here / "m.txt").read_bytes() == before
    assert sorted(os.listdir(cli.here)) == there


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
@pytest.mark.parametrize("flag", ["--report", "--json"])
def test_an_evaluation_that_cannot_be_written_leaves_the_one_before(flag: str, cli: Cli, sms: Sms) -> None:
    command = ("evaluate", sms.test, "-m", sms.model, "-q", flag, "out")
    cli(*command)
    before, there = (cli.here / "out").read_bytes(), sorted(os.listdir(cli.here))
    done = cli.shell("trap '' XFSZ; ulimit -f 1; \"$@\"", *command, code=1)
    assert done.err.splitlines() == ["Error: cannot write out: File too large", "Hint: choose another path"]
    assert (cli.here / "out").read_bytes() == before
    assert sorted(os.listdir(cli.here)) == there


@PIPES
def test_an_export_goes_to_pipes_as_before(cli: Cli, tiny: Path) -> None:
    wanted = cli("model", "export", tiny).out
    assert cli("model", "export", tiny, "-o", "/dev/stdout", "-q").out == wanted
    os.mkfifo(cli.here / "pipe")
    assert cli.shell('"$@" & cat pipe; wait', "model", "export", tiny, "-o", "pipe", "-q").out == wanted
    assert (cli.here / "pipe").is_fifo()


# Each of them would otherwise be done at length first.
@pytest.mark.parametrize(
    "args",
    [
        ("evaluate", "data.csv"),
        ("evaluate",),
        ("evaluate", "--predictions", "data.csv"),
        ("compare", "data.csv"),
        ("tune", "data.csv"),
        ("inspect",),
        ("learn", "data.csv"),
        ("forget", "data.csv"),
        ("forget", "--spam", "data.csv"),
    ],
    ids=lambda args: " ".join(args[:2]),
)
def test_json_overwrites_no_data(cli: Cli, args: tuple[str, ...]) -> None:
    cli.write("data.csv", CSV)
    hint = "choose another name for --json, or remove the file"
    errors = cli.fails(*args, "--json", "data.csv")
    assert errors == refused("data.csv", "JSON that spamnb wrote", hint)
    assert (cli.here / "data.csv").read_text() == CSV


@pytest.mark.parametrize(
    "content",
    [
        b'{"text": "win"}\n{"text": "see you"}\n',
        b'{"format":"spamnb-counts","version":1}\n',
        b"[]",
        b"\x80\0",
    ],
)
def test_json_overwrites_no_other_json(cli: Cli, content: bytes) -> None:
    path = cli.write("d.jsonl", content)
    hint = "choose another name for --json, or remove the file"
    assert cli.fails("inspect", "--json", path) == refused(path, "JSON that spamnb wrote", hint)
    assert path.read_bytes() == content


def test_no_model_is_overwritten_by_figures(cli: Cli, sms: Sms) -> None:
    model = cli.write("m.spamnb", sms.model.read_bytes())
    hint = "choose another name for --report, or remove the file"
    errors = cli.fails("evaluate", sms.test, "-m", model, "--report", model)
    assert errors == refused(model, "a report of spamnb", hint)
    cli.fails("evaluate", sms.test, "-m", model, "--json", model)
    assert model.read_bytes() == sms.model.read_bytes()


def test_own_files_and_empty_ones_are_overwritten(cli: Cli, sms: Sms) -> None:
    base = ("evaluate", sms.test, "-m", sms.model, "-q")
    cli.write("f.json", "")
    cli.write("r.html", "")
    for _ in range(2):
        cli(*base, "--json", "f.json", "--report", "r.html", "--plots", "p")
    for args in (("inspect", sms.model), ("inspect", sms.model, "win"), ("evaluate", "-m", sms.model)):
        cli(*args, "--json", "f.json")


def test_a_page_of_somebody_else_stays(cli: Cli) -> None:
    page = cli.write("r.html", "<!DOCTYPE html>\n<html><head><title>mine</title></head></html>\n")
    hint = "choose another name for --report, or remove the file"
    assert cli.fails("evaluate", "--report", page) == refused(page, "a report of spamnb", hint)


def test_a_picture_of_somebody_else_stays(cli: Cli, sms: Sms) -> None:
    base = ("evaluate", sms.test, "-m", sms.model, "-q", "--plots", "p")
    cli(*base)
    from spamnb.cli.overwrite import PLOTS

    assert {path.stem for path in (cli.here / "p").iterdir()} == set(PLOTS)
    shutil.rmtree(cli.here / "p")
    (cli.here / "p").mkdir()
    mine = cli.write("p/scores.svg", '<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    hint = "choose another folder for --plots, or remove the file"
    errors = cli.fails(*base)
    assert errors == refused(os.path.join("p", "scores.svg"), "a plot of spamnb", hint)
    assert os.listdir(cli.here / "p") == [mine.name]


def test_one_file_cannot_be_both(cli: Cli, sms: Sms) -> None:
    errors = cli.fails("evaluate", "-m", sms.model, "--report", "x", "--json", "./x", code=2)
    assert errors[-1] == "Error: --report and --json cannot both write to x: give one another file."
    assert not (cli.here / "x").exists()
    for flag in ("--report", "--json"):
        errors = cli.fails("evaluate", "-m", sms.model, sms.test, flag, "p/roc.svg", "--plots", "p", code=2)
        assert (
            errors[-1] == f"Error: {flag} and --plots cannot both write to p/roc.svg: give one another place."
        )
        assert not (cli.here / "p").exists()


@PIPES
def test_no_way_round_by_the_folder_of_processes(cli: Cli, sms: Sms) -> None:
    cli.write("data.csv", "label,text\nham,see you\n")
    path = f"/proc/self/cwd/{cli.here / 'data.csv'}".replace("cwd//", "root/")
    hint = "choose another name for --json, or remove the file"
    assert cli.fails("evaluate", "-m", sms.model, "--json", path)[-2:] == refused(
        path, "JSON that spamnb wrote", hint
    )


@PIPES
def test_figures_go_to_pipes_as_before(cli: Cli, tiny: Path) -> None:
    wanted = cli("inspect", tiny, "win", "--json", "-").out
    assert cli("inspect", tiny, "win", "--json", "/dev/stdout").out.startswith(wanted)
    os.mkfifo(cli.here / "pipe")
    script = '"$@" >/dev/null & cat pipe; wait'
    assert cli.shell(script, "inspect", tiny, "win", "--json", "pipe").out == wanted

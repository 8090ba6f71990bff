"""Models by name: `-m NAME`, `-o NAME`, `spamnb model list`, `use` and `remove`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spamnb.model import shipped_model
from tests.helpers.command_line import TINY, TINY_FLAGS, Cli


@pytest.fixture
def demo(cli: Cli) -> Path:
    """A model with the name demo."""
    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv", *TINY_FLAGS, "-o", "demo", "-q")
    return cli.data / "spamnb" / "demo.spamnb"


def default(cli: Cli, **env: str) -> str:
    """The default for text."""
    return cli("model", "list", env=env).text.splitlines()[-2].removeprefix("default for text: ")


def marked(cli: Cli) -> list[str]:
    """The names of the models that are a default, those for text first."""
    rows = cli("model", "list", "--json", "-").json["models"]
    return [row["name"] for kind in ("text", "mail") for row in rows if kind in row["default_for"]]


# --- names and paths -------------------------------------------------------------------------------


def test_a_word_is_a_name_and_anything_else_a_path(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    for stated, path in (
        ("office", cli.data / "spamnb" / "office.spamnb"),
        ("office.spamnb", cli.here / "office.spamnb"),
        ("./office", cli.here / "office"),
    ):
        err = cli("train", "tiny.csv", *TINY_FLAGS, "-o", stated).err
        shown = stated if stated != "office" else path
        assert f"saved             {shown} (" in err
        assert err.endswith(f'try               echo "your message" | spamnb predict -m {stated}\n')
        assert path.exists()
        assert cli("predict", "-m", stated, "--format", "terse", stdin=b"win\n").text.startswith("spam\t")


def test_every_command_takes_a_name(cli: Cli, demo: Path) -> None:
    env = {"SPAMNB_MODEL": "demo"}
    assert cli("predict", "--format", "terse", stdin=b"win\n", env=env).text.startswith("spam\t")
    cli("learn", "--spam", "-m", "demo", stdin=b"a free prize\n")
    assert "a free prize" not in cli("model", "export", "demo", "-q").text
    cli("model", "merge", "demo", "demo:2", "-o", "both", "-q")
    cli("model", "prune", "both", "--min-count", "2", "-q")
    cli("model", "age", "both", "-o", "old", "-q")
    cli("model", "import", "-", "-o", "back", "-q", stdin=cli("model", "export", "old").out)
    assert cli("inspect", "-m", "back", "--json", "-").json["classes"] == {"ham": 3, "spam": 5}
    cli("train", "tiny.csv", "-o", "start", "-q")
    assert "from the model start.spamnb" in cli("train", "tiny.csv", "--base", "start", "-o", "more").err
    assert demo.with_name("old.spamnb").exists()
    assert [p.name for p in cli.here.iterdir() if p.suffix == ".spamnb"] == []


def test_the_ready_made_models_have_names(cli: Cli) -> None:
    for kind in ("sms", "mail"):
        assert cli("inspect", "-m", kind, "--json", "-").json["path"] == shipped_model(kind)
        assert cli.fails("train", "-", "-o", kind, stdin=TINY.encode()) == [
            f"Error: {kind} is the name of a ready-made model",
            f"Hint: choose another name, or write a file: ./{kind}.spamnb",
        ]
    assert "ready-made model for SMS" in cli("train", cli.write("t.csv", TINY), "--base", "sms").err


@pytest.mark.parametrize("name", ["auto", "ready-made"])
def test_words_that_mean_something_else_are_no_names(cli: Cli, name: str) -> None:
    assert cli.fails("train", "-", "-o", name, stdin=TINY.encode())[0] == f"Error: {name} cannot name a model"


def test_an_empty_name_is_no_model(cli: Cli) -> None:
    """As of a variable of a shell that is not set."""
    for command in (("predict", "-m"), ("model", "use"), ("model", "export")):
        assert cli.fails(*command, "")[0] == "Error: expected the path of a model, got an empty string"


def test_a_name_without_a_model(cli: Cli) -> None:
    for command in (("predict", "-m"), ("model", "prune", "--min-count", "2"), ("model", "use")):
        assert cli.fails(*command, "offise") == [
            "Error: there is no model named 'offise'",
            "Hint: `spamnb model list` lists all models; a file has a slash or a dot in its path",
        ]
    cli.write("offise", "something")
    assert cli.fails("predict", "-m", "offise")[1] == "Hint: for the file offise write ./offise"


# --- model list ------------------------------------------------------------------------------------


def test_the_list_has_all_models(cli: Cli, demo: Path) -> None:
    head, *rows, text, mail = cli("model", "list").text.splitlines()
    assert head.split() == ["default", "name", "messages", "accuracy", "size", "date", "file"]
    assert [row[:15].split() for row in rows] == [["demo"], ["text", "sms"], ["mail", "mail"]]
    assert demo.parts[-4:] == ("home", "data", "spamnb", "demo.spamnb")
    assert re.fullmatch(r"         demo +4 +- +\d kB  \d{4}-\d\d-\d\d  ~/data/spamnb/demo\.spamnb", rows[0])
    assert [row.split()[-1] for row in rows[1:]] == ["ready-made", "ready-made"]
    none = "(ready-made, as you have no model of your own)"
    assert text == f"default for text: sms; mail for texts as long as emails {none}"
    assert mail == f"default for mail: mail {none}"


def test_the_list_shows_the_accuracy_of_training(cli: Cli) -> None:
    rows = [f"{label},{text} {i}" for label, text in (("ham", "see you"), ("spam", "win")) for i in range(12)]
    cli("train", cli.write("d.csv", "\n".join(["label,text", *rows])), "-o", "better", "-q")
    (row,) = (line for line in cli("model", "list").text.splitlines() if "better" in line)
    assert re.search(r" \d+\.\d\d% ", row)


def test_the_list_shows_no_accuracy_of_another_model(cli: Cli) -> None:
    rows = [f"{label},{text} {i}" for label, text in (("ham", "see you"), ("spam", "win")) for i in range(12)]
    cli("train", cli.write("d.csv", "\n".join(["label,text", *rows])), "-o", "part", "-q")
    cli("model", "merge", "part", "part", "-o", "sum", "-q")
    cells = {row.split()[0]: row.split()[2] for row in cli("model", "list").text.splitlines()}
    assert (cells["sum"], cells["part"][-1]) == ("outdated", "%")
    (row,) = (row for row in cli("model", "list", "--json", "-").json["models"] if row["name"] == "sum")
    assert row["accuracy"] is None
    assert row["outdated"] == "the metrics were measured before merge"


def test_the_list_as_json(cli: Cli, demo: Path) -> None:
    cli("model", "use", "demo", "-q")
    listed = cli("model", "list", "--json", "-").json
    assert listed["default"]["text"] == {
        "path": str(demo),
        "reason": "chosen with `spamnb model use`",
        "text": "demo (chosen with `spamnb model use`)",
    }
    assert [(row["name"], row["default_for"]) for row in listed["models"]] == [
        *(("demo", ["text"]), ("sms", []), ("mail", ["mail"]))
    ]
    assert (listed["models"][0]["messages"], listed["models"][0]["bytes"]) == (4, demo.stat().st_size)


def test_the_list_names_a_damaged_model_and_a_default_elsewhere(cli: Cli, demo: Path, tiny: Path) -> None:
    demo.write_bytes(b"no model\x1b[2J")
    lines = cli("model", "list", env={"SPAMNB_MODEL": str(tiny)}).text.splitlines()
    assert lines[1].startswith("text, mail  ")
    assert lines[1].endswith(str(tiny))
    assert lines[2].split()[0] == "demo"
    assert "is not a spamnb model" in lines[2]
    assert lines[-2:] == [f"default for {kind}: {tiny} ($SPAMNB_MODEL)" for kind in ("text", "mail")]
    assert default(cli, SPAMNB_MODEL="/nowhere/x.y") == "/nowhere/x.y ($SPAMNB_MODEL; it does not exist)"


# --- model use -------------------------------------------------------------------------------------


def test_use_makes_a_model_the_default(cli: Cli, demo: Path) -> None:
    assert cli("model", "use", "demo").err == f"default           for text: demo ({demo})\n"
    assert default(cli) == "demo (chosen with `spamnb model use`)"
    assert marked(cli) == ["demo", "mail"]
    assert cli("predict", "--format", "terse", stdin=b"win\n").err == ""
    assert "known      1 message (1 ham)" in cli("learn", "--ham", stdin=b"see mum\n").err


def test_training_without_a_name_leaves_the_default(cli: Cli, demo: Path) -> None:
    cli("model", "use", "demo", "-q")
    before = demo.read_bytes()
    err = cli("train", "tiny.csv").err
    assert err.endswith("spamnb predict -m my-text\n")
    assert (cli.own_model.exists(), demo.read_bytes() == before) == (True, True)
    assert marked(cli) == ["demo", "mail"]


def test_use_of_a_ready_made_model_and_back(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv", "-q")
    assert default(cli) == "my-text (your own model)"
    cli("model", "use", "sms", "-q")
    assert marked(cli) == ["sms", "mail"]
    assert cli.fails("learn", "--spam", stdin=b"x\n") == [
        "Error: sms is used by default, and the ready-made models do not learn",
        "Hint: `spamnb model use auto` goes back to your own model; -m MODEL names one",
    ]
    cli("model", "use", "auto", "-q")
    assert marked(cli) == ["my-text", "mail"]
    assert "learned    1 message" in cli("learn", "--ham", "-t", "see you at noon").err


def test_use_of_both_ready_made_models(cli: Cli) -> None:
    cli("train", cli.write("tiny.csv", TINY), "-q")
    assert cli("model", "use", "ready-made").err == "default           sms for text, mail for mail\n"
    assert marked(cli) == ["sms", "mail"]
    assert cli("inspect", "--top", "0", "--json", "-").json["path"] == shipped_model("sms")
    long = "a letter about the harvest of this year " * 20
    assert cli("predict", "-t", long).out == cli("predict", "-m", "mail", "-t", long).out
    assert cli("predict", "-t", long).out != cli("predict", "-m", "sms", "-t", long).out
    assert cli.fails("predict", "-m", "ready-made", "-t", "win") == [
        "Error: ready-made stands for two models",
        "Hint: write -m sms or -m mail",
    ]


def test_use_of_a_file_keeps_its_full_path(cli: Cli, tiny: Path) -> None:
    (cli.here / "t.spamnb").write_bytes(tiny.read_bytes())
    cli("model", "use", "t.spamnb")
    assert default(cli) == f"{cli.here}/t.spamnb (chosen with `spamnb model use`)"
    done = cli("model", "use", "sms", env={"SPAMNB_MODEL": str(tiny)})
    assert done.err.splitlines()[-1] == "note: SPAMNB_MODEL is set and comes first"
    cli.write("bad.spamnb", "no model")
    assert "is not a spamnb model" in cli.fails("model", "use", "bad.spamnb")[0]


# --- model remove ----------------------------------------------------------------------------------


def test_remove_lists_what_goes(cli: Cli, demo: Path) -> None:
    cli("train", "tiny.csv", *TINY_FLAGS, "-o", "demo", "-q")
    cli("learn", "--spam", "-m", "demo", "-q", stdin=b"a free prize\n")
    cli("model", "use", "demo", "-q")
    there = sorted(path.name for path in demo.parent.iterdir() if path.name.startswith("demo"))
    assert there == ["demo.spamnb", "demo.spamnb.bak", "demo.spamnb.journal", "demo.spamnb.lock"]
    errors = cli.fails("model", "remove", "demo", code=2)
    assert errors[-2:] == [
        "Error: nothing was removed: there is no terminal to ask whether to remove these files",
        "Hint: add --force to remove them without a question",
    ]
    assert sorted(line.split("/")[-1].split()[0] for line in errors[:-2]) == there
    assert all(line.startswith("to remove  ") for line in errors[:-2])
    done = cli("model", "remove", "demo", "--force")
    assert done.err.splitlines()[-2:] == [
        "default           for text: your own model if there is one, else a ready-made one",
        "removed           demo",
    ]
    assert list(demo.parent.iterdir()) == []


def test_remove_refuses_what_is_no_model_of_the_user(cli: Cli, demo: Path) -> None:
    assert "is a ready-made model" in cli.fails("model", "remove", "sms", "--force")[0]
    assert Path(shipped_model("sms")).exists()
    path = cli.write("notes.txt", "not a model")
    assert "is not a spamnb model" in cli.fails("model", "remove", path, "--force")[0]
    (cli.here / "link.spamnb").symlink_to(demo)
    assert "link" in cli.fails("model", "remove", "link.spamnb", "--force")[0]
    assert (path.exists(), demo.exists()) == (True, True)

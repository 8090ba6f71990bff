"""A newline in a file name, label, column or value cannot make a line that looks like one of spamnb's own."""

from __future__ import annotations

import pytest

from tests.helpers.command_line import Cli
from tests.robustness.child_process import run_command, spamnb

NAME = "a\nError: forged\x1b[31m.csv"
SHOWN = r"a\nError: forged\x1b[31m.csv"
GONE = "gone\nHint: forged\r"
VALUE = "x\nsaved             forged"


@pytest.fixture
def here(cli: Cli) -> Cli:
    rows = "".join(f"spam,win a prize {i}\nham,see you at {i}\n" for i in range(12))
    (cli.here / NAME).write_text("label,text\n" + rows)
    labels = "".join(f'"{VALUE} spam",win {i}\n"{VALUE} ham",see {i}\n' for i in range(12))
    (cli.here / "labels.csv").write_text(f'"label\nError: forged","text\nError: forged"\n{labels}')
    assert cli("train", NAME, "-o", "m.spamnb", "-q").code == 0
    return cli


NAMED = ("train", "--label-column", "label\nError: forged", "--text-column", "text\nError: forged")
CALLS = {
    "train": ("train", NAME, "-o", f"{NAME}.spamnb"),
    "predict": ("predict", NAME, "-m", "m.spamnb"),
    "predict gone": ("predict", GONE, "-m", "m.spamnb"),
    "no model": ("predict", NAME, "-m", GONE),
    "evaluate": ("evaluate", NAME, "-m", "m.spamnb"),
    "compare": ("compare", NAME, "--with", f"scorer={VALUE}"),
    "compare name": ("compare", NAME, "--with", VALUE),
    "tune": ("tune", NAME, "--time", "1"),
    "pattern": ("train", NAME, "--set", f"pattern={VALUE}", "-o", "x.spamnb"),
    "pattern name": ("train", NAME, "--set", f"pattern={VALUE}=(", "-o", "x.spamnb"),
    "labels": (*NAMED, "labels.csv", "-o", "x.spamnb"),
    "spam label": (*NAMED, "labels.csv", "--spam-label", VALUE, "-o", "x.spamnb"),
    "no such column": ("train", NAME, "--label-column", VALUE, "-o", "x.spamnb"),
    "no such option": ("train", NAME, f"--{VALUE}"),
    "no such command": (VALUE,),
    "no such choice": ("predict", "-m", "m.spamnb", "--format", VALUE),
    "no number": ("train", NAME, "--alpha", VALUE),
    "unexpected argument": ("model", "list", VALUE),
    "inspect": ("inspect", GONE),
    "inspect a word": ("inspect", "-m", "m.spamnb", VALUE),
    "merge": ("model", "merge", "m.spamnb", "m.spamnb", "-o", f"{NAME}.merged"),
    "merge gone": ("model", "merge", GONE, "-o", "x.spamnb"),
    "prune": ("model", "prune", "m.spamnb", "--min-count", "2", "-o", f"{NAME}.pruned"),
    "age": ("model", "age", "m.spamnb", "-o", f"{NAME}.aged"),
    "export": ("model", "export", "m.spamnb", "-o", f"{NAME}.jsonl"),
    "import": ("model", "import", NAME, "-o", "x.spamnb"),
    "filter": ("filter", "-m", GONE),
    "learn": ("learn", "-m", "m.spamnb", NAME),
    "learn a label": ("learn", "-m", "m.spamnb", "--label", f"{VALUE}={NAME}"),
    "forget": ("forget", "-m", "m.spamnb", GONE),
    "use": ("model", "use", GONE),
    "completion": ("completion", VALUE),
    "files from a list": ("predict", "-m", "m.spamnb", "--files-from", GONE),
}


@pytest.mark.parametrize("what", CALLS)
def test_no_line_is_forged(what: str, here: Cli) -> None:
    done = run_command(spamnb(*CALLS[what]), here.here)
    text = f"{done.out.decode()}\n{done.err}"
    assert done.code in (0, 1, 2), text
    assert "forged" in text
    for line in text.splitlines():
        assert not line.startswith(("Error: forged", "Hint: forged", "saved             forged")), text
    assert "\x1b" not in text
    assert "\r" not in text


def test_the_name_is_shown_escaped(here: Cli) -> None:
    expected = f"Error: no such file: no {SHOWN}\nHint: did you mean {SHOWN}?\n"
    assert here("train", f"no {NAME}", code=1).err == expected


def test_a_missing_choice_keeps_its_lines(here: Cli) -> None:
    assert here("completion", code=2).err.splitlines()[-1].strip() == "fish"

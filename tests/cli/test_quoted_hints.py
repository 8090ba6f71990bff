"""Commands in hints can be pasted into a shell, whatever the files are called."""

from __future__ import annotations

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.small_models import ROWS, trained

MODEL, MAIL, SCORES, FOLDER = "./a b.spamnb", "a;b.eml", "a b.csv", "a b"
HINTS = {
    "journal": (
        ("learn", "--ham", "-m", MODEL),
        "without it the model is as it was when its file was written: "
        "mv './a b.spamnb.journal' './a b.spamnb.journal.damaged'",
    ),
    "model as messages": (
        ("predict", "-m", "sms", MODEL),
        "look into it with `spamnb inspect './a b.spamnb'`, or use it with -m './a b.spamnb'",
    ),
    "mail": (("train", MAIL), "say what it is: --label spam='a;b.eml' or --label ham='a;b.eml'"),
    "folder": (
        ("predict", "-m", "sms", "--input-format", "csv", FOLDER),
        "give the files in it, for example 'a b'/*",
    ),
    "model in a folder": (("train", SCORES, "-o", "./a b"), "name a file in it: -o './a b/model.spamnb'"),
    "predictions": (
        ("evaluate", "--predictions", SCORES),
        "name it with --label-column, or give the labelled messages too: "
        "spamnb evaluate --predictions 'a b.csv' DATA",
    ),
}


@pytest.mark.parametrize("name", HINTS)
def test_paths_are_quoted(name: str, cli: Cli) -> None:
    trained(ROWS).save(cli.here / MODEL)
    cli.write(f"{MODEL}.journal", b"no journal")
    cli.write(MAIL, b"Subject: hi\n\nhello\n")
    cli.write(SCORES, b"score,note\n0.5,x\n0.1,y\n")
    (cli.here / FOLDER).mkdir()
    command, hint = HINTS[name]
    assert cli.fails(*command, stdin=b"x\n")[-1] == f"Hint: {hint}"

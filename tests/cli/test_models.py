"""`spamnb models`: names all places, and marks the model that would be used."""

from __future__ import annotations

from tests.helpers.command_line import TINY, Cli

# --- models ----------------------------------------------------------------------------------------


def test_models_names_all_places(cli: Cli) -> None:
    lines = cli("models").text.splitlines()
    assert [line[3:20].strip() for line in lines] == [
        "given with -m",
        "$SPAMNB_MODEL",
        "your own model",
        "ready-made, sms",
        "ready-made, mail",
    ]
    assert lines[0] == "   given with -m     (not set)"
    assert lines[2] == f"   your own model    {cli.own_model} (not there)"


def test_models_marks_the_one_that_would_be_used(cli: Cli) -> None:
    def used(*args: str, **env: str) -> str:
        marked = [line for line in cli("models", *args, env=env).text.splitlines() if line.startswith("->")]
        assert len(marked) == 1
        return marked[0]

    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv")
    assert used().startswith(f"-> your own model    {cli.own_model} (")
    assert used().endswith(" kB)")
    assert used(SPAMNB_MODEL="/nowhere/x") == "-> $SPAMNB_MODEL     /nowhere/x (not there)"
    by_option = used("-m", str(cli.own_model), SPAMNB_MODEL="/nowhere/x")
    assert by_option.startswith(f"-> given with -m     {cli.own_model} (")
    assert "\\x1b" in used("-m", "evil\x1b[2J")

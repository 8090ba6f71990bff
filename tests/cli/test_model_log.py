"""`spamnb model log` and `spamnb model undo`: what they list, take back and refuse."""

from __future__ import annotations

import re

import pytest

from spamnb import SpamModel
from tests.helpers.command_line import TINY, TINY_FLAGS, Cli

NO_HISTORY = (
    "{}.spamnb.history, which lists the lessons, is missing or unusable. "
    "It is copied with the model, not exported.\n"
)


@pytest.fixture
def here(cli: Cli) -> Cli:
    cli("train", cli.write("tiny.csv", TINY), *TINY_FLAGS, "-o", "m.spamnb", "-q")
    cli.env["SPAMNB_MODEL"] = "m.spamnb"
    return cli


def lines(cli: Cli) -> list[str]:
    """The table without times and digests."""
    shown = cli("model", "log").text.splitlines()
    unstable = r"  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d|  [0-9a-f]{8}"
    return [re.sub(unstable, "", line).rstrip() for line in shown]


def messages(cli: Cli) -> int:
    return int(SpamModel.load(cli.here / "m.spamnb").store.message_totals.sum())


def test_lessons_are_listed_and_taken_back(here: Cli) -> None:
    here("learn", "--spam", stdin=b"win cash\nwin now\n")
    here("learn", "--ham", stdin=b"win cash\n")
    here("forget", stdin=b"see mum\n")
    assert lines(here) == [
        "id  time                 source  messages  change           digest",
        " 3  forget         1  -1 ham",
        " 2  learn          1  +1 ham, -1 spam",
        " 1  learn          2  +2 spam",
    ]
    done = here("model", "undo", "3")
    assert done.out == b""
    assert done.err == (
        "undone            lesson 3: 1 ham message learned again\nredo              spamnb model undo 4\n"
    )
    assert messages(here) == 6
    assert here("model", "undo", "2000-01-01").err == (
        "undone            4 lessons, 1 to 4: 1 ham message taken back, 1 spam message taken back\n"
        "redo              spamnb model undo 5\n"
    )
    assert messages(here) == 4
    assert lines(here)[1:3] == [
        " 5  undo           3  -1 ham, -1 spam  undoes 1-4",
        " 4  undo           1  +1 ham           undoes 3; undone by 5",
    ]


def test_jsonl_has_one_lesson_a_line(here: Cli) -> None:
    here("learn", "--spam", stdin=b"win cash\n")
    here("model", "undo", "1")
    second, first = here("model", "log", "--format", "jsonl").records
    assert (first["id"], first["source"], first["labels"], first["undone_by"]) == (1, "learn", {"spam": 1}, 2)
    assert (second["undoes"], second["undoable"], second["digest"]) == ([[1, 1]], True, first["digest"])
    assert [row["id"] for row in here("model", "log", "--format", "jsonl").records][:1] == [2]


def test_no_lessons(here: Cli) -> None:
    done = here("model", "log")
    assert (done.out, done.err) == (
        b"",
        "The model has no lessons: nothing was learned since it was trained.\n",
    )
    assert (
        here("model", "undo", "2000-01-01").err == "undone            nothing: no lesson since 2000-01-01\n"
    )


def test_lessons_whose_list_was_left_behind_by_an_export_are_not_denied(here: Cli) -> None:
    here("learn", "--spam", stdin=b"win cash\n")
    exported = here("model", "export", "m.spamnb", "-o", "m.jsonl")
    assert exported.err.splitlines()[1:] == [
        "note: the lesson history is not exported: the imported model cannot undo earlier lessons"
    ]
    here("model", "import", "m.jsonl", "-o", "imported.spamnb")
    expected = NO_HISTORY.format("imported")
    assert here("model", "log", "-m", "imported.spamnb").err == expected
    here("model", "age", "imported.spamnb", "-o", "aged.spamnb", "-q")
    shown = here("model", "log", "-m", "aged.spamnb").err
    assert shown.startswith("The model has learned since it was trained, but has no list of lessons")


def test_a_model_without_lessons_is_exported_without_a_note(here: Cli) -> None:
    assert "note" not in here("model", "export", "m.spamnb", "-o", "m.jsonl").err


def test_a_copy_without_its_history(here: Cli) -> None:
    here("learn", "--spam", stdin=b"win cash\n")
    here("learn", "--compact")
    here.write("copy.spamnb", (here.here / "m.spamnb").read_bytes())
    expected = NO_HISTORY.format("copy")
    assert here("model", "log", "-m", "copy.spamnb").err == expected
    for lesson in ("1", "2000-01-01"):
        assert here.fails("model", "undo", lesson, "-m", "copy.spamnb") == [
            "Error: there is no copy.spamnb.history, which keeps lesson 1",
            "Hint: if this is a copy of a model, copy that file too; or `spamnb forget` removes messages",
        ]
    here.write("copy.spamnb.history", (here.here / "m.spamnb.history").read_bytes())
    assert here("model", "undo", "1", "-m", "copy.spamnb").err.startswith("undone            lesson 1: ")


@pytest.mark.parametrize(
    ("what", "error"),
    [
        (
            "7",
            "Error: m.spamnb has no lesson 7: the last is 1\n"
            "Hint: `spamnb model log` lists the lessons since training; a copy of a model needs its journal "
            "too\n",
        ),
        (
            "soon",
            "Error: expected the number of a lesson or a date, got 'soon'\n"
            "Hint: for example 17, 2026-01-31 or 2026-01-31T18:30; `spamnb model log` lists the lessons\n",
        ),
    ],
)
def test_what_is_refused(here: Cli, what: str, error: str) -> None:
    here("learn", "--spam", stdin=b"win cash\n")
    done = here("model", "undo", what, code=2 if what == "soon" else 1)
    assert done.err == error


def test_lessons_before_ageing_are_listed_as_final(here: Cli) -> None:
    here("learn", "--spam", stdin=b"win cash\n")
    here("model", "age", "m.spamnb", "-q")
    here("learn", "--ham", stdin=b"see dad\n")
    assert lines(here)[1:] == [" 2  learn          1  +1 ham", " 1  learn          1  +1 spam  final"]
    assert here("model", "undo", "2000-01-01", code=1).err == (
        "Error: lesson 1 was learned before the model was aged, pruned or merged: "
        "what is left of its counts is unknown\nHint: only lessons after that can be undone\n"
    )


def test_the_result_as_json(here: Cli) -> None:
    here("learn", "--spam", stdin=b"win cash\n")
    result = here("model", "undo", "1", "--json", "-", "-q").json
    assert (result["model"], result["undone"], result["lesson"]) == ("m.spamnb", [1], 2)

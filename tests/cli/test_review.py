"""`spamnb review`: its questions, its keys, and what it learns."""

from __future__ import annotations

import re

import pytest

from spamnb import SpamModel
from tests.helpers.command_line import TINY, TINY_FLAGS, Cli

KEYS = "keys              s spam, h ham, u or space skip, b back, q quit, ? help"


@pytest.fixture
def here(cli: Cli) -> Cli:
    cli("train", cli.write("tiny.csv", TINY), *TINY_FLAGS, "-o", "m.spamnb", "-q")
    cli.env["SPAMNB_MODEL"] = "m.spamnb"
    cli.write("new.txt", "win prize money\nsee mum\nwin see\nMoney, win prize!\nsee you mum\n")
    return cli


def totals(cli: Cli) -> list[int]:
    return [int(n) for n in SpamModel.load(cli.here / "m.spamnb").store.message_totals]


def test_the_least_certain_message_comes_first(here: Cli) -> None:
    done = here("review", "new.txt", stdin=b"s\n")
    assert done.out == b""
    lines = done.err.splitlines()
    assert lines[:7] == [
        "new.txt: one message per line (UTF-8)",
        "review            3 questions about 5 messages",
        KEYS,
        "",
        "question 1        ham, P(spam) = 0.50",
        "message           win see",
        "evidence          see -1.10, win +1.10",
    ]
    assert lines[7] == "learned           spam"
    assert lines[-3:] == [
        "learned           1 message (1 spam) by 1 answer",
        "flipped           0 of 4 other verdicts",
        "take back         `spamnb model log` lists the answers, "
        "`spamnb model undo 1` takes the last one back",
    ]
    assert totals(here) == [2, 3]
    (lesson,) = here("model", "log", "--format", "jsonl").records
    assert (lesson["source"], lesson["labels"]) == ("review", {"spam": 1})


def test_the_commands_that_take_answers_back_name_the_model(here: Cli) -> None:
    (here.here / "m.spamnb").rename(here.here / "other.spamnb")
    done = here("review", "new.txt", "-m", "other.spamnb", stdin=b"s\n")
    flag = "-m other.spamnb"
    undo = f"`spamnb model undo 1 {flag}` takes the last one back"
    assert done.err.endswith(f"take back         `spamnb model log {flag}` lists the answers, {undo}\n")


def test_the_command_that_takes_an_answer_back_works(here: Cli) -> None:
    err = here("review", "new.txt", stdin=b"s\nh\nu\n").err
    [command] = re.findall(r"`spamnb (model undo [^`]*)`", err)
    assert here(*command.split()).err.startswith("undone            lesson 2: ")
    assert totals(here) == [2, 3]


def test_a_skipped_message_is_confirmed(here: Cli) -> None:
    assert (
        "\nskipped           nothing learned from this message\n"
        in here("review", "new.txt", stdin=b"u\n").err
    )


def test_without_a_history_no_answer_can_be_taken_back(here: Cli) -> None:
    err = here("review", "new.txt", "--set", "history-days=0", stdin=b"s\n").err
    assert err.endswith("take back         `spamnb model log` lists the answers\n")


def test_near_duplicates_are_one_question(here: Cli) -> None:
    done = here("review", "new.txt", stdin=b"u\nh\ns\n")
    assert ", 1 near-duplicate\n" in done.err
    assert "learned           3 messages (" in done.err
    assert ") by 2 answers\n" in done.err
    assert sorted(totals(here)) == [3, 4]


def test_back_takes_the_last_answer_back(here: Cli) -> None:
    done = here("review", "new.txt", stdin=b"s\nb\nh\n?\nx\nq\n")
    assert done.err.count("question 1 ") == 2
    assert "back              spam taken back\n" in done.err
    assert done.err.count(KEYS) == 2
    assert "no such key       s spam" in done.err
    assert totals(here) == [3, 2]
    assert len(here("model", "log").text.splitlines()) == 1 + 3


def test_nothing_answered_is_nothing_learned(here: Cli) -> None:
    assert here("review", "new.txt", stdin=b"").err.endswith("\nNothing was learned.\n")
    assert here("review", "new.txt", stdin=b"u\nq\n").err.endswith("\nNothing was learned.\n")
    assert totals(here) == [2, 2]


def test_learned_messages_are_not_asked_about(here: Cli) -> None:
    """`see mum` is in the training data."""
    here("learn", "--ham", stdin=b"win prize money\nsee you mum\n")
    done = here("review", "new.txt", stdin=b"q\n")
    assert "review            2 questions about 5 messages\n" in done.err


def test_messages_without_text_are_left_out(here: Cli) -> None:
    here.write("gaps.txt", "\nwin see\n \n\nsee mum\n")
    assert "review            1 question about 2 messages\n" in here("review", "gaps.txt", stdin=b"").err
    error = "Error: there are no messages to review"
    assert here.fails("review", here.write("blank.txt", "\n\n"))[-2:] == [
        error,
        "Hint: name a file or a mailbox with messages",
    ]


def test_at_most_so_many_questions(here: Cli) -> None:
    done = here("review", "new.txt", "-n", "1", stdin=b"s\ns\ns\n")
    assert done.err.count("question ") == 1


def test_no_messages(here: Cli) -> None:
    here.write("empty.txt", "")
    done = here("review", "empty.txt", stdin=b"s\n", code=1)
    assert "Hint: " in done.err
    assert "Traceback" not in done.err


def test_mail_shows_file_and_subject(here: Cli) -> None:
    here.write("one.eml", "From: a@example.com\nSubject: see\n\nwin\x1b[2J prize\n")
    done = here("review", "one.eml", stdin=b"s\n")
    assert "file              one.eml\n" in done.err
    assert "subject           see\n" in done.err
    assert "\x1b" not in done.err

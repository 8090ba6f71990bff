"""`spamnb explain`: the evidence sums to the verdict, from text, a file or stdin."""

from __future__ import annotations

import math
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from spamnb import SpamModel
from spamnb.report.model_card import show_explanation
from tests.helpers.command_line import Cli, Sms, Three


def test_a_message_is_explained(cli: Cli, tiny: Path) -> None:
    shown = cli("explain", "-m", tiny, "win a prize, see?").text.splitlines()
    assert shown[0].rstrip() == "spam  P(spam) = 0.6667, log-odds of spam against ham +0.693"
    assert shown[1] == "known tokens: 3 of 4; the numbers in the last column count occurrences"
    assert shown[2].split() == ["log-odds", "token", "times", "in", "ham", "/", "spam"]
    bar = "█" * 20
    rows = [" ".join(line.split()) for line in shown[3:]]
    assert rows == [
        "+0.000 prior and calibration",
        f"-1.099 {bar} see 1 2 / 0",
        f"+1.099 {bar} win 1 0 / 2",
        f"+0.693 {'█' * 13} prize 1 0 / 1",
        "+0.693 sum",
    ]


def test_the_shown_figures_sum_up(cli: Cli, sms: Sms) -> None:
    shown = cli("explain", "-m", sms.model, "WIN a FREE prize now, call 0909", "--top", "4").text
    figures = [float(line.split()[0]) for line in shown.splitlines()[3:]]
    assert len(figures) == 1 + 4 + 1 + 1
    assert sum(figures[:-1]) == pytest.approx(figures[-1], abs=0.005)


@pytest.mark.parametrize(("top", "weaker"), [(1, "2 weaker ones"), (2, "1 weaker one")])
def test_the_weaker_ones_are_counted(cli: Cli, tiny: Path, top: int, weaker: str) -> None:
    shown = cli("explain", "-m", tiny, "win a prize, see?", "--top", str(top)).text.splitlines()
    assert shown[-2].rstrip().endswith(weaker)


def test_a_message_as_json_from_an_argument_or_stdin(cli: Cli, sms: Sms) -> None:
    flags = ("explain", "-m", sms.model, "--json", "-")
    output = cli(*flags, "call now").json
    assert output["message"] == "call now"
    assert list(output) == [
        "made_by",
        *("verdict", "probability", "log_odds", "known", "log_evidence", "message"),
        *("for", "against", "sum", "bias", "evidence", "unknown", "joint", "log_joint"),
    ]
    total = math.fsum([output["bias"], *(part["log_odds"] for part in output["evidence"])])
    assert total == pytest.approx(output["log_odds"], abs=1e-9)
    assert output["probability"] == pytest.approx(1 / (1 + math.exp(-output["log_odds"])))
    assert cli(*flags, "-", stdin=b"call now\r\n").json == output


@pytest.mark.parametrize("scorer", ["multinomial", "bernoulli", "poisson", "complement", "less-naive"])
def test_verify_recomputes_the_score(cli: Cli, sms: Sms, scorer: str) -> None:
    cli("train", sms.train, "--scorer", scorer, "--folds", "0", "-o", "m")
    flags = ("explain", "-m", "m", "WIN a FREE prize now", "--verify")
    recomputed, model = cli(*flags, env={"COLUMNS": "80"}).text.splitlines()[-2:]
    assert re.fullmatch(
        r"recomputed from these numbers: log-odds [+-]\d+\.\d{6}, P\(spam\) = 0\.\d{6}", recomputed
    )
    assert model == "computed by the model:         " + recomputed.removeprefix(
        "recomputed from these numbers: "
    )
    output = cli(*flags, "--json", "-").json
    verification = output["verification"]
    assert verification["recomputed_log_odds"] == pytest.approx(output["log_odds"])
    assert verification["model_log_odds"] == output["log_odds"]
    assert {row["token"] for row in output["numbers"]["tokens"]} >= {"a", "free"}


def test_verify_of_a_message_of_which_nothing_is_known(cli: Cli, tiny: Path) -> None:
    last = cli("explain", "-m", tiny, "zebra", "--verify").text.splitlines()[-1]
    assert last == "the model keeps P away from 0 and 1, because so little is known; the log-odds compare"


def test_verify_of_three_classes_and_of_a_base_model(cli: Cli, sms: Sms, three: Three) -> None:
    lines = cli("explain", "-m", three.model, "dinner at 3", "--verify").text.splitlines()[-2:]
    assert lines[0].split(": ")[1] == lines[1].split(":")[1].strip()
    cli("train", sms.train, "--base", "ready-made", "-o", "m")
    shown = cli("explain", "-m", "m", "dinner at 3", "--verify").text
    assert "\nnumbers of the base model\n" in shown
    lines = shown.splitlines()[-2:]
    assert lines[0].split(": ")[1] == lines[1].split(":")[1].strip()


@pytest.mark.parametrize(("scorer", "counted"), [("poisson", "occurrences"), ("binary", "messages")])
def test_evidence_has_the_counts_that_the_scorer_uses(cli: Cli, scorer: str, counted: str) -> None:
    cli.write("d.csv", "label,text\nspam,win win prize\nham,see you\n")
    cli("train", "d.csv", "--scorer", scorer, "--tokens", "plain", "-o", "m")
    (win,) = cli("explain", "-m", "m", "win", "--json", "-").json["evidence"]
    assert win[counted] == [0, 2 if counted == "occurrences" else 1]
    shown = cli("explain", "-m", "m", "win").text
    assert shown.splitlines()[1].endswith(f"; the numbers in the last column count {counted}")
    assert shown.splitlines()[-2].endswith(f"0 / {win[counted][1]}")


def test_absent_words_are_a_part_of_the_bias_of_bernoulli(cli: Cli) -> None:
    cli.write("d.csv", "label,text\nspam,win win prize\nham,see you\n")
    cli("train", "d.csv", "--scorer", "bernoulli", "--tokens", "plain", "-o", "m")
    shown = cli("explain", "-m", "m", "win").text
    assert "prior, absent words and calibration" in shown
    assert "each token once per message" in cli("inspect", "-m", "m", env={"COLUMNS": "160"}).text


def test_a_message_may_hold_any_bytes(cli: Cli, tiny: Path) -> None:
    assert cli("explain", "-m", tiny, os.fsdecode(b"win \xff\x1b[2J")).text.startswith("spam")


@pytest.mark.parametrize("blank", ["", " \n"])
def test_an_empty_message_is_refused(cli: Cli, tiny: Path, blank: str) -> None:
    error = ["Error: the message is empty", 'Hint: give a text: spamnb explain "WIN a FREE prize"']
    assert cli.fails("explain", "-m", tiny, blank) == error
    assert cli.fails("explain", "-m", tiny, cli.write("blank.txt", blank)) == error
    assert cli.fails("explain", "-m", tiny, stdin=blank.encode()) == error


def test_the_first_line_says_why_the_verdict_differs_from_the_words(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = SpamModel.load(tiny)
    sides = "log-odds of spam against ham"
    for taught in ("ham", "spam"):
        explanation = replace(model.explain("win"), verdict=taught, taught_as=taught)
        show_explanation(Console(width=200), explanation, model.labels, 9)
        heading = f"{taught}, as taught  P(spam) = 0.7500; its words alone say: spam, {sides} +1.099"
        assert capsys.readouterr().out.splitlines()[0] == heading


def test_several_files_are_no_message(cli: Cli, tiny: Path) -> None:
    for name in ("a.eml", "b.eml", "notes"):
        cli.write(name, "Subject: win\n\nwin\n")
    (cli.here / "box").mkdir()
    assert cli.fails("explain", "-m", tiny, "a.eml", "notes") == [
        "Error: explain takes one message: got 2 files",
        "Hint: for several: spamnb predict --explain a.eml notes",
    ]
    cli.write("d.csv", "label,text\nham,see you\n")
    assert cli.fails("explain", "-m", tiny, "d.csv") == [
        "Error: explain takes one message: d.csv is a table",
        "Hint: for several: spamnb predict --explain d.csv",
    ]
    assert cli.fails("explain", "-m", tiny, "box") == [
        "Error: explain takes one message: box is a folder",
        "Hint: for several: spamnb predict --explain box",
    ]
    for words in (("gone.eml", "gone2.eml"), ("gone.eml", "a.eml")):
        assert cli.fails("explain", "-m", tiny, *words) == [
            "Error: no such file: gone.eml",
            f'Hint: if this is a text, quote it: spamnb explain "{" ".join(words)}"',
        ]
    assert cli("explain", "-m", tiny, "win", "notes").text.startswith("spam")


def test_a_table_or_an_mbox_is_no_message(cli: Cli, tiny: Path) -> None:
    mail = "From a@b.example Mon Jan  1 00:00:00 2024\nSubject: win\n\nwin\n\n"
    cli.write("one.mbox", mail)
    cli.write("two.mbox", 2 * mail)
    cli.write("x.csv", "id,text\n1,win\n")
    assert "win" in cli("explain", "-m", tiny, "one.mbox").text
    for file, kind in (("x.csv", "a table"), ("two.mbox", "an mbox of several emails")):
        assert cli.fails("explain", "-m", tiny, file) == [
            f"Error: explain takes one message: {file} is {kind}",
            f"Hint: for several: spamnb predict --explain {file}",
        ]
    assert cli.fails("explain", "-m", tiny, stdin=b'{"text": "win"}\n') == [
        "Error: explain takes one message: stdin is a table",
        "Hint: for several: spamnb predict --explain -",
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "cp1252"])
def test_a_text_is_decoded_as_by_predict(cli: Cli, tiny: Path, encoding: str) -> None:
    text = "win a prize, caf\u00e9!\nsee"
    expected = cli("explain", "-m", tiny, text).out
    assert cli("explain", "-m", tiny, cli.write("note.txt", text.encode(encoding))).out == expected
    assert cli("explain", "-m", tiny, stdin=text.encode(encoding)).out == expected


def test_a_path_without_a_file_is_noted(cli: Cli, tiny: Path) -> None:
    for path in ("./new", "gone.txt", "/gone/cur/1"):
        note = f"note: no such file: {path}; explained as text\n"
        assert cli("explain", "-m", tiny, path).err == note


@pytest.mark.parametrize(
    ("magic", "kind"), [(b"\x89PNG\r\n\x1a\n", "a PNG image"), (b"\x7fELF", "a program")]
)
def test_what_is_no_text_is_refused(cli: Cli, tiny: Path, magic: bytes, kind: str) -> None:
    file = cli.write("file", magic + bytes(range(256)))
    expected = cli.fails("predict", "-m", tiny, file)
    assert expected[0] == f"Error: {file} is {kind}, expected messages as text"
    assert cli.fails("explain", "-m", tiny, file) == expected
    assert cli.fails("explain", "-m", tiny, stdin=magic)[0] == (
        f"Error: stdin is {kind}, expected messages as text"
    )


def test_ascii_only(cli: Cli, tiny: Path) -> None:
    shown = cli("explain", "-m", tiny, "win", env={"PYTHONIOENCODING": "ascii"})
    assert b"#" * 20 in shown.out


def test_a_narrow_terminal(cli: Cli, tiny: Path) -> None:
    why = cli("explain", "-m", tiny, "win prize", env={"COLUMNS": "40"}).text.splitlines()
    assert [line.split() for line in why[-6:]] == [
        ["log-odds", "token", "in", "ham", "/", "spam"],
        ["+0.000", "prior", "and"],
        ["calibration"],
        ["+1.099", "win", "0", "/", "2"],
        ["+0.693", "prize", "0", "/", "1"],
        ["+1.792", "sum"],
    ]


def test_words_without_quotes_are_one_message(cli: Cli, tiny: Path) -> None:
    assert (
        cli("explain", "-m", tiny, "win", "a", "prize").out == cli("explain", "-m", tiny, "win a prize").out
    )


def test_a_mail_file_is_read_as_mail(cli: Cli, mail_model: Path) -> None:
    mail = b"From: a@example.org\nSubject: prize\n\nwin money\n"
    done = cli("explain", "-m", mail_model, cli.write("one.eml", mail), "--top", "99")
    assert done.err == f"message           the content of {cli.here}/one.eml\n"
    assert done.out == cli("explain", "-m", mail_model, "--top", "99", stdin=mail).out
    output = cli("explain", "-m", mail_model, "one.eml", "--json", "-").json
    assert (
        output["evidence"] != cli("explain", "-m", mail_model, mail.decode(), "--json", "-").json["evidence"]
    )
    assert cli("explain", "-m", mail_model, "-", "--top", "99", stdin=mail).out == done.out


def test_a_text_file_is_one_message(cli: Cli, tiny: Path) -> None:
    done = cli("explain", "-m", tiny, "-q", cli.write("note.txt", "win\nprize\n"))
    assert done.err == ""
    assert done.text == cli("explain", "-m", tiny, "win\nprize").text


def test_a_missing_mail_is_not_taken_for_text(cli: Cli, tiny: Path) -> None:
    assert cli.fails("explain", "-m", tiny, "gone.eml") == [
        "Error: no such file: gone.eml",
        "Hint: check the path, or give - for stdin",
    ]


def test_mail_for_a_model_without_mail_has_a_note(cli: Cli, tiny: Path) -> None:
    done = cli("explain", "-m", tiny, stdin=b"From: a@example.org\nSubject: prize\n\nwin\n")
    assert done.err == "note: this model was trained without mail; its verdicts on mail are unreliable\n"


def test_a_decision_rule_of_predict_holds_for_explain_too(cli: Cli, tiny: Path) -> None:
    for rule in (["--threshold", "0.8"], ["--threshold", "0.2"], ["--unsure", "0.1", "0.9"]):
        (predicted,) = cli("predict", "-m", tiny, *rule, "-t", "win", "--format", "jsonl").records
        explained = cli("explain", "-m", tiny, *rule, "win", "--json", "-").json
        assert explained["verdict"] == predicted["verdict"]
    cli.write("my.toml", "[explain]\nthreshold = 0.8\n")
    assert cli("--config", "my.toml", "explain", "-m", tiny, "win", "--json", "-").json["verdict"] == "ham"
    assert "--threshold" not in cli("explain", "--help").text

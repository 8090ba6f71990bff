"""`spamnb evaluate --report` and `--plots`: what they leave behind, and what they refuse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli, Sms, Three
from tests.helpers.paths import SMALL_SMS

PLOTS = ["calibration", "precision-recall", "roc", "scores", "thresholds"]


def cell(page: str, name: str) -> int:
    match = re.search(rf'id="n-{name}">([\d,]+)<', page)
    assert match is not None
    return int(match[1].replace(",", ""))


def test_a_report_agrees_with_the_figures(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.test, "-m", sms.model, "--report", "r.html", "--json", "f.json")
    page = (cli.here / "r.html").read_text("utf-8")
    figures = cli("evaluate", sms.test, "-m", sms.model, "--json", "-").json
    names = ("true_positives", "false_positives", "false_negatives", "true_negatives")
    assert [cell(page, n) for n in ("tp", "fp", "fn", "tn")] == [figures[name] for name in names]
    size = (cli.here / "r.html").stat().st_size
    assert f"report            r.html ({size / 1e3:,.0f} kB)\n" in done.err
    assert done.text.startswith(f"{sms.model.name} on {sms.test}\n")
    for words in ("Worst mistakes", "Strongest tokens", "About the model", str(sms.model), "line "):
        assert words in page


def test_a_report_is_the_same_every_time(cli: Cli, sms: Sms) -> None:
    for name in ("a.html", "b.html"):
        cli("evaluate", sms.test, "-m", sms.model, "--report", name, "--quiet")
    assert (cli.here / "a.html").read_bytes() == (cli.here / "b.html").read_bytes()


def test_a_report_changes_no_figure_and_goes_to_stdout_too(cli: Cli, sms: Sms) -> None:
    plain = cli("evaluate", sms.test, "-m", sms.model, "-q")
    assert cli("evaluate", sms.test, "-m", sms.model, "-q", "--report", "r.html").out == plain.out
    piped = cli("evaluate", sms.test, "-m", sms.model, "-q", "--report", "-")
    assert piped.out == (cli.here / "r.html").read_bytes()


def test_cross_validation_and_decisions(cli: Cli, sms: Sms) -> None:
    flags = ("--folds", "3", "--cost", "ham:spam=9", "--quiet", "--report", "cv.html")
    cli("evaluate", sms.train, *flags)
    page = (cli.here / "cv.html").read_text("utf-8")
    assert 'id="at" for="threshold">90.0%<' in page
    assert "Costs: 9 for a false positive, 1 for missed spam." in page
    assert "Worst mistakes" in page


def test_stored_figures(cli: Cli, sms: Sms) -> None:
    cli("evaluate", "-m", sms.model, "--report", "stored.html", "-q")
    page = (cli.here / "stored.html").read_text("utf-8")
    assert "as measured when it was trained" in page
    assert "without DATA there are no curves and no mistakes to show: spamnb evaluate DATA --report" in page
    assert "<svg" not in page


def test_three_classes(cli: Cli, three: Three) -> None:
    cli("evaluate", three.data, "-m", three.model, "--report", "3.html", "-q")
    assert "A row is an actual class" in (cli.here / "3.html").read_text("utf-8")
    assert cli.fails("evaluate", three.data, "-m", three.model, "-q", "--plots", "p") == [
        "Error: --plots draws the curves of two classes, got 3: home, spam, work",
        "Hint: leave out --plots; --report FILE has a matrix and metrics for each class",
    ]


def test_mail_has_subjects_and_places(cli: Cli) -> None:
    mail = SMALL_SMS.parent / "mail"
    cli("train", mail, "-o", "m.spamnb", "-q", "--folds", "0")
    flags = ("-m", "m.spamnb", "--threshold", "0", "-q", "--report", "r.html")
    cli("evaluate", mail, *flags)
    page = (cli.here / "r.html").read_text("utf-8")
    assert re.search(r'<span class="muted">[^<]*mail/ham/', page)
    assert re.search(r'class="message" dir="auto"><b>\w', page)


def test_a_report_survives_a_reader_that_leaves(cli: Cli, sms: Sms) -> None:
    cli.shell('"$@" | head -1', "evaluate", sms.test, "-m", sms.model, "-q", "--report", "r.html")
    assert (cli.here / "r.html").read_text("utf-8").endswith("</html>\n")


# --- --plots ---------------------------------------------------------------------------------------


def test_plots_are_svg_files(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.test, "-m", sms.model, "--plots", "a/b")
    assert sorted(path.name for path in (cli.here / "a" / "b").iterdir()) == [f"{name}.svg" for name in PLOTS]
    assert "plots             a/b: roc, precision-recall, scores, calibration, thresholds (SVG)\n" in done.err


# --- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            "--report - --json -",
            "--report - and --json - cannot both write to stdout: give one of them a file.",
        ),
    ],
)
def test_what_does_not_go_together(cli: Cli, sms: Sms, flags: str, message: str) -> None:
    assert cli.fails("evaluate", sms.test, *flags.split(), code=2)[-1] == f"Error: {message}"


def test_plots_need_data(cli: Cli) -> None:
    assert cli.fails("evaluate", "--plots", "x", code=2)[-1] == (
        "Error: --plots needs DATA: without it the metrics stored in the model are shown."
    )


def test_places_that_cannot_be_written(cli: Cli, sms: Sms) -> None:
    base = ("evaluate", sms.test, "-m", sms.model, "-q")
    assert cli.fails(*base, "--report", "no/where.html") == [
        "Error: cannot write no/where.html: No such file or directory",
        "Hint: choose another path",
    ]
    cli.write("file", "x")
    assert cli.fails(*base, "--plots", "file/x") == [
        "Error: cannot make file/x: Not a directory",
        "Hint: choose another path",
    ]
    assert Path(cli.here / "file").read_text() == "x"

"""`spamnb evaluate --predictions`: the same figures from a file of predictions, whoever made them."""

from __future__ import annotations

import json

import pytest

from tests.helpers.command_line import Cli, Sms, Three


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_what_predict_writes_comes_back_as_the_same_figures(cli: Cli, sms: Sms, kind: str) -> None:
    direct = cli("evaluate", sms.test, "-m", sms.model, "--json", "-").json
    predicted = cli("predict", sms.test, "-m", sms.model, "--format", kind, "-q")
    cli.write(f"said.{kind}", predicted.out)
    done = cli("evaluate", "--predictions", f"said.{kind}", sms.test, "--json", "-")
    for name, value in direct.items():
        if isinstance(value, int):
            assert done.json[name] == value, name
        elif isinstance(value, float):
            assert done.json[name] == pytest.approx(value, abs=1e-6), name
    assert done.json["title"] == f"predictions in said.{kind} on {sms.test}"
    described = done.err.splitlines()[0]
    assert described.startswith(f"said.{kind}: {kind.upper()} (")
    assert described.endswith('), no truth, score "log_odds", verdict "verdict"')


def test_another_filter_s_scores(cli: Cli) -> None:
    cli.write("sa.tsv", "file\tactual\tscore\na\tspam\t17.2\nb\tham\t-2.1\nc\tspam\t4.9\nd\tham\t5.2\n")
    flags = ("--threshold", "5", "--report", "r.html", "--plots", "p")
    done = cli("evaluate", "--predictions", "sa.tsv", *flags)
    assert (
        done.err.splitlines()[0]
        == 'sa.tsv: TSV (tab, header, UTF-8), truth "actual", score "score", no verdict'
    )
    assert "log loss                 –" in done.text
    assert "ROC AUC             0.7500" in done.text
    page = (cli.here / "r.html").read_text("utf-8")
    assert "the scores go from -2.1 to 17.2, so they are no probabilities" in page
    assert "Are the probabilities true?" not in page
    assert 'id="at" for="threshold">5<' in page
    assert sorted(path.stem for path in (cli.here / "p").glob("*.svg")) == [
        *("precision-recall", "roc", "scores", "thresholds")
    ]


def test_columns_can_be_stated(cli: Cli) -> None:
    cli.write("p.csv", "a,b,c\nspam,0.9,ham\nham,0.1,ham\n")
    stated = ("--label-column", "a", "--prediction-column", "b", "--prediction-column", "c")
    figures = cli("evaluate", "--predictions", "p.csv", *stated, "--json", "-").json
    assert (figures["true_positives"], figures["false_negatives"], figures["roc_auc"]) == (0, 1, 1.0)


def test_a_file_from_a_pipe(cli: Cli) -> None:
    rows = b"truth,p\nspam,0.9\nham,0.1\nham,0.7\n"
    figures = cli("evaluate", "--predictions", "-", "--json", "-", stdin=rows).json
    assert (figures["true_positives"], figures["false_positives"]) == (1, 1)


def test_three_classes(cli: Cli, three: Three) -> None:
    predicted = cli("predict", three.data, "-m", three.model, "--format", "csv", "-q")
    cli.write("said.csv", predicted.out)
    figures = cli("evaluate", "--predictions", "said.csv", three.data, "--json", "-").json
    direct = cli("evaluate", three.data, "-m", three.model, "--json", "-").json
    assert figures["confusion"] == direct["confusion"]
    assert figures["log_loss"] is None


def test_messages_are_shown_among_the_mistakes(cli: Cli) -> None:
    cli.write("p.csv", "truth,p,text\nham,0.9,<i>lunch</i>\nspam,0.1,win\n")
    cli("evaluate", "--predictions", "p.csv", "--report", "r.html", "-q")
    page = (cli.here / "r.html").read_text("utf-8")
    assert "&lt;i&gt;lunch&lt;/i&gt;" in page
    assert "False positives: ham flagged as spam" in page


def test_rows_left_out_are_named(cli: Cli) -> None:
    cli.write("p.csv", "truth,p\nspam,0.9\nham,\nham,0.2\n")
    done = cli("evaluate", "--predictions", "p.csv", "--json", "-")
    assert done.err.splitlines()[1] == "p.csv: 1 left out (line 3: no score)"
    assert json.loads(done.out)["messages"] == 2


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--prediction-column x", "--prediction-column names a column of --predictions FILE: give that too."),
        (
            "--predictions p.csv --folds 3",
            "--folds cannot be combined with --predictions: nothing is predicted anew.",
        ),
        (
            "--predictions p.csv -m m",
            "--model cannot be combined with --predictions: nothing is predicted anew.",
        ),
        (
            "--predictions p.csv --alpha 1",
            "--alpha is a setting for training: use it with --folds K, or train a model with it.",
        ),
    ],
)
def test_what_does_not_go_together(cli: Cli, sms: Sms, flags: str, message: str) -> None:
    assert cli.fails("evaluate", sms.test, *flags.split(), code=2)[-1] == f"Error: {message}"


def test_other_data_than_was_predicted(cli: Cli, sms: Sms) -> None:
    predicted = cli("predict", sms.test, "-m", sms.model, "--format", "csv", "-q")
    cli.write("said.csv", predicted.out)
    assert cli.fails("evaluate", "--predictions", "said.csv", sms.train)[-1] == (
        "Hint: give the data that was predicted, in the same order"
    )
    half = cli.write("half.csv", b"\n".join(sms.test.read_bytes().split(b"\n")[:50]) + b"\n")
    error, hint = cli.fails("evaluate", "--predictions", "said.csv", half)[-2:]
    assert error.startswith("Error: said.csv has ")
    assert error.endswith(" labelled messages")
    assert hint.startswith("Hint: both need one row for each message, in the same order: predict this file")


def test_scores_without_a_threshold(cli: Cli) -> None:
    cli.write("p.csv", "truth,score\nspam,7\nham,-1\n")
    assert cli.fails("evaluate", "--predictions", "p.csv", code=2)[1:] == [
        "Error: there is no verdict, and the scores go from -1 to 7",
        "Hint: set the score above which a message is spam, for example --threshold 5",
    ]


def test_a_column_about_ham_is_read_like_the_others(cli: Cli) -> None:
    rows = [f"{i % 3 > 0:d},{i % 3 > 0:d},{0.9 if i % 3 else 0.1}\n" for i in range(60)]
    cli.write("p.csv", "is_ham,predicted,score\n" + "".join(rows))
    result = cli("evaluate", "--predictions", "p.csv", "--label-column", "is_ham", "--json", "-").json
    assert (result["accuracy"], result["roc_auc"]) == (1.0, 1.0)

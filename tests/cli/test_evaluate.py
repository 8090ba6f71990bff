"""`spamnb evaluate`: figures that agree with the library, for people and for programs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from spamnb import SpamModel, __version__
from spamnb.metrics import Scores, evaluate_binary, evaluate_multi
from tests.helpers.command_line import TINY, TINY_FLAGS, Cli, Sms, Three
from tests.helpers.paths import ROOT

MADE_BY = f"spamnb {__version__}"
NAMES = [
    *("made_by", "title", "notes", "messages", "spam", "ham"),
    *("true_positives", "false_positives", "false_negatives", "true_negatives", "unsure"),
    *("accuracy", "precision", "recall", "f1", "jaccard", "roc_auc", "pr_auc"),
    *("recall_at_fpr_0_1_percent", "recall_at_fpr_0_5_percent"),
    *("log_loss", "brier", "ece", "expected_cost"),
    "training_overlap",
]
BRAILLE = {chr(code) for code in range(0x2801, 0x2900)}


def rows_of(path: Path) -> tuple[list[str], list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def measured(sms: Sms, cost_fp: float = 1.0, cost_fn: float = 1.0, threshold: float = 0.5) -> Scores:
    """The same figures, straight from the library."""
    texts, labels = rows_of(sms.test)
    predictions = SpamModel.load(sms.model).score(texts)
    spam = np.array([label == "spam" for label in labels])
    known = predictions.known > 0
    called = (predictions.probability >= threshold) & known
    return evaluate_binary(
        spam, predictions.probability, called, ~known, (cost_fp, cost_fn), predictions.log_odds
    )


# --- figures ---------------------------------------------------------------------------------------


def test_json_has_stable_names_and_the_library_s_figures(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.test, "-m", sms.model, "--json", "-")
    assert list(done.json) == NAMES
    assert done.json["title"] == f"{sms.model.name} on {sms.test}"
    for name, value in measured(sms).to_dict().items():
        assert done.json[name] == pytest.approx(value, abs=1e-12), name
    assert done.err.startswith(f"{sms.test}: CSV (comma, header, UTF-8)")


def test_decision_flags_change_the_counts(cli: Cli, sms: Sms) -> None:
    flags = ("--threshold", "0.9", "--quiet", "--json", "-")
    done = cli("evaluate", sms.test, "-m", sms.model, *flags)
    strict, plain = measured(sms, threshold=0.9), measured(sms)
    assert done.err == ""
    assert done.json["false_positives"] == strict.false_positives
    assert done.json["true_positives"] == strict.true_positives < plain.true_positives
    costs = cli(
        "evaluate", sms.test, "-m", sms.model, "--cost", "ham:spam=9", "--cost", "spam:ham=1", "--json", "-"
    ).json
    assert costs["expected_cost"] == pytest.approx(measured(sms, 9, 1, threshold=0.9).expected_cost)


def test_what_people_see(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.test, "-m", sms.model, "--json", "figures.json")
    figures = json.loads((cli.here / "figures.json").read_text())
    assert list(figures) == NAMES
    shown = done.text
    assert shown.startswith(f"{sms.model.name} on {sms.test}\n")
    assert f"actual spam{figures['true_positives']:>16}{figures['false_negatives']:>15}" in shown
    assert f"accuracy {figures['accuracy']:>17.2%}" in shown
    assert "spam messages that are flagged" in shown
    assert "curve" not in shown
    assert not BRAILLE & set(shown)


def test_a_terminal_gets_curves(cli: Cli, sms: Sms) -> None:
    """FORCE_COLOR makes any output a terminal's."""
    shown = cli("evaluate", sms.test, "-m", sms.model, env={"FORCE_COLOR": "1"}).text
    assert "ROC curve" in shown
    assert "Precision-recall curve" in shown
    assert BRAILLE & set(shown)


def test_data_of_one_class_has_figures_but_no_curves(cli: Cli, tiny: Path) -> None:
    cli.write("ham.csv", "label,text\nham,see you\nham,see mum\n")
    shown = cli("evaluate", "ham.csv", "-m", tiny).text
    assert "curve" not in shown
    figures = cli("evaluate", "ham.csv", "-m", tiny, "--json", "-").json
    assert (figures["accuracy"], figures["recall"], figures["roc_auc"]) == (1.0, None, None)


def test_several_files_and_stdin(cli: Cli, tiny: Path) -> None:
    cli.write("a.csv", "label,text\nspam,win\n")
    figures = cli("evaluate", "a.csv", "-", "-m", tiny, "--json", "-", stdin=TINY.encode()).json
    assert (figures["messages"], figures["title"]) == (5, "tiny.spamnb on a.csv, -")


# --- cross-validation ------------------------------------------------------------------------------


def test_cross_validation_gives_what_training_stores(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.train, "--folds", "5", "--json", "-")
    stored = SpamModel.load(sms.model).metrics
    assert stored is not None
    assert done.json["title"] == "5-fold cross-validation"
    assert done.json["notes"][0] == "5 folds, duplicates of a text in the same fold"
    for name in NAMES[3:-1]:
        assert done.json[name] == pytest.approx(stored[name], abs=1e-12), name
    assert done.json["training_overlap"] is None


def test_cross_validation_takes_settings_and_needs_no_model(cli: Cli, sms: Sms) -> None:
    flags = ("--scorer", "bernoulli", "--tokens", "plain", "--alpha", "1")
    shown = cli("evaluate", sms.train, "--folds", "3", *flags).text
    assert shown.startswith("3-fold cross-validation\n3 folds, duplicates of a text in the same fold\n")


def test_stored_figures(cli: Cli, sms: Sms) -> None:
    shown = cli("evaluate", "-m", sms.model).text
    assert shown.startswith(
        f"{sms.model}, as measured when it was trained\n5-fold cross-validation on 407 of "
    )
    stored = SpamModel.load(sms.model).metrics
    assert stored is not None
    assert cli("evaluate", "-m", sms.model, "--json", "-").json == {"made_by": MADE_BY, **stored}


# --- more than two classes -------------------------------------------------------------------------


def test_three_classes(cli: Cli, three: Three) -> None:
    texts, labels = rows_of(three.data)
    model = SpamModel.load(three.model)
    proba = model.predict_proba(texts)
    truth = [model.labels.index(label) for label in labels]
    expected = evaluate_multi(truth, proba.argmax(axis=1), proba, model.labels).to_dict()
    figures = cli("evaluate", three.data, "-m", three.model, "--json", "-").json
    assert figures["confusion"] == [list(row) for row in expected["confusion"]]
    assert figures["macro_f1"] == pytest.approx(expected["macro_f1"])
    assert [c["label"] for c in figures["classes"]] == ["home", "spam", "work"]
    shown = cli("evaluate", "-m", three.model).text
    assert "actual \\ predicted  home  spam  work" in shown
    assert "class  precision" in shown


# --- refusals --------------------------------------------------------------------------------------


def test_labels_that_the_model_does_not_know(cli: Cli, sms: Sms, three: Three) -> None:
    assert cli.fails("evaluate", three.data, "-m", sms.model)[1:] == [
        "Error: the data has labels that the model does not know: home, work; it knows ham, spam",
        "Hint: say which label means spam with --spam-label, or train a model on these labels",
    ]
    figures = cli("evaluate", three.data, "-m", sms.model, "--spam-label", "spam", "--json", "-").json
    assert (figures["spam"], figures["ham"]) == (12, 24)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--alpha 1", "--alpha is a setting for training: use it with --folds K, or train a model with it."),
        (
            "--set pattern=a=b",
            "--set pattern is a setting for training: use it with --folds K, or train a model with it.",
        ),
        (
            "--tokens plain",
            "--tokens is a setting for training: use it with --folds K, or train a model with it.",
        ),
        (
            "--folds 3 -m x",
            "--model cannot be combined with --folds: cross-validation trains its own models.",
        ),
    ],
)
def test_settings_without_effect_are_refused_by_name(cli: Cli, sms: Sms, flags: str, message: str) -> None:
    assert cli.fails("evaluate", sms.test, *flags.split(), code=2)[-1] == f"Error: {message}"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--folds 5", "--folds needs DATA to split."),
        ("--threshold 0.9", "--threshold needs DATA: without it the metrics stored in the model are shown."),
        (
            "--label-column x",
            "--label-column needs DATA: without it the metrics stored in the model are shown.",
        ),
    ],
)
def test_flags_that_need_data_are_refused_without(cli: Cli, flags: str, message: str) -> None:
    assert cli.fails("evaluate", *flags.split(), code=2)[-1] == f"Error: {message}"


def test_folds_and_rows_too_few(cli: Cli, sms: Sms) -> None:
    assert cli.fails("evaluate", sms.test, "--folds", "1", code=2) == [
        "Error: --folds must be at least 2, got 1",
        "Hint: 5 and 10 are common",
    ]
    assert cli.fails("evaluate", "-", "--folds", "2", stdin=TINY.encode())[1:] == [
        "Error: too few messages to cross-validate: every class needs at least 10, "
        'but "ham" has 2, "spam" has 2',
        "Hint: give more labelled messages, or use --holdout 30%",
    ]
    assert cli.fails("evaluate", sms.test, "--folds", "2", "--set", "balance=undersample", code=2) == [
        "Error: --set balance=undersample cannot be combined with --folds",
        "Hint: use --set balance=weight",
    ]


def test_no_stored_figures_and_no_place_for_json(cli: Cli, tiny: Path, sms: Sms) -> None:
    assert "--folds" in TINY_FLAGS
    assert cli.fails("evaluate", "-m", tiny) == [
        f"Error: {tiny} has no metrics: it was not cross-validated",
        "Hint: evaluate it on labelled messages: spamnb evaluate DATA",
    ]
    assert cli.fails("evaluate", "-m", sms.model, "--json", "no/where.json") == [
        "Error: cannot write no/where.json: No such file or directory",
        "Hint: choose another path",
    ]


NOTHING_NEW = "this says little about new messages"


def test_messages_that_the_model_has_learned_are_named(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.train, "-m", sms.model, "--report", "r.html", "--json", "r.json")
    total = sum(SpamModel.load(sms.model).store.message_totals.tolist())
    warning = f"{total} of {total} test messages (100%) were in the training data; {NOTHING_NEW}"
    hint = "Hint: --folds 10 or --holdout 30% tests on messages that were not trained on\n"
    assert f"warning: {warning}\n{hint}" in done.err
    overlap = json.loads((cli.here / "r.json").read_text())["training_overlap"]
    assert overlap == {"messages": total, "share": 1.0, "warning": warning}
    page = (cli.here / "r.html").read_text("utf-8")
    header = page[page.index("<header>") : page.index("</header>")]
    assert f'<p class="warning" role="note"><b>Warning:</b> {warning}.</p>' in header
    assert f"{total} of {total}" in page[page.index("in training data") :][:200]


def test_a_few_learned_messages_are_optimistic(cli: Cli, tiny: Path) -> None:
    cli.write("d.csv", "label,text\nspam,win prize\nham,see dad\nham,dad is here\n")
    text = (
        "warning: 1 of 3 test messages (33%) were in the training data; results are optimistic "
        "(the same texts are in both; --holdout keeps repeats together)"
    )
    assert f"{text}\nHint: --folds 10" in cli("evaluate", "d.csv", "-m", tiny).err


def test_new_messages_give_no_warning(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.test, "-m", sms.model, "--report", "r.html", "--json", "r.json")
    assert "warning" not in done.err
    overlap = json.loads((cli.here / "r.json").read_text())["training_overlap"]
    assert overlap == {"messages": overlap["messages"], "share": overlap["share"], "warning": None}
    assert overlap["share"] < 0.05
    assert 'role="note"' not in (cli.here / "r.html").read_text("utf-8")


def test_a_model_without_digests_cannot_tell(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "--set", "digests=no", "-q", "-o", "m")
    done = cli("evaluate", sms.train, "-m", "m", "--json", "-")
    assert done.json["training_overlap"] is None
    assert "warning" not in done.err


WRITTEN = ROOT / "data" / "messages" / "train.csv"  # a source of the ready-made model for SMS


def test_ready_made_models_recognize_their_messages(cli: Cli) -> None:
    text = f"of 10,198 test messages (100%) were in the training data; {NOTHING_NEW}"
    done = cli("evaluate", WRITTEN, "--json", "-")
    assert text in done.err
    assert text in done.json["training_overlap"]["warning"]
    cli.write(
        "other.csv", "label,text\nspam,an unheard of offer for zebras\nham,zebras at the zoo on monday\n"
    )
    assert cli("evaluate", "other.csv", "--json", "-").json["training_overlap"]["messages"] == 0


def test_a_base_model_has_its_messages_too(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "--base", "ready-made", "--set", "digests=no", "-q", "-o", "m")
    assert cli("evaluate", WRITTEN, "-m", "m", "--json", "-").json["training_overlap"]["share"] > 0.95


def test_too_many_folds_are_refused(cli: Cli, sms: Sms) -> None:
    assert cli.fails("evaluate", sms.train, "--folds", "2000", code=2) == [
        "Error: --folds must be at most 100, got 2000",
        "Hint: 5 and 10 are common",
    ]

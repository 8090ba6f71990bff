"""Spam is what the labels call spam, never what comes second in the alphabet."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb import SpamClassifier, train
from tests.helpers.command_line import Cli

GOOD, BAD = "see you at home for dinner", "win a free prize, claim cash now"
MAIL = b"From: a@example.org\nSubject: hello\n\n"


def messages(good: str, bad: str) -> tuple[list[str], list[str]]:
    texts = [f"{text} {i}" for i in range(20) for text in (GOOD, BAD)]
    return texts, [good, bad] * 20


def flag(mail: bytes) -> str:
    return next(line for line in mail.decode().splitlines() if line.startswith("X-Spam-Flag"))


@pytest.mark.parametrize(
    ("bad", "good"), [("fake", "legit"), ("junk", "wanted"), ("bad", "good"), ("spam", "zoo"), ("1", "0")]
)
def test_filter_and_exit_codes(cli: Cli, bad: str, good: str) -> None:
    texts, labels = messages(good, bad)
    rows = (f'{label},"{text}"' for text, label in zip(texts, labels, strict=True))
    cli.write("d.csv", "label,text\n" + "\n".join(rows) + "\n")
    cli("train", "d.csv", "-o", "cli.spamnb")
    train(texts, labels).save(cli.here / "python.spamnb")
    SpamClassifier().fit(texts, labels).model_.save(cli.here / "estimator.spamnb")
    for model in ("cli.spamnb", "python.spamnb", "estimator.spamnb"):
        for text, verdict, spamc, bogofilter in ((GOOD, "NO", 0, 1), (BAD, "YES", 1, 0)):
            done = cli("filter", "-m", model, stdin=MAIL + text.encode() + b"\n")
            assert flag(done.out) == f"X-Spam-Flag: {verdict}", model
            score = float(done.text.partition("X-Spam-Score: ")[2].split()[0])
            assert (score >= 5.0) == (verdict == "YES")
            line = text.encode() + b"\n"
            cli("predict", "-m", model, "--exit-code", "spamc", stdin=line, code=spamc)
            cli("predict", "-m", model, "--exit-code", "bogofilter", stdin=line, code=bogofilter)


@pytest.fixture
def shops(cli: Cli) -> Path:
    """A model whose two classes no word tells apart, from the estimator: that has no spam."""
    texts, labels = messages("alpha", "beta")
    SpamClassifier().fit(texts, labels).model_.save(cli.here / "shops.spamnb")
    return cli.here / "shops.spamnb"


def test_a_model_without_spam_makes_no_claim(cli: Cli, shops: Path) -> None:
    mail = MAIL + BAD.encode() + b"\n"
    done = cli("filter", "-m", shops, stdin=mail)
    assert done.out == b"X-Spamnb: no verdict\n" + mail
    message = "no class of the model is spam: alpha, beta; the email passes without a verdict"
    assert f"spamnb filter: {message}\n" in done.err
    assert cli("filter", "--tempfail", "-m", shops, stdin=mail, code=75).out == b""
    for style, code in (("spamc", 64), ("bogofilter", 3)):
        done = cli("predict", "-m", shops, "--exit-code", style, stdin=b"x\n", code=code)
        assert done.err == (
            "Error: no class of the model is spam: alpha, beta\n"
            f"Hint: --exit-code {style} needs one: train a model with --spam-label LABEL\n"
        )
    assert cli("predict", "-m", shops, stdin=BAD.encode() + b"\n").out.startswith(b"beta\t")
    for name in ("spam", "ham"):
        done = cli("learn", f"--{name}", "-m", shops, stdin=b"x\n", code=2)
        assert f"Error: --{name} needs a model with a class {name}, got alpha, beta\n" in done.err


def test_spam_among_three_classes(cli: Cli) -> None:
    words = {"Junk": BAD, "work": "report for the office", "home": GOOD}
    rows = [f'{label},"{text} {i}"' for i in range(12) for label, text in words.items()]
    cli.write("three.csv", "label,text\n" + "\n".join(rows) + "\n")
    cli("train", "three.csv", "-o", "m.spamnb")
    for label, text in words.items():
        done = cli("filter", "-m", "m.spamnb", stdin=MAIL + text.encode() + b"\n")
        assert flag(done.out) == f"X-Spam-Flag: {'YES' if label == 'Junk' else 'NO'}"
        score = float(done.text.partition("X-Spam-Score: ")[2].split()[0])
        assert (score >= 5.0) == (label == "Junk")
        cli(
            "predict",
            "-m",
            "m.spamnb",
            "--exit-code",
            "spamc",
            stdin=text.encode() + b"\n",
            code=int(label == "Junk"),
        )


def test_a_class_called_unsure_is_refused(cli: Cli) -> None:
    rows = [f"{label},word{i}" for i in range(12) for label in ("spam", "ham", "unsure")]
    cli.write("d.csv", "label,text\n" + "\n".join(rows) + "\n")
    error = 'Error: the label "unsure" cannot be a class: it is the verdict on uncertain messages'
    for command in (
        ("train", "-o", "m.spamnb"),
        ("train", "-o", "m.spamnb", "--jobs", "2"),
        ("evaluate", "--folds", "2"),
        ("compare",),
    ):
        errors = cli.fails(command[0], "d.csv", *command[1:])
        assert errors[-2:] == [error, "Hint: rename it, or leave out its messages"]
    cli.write("x.txt", "x\n")
    assert error in cli.fails("train", "--label", "unsure=x.txt", "--label", "ham=x.txt", "-o", "m.spamnb")
    assert not (cli.here / "m.spamnb").exists()


def test_a_table_without_labels_replaces_no_model(cli: Cli) -> None:
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    rows = [f"{i},some text number {i},{months[i % 12]}" for i in range(240)]
    cli.write("data.csv", "id,text,month\n" + "\n".join(rows) + "\n")
    assert cli.fails("train", "data.csv")[-2:] == [
        "Error: no label column in data.csv (columns: id, text, month)",
        "Hint: name it with --label-column",
    ]
    assert not cli.own_model.exists()
    assert cli.fails("train", "data.csv", "--label-column", "id")[-2:] == [
        'Error: column "id" of data.csv does not look like labels: 240 different values in 240 rows',
        "Hint: name the column of the labels with --label-column",
    ]
    assert "20 Apr" in cli("train", "data.csv", "--label-column", "month", "-o", "m.spamnb").err

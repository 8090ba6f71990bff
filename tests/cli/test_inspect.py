"""`spamnb inspect`: the card, the words, the reasons; from any file, without running anything in it."""

from __future__ import annotations

import hashlib
import math
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from spamnb import SpamModel
from spamnb.features.token_keys import token_key
from tests.helpers.command_line import Cli, Sms, Tennis, Three

CARD = ["model", "learned", "tokens", "features", "scorer", "refined", "decision", "cross-validation"]


def table(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.strip()]


# --- the whole model -------------------------------------------------------------------------------


def test_the_messages_learned_since_the_weights_were_fitted(cli: Cli, sms: Sms) -> None:
    path = cli.here / "m.spamnb"
    path.write_bytes(sms.model.read_bytes())
    for text, since in (("zorp one", "1 message"), ("zorp two", "2 messages")):
        cli("learn", "--spam", "-t", text, "-m", path)
        shown = cli("inspect", path, "--top", "0", env={"COLUMNS": "200"}).text
        assert re.search(rf"refined .*; {since} learned since\n", shown)


def test_card_and_strongest_words(cli: Cli, tiny: Path) -> None:
    shown = cli("inspect", tiny, env={"COLUMNS": "160"}).text
    card, *rest = shown.split("\n\n")
    assert [line.split()[0] for line in card.splitlines()] == CARD
    assert re.search(rf"model +{re.escape(str(tiny))} \(\d kB\)", card)
    assert re.search(r"learned +2 ham, 2 spam", card)
    assert re.search(r"tokens +6 \(6 words, 0 n-grams\)", card)
    assert re.search(r"decision +spam above P = 0.5", card)
    assert "cross-validation  no metrics stored" in card
    assert [block.splitlines()[0] for block in rest] == [
        "evidence for ham",
        "evidence for spam",
        "linear view",
    ]
    assert table(rest[0])[2] == ["see", "2", "0", "3.00e-01", "1.00e-01", "-1.10"]
    assert table(rest[1])[2] == ["win", "0", "2", "1.00e-01", "3.00e-01", "+1.10"]
    assert rest[2].splitlines()[1:] == [
        "log-odds(spam against ham) = 1.0000 * (w.x + b) + 0.0000",
        "b       +0.0000: log P(spam) - log P(ham)",
        'w       the column "weight": log P(w|spam) - log P(w|ham)',
        "x       how often the message has the token",
        "P(w|c)  (in + 1) / N, where N is 10 for ham, 10 for spam",
        "in      occurrences of the token",
    ]


def test_top_limits_the_rows_and_the_default_model_is_found(cli: Cli, sms: Sms) -> None:
    env = {"SPAMNB_MODEL": str(sms.model)}
    for top in (0, 3):
        shown = cli("inspect", "--top", str(top), env=env).text.split("\n\n")
        blocks = [block for block in shown if block.startswith("evidence for")]
        assert [len(block.splitlines()) - 2 for block in blocks] == [top] * (2 if top else 0)


def test_json_of_the_whole_model(cli: Cli, sms: Sms) -> None:
    result = cli("inspect", sms.model, "--top", "2", "--json", "-").json
    model = SpamModel.load(sms.model)
    assert result["path"] == str(sms.model)
    assert result["bytes"] == os.path.getsize(sms.model)
    assert result["classes"] == dict(zip(model.labels, model.store.message_totals.tolist(), strict=True))
    assert result["metrics"] == dict(model.metrics or {})
    assert result["features"]["ngrams"] == model.features.ngrams
    assert result["linear"] is None  # not every token counts
    assert (result["formula"]["positive"], result["formula"]["max_evidence"]) == ("spam", 8)
    top = result["top"]["spam"]
    assert len(top) == 2
    assert top[0]["weight"] >= top[1]["weight"] > 0 > result["top"]["ham"][0]["weight"]
    low, high = top[0]["probabilities"]
    added = (
        model.correction.of(np.array([token_key(top[0]["token"])], np.uint64))[0] if model.correction else 0.0
    )
    assert top[0]["weight"] == pytest.approx(math.log(high / low) + added)


def test_the_linear_view_is_the_score(cli: Cli, tiny: Path) -> None:
    """log-odds = slope * (w.x + b) / m^damping + offset, by the printed definitions."""
    result = cli("inspect", tiny, "win", "prize", "--json", "-").json["tokens"]
    linear = cli("inspect", tiny, "--json", "-").json["linear"]
    total = linear["slope"] * (sum(row["weight"] for row in result) + linear["b"]) + linear["offset"]
    assert total == pytest.approx(float(SpamModel.load(tiny).log_odds(["win prize"])[0]))


def test_card_of_columns_and_of_three_classes(cli: Cli, tennis: Tennis, three: Three) -> None:
    shown = cli("inspect", tennis.model, env={"COLUMNS": "160"}).text
    assert "column outlook, column wind, column temperature, column humidity" in shown
    assert re.search("decision +yes above P = 0.5", shown)
    shown = cli("inspect", three.model, "--top", "1").text
    assert re.search("decision +the likeliest class", shown)
    assert [line for line in shown.splitlines() if line.startswith("evidence for")] == [
        *("evidence for home", "evidence for spam", "evidence for work")
    ]
    assert "linear view" not in shown
    assert "\nscore(c) = (b(c) + sum of x log P(w|c)) / m^1\n" in shown


def test_columns_have_tables(cli: Cli, tennis: Tennis) -> None:
    blocks = cli("inspect", tennis.model, env={"COLUMNS": "80"}).text.split("\n\n")
    tables = {block.splitlines()[0]: table(block)[1:] for block in blocks[1:]}
    assert list(tables) == ["column outlook", "column wind", "numeric columns", "formula"]
    assert tables["column wind"] == [
        ["value", "in", "no", "in", "yes", "P(value|no)", "P(value|yes)"],
        ["weak", "2", "6", "0.4286", "0.6364"],
        ["strong", "3", "3", "0.5714", "0.3636"],
    ]
    assert tables["numeric columns"][:3] == [
        ["column", "class", "mean", "standard", "deviation"],
        ["humidity", "no", "86.2", "8.704"],
        ["humidity", "yes", "79.11", "9.631"],
    ]
    assert tables["formula"][1] == ["s", "=", "b", "+", "columns"]
    result = cli("inspect", tennis.model, "--json", "-").json
    assert result["linear"] is None
    weak = result["column_tables"]["categorical"]["wind"]["values"]["weak"]
    assert weak == {
        "messages": [2, 6],
        "probabilities": pytest.approx([(2 + 1) / (5 + 2), (6 + 1) / (9 + 2)]),
    }
    assert result["column_tables"]["numeric"]["humidity"]["messages"] == [5, 9]


def test_columns_that_depend_on_each_other(cli: Cli, tennis: Tennis) -> None:
    flags = ["--label-column", "play", "--categorical", "outlook", "--categorical", "wind"]
    flags += ["--numeric", "temperature", "--numeric", "humidity", "--scorer", "categorical"]
    cli("train", tennis.data, *flags, "--set", "dependence=tree", "--set", "covariance=full", "-o", "m")
    shown = cli("inspect", "-m", "m", "--top", "1").text
    blocks = {block.splitlines()[0]: block.splitlines()[1:] for block in shown.split("\n\n")[1:]}
    assert list(blocks) == [
        *("column outlook", "column wind", "column wind given outlook"),
        *("numeric columns, of messages with every number", "correlations of columns", "formula"),
    ]
    assert blocks["column wind given outlook"][2] == "5 more: --top 6"
    assert blocks["column wind given outlook"][0].split() == [
        *("value", "outlook", "P(value|outlook,", "no)", "P(value|outlook,", "yes)")
    ]
    assert blocks["correlations of columns"][0].split() == ["column", "and", "in", "no", "in", "yes"]


def test_a_refined_weight_is_shown_with_its_correction(cli: Cli, sms: Sms) -> None:
    shown = cli("inspect", sms.model, "prize", env={"COLUMNS": "160"}).text
    names, row = table(shown)[:2]
    assert names[-3:] == ["Bayes", "correction", "weight"]
    bayes, correction, weight = map(float, row[-3:])
    assert correction != 0
    assert bayes + correction == pytest.approx(weight, abs=0.011)
    low, high = map(float, row[3:5])
    assert math.log(high / low) == pytest.approx(bayes, abs=0.02)


def test_complement_shows_probabilities_in_the_other_classes(cli: Cli) -> None:
    cli.write("d.csv", "label,text\nspam,win prize\nham,see you\nham,see me\n")
    cli("train", "d.csv", "--scorer", "complement", "--tokens", "plain", "-o", "m")
    names, row = table(cli("inspect", "-m", "m", "win").text)[:2]
    assert names[5:] == ["P(w|not", "ham)", "P(w|not", "spam)", "weight"]
    assert [float(x) for x in row[3:5]] == pytest.approx([(1 + 1) / (2 + 5), 1 / (4 + 5)], rel=1e-2)


@pytest.mark.parametrize(("labels", "learned"), [([], "no messages"), (["ham"], "only 'ham' messages")])
def test_a_model_of_fewer_than_two_classes_has_no_formula(cli: Cli, labels: list[str], learned: str) -> None:
    SpamModel().learn(["see you"] * len(labels), labels).save(cli.here / "m.spamnb")
    shown = cli("inspect", "m.spamnb")
    assert ("\n\n" in shown.text, shown.err) == (False, "")
    assert cli("inspect", "m.spamnb", "--json", "-").json["formula"] is None
    assert cli.fails("inspect", "m.spamnb", "see") == [
        f"Error: the model has learned {learned}; it needs at least two classes",
        "Hint: train on data with messages of both classes",
    ]


def test_without_smoothing_weights_may_be_infinite(cli: Cli) -> None:
    cli.write("d.csv", "label,text\nspam,win prize\nham,see you\n")
    cli("train", "d.csv", "--alpha", "0", "--tokens", "plain", "-o", "m")
    assert table(cli("inspect", "-m", "m", "win").text)[1][-1] == "+inf"
    assert cli("inspect", "-m", "m", "win", "--json", "-").json["tokens"][0]["weight"] is None
    assert "inf" in cli("explain", "-m", "m", "win see", "--top", "1").text


# --- words -----------------------------------------------------------------------------------------


def test_words_are_looked_up(cli: Cli, tiny: Path) -> None:
    shown = cli("inspect", "-m", tiny, "WIN", "zebra").text
    assert table(shown)[:-2] == [
        ["token", "in", "ham", "in", "spam", "P(w|ham)", "P(w|spam)", "weight"],
        ["win", "0", "2", "1.00e-01", "3.00e-01", "+1.10"],
        ["zebra", "0", "0", "–", "–", "unknown"],
    ]
    assert shown.splitlines()[-2:] == [
        "in ham, spam: occurrences of the token",
        "a weight above 0 is evidence for spam, below 0 for ham",
    ]
    assert cli("inspect", tiny, "WIN", "zebra").text == shown


def test_narrow_terminals(cli: Cli, tiny: Path) -> None:
    words = cli("inspect", "-m", tiny, "win", "prize", env={"COLUMNS": "40"}).text.splitlines()
    assert [line.split() for line in words[:3]] == [
        ["token", "in", "ham", "in", "spam", "weight"],
        ["win", "0", "2", "+1.10"],
        ["prize", "0", "1", "+0.69"],
    ]


def test_pairs_and_shapes_are_looked_up(cli: Cli, sms: Sms) -> None:
    spelled = next(t.decode() for t in SpamModel.load(sms.model).store.spellings if b" " in t)
    query = spelled.upper().replace(" ", "  ")
    pair, shape = cli("inspect", sms.model, query, "shape:digits=0", "--json", "-").json["tokens"]
    assert (pair["token"], pair["known"]) == (spelled, True)
    assert (shape["token"], shape["known"]) == ("shape:digits=0", True)


# --- refusals --------------------------------------------------------------------------------------


class Trap:
    """A pickle that would make a file when loaded."""

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, ("sprung", "w")


def test_a_hostile_file_is_refused_and_not_run(cli: Cli) -> None:
    body = pickle.dumps(Trap(), protocol=4)
    sealed = body + b"\nspamnb-sha256:" + hashlib.sha256(body).hexdigest().encode() + b"\n"
    for name, data in (("bare", body), ("sealed", sealed)):
        errors = cli.fails("inspect", cli.write(f"{name}.spamnb", data))
        assert errors[0].startswith("Error: ")
        assert "spamnb model" in errors[0]
        assert errors[1].startswith("Hint: ")
    assert "nothing in it was run" in cli.fails("inspect", cli.here / "sealed.spamnb")[1]
    assert not (cli.here / "sprung").exists()


def test_a_missing_model(cli: Cli) -> None:
    assert cli.fails("inspect", "missing.spamnb") == [
        "Error: no model at missing.spamnb",
        "Hint: train one with `spamnb train DATA`",
    ]


def test_tokens_are_found_by_the_names_that_explain_shows(cli: Cli, sms: Sms) -> None:
    names, tokens = ("1 phone number", "No words in capitals"), ("shape:phone=1", "shape:caps=0")
    flags = ("inspect", "-m", sms.model, "--json", "-")
    by_name, by_token = (cli(*flags, *words).json for words in (names, tokens))
    assert by_name == by_token
    assert all(row["known"] for row in by_name["tokens"])


def test_evidence_lines_have_names(cli: Cli, sms: Sms) -> None:
    line = cli("predict", "-m", sms.model, "--explain", "-t", "07123456789").text
    assert "1 phone number" in line
    assert "shape:" not in line


def test_a_word_that_is_the_name_of_a_model(cli: Cli, tiny: Path) -> None:
    (cli.data / "spamnb").mkdir(parents=True)
    (cli.data / "spamnb" / "win.spamnb").write_bytes(tiny.read_bytes())
    note = "note: win is looked up as a word; to show the model: spamnb inspect -m win\n"
    assert cli("inspect", "win", "prize").err == note
    assert cli("inspect", "win", "-m", tiny).err == ""

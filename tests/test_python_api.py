"""The names of `spamnb` itself: load, train, evaluate and parse_mail, and what they refuse."""

from __future__ import annotations

import email
import io
import json
import pickle
import subprocess
import sys
import traceback
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import platformdirs
import pytest

import spamnb
from spamnb import FeatureConfig, ScorerConfig, SpamModel
from spamnb.errors import ModelError, SpamnbError, SpamnbWarning
from spamnb.evaluation import evaluate_chunks
from spamnb.messages import Chunk, as_texts
from spamnb.metrics import MultiScores, Scores
from spamnb.model import shipped_model
from spamnb.training import start_own_model
from tests.training.test_trainer import corpus

RAW = b"From: Ann <ann@example.com>\nTo: bob@example.com\nSubject: Lunch?\n\nSee you at one.\n"

on_training_data = pytest.mark.filterwarnings("ignore:.* were in the training data")


def refused(call: Any, *args: Any, **named: Any) -> tuple[str, str]:
    with pytest.raises(SpamnbError) as caught:
        call(*args, **named)
    return caught.value.message, caught.value.hint


def table(n: int = 20, **columns: list[Any]) -> pd.DataFrame:
    texts, labels = corpus(n)
    return pd.DataFrame({"text": texts, "label": labels, **columns})


# --- import ----------------------------------------------------------------------------------------


def test_importing_spamnb_loads_no_package() -> None:
    code = "import sys, spamnb; dir(spamnb); print(sorted({'numpy', 'pandas', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_predicting_with_a_ready_made_model_loads_no_pandas() -> None:
    code = (
        "import sys, spamnb; spamnb.load('sms').predict(['hi'])\n"
        "print(sorted({'pandas', 'joblib', 'rich', 'jinja2', 'click'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_dir_lists_the_public_names() -> None:
    assert dir(spamnb) == sorted(spamnb.__all__)


@pytest.mark.parametrize("name", spamnb.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(spamnb, name) is not None


# --- load ------------------------------------------------------------------------------------------


def test_load_takes_a_name_or_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    model = spamnb.train(table())
    model.save(tmp_path / "data" / "work.spamnb")
    for named in ("work", str(tmp_path / "data" / "work.spamnb"), tmp_path / "data" / "work.spamnb"):
        assert spamnb.load(named).to_state().keys() == model.to_state().keys()
    assert spamnb.load("sms").labels == spamnb.load("mail").labels == ("ham", "spam")
    with pytest.raises(ModelError) as caught:
        spamnb.load("wrok")
    assert caught.value.hint == (
        "`spamnb model list` lists all models; a file has a slash or a dot in its path"
    )


# --- train -----------------------------------------------------------------------------------------


def same_model(one: spamnb.SpamModel, other: spamnb.SpamModel) -> bool:
    texts = corpus(50)[0]
    return one.labels == other.labels and one.log_odds(texts).tolist() == other.log_odds(texts).tolist()


def test_train_takes_a_data_frame() -> None:
    frame, expected = table(), spamnb.train(*corpus(20))
    assert same_model(spamnb.train(frame), expected)
    assert same_model(spamnb.train(frame, text="text", label="label"), expected)
    other = frame.rename(columns={"text": "what was written", "label": "verdict of Ann"})
    assert same_model(spamnb.train(other, text="what was written", label="verdict of Ann"), expected)
    usual = frame.rename(columns={"text": "Message", "label": "Category"}).assign(id=1, type="sms")
    assert same_model(spamnb.train(usual), expected)


def test_columns_of_a_data_frame_that_are_not_there() -> None:
    frame = table()
    assert refused(spamnb.train, frame, text="body") == (
        "there is no column 'body'",
        "the columns are text, label",
    )
    assert refused(spamnb.train, frame.rename(columns={"label": "month"})) == (
        "cannot tell which column holds the labels (columns: text, month)",
        "name it: label='...'",
    )
    assert refused(spamnb.train, ["a", "b"], [1, 0], text="body") == (
        "text and label name columns of a table, got a list",
        "pass a DataFrame, or leave them out",
    )
    assert refused(spamnb.train, ["a", "b"]) == (
        "there are no labels",
        "pass them second, after the messages",
    )


FEATURES = spamnb.FeatureConfig(categorical=("sender",), numeric=("hour",))


def table_of_columns() -> pd.DataFrame:
    texts = [f"word{i}" for i in range(20)]
    return table(20).assign(text=texts, sender=["x", "y"] * 10, hour=[1, 20] * 10)


@on_training_data
def test_train_and_evaluate_take_columns_of_a_data_frame() -> None:
    frame = table_of_columns()
    model = spamnb.train(frame, features=FEATURES)
    assert (model.metrics or {})["accuracy"] == model.evaluate(frame).accuracy == 1.0
    values = {"sender": frame.sender.tolist()}, {"hour": frame.hour.to_numpy(float)}
    assert model.evaluate(frame.text, frame.label, *values).accuracy == 1.0
    assert model.predict(frame.text, *values) == frame.label.tolist()
    with pytest.raises(SpamnbError, match="the features need a column 'hour'"):
        model.evaluate(frame.drop(columns="hour"))


def test_columns_that_features_name_must_be_there() -> None:
    frame = table_of_columns()
    assert refused(spamnb.train, frame.drop(columns="hour"), features=FEATURES) == (
        "the features need a column 'hour', the messages have none",
        "the columns are text, label, sender",
    )
    assert refused(spamnb.train, frame.text, frame.label, features=FEATURES) == (
        "the features need a column 'sender', the messages have none",
        "pass a DataFrame with it",
    )
    twice = frame[["text", "label", "sender", "hour", "hour"]]
    assert refused(spamnb.train, twice, features=FEATURES) == (
        "the features need a column 'hour', the messages have 2",
        "the columns are text, label, sender, hour, hour",
    )


def test_columns_may_be_any_values() -> None:
    empty = spamnb.SpamModel(FEATURES)
    arguments = ["a", "b", "c"], ["ham", "spam", "spam"]
    expected = empty.learn(*arguments, {"sender": ["1", "", "2"]}, {"hour": np.array([1.0, np.nan, 3.0])})
    others: list[tuple[Any, Any]] = [
        ({"sender": [1, None, 2]}, {"hour": [1, None, 3]}),
        (pd.DataFrame({"sender": ["1", pd.NA, "2"]}), {"hour": pd.array([1, None, 3], "Int64")}),
        ({"sender": ("1", float("nan"), "2")}, {"hour": [1, float("inf"), 3]}),
    ]
    for categories, numbers in others:
        assert same_model(empty.learn(*arguments, categories, numbers), expected)


def test_other_columns_are_not_used() -> None:
    frame = table_of_columns()
    model, more = spamnb.train(frame, features=FEATURES), frame.drop(columns="text").assign(day="monday")
    own = {"sender": frame.sender.tolist()}, {"hour": frame.hour.to_numpy(float)}
    assert model.log_odds(frame.text, more, more).tolist() == model.log_odds(frame.text, *own).tolist()
    learned = model.learn(frame.text, frame.label, more, more)
    assert same_model(learned, model.learn(frame.text, frame.label, *own))
    sms = spamnb.load("sms")
    assert sms.log_odds(["hi"], {"day": ["monday"]}).tolist() == sms.log_odds(["hi"]).tolist()


def test_columns_that_cannot_be_used() -> None:
    model = spamnb.train(table_of_columns(), features=FEATURES)
    for call in (model.predict, model.predict_proba, model.log_odds, model.score):
        assert refused(call, ["a", "b"], {"sendr": ["x", "y"]}) == (
            "there is no categorical column 'sender'",
            "the columns are sendr",
        )
    refused(model.explain, "a", {"sendr": ["x"]})
    refused(model.learn, ["a"], ["spam"], {"sendr": ["x"]})
    refused(model.forget, ["a"], ["spam"], None, {"houre": [1.0]})
    assert refused(model.predict, ["a", "b"], {"sender": "xy"}) == (
        "expected a list of values in column 'sender', got a str",
        "pass one value for each message",
    )
    assert refused(model.predict, ["a"], None, {"hour": ["noon"]}) == (
        "expected numbers in column 'hour': could not convert string to float: 'noon'",
        "nan is a missing value",
    )


@pytest.mark.parametrize(
    ("spam", "ham"), [(1, 0), (True, False), (1.0, 0.0), ("1", "0"), ("Spam", "HAM"), (1, -1), ("junk", "x")]
)
def test_labels_mean_what_they_mean_in_a_file(spam: Any, ham: Any) -> None:
    texts, labels = corpus(20)
    written = [{"spam": spam, "ham": ham}[label] for label in labels]
    expected = spamnb.train(texts, labels)
    for values in (written, np.array(written), pd.Series(written)):
        assert same_model(spamnb.train(texts, values), expected)


def test_a_column_named_after_ham_has_1_for_ham() -> None:
    texts, labels = corpus(20)
    frame = pd.DataFrame({"text": texts, "is_ham": [int(label == "ham") for label in labels]})
    assert same_model(spamnb.train(frame), spamnb.train(texts, labels))


def test_labels_that_cannot_be_used() -> None:
    assert refused(spamnb.train, ["a"], "spam") == (
        "expected a list of labels, got one string",
        "wrap it: [label]",
    )
    assert refused(spamnb.train, ["a", "b"], pd.DataFrame({"x": [1, 0]})) == (
        "expected one label for each message, got a DataFrame of shape (2, 1)",
        "pass one column: table['label']",
    )
    model = spamnb.train(*corpus(20))
    for call in (spamnb.train, model.learn, model.evaluate):
        assert refused(call, ["a", "b"], np.array([0.3, 1.0])) == (
            "a label must be the name of a class, got 0.3",
            "make labels of scores first, for example scores > 0.5",
        )
        assert refused(call, ["a", "b"], [1]) == (
            "2 messages but 1 label",
            "pass one label for each message",
        )
    assert refused(spamnb.train, corpus(20)[0], [f"text {i}" for i in range(20)]) == (
        "these do not look like labels: 20 different values in 20 rows",
        "pass the name of a class for each message",
    )


# --- messages without a text or a label ------------------------------------------------------------


def skipped(call: Any, *args: Any, **named: Any) -> tuple[Any, str]:
    """The result of a call, and the one warning that it gives here."""
    with pytest.warns(SpamnbWarning) as caught:
        result = call(*args, **named)
    (warning,) = caught
    assert warning.filename == __file__
    return result, str(warning.message)


MISSING = (None, float("nan"), pd.NA, "", b"")


@pytest.mark.parametrize("missing", MISSING)
def test_messages_without_a_text_are_not_learned(tmp_path: Path, missing: Any) -> None:
    texts, labels = corpus(20)
    model, path = spamnb.train(texts, labels), tmp_path / "m.spamnb"
    more, marked = [*texts[:3], missing, *texts[3:]], [*labels[:3], "spam", *labels[3:]]
    note = "1 skipped (messages[3]: no text)"
    trained, warning = skipped(spamnb.train, more, marked)
    assert (same_model(trained, model), warning) == (True, note)
    frame = pd.DataFrame({"text": more, "label": marked})
    assert same_model(skipped(spamnb.train, frame)[0], model)
    learned, warning = skipped(spamnb.SpamModel().learn, more, marked)
    assert (same_model(learned, spamnb.SpamModel().learn(texts, labels)), warning) == (True, note)
    assert same_model(skipped(learned.forget, [missing], ["spam"])[0], learned)
    model.save(path)
    with spamnb.Learner(path) as learner:
        skipped(learner.learn, ["claim the prize", missing], [1, 1])
    assert (learner.outcome.learned, learner.outcome.skipped) == ({"spam": 1}, 1)
    assert learner.outcome.to_dict()["skipped"] == 1
    assert spamnb.load(path).predict(MISSING) == ["unsure"] * len(MISSING)


def test_a_lesson_of_white_space_does_not_decide_on_other_blank_messages(tmp_path: Path) -> None:
    spamnb.train(*corpus(20)).save(path := tmp_path / "m.spamnb")
    with spamnb.Learner(path) as learner:
        learner.learn([" \t\n", "claim the prize"], ["spam", "spam"])
    model = spamnb.load(path)
    assert model.predict(["claim the prize", "", "  ", None]) == ["spam", *["unsure"] * 3]


@on_training_data
def test_evaluate_skips_what_the_command_line_skips() -> None:
    texts, labels = corpus(60)
    model = spamnb.train(texts, labels)
    expected = model.evaluate(texts, labels)
    with pytest.warns(SpamnbWarning) as caught:
        scores = model.evaluate([*texts, None, "text"], [*labels, "spam", None])
    assert (scores, str(caught[0].message)) == (
        expected,
        "2 skipped (messages[60]: no text, messages[61]: no label)",
    )
    with pytest.warns(SpamnbWarning):
        assert refused(model.evaluate, [None], [1]) == (
            "there are no messages to evaluate",
            "pass messages that have a text and a label",
        )


def test_messages_without_a_label_are_skipped() -> None:
    texts, labels = corpus(30)
    model = spamnb.train(texts, labels)
    for missing in (None, float("nan"), pd.NA, "", " "):
        trained, warning = skipped(spamnb.train, [*texts, "c"], [*labels, missing])
        assert (same_model(trained, model), warning) == (True, "1 skipped (messages[30]: no label)")
        learned, warning = skipped(model.learn, ["c", "d"], pd.Series([missing, "spam"]))
        assert (same_model(learned, model.learn(["d"], ["spam"])), warning) == (
            True,
            "1 skipped (messages[0]: no label)",
        )
    trained, warning = skipped(spamnb.train, [*texts, "c", ""], [*labels, "spma", "ham"])
    assert same_model(trained, model)
    assert warning == "2 skipped (messages[30]: unknown label spma, messages[31]: no text)"
    for values in (pd.array([1, None, 0], "Int64"), pd.array(["spam", None, "ham"], "string")):
        assert skipped(spamnb.train, ["a", "b", "c"], values)[0].labels == ("ham", "spam")
    with pytest.warns(SpamnbWarning):
        assert refused(spamnb.train, [None, "a"], ["spam", "ham"])[0].startswith("training needs messages")


def test_messages_without_a_text_are_of_use_with_other_columns() -> None:
    frame = table_of_columns()
    frame.loc[3, "text"] = None
    model = spamnb.train(frame, features=FEATURES)
    assert int(model.store.message_totals.sum()) == 20
    frame.loc[4, "label"] = None
    model, warning = skipped(spamnb.train, frame, features=FEATURES)
    assert (int(model.store.message_totals.sum()), warning) == (19, "1 skipped (messages[4]: no label)")


def test_a_mail_without_a_text_is_learned_from_its_headers() -> None:
    mails = spamnb.parse_mail([b"From: shop@example.org\nSubject: Win a prize\n\n", RAW])
    assert int(spamnb.SpamModel().learn(mails, [1, 0]).store.message_totals.sum()) == 2
    with_none = [mails.select(np.array([0])), None]
    learned, warning = skipped(spamnb.SpamModel().learn, with_none, [1, 0])
    assert (int(learned.store.message_totals.sum()), warning) == (1, "1 skipped (messages[1]: no text)")


# --- labels of a column with a name, and labels of several kinds ------------------------------------


@pytest.mark.parametrize(
    ("name", "spam", "ham"),
    [("ham", 0, 1), ("is_ham", False, True), ("is_spam", "yes", "no"), ("legit", "0", "1"), ("label", 1, 0)],
)
@on_training_data
def test_the_name_of_a_series_is_the_name_of_a_column(tmp_path: Path, name: str, spam: Any, ham: Any) -> None:
    texts, labels = corpus(60)
    values = pd.Series([spam if label == "spam" else ham for label in labels], name=name)
    model = spamnb.train(texts, labels)
    assert same_model(spamnb.train(texts, values), model)
    assert model.evaluate(texts, values) == model.evaluate(texts, labels)
    new = pd.Series([f"new {i}" for i in range(60)])
    assert same_model(model.learn(new, values), model.learn(new, labels))
    assert same_model(spamnb.SpamModel().learn(texts, values), spamnb.SpamModel().learn(texts, labels))
    assert same_model(model.learn(new, values).forget(new, values), model)
    model.save(tmp_path / "m.spamnb")
    with spamnb.Learner(tmp_path / "m.spamnb") as learner:
        learner.learn(texts, values)
    assert learner.outcome.known == {"spam": labels.count("spam"), "ham": labels.count("ham")}


def test_labels_of_several_kinds_give_a_warning() -> None:
    texts = [f"message {i}" for i in range(1000)]
    end = "; write all labels for spam in one way, and those for ham"
    model, warning = skipped(spamnb.train, texts[:8], ["spam", "ham", 1, "yes"] * 2)
    assert warning == "the labels are 4 classes, not two: spam (2), ham (2), 1 (2), yes (2)" + end
    assert len(model.labels) == 4
    rare = ["maybe"] * 5 + ["spam", "ham"] * 497 + ["ham"]
    warning = skipped(spamnb.train, texts, rare)[1]
    assert warning == "the labels are 3 classes, not two: ham (498), spam (497), maybe (5)" + end
    spamnb.train(texts[:9], ["ham", "spam", "promo"] * 3)
    spamnb.train(texts[:9], [0, 1, 2] * 3)
    spamnb.train(texts, rare, positive="spam")


def test_numbers_teach_a_model_of_spam_and_ham() -> None:
    model = spamnb.train(*corpus(20))
    taught = model.learn(["new words"], [1]).learn(["other words"], np.array([False]))
    assert taught.labels == ("ham", "spam")
    assert same_model(taught.forget(["new words"], [True]).forget(["other words"], [0]), model)
    assert same_model(model.learn(["new words"], ["1"]), model.learn(["new words"], ["spam"]))


def test_words_for_spam_and_ham_mean_the_classes_of_the_model() -> None:
    model = spamnb.train(*corpus(20))
    assert same_model(model.learn(["new"], ["Junk"]), model.learn(["new"], ["spam"]))
    assert same_model(model.learn(["new"], ["legit"]).forget(["new"], ["ham"]), model)
    own = spamnb.train(["win a prize", "see you"], ["Junk", "fine"], positive="Junk")
    assert own.learn(["new"], [1]).labels == own.learn(["new"], [False]).labels == ("Junk", "fine")
    assert spamnb.SpamModel().learn(["win", "see you"], [True, False]).labels == ("ham", "spam")
    assert spamnb.SpamModel().learn(["a", "b", "c"], [0, 1, 2]).labels == ("0", "1", "2")
    assert spamnb.SpamModel().learn(["a"], ["spam"]).learn(["b", "c"], ["junk", 0]).labels == ("ham", "spam")


def test_an_unknown_label_adds_no_class() -> None:
    model = spamnb.train(*corpus(20))
    for call in (model.learn, model.forget):
        assert refused(call, ["new words"], ["spma"])[0] == (
            "the model knows ham, spam, got the label 'spma'; nothing was changed"
        )
    assert refused(model.learn, ["new words"], ["spma"])[1] == (
        "use one of these classes, or add a class: learn(..., new_classes=True)"
    )
    assert model.learn(["new words"], ["news"], new_classes=True).labels == ("ham", "news", "spam")
    assert refused(model.learn, ["new words"], "spam")[0] == "expected a list of labels, got one string"


# --- predict and evaluate ---------------------------------------------------------------------------


def test_predict_takes_a_column_and_refuses_a_table() -> None:
    frame, model = table(), spamnb.train(*corpus(20))
    verdicts = model.predict(frame["text"])
    frame["verdict"] = verdicts
    assert frame["verdict"].tolist() == verdicts == model.predict(frame["text"].tolist())
    assert model.predict(pd.Series([None, pd.NA, float("nan")], dtype=object)) == ["unsure"] * 3
    for call in (model.predict, model.predict_proba, model.score, model.log_odds):
        assert refused(call, frame) == (
            "expected a list of messages, got a DataFrame of shape (20, 3)",
            "pass one column: table['text']",
        )
    assert refused(model.predict, frame[["label"]].rename(columns={"label": "sms"})) == (
        "expected a list of messages, got a DataFrame of shape (20, 1)",
        "pass one column: table['sms']",
    )
    assert refused(model.predict, np.array([["a"]])) == (
        "expected a list of messages, got a ndarray of shape (1, 1)",
        "pass one column",
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_evaluate_computes_what_the_command_line_computes(classes: int) -> None:
    texts, labels = corpus(90, classes)
    model = spamnb.train(texts[:60], labels[:60])
    chunk = Chunk(as_texts(texts[60:]), np.arange(30), labels[60:])
    assert model.evaluate(texts[60:], labels[60:]) == evaluate_chunks(model, [chunk]).scores


@on_training_data
@pytest.mark.parametrize(
    ("options", "news", "messages", "verdicts"),
    [
        ({"textbook": "multinomial"}, 2, ["zebra"], ["news"]),  # nothing is known: the prior decides
        ({"class_prior": "uniform"}, 1, ["see", "zebra"], ["news", "unsure"]),  # a tie is not spam
    ],
    ids=["a textbook", "a tie"],
)
def test_evaluate_measures_the_verdicts_on_three_classes(
    options: dict[str, Any], news: int, messages: list[str], verdicts: list[str]
) -> None:
    untrained = SpamModel(FeatureConfig.plain(), ScorerConfig.from_options(options))
    model = untrained.learn(["see", "win", *["see"] * news], ["junk", "offers", *["news"] * news])
    assert model.predict(messages) == verdicts
    truth = ["news"] * len(messages)
    scores = model.evaluate(messages, truth)
    assert scores == evaluate_chunks(model, [Chunk(as_texts(messages), np.arange(len(truth)), truth)]).scores
    assert isinstance(scores, MultiScores)
    assert (scores.accuracy, scores.unsure) == (1.0, verdicts.count("unsure"))


@on_training_data
def test_evaluate_takes_numbers_as_labels() -> None:
    texts, labels = corpus(60)
    model = spamnb.train(texts, labels)
    scores = model.evaluate(pd.Series(texts), [int(label == "spam") for label in labels])
    assert isinstance(scores, Scores)
    assert scores == model.evaluate(texts, labels)
    assert (scores.messages, scores.spam) == (60, labels.count("spam"))


def test_evaluate_warns_of_messages_that_the_model_was_trained_on() -> None:
    texts, labels = corpus(60)
    model = spamnb.train(texts[:40], labels[:40])
    with pytest.warns(SpamnbWarning) as caught:
        model.evaluate(texts[20:], labels[20:])
    text = "20 of 40 test messages (50%) were in the training data; this says little about new messages"
    assert [(str(warning.message), warning.filename) for warning in caught] == [(text, __file__)]
    model.evaluate(texts[39:], labels[39:])  # 1 of 21, as may happen by chance
    replace(model, seen_messages=None).evaluate(texts, labels)  # not known


@on_training_data
def test_scores_are_printed_in_one_line() -> None:
    texts, labels = corpus(20)
    assert str(spamnb.train(texts, labels).evaluate(texts, labels)).startswith(
        "20 messages (0 unsure): accuracy "
    )
    topics = [("x", "y", "z")[i % 3] for i in range(20)]
    assert "macro_f1 " in str(spamnb.train(texts, topics).evaluate(texts, topics))


@on_training_data
def test_words_for_spam_and_ham_are_evaluated_as_they_are_learned() -> None:
    texts, labels = corpus(60)
    numbers = [int(label == "spam") for label in labels]
    model = spamnb.train(texts, numbers, positive=1)
    expected = model.evaluate(texts, numbers)
    assert model.labels == ("0", "1")
    for same in (labels, [number == 1 for number in numbers]):
        assert model.evaluate(texts, same) == expected


def test_evaluate_refuses_what_it_cannot_measure() -> None:
    model = spamnb.train(*corpus(20))
    assert refused(model.evaluate, ["a"], ["news"]) == (
        "the labels include 'news', but the model has the classes ham, spam",
        "pass messages of these classes, or train a model on these labels",
    )
    assert refused(model.evaluate, ["a", "b"], [1])[0] == "2 messages but 1 label"
    assert refused(model.evaluate, [], [])[0] == "there are no messages to evaluate"
    assert refused(model.evaluate, table(), [1, 0])[0] == "20 messages but 2 labels"
    assert refused(model.evaluate, ["a"]) == ("there are no labels", "pass them second, after the messages")


@on_training_data
def test_evaluate_takes_a_data_frame() -> None:
    frame, model = table(60), spamnb.train(*corpus(20))
    expected = model.evaluate(frame["text"], frame["label"])
    assert model.evaluate(frame) == expected
    renamed = frame.rename(columns={"text": "a", "label": "b"})
    assert model.evaluate(renamed, text="a", label="b") == expected


def test_save_replaces_no_file_that_is_no_model(tmp_path: Path) -> None:
    path, model = tmp_path / "notes.txt", spamnb.SpamModel()
    path.write_text("mine")
    assert refused(model.save, path) == (
        f"{path} exists and is not a spamnb model: it was not overwritten",
        "choose another name, or pass force=True",
    )
    assert path.read_text() == "mine"
    model.save(path, force=True)
    assert model.save(path) == path.stat().st_size


# --- mail and repr ---------------------------------------------------------------------------------


def test_a_raw_mail_is_predicted_as_the_reader_predicts_it(tmp_path: Path) -> None:
    from spamnb.readers import ReadOptions, open_source

    (tmp_path / "a.eml").write_bytes(RAW)
    (chunk,) = open_source(str(tmp_path / "a.eml"), ReadOptions(), labelled=False)
    model, parsed = spamnb.load("mail"), spamnb.parse_mail(RAW)
    assert model.log_odds(parsed).tolist() == model.log_odds(chunk.texts).tolist()
    assert model.log_odds(spamnb.parse_mail([RAW, RAW])).tolist() == model.log_odds(parsed).tolist() * 2
    assert model.explain(parsed).log_odds == model.log_odds(parsed)[0]


def test_a_list_of_parsed_mails_is_joined() -> None:
    mails = [RAW, b"From: shop@example.org\nSubject: Win a free prize\n\nCall now to win."]
    parsed, each = spamnb.parse_mail(mails), [spamnb.parse_mail(mail) for mail in mails]
    model = spamnb.load("mail")
    expected = model.log_odds(parsed).tolist()
    assert model.log_odds(each).tolist() == expected
    assert model.log_odds(pd.Series(each)).tolist() == expected
    assert model.log_odds([*each, None]).tolist()[:2] == expected
    assert same_model(model.learn(each, ["ham", "spam"]), model.learn(parsed, ["ham", "spam"]))
    assert same_model(spamnb.train(each, [0, 1]), spamnb.train(parsed, [0, 1]))


def test_a_mail_is_bytes() -> None:
    hint = "read it as bytes: parse_mail(open(path, 'rb')), or encode it: parse_mail(text.encode())"
    assert refused(spamnb.parse_mail, "a.eml") == ("expected a raw email as bytes, got str", hint)
    assert refused(spamnb.parse_mail, None) == ("expected a raw email as bytes, got None", hint)
    assert refused(spamnb.parse_mail, Path("a.eml"))[1] == hint
    assert refused(spamnb.parse_mail, io.StringIO("Subject: x"))[1] == hint
    with pytest.raises(ValueError, match=r"^mails\[0\] is no mail: expected a raw email as bytes, got str"):
        spamnb.parse_mail(["a"])


def test_raw_mail_is_refused_until_it_is_parsed() -> None:
    model, hint = spamnb.load("mail"), "parse it first: model.predict(spamnb.parse_mail(raw))"
    for raw in (RAW, RAW.replace(b"\n", b"\r\n"), b"From ann Mon\n" + RAW):
        for call in (model.predict, model.predict_proba, model.score, model.log_odds):
            assert refused(call, ["hi", raw]) == (
                "messages[1] is a raw email, whose headers would be read as text",
                hint,
            )
        assert refused(model.explain, raw) == (
            "the message is a raw email, whose headers would be read as text",
            hint,
        )
        assert refused(spamnb.train, [raw, b"hi"], [0, 1])[1] == hint
        assert refused(model.learn, [raw], [0])[1] == hint
        assert refused(spamnb.SpamClassifier().fit, [raw, b"hi"], [0, 1])[1] == hint


def test_a_message_of_email_is_no_list_of_messages() -> None:
    message = email.message_from_bytes(RAW)
    for call in (spamnb.load("mail").predict, spamnb.SpamClassifier().fit(*corpus(2)).predict):
        assert refused(call, message) == (
            "expected a list of messages, got a Message",
            "parse it first: model.predict(spamnb.parse_mail(message))",
        )


def test_a_raw_mail_as_text_gives_a_warning() -> None:
    model, text, end = spamnb.load("mail"), RAW.decode(), "; pass parse_mail(text.encode()) instead"
    folded = text.replace("\n", "\r\n").replace(": ", ":\r\n\t")
    calls = (model.predict, model.predict_proba, model.score, model.log_odds)
    for call in (*calls, spamnb.SpamClassifier().fit(*corpus(2)).predict):
        for messages in ([text, "hi"], pd.Series([folded]), ["From ann Mon\n" + text]):
            with pytest.warns(SpamnbWarning) as caught:
                call(messages)
            shown = "messages[0] is a raw email, whose headers are read as text" + end
            assert [(str(w.message), w.filename) for w in caught] == [(shown, __file__)]
    with pytest.warns(SpamnbWarning, match="^the message is a raw email"):
        model.explain(text)
    for learn in (model.learn, model.forget, spamnb.train):
        with pytest.warns(SpamnbWarning, match="raw email"), suppress(SpamnbError):
            learn([text, "hi"], ["ham", "spam"])


def test_texts_and_other_bytes_are_no_raw_mail() -> None:
    model = spamnb.load("sms")
    for text in ("Subject: see you\n at seven", "Subject: lunch\nAt one: the usual place", "Note: x\nTo: y"):
        assert len(model.predict([text])) == 1
    for data in (b"To: all\nHi", b"Note: x\nTo: y", b"From me to you", b""):
        assert model.log_odds([data]).tolist() == model.log_odds([data.decode()]).tolist()


def test_mail_in_a_model_without_mail_gives_a_warning() -> None:
    model, parsed = spamnb.load("sms"), spamnb.parse_mail(RAW)
    for call in (model.predict, model.predict_proba, model.log_odds):
        with pytest.warns(SpamnbWarning, match="without mail") as caught:
            call(parsed)
        assert [(str(warning.message), warning.filename) for warning in caught] == [
            ("this model was trained without mail; its verdicts on mail are unreliable", __file__)
        ]
    spamnb.load("mail").predict(parsed)
    model.predict(["hi"])


def test_a_mail_may_be_an_open_file_or_a_message_of_email(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(RAW)
    parsed, message = spamnb.parse_mail(RAW), email.message_from_bytes(RAW)
    with open(tmp_path / "a.eml", "rb") as file:
        from_file = spamnb.parse_mail(file)
    buffers = spamnb.parse_mail(bytearray(RAW)), spamnb.parse_mail([memoryview(RAW)])
    for other in (from_file, spamnb.parse_mail(message), spamnb.parse_mail([message]), *buffers):
        assert (other.tolist(), other.tags["from"].tolist()) == (
            parsed.tolist(),
            parsed.tags["from"].tolist(),
        )


# --- explain ---------------------------------------------------------------------------------------


def test_counts_are_in_the_order_of_the_classes() -> None:
    model = spamnb.SpamModel().learn(["prize", "prize", "see"], ["spam", "spam", "ham"])
    explanation = model.explain("prize")
    counts = {
        e.token: dict(zip(explanation.basis.classes, e.counts, strict=True)) for e in explanation.evidence
    }
    assert counts["prize"] == {"spam": 2, "ham": 0}
    assert (explanation.positive, explanation.negative) == ("spam", "ham")


def test_counts_and_names_of_evidence_are_for_readers(tmp_path: Path) -> None:
    with spamnb.Learner(tmp_path / "my.spamnb", base="sms") as learner:
        learner.learn(["your parcel waits at https://example.org"], ["spam"])
    base, own = spamnb.load("sms"), spamnb.load(tmp_path / "my.spamnb")
    before = {e.token: e.counts for e in base.explain("https://").evidence}
    for e in own.explain("https://").evidence:
        assert (
            e.counts == tuple(a + b for a, b in zip(before[e.token], (0, 1), strict=True))
            or not e.own_counts[1]
        )
        assert e.name == {"https": "https", "shape:sign=://": 'punctuation "://"'}.get(e.token, e.name)
    listed = own.explain("see you").to_dict()["evidence"][0]
    assert set(listed) == {"token", "name", "times", "log_odds", "counts", "own_counts", "base_counts"}
    ham = base.explain("see you at home")
    assert (ham.positive, ham.negative, ham.verdict) == ("spam", "ham", "ham")


def test_an_explanation_is_plain_data() -> None:
    explanation = spamnb.load("sms").explain("see you at home")
    listed = explanation.to_dict()
    assert json.loads(json.dumps(listed)) == listed
    assert listed["basis"]["classes"] == ["ham", "spam"]
    assert listed["verdict"] == explanation.verdict
    assert listed["evidence"][0]["token"] == explanation.evidence[0].token


# --- errors ----------------------------------------------------------------------------------------


def test_a_traceback_shows_the_hint_once() -> None:
    with pytest.raises(SpamnbError) as caught:
        spamnb.load("nothing-of-that-name")
    shown = "".join(traceback.format_exception(caught.value))
    assert shown.count("Hint: `spamnb model list` lists all models") == 1
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.__notes__ == caught.value.__notes__


def test_explain_takes_one_message() -> None:
    model = spamnb.load("sms")
    hint = "pass one text, or one parsed mail: parse_mail(raw)"
    assert refused(model.explain, None) == ("expected one message, got None", hint)
    assert refused(model.explain, ["hi"]) == ("expected one message, got a list", hint)
    assert refused(model.explain, spamnb.parse_mail([RAW, RAW])) == (
        "expected one message, got 2 messages",
        hint,
    )


def test_a_model_may_start_from_one_that_is_named(tmp_path: Path) -> None:
    texts, labels = corpus(20)
    expected = spamnb.train(texts, labels, base=spamnb.load("sms"))
    path = tmp_path / "own.spamnb"
    spamnb.load("sms").save(path)
    for base in ("sms", "ready-made", path, str(path)):
        assert same_model(spamnb.train(texts, labels, base=base), expected)
    assert same_model(spamnb.train(texts, labels, base="none"), spamnb.train(texts, labels))
    parsed = spamnb.parse_mail([RAW, RAW + b"more"])
    started = spamnb.train(parsed, [1, 0], base="ready-made").base
    assert started is not None
    assert started.name == "ready-made model for mail"
    assert refused(spamnb.train, texts, labels, base=3) == (
        "base must be a SpamModel, a name or a path, got an int",
        'for example base="ready-made"',
    )
    assert refused(spamnb.train, texts, labels, base="nowhere.spamnb") == (
        "base must be ready-made, none, the name of a model or a file, got 'nowhere.spamnb'",
        "for example base ready-made, or check the path",
    )


def test_settings_are_of_their_types() -> None:
    for name, value, kind in (
        ("features", "plain", "FeatureConfig"),
        ("scoring", "bernoulli", "ScorerConfig"),
        ("training", {"folds": 3}, "TrainingConfig"),
        ("decision", 0.9, "Decision"),
    ):
        message, hint = refused(spamnb.train, *corpus(2), **{name: value})
        assert message.startswith(f"{name} must be a {kind}, got ")
        assert hint == f"for example {name}=spamnb.{kind}()"


def test_errors_about_settings_have_names_of_python() -> None:
    texts, labels = corpus(20)
    prior = spamnb.ScorerConfig(prior=(0.2, 0.3, 0.5))
    assert refused(spamnb.train, texts, labels, scoring=prior)[0].startswith("prior gives 3 numbers")
    assert refused(spamnb.TrainingConfig, max_fpr=2) == (
        "max_fpr must be above 0 and below 1, got 2",
        "for example 0.001",
    )
    both = spamnb.SpamClassifier(alpha=0.1, m_estimate=2.0)
    assert refused(both.fit, texts, labels)[0].startswith("alpha and m_estimate cannot be combined")
    without = spamnb.SpamClassifier(calibrate=False, refine="yes")
    assert refused(without.fit, texts, labels)[0] == "refine=yes needs cross-validation, got calibrate=0"
    word = spamnb.SpamClassifier(calibrate="no")  # type: ignore[arg-type]
    assert refused(word.fit, texts, labels)[0] == "calibrate must be True or False, got 'no'"


def test_train_takes_no_path() -> None:
    hint = "read a file first, for example with pandas.read_csv; `spamnb train FILE` reads it itself"
    assert refused(spamnb.train, "mine.csv") == ("expected messages, got one str", hint)
    assert refused(spamnb.train, Path("mine.csv"))[1] == hint
    assert refused(spamnb.train, None, ["spam"])[0] == "expected a list of messages, got None"
    assert refused(spamnb.train, ["hi"], 1)[0] == "expected a list of labels, got 1"


def test_the_positive_class_may_be_a_number() -> None:
    assert spamnb.train(["win a prize", "see you"], [1, 0], positive=1).positive == "1"


def test_a_name_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(spamnb.SpamModel.load, "sms") == (
        "no model at sms",
        "a model of that name: spamnb.load('sms')",
    )
    for call in (spamnb.Learner, spamnb.undo, spamnb.history):
        assert refused(call, "sms") == (
            "sms is a ready-made model, which does not learn",
            """start a model of your own from it: spamnb.Learner("my.spamnb", base='sms')""",
        )
        assert refused(call, "nowhere")[0] == "there is no model named 'nowhere'"
    spamnb.load("sms").save("own")
    assert spamnb.SpamModel.load("own").labels == ("ham", "spam")


def test_a_model_in_the_data_folder_learns_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path))
    spamnb.train(*corpus(4)).save(tmp_path / "office.spamnb")
    with spamnb.Learner("office") as learner:
        learner.learn(["new words"], ["spam"])
    assert spamnb.load("office").predict(["new words"]) == ["spam"]
    assert [lesson.entry.id for lesson in spamnb.history("office")] == [1]
    assert spamnb.undo("office").undone == [1]


FEE = "the fee for the choir parcel is due, pay at the link"


def test_a_learner_starts_a_model_as_the_first_lesson_of_the_command_line_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for base in ("sms", "mail", spamnb.load("sms")):
        path = tmp_path / "new" / "my.spamnb"
        with spamnb.Learner(path, base=base) as learner:
            learner.learn([FEE], ["ham"])
        model = spamnb.load(path)
        assert model.predict([FEE]) == ["ham"]
        assert model.explain(FEE).taught_as == "ham"
        with spamnb.Learner(path, base="sms") as learner:
            learner.learn([FEE], ["ham"])
            learner.forget([FEE])
        assert learner.outcome.known == learner.outcome.forgotten == {"ham": 1}
        path.unlink()
        (tmp_path / "new" / "my.spamnb.journal").unlink(missing_ok=True)
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path))
    with spamnb.Learner("office", base="sms") as learner:
        learner.learn([FEE], ["ham"])
    assert spamnb.load("office").predict([FEE]) == ["ham"]


def test_a_learner_starts_what_learn_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path))
    for kind, base in (("text", "sms"), ("mail", "mail")):
        own = start_own_model(None, lambda kind=kind: kind)  # type: ignore[misc]
        assert own is not None
        with spamnb.Learner(tmp_path / "my.spamnb", base=base) as learner:
            assert Path(own.path).read_bytes() == (tmp_path / "my.spamnb").read_bytes()
            assert learner.model.labels == ("ham", "spam")


def test_a_model_that_nothing_is_learned_into_is_not_started(tmp_path: Path) -> None:
    path = tmp_path / "my.spamnb"
    with spamnb.Learner(path, base="sms"):
        pass
    with spamnb.Learner(path, base="sms") as learner:
        refused(learner.learn, [FEE], ["unknown"])
    with pytest.raises(SpamnbError), spamnb.Learner(path, base="sms") as learner:
        learner.learn([FEE, "two"], ["ham"])
    assert list(tmp_path.glob("my.spamnb*")) == list(tmp_path.glob("*.lock"))
    for base, message in (
        ("ready-made", "the base model has to be named before there are messages"),
        ("nowhere", "there is no model named 'nowhere'"),
    ):
        with pytest.raises(SpamnbError, match=message), spamnb.Learner(path, base=base):
            pass
    with pytest.raises(ModelError, match="no model at"), spamnb.Learner(path):
        pass
    assert (
        refused(spamnb.Learner, "mail", base="sms")[0] == "mail is a ready-made model, which does not learn"
    )


def test_a_file_with_a_bare_name_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    model = spamnb.train(*corpus(4))
    model.save("nodot")
    assert same_model(spamnb.load("nodot"), model)
    spamnb.load("sms").save("mail")
    assert same_model(spamnb.load("mail"), spamnb.SpamModel.load(Path(shipped_model("mail"))))


def test_a_decision_and_a_rate_exclude_each_other() -> None:
    both = {"decision": spamnb.Decision(0.9), "training": spamnb.TrainingConfig(max_fpr=0.01)}
    assert refused(spamnb.train, *corpus(20), **both) == (
        "decision and max_fpr cannot be combined: each of them sets the threshold",
        "leave out decision, or max_fpr of TrainingConfig",
    )


def test_settings_that_are_refused_come_with_the_next_step() -> None:
    texts = corpus(20)
    assert refused(spamnb.train, *texts, scoring=ScorerConfig.of("bernouli")) == (
        "unknown scorer 'bernouli'",
        "did you mean bernoulli? choose one of: "
        "bernoulli, binary, categorical, complement, less-naive, multinomial, poisson",
    )
    assert refused(spamnb.TrainingConfig, folds="5") == (
        "folds must be a number, got the text '5'",
        "for example 5",
    )
    assert refused(spamnb.TrainingConfig, folds=1) == (
        "folds must be 0 or at least 2, got 1",
        "the default is 5",
    )
    assert refused(ScorerConfig, alpha=-1)[1] == "the default is 0.1"
    assert refused(FeatureConfig, ngrams=0)[1] == "the default is 2"


def test_a_list_of_mails_tells_which_one_is_none() -> None:
    message = refused(spamnb.parse_mail, [RAW, None])[0]
    assert message == "mails[1] is no mail: expected a raw email as bytes, got None"


def test_a_missing_text_says_nothing_to_the_estimator() -> None:
    texts, labels = ["win a prize", "see you", None, ""] * 3, [1, 0, 1, 1] * 3
    proba = spamnb.SpamClassifier().fit(texts, labels).predict_proba([None, "", "win"])  # type: ignore[list-item]
    assert proba[0].tolist() == proba[1].tolist() == [0.5, 0.5]
    assert proba[2, 1] > 0.5


def test_hints_in_python_name_no_flags(tmp_path: Path) -> None:
    spamnb.load("sms").save(tmp_path / "copy.spamnb")
    with spamnb.Learner(tmp_path / "copy.spamnb") as learner:
        hint = "pass the label that they were learned with (command line: --spam or --ham)"
        assert refused(learner.forget, ["hi"])[1] == hint


def test_a_path_is_text() -> None:
    model = spamnb.load("sms")
    for call in (spamnb.load, spamnb.SpamModel.load, spamnb.undo, spamnb.history, spamnb.Learner, model.save):
        for value, name in ((5, "an int"), (model, "a SpamModel"), (None, "None"), ("", "an empty string")):
            expected = f"expected the path of a model, got {name}", "for example 'my.spamnb'"
            assert refused(call, value) == expected


def test_counts_and_types_are_grammatical() -> None:
    model = spamnb.load("sms")
    assert refused(model.predict, ["a", 3])[0] == "messages[1] is an int; expected str or bytes"
    assert refused(model.learn, ["a"], [1, 0])[0] == "1 message but 2 labels"
    frame = pd.DataFrame({"id": [1, 2], "body": ["a", "b"]})
    hint = "pass the column that has the messages, as table[NAME]; the columns are id, body"
    assert refused(spamnb.SpamClassifier().fit, frame, [1, 0])[1] == refused(model.predict, frame)[1] == hint


def test_an_explanation_is_printed_in_ten_lines() -> None:
    model = spamnb.SpamModel().learn(["prize 12345", "prize", "see \x1b[31m"], ["spam", "spam", "ham"])
    explanation = model.explain("prize 12345 see")
    lines = str(explanation).splitlines()
    assert lines[0] == (
        f"{explanation.verdict}, P(spam) = {explanation.probability:.4f}, "
        f"log-odds {explanation.log_odds:+.2f}"
    )
    assert len(lines) == 10
    shown = [float(line.split()[0]) for line in lines[1:]]
    assert sum(shown) == pytest.approx(explanation.log_odds, abs=0.05)
    assert any(line.endswith("5-digit number") for line in lines)
    assert str(model.explain("see")).splitlines()[-1].endswith("  bias")


def test_lessons_and_undos_say_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "m.spamnb"
    spamnb.train(*corpus(20)).save(path)
    with spamnb.Learner(path) as learner:
        learner.learn(["free prize", "see you there"], ["spam", "spam"])
    assert repr(learner.lesson) == "<LessonEntry 1: learn, +2 spam>"
    assert repr(spamnb.undo(path)) == "<UndoResult: undone [1]; lesson 2>"
    assert repr(spamnb.undo(path)) == "<UndoResult: undone []; lesson none>"


def test_repr_says_what_it_is() -> None:
    model = spamnb.SpamModel()
    assert repr(model) == "<SpamModel: classes none; 0 messages, 0 tokens; scorer multinomial>"
    taught = model.learn(["win a prize", "see you"], ["spam", "ham"])
    assert repr(taught).startswith("<SpamModel: classes ham, spam; 2 messages, ")
    assert repr(taught.score(["win a prize", "see you", "?"])) == (
        "<Predictions: 3 messages: 1 ham, 1 spam, 1 unsure>"
    )
    assert repr(taught.score([])) == "<Predictions: 0 messages>"
    assert repr(spamnb.Texts.of(["a", "b"])) == "<Texts: 2 messages>"
    assert repr(spamnb.parse_mail(RAW)) == "<Texts: 1 message with the tags of mail>"


def test_a_name_means_the_same_to_load_and_learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of that name in the data folder comes before a file or folder of that name."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spamnb").mkdir()
    spamnb.train(*corpus(20)).save(tmp_path / "spamnb" / "office.spamnb")
    (tmp_path / "office").mkdir()
    spamnb.load("office")
    assert Path(spamnb.Learner("office").path) == tmp_path / "spamnb" / "office.spamnb"


def test_a_few_messages_of_many_classes_are_labels() -> None:
    classes = [f"class {n}" for n in range(30)]
    model = spamnb.SpamModel().learn([f"word{n}" for n in range(30)], classes)
    assert model.learn([f"more{n}" for n in range(12)], classes[:12]).store.message_totals.sum() == 42


def test_a_start_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "my.spamnb"

    def fail(_: object) -> None:
        raise OSError("no lock")

    with monkeypatch.context() as patched:
        patched.setattr("spamnb.training.stored_model.StoredModel.refresh", fail)
        with pytest.raises(OSError, match="no lock"):
            spamnb.Learner(path, base="sms").__enter__()
    assert not path.exists()

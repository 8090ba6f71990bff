"""The shipped models: there after installation, small, nothing private in them, chosen by what comes."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest

from spamnb.features import extract, token_key
from spamnb.messages import Chunk, Texts
from spamnb.model import READY_MADE_NAMES, shipped_model
from spamnb.model.scoring_engine import log_odds_of
from spamnb.model.spam_model import SpamModel
from spamnb.readers import ReadOptions, open_source
from spamnb.scorers import Stats, make
from tests.helpers.command_line import Cli
from tests.helpers.paths import ROOT, SMALL_SMS

MAIL = ROOT / "data" / "mail"
NOTE = "no model of your own for {} yet: using the ready-made model for {}\n"


def test_a_message_is_judged_right_after_installation(cli: Cli) -> None:
    done = cli("predict", stdin=b"WIN a FREE prize\nok mum, see you at seven\n")
    assert [line.split("\t")[0] for line in done.text.splitlines()] == ["spam", "ham"]
    assert done.err.endswith(NOTE.format("text", "SMS"))
    assert cli("predict", "-q", stdin=b"ok\n").err == ""


@pytest.mark.parametrize("kind", READY_MADE_NAMES)
def test_the_models_are_small_and_hold_no_numbers_addresses_or_digests(kind: str) -> None:
    model = SpamModel.load(shipped_model(kind))
    assert model.seen_messages is None
    rare = model.store.messages.sum(axis=1) < 5
    words = [":" not in token for token in model.store.spellings.tolist()]
    joined = np.array(["_" in token for token in model.store.spellings.tolist()]) & words  # now several words
    tokens = [model.store.spellings[i] for i in np.flatnonzero(rare & joined).tolist()]
    pieces = {piece for token in tokens for piece in re.split("[_ ]+", token)}
    keys = {*model.store.keys[rare & ~joined].tolist(), *map(token_key, pieces - {""})}
    assert keys <= written_keys(model, kind)
    tokens = [t for t in model.store.spellings.tolist() if not t.startswith("shape:")]
    assert len(tokens) > 10_000
    assert not [t for t in tokens if len(re.sub("[^0-9]", "", t)) > 3 or "@" in t]
    assert not [t for t in tokens if t.startswith(("received:", "list:", "from:")) and "_" not in t]


def written_keys(model: SpamModel, kind: str) -> set[int]:
    """The tokens of the messages that were written for spamnb: they are nobody's."""
    with (ROOT / "data" / "messages" / "train.csv").open(encoding="utf-8", newline="") as file:
        batches = [extract(Texts.of([row["text"] for row in csv.DictReader(file)]), model.features)]
    if kind == "mail":
        batches += [
            extract(chunk.texts, model.features)
            for chunk in mail_chunks(ROOT / "data" / "modern_mail" / "train")
        ]
    return {key for batch in batches for stream in batch.streams for key in stream.keys.tolist()}


def mail_chunks(folder: Path) -> list[Chunk]:
    with open_source(str(folder), ReadOptions(), labelled=True) as source:
        return list(source)


def test_no_name_of_a_person_in_the_written_messages_is_a_token() -> None:
    names = set((ROOT / "tools" / "person_names.txt").read_text(encoding="utf-8").split())
    for kind in READY_MADE_NAMES:
        tokens = SpamModel.load(shipped_model(kind)).store.spellings.tolist()
        assert not [t for t in tokens if not t.startswith("shape:") and names & set(t.split(" "))]


@pytest.mark.parametrize("kind", READY_MADE_NAMES)
def test_no_name_of_a_person_in_the_lower_cased_corpus_is_a_token(kind: str) -> None:
    words = {
        word for t in SpamModel.load(shipped_model(kind)).store.spellings.tolist() for word in t.split(" ")
    }
    assert not words & {"kaminski", "vince", "louise", "lavorato", "jeff", "greg"}


def test_headers_of_servers_and_senders_software_are_no_tokens() -> None:
    tokens = SpamModel.load(shipped_model("mail")).store.spellings.tolist()
    headers = [t.removeprefix("header:") for t in tokens if t.startswith("header:")]
    assert len(headers) > 10
    assert not [
        t for t in headers if t.startswith(("authentication_results", "dkim", "spf", "dmarc", "arc", "x_"))
    ]
    assert not [t for t in headers if t.startswith("list_unsubscribe")]
    assert not [t for t in tokens if t.startswith("received:")]


def test_no_token_decides_a_mail_alone() -> None:
    model = SpamModel.load(shipped_model("mail"))
    assert model.correction is not None
    weights = log_odds_of(make(model.scoring).estimate(Stats.of(model.store)), model.labels.index("spam"))
    assert np.abs(weights + model.correction.of(model.store.keys)).max() < 3.01


def test_all_models_take_at_most_6_megabytes() -> None:
    assert sum(os.path.getsize(shipped_model(kind)) for kind in READY_MADE_NAMES) <= 6_000_000


# What people type first, and what their phones receive; none of it is in the training data.
SHORT_SPAM = (
    "Buy viagra now",
    "free money",
    "cheap meds",
    "Win a free iphone",
    "Cheap Viagra and Cialis online",
)
SHORT_HAM = ("lunch?", "ok see you at 7", "Your code is 482913", "can you call me back", "on my way")


def test_short_messages_are_decided_by_their_words(cli: Cli) -> None:
    done = cli("predict", stdin="\n".join((*SHORT_SPAM, *SHORT_HAM)).encode())
    verdicts = [line.split("\t")[0] for line in done.text.splitlines()]
    assert verdicts == ["spam"] * len(SHORT_SPAM) + ["ham"] * len(SHORT_HAM)


def test_mail_and_long_texts_get_the_model_for_mail(cli: Cli) -> None:
    result = cli("predict", MAIL / "spam", "--format", "jsonl")
    assert NOTE.format("mail", "mail") in result.err
    long = cli.write("long.csv", "text\n" + "Please find the agenda of the meeting below. " * 20 + "\n")
    assert NOTE.format("text", "mail") in cli("predict", long).err
    short = cli.write("short.csv", "text\nsee you at seven\n")
    assert NOTE.format("text", "SMS") in cli("predict", short).err


def test_evaluate_uses_them_too(cli: Cli) -> None:
    done = cli("evaluate", SMALL_SMS)
    assert NOTE.format("text", "SMS") in done.err


def test_they_do_not_learn(cli: Cli) -> None:
    before = {kind: Path(shipped_model(kind)).read_bytes() for kind in READY_MADE_NAMES}
    assert cli.fails("forget", "--spam", stdin=b"win a prize\n") == [
        "Error: there is no model of your own for text yet, and the ready-made ones do not learn",
        "Hint: train one with `spamnb train DATA`, or name one with -m MODEL",
    ]
    sms = os.path.relpath(shipped_model("sms"), cli.here)
    wanted = f"Error: {sms} is a ready-made model: it is part of the program and is not changed"
    assert cli.fails("learn", "--spam", "-m", sms, stdin=b"win a prize\n") == [
        wanted,
        "Hint: start your own with `spamnb train few.csv --base ready-made`, or change a copy",
    ]
    assert cli.fails("model", "prune", sms, "--min-count", "9", "--force") == [
        wanted,
        "Hint: choose another name for -o",
    ]
    assert before == {kind: Path(shipped_model(kind)).read_bytes() for kind in READY_MADE_NAMES}


def test_ones_own_model_comes_first(cli: Cli) -> None:
    cli("train", SMALL_SMS, "-q")
    assert cli("predict", stdin=b"ok\n").err == ""

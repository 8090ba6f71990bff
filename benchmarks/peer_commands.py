"""Measures whole commands of other filters beside ours, in turn on the same messages; no targets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import sms_corpus
from benchmarks.command_cost import Cost, in_turn, run
from benchmarks.corpora import MAIL, read_mails
from benchmarks.intervals import ratio_interval
from benchmarks.peers.base import Bools, Messages, Program, Tool
from benchmarks.peers.ours import Ours
from benchmarks.results_page import between, table, times

HEAD = [
    "command",
    "wall time",
    "processor time",
    "peak memory",
    "ratio of wall times",
    "95% interval",
    "ratio of processor times",
    "95% interval",
]
SLOW = ("spamprobe", "fasttext-wheel")  # they get the smaller cut
LARGE, SMALL = 11, 2  # copies of the SMS corpus
EVERY = 3  # one mail in so many


def sms(folder: Path, kinds: Sequence[type[Tool]], copies: int, rounds: int, note: str) -> str:
    """Training and predicting of these and of ours on so many copies of the SMS corpus."""
    rows = sms_corpus.varied(copies)
    messages = Messages([text for _, text in rows])
    spam = np.array([label == "spam" for label, _ in rows])
    return timed(f"SMS, {note}", folder, kinds, messages, spam, rounds)


def mail(folder: Path, kinds: Sequence[type[Tool]], rounds: int, every: int) -> str:
    """The same on raw mails, where there is a corpus of them."""
    if not (MAIL / "spamassassin.tar.xz").exists():
        missing = (
            "The mails of SpamAssassin are needed: put `spamassassin.tar.xz` into `../shared/data/mail`."
        )
        return _reported(f"### Mail\n\n{missing}")
    corpus = read_mails("spamassassin", folder / "unpacked")
    texts = [data.decode("latin-1") for data in corpus.raw()][::every]
    title = f"SpamAssassin mails, one in {every}"
    return timed(title, folder, kinds, Messages(texts, mail=True), corpus.spam[::every], rounds)


def timed(
    title: str, folder: Path, kinds: Sequence[type[Tool]], messages: Messages, spam: Bools, rounds: int
) -> str:
    """A section with a table of training and one of predicting the same messages."""
    tools = _made(folder / title.replace(" ", ""), kinds)
    for tool in tools:
        tool.write(messages, spam)
        tool.write(messages, None)
    size = sum(map(len, messages.as_bytes())) / 1e6
    parts = [f"### {title}: {len(spam):,} messages, {size:.1f} MB, {times(rounds)}"]
    parts.append(_table("train", in_turn({t.name: t.train_command() for t in tools}, rounds)))
    predict = {tool.name: tool.predict_command() for tool in tools}
    parts.append(_table("predict", in_turn(predict, rounds, stdout=folder / "out")))
    return _reported("\n\n".join(parts))


def _made(folder: Path, kinds: Sequence[type[Tool]]) -> list[Tool]:
    """Ours and these, each in a folder of its own."""
    everyone: list[type[Tool]] = [Ours, *kinds]
    return [kind(folder / kind.package) for kind in everyone]


def one_message(folder: Path, kinds: Sequence[type[Tool]], rounds: int) -> str:
    """A command that classifies one message by a model of the SMS corpus."""
    rows = sms_corpus.base()
    known, spam = Messages([text for _, text in rows]), np.array([label == "spam" for label, _ in rows])
    tools = _made(folder / "single", kinds)
    for tool in tools:
        tool.write(known, spam)
        run(tool.train_command())
        tool.write(Messages(["WIN a FREE prize now"]), None)
    costs = in_turn({tool.name: tool.one_command() for tool in tools}, rounds)
    return _reported(f"### One message, {times(rounds)}\n\n{_table('predict', costs)}")


def _table(what: str, costs: dict[str, list[Cost]]) -> str:
    ours, rows = costs[Ours.name], []
    for name, theirs in costs.items():
        cells = [f"{what}: {name}", *(_median(theirs, m) for m in ("seconds", "cpu", "megabytes"))]
        for measure in ("seconds", "cpu"):
            above, below = ([max(getattr(c, measure), 1e-3) for c in side] for side in (theirs, ours))
            ratio = ratio_interval(above, below)
            cells += [f"{ratio.value:.3g}x", between(ratio, ".3g")] if theirs is not ours else ["1", "-"]
        rows.append(cells)
    return table(HEAD, rows)


def _median(costs: Sequence[Cost], measure: str) -> str:
    value = median(getattr(cost, measure) for cost in costs)
    return f"{value:.0f} MB" if measure == "megabytes" else f"{value:.3f} s"


def _reported(text: str) -> str:
    print(f"\n{text}", flush=True)
    return text


def measured(folder: Path, kinds: Sequence[type[Tool]], rounds: int, quick: bool) -> list[str]:
    """All sections for the page, printed as they come."""
    slow = [kind for kind in kinds if kind.package in SLOW]
    quicker = [kind for kind in kinds if kind.package not in SLOW]
    programs = [kind for kind in kinds if issubclass(kind, Program)]
    large, small, every = (3, 1, 10) if quick else (LARGE, SMALL, EVERY)
    return [
        one_message(folder, kinds, rounds + 2),
        sms(folder, quicker, large, rounds, "larger cut"),
        sms(folder, slow, small, rounds, "smaller cut for what is slow"),
        mail(folder, programs, rounds, every),
    ]

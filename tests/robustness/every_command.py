"""Lists every command in a form that works, and writes the files it needs: faults are tried on these."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from spamnb.errors import SpamnbError
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.training.incremental import Learner
from spamnb.training.trainer import train

DATA, MODEL, TEXTS, MAIL, EXPORT = "data.csv", "m.spamnb", "messages.txt", "one.eml", "export.jsonl"
ACCOUNTS = "accounts.toml"


class Call(NamedTuple):
    """A command line, what comes on stdin, and whether it writes to stdout."""

    args: tuple[str, ...]
    stdin: bytes = b""
    speaks: bool = True


CALLS = {
    "train": Call(("train", DATA, "-o", "new.spamnb"), speaks=False),
    "predict": Call(("predict", "-m", MODEL, TEXTS)),
    "predict -": Call(("predict", "-m", MODEL), "win a prize\ncafé\n".encode()),
    "predict -t": Call(("predict", "-m", MODEL, "-t", "win a prize")),
    "predict -o": Call(("predict", "-m", MODEL, DATA, "-o", "said.csv"), speaks=False),
    "predict mail": Call(("predict", "-m", MODEL, MAIL, "--format", "csv")),
    "evaluate": Call(("evaluate", DATA, "-m", MODEL)),
    "evaluate --mistakes": Call(("evaluate", DATA, "-m", MODEL, "--mistakes", "2")),
    "compare": Call(("compare", DATA)),
    "tune": Call(("tune", DATA, "--time", "1")),
    "inspect": Call(("inspect", "-m", MODEL, "--top", "3")),
    "inspect --sample": Call(("inspect", "-m", MODEL, "--sample", "spam", "3")),
    "inspect word": Call(("inspect", "-m", MODEL, "café")),
    "explain": Call(("explain", "-m", MODEL), "café".encode()),
    "merge": Call(("model", "merge", MODEL, MODEL, "-o", "merged.spamnb"), speaks=False),
    "prune": Call(("model", "prune", MODEL, "--min-count", "2"), speaks=False),
    "age": Call(("model", "age", MODEL), speaks=False),
    "export": Call(("model", "export", MODEL)),
    "export -o": Call(("model", "export", MODEL, "-o", "out.jsonl"), speaks=False),
    "import": Call(("model", "import", EXPORT, "-o", "imported.spamnb"), speaks=False),
    "filter": Call(("filter", "-m", MODEL), "Subject: café\n\nwin\n".encode()),
    "learn": Call(("learn", "-m", MODEL, "--spam"), b"a new prize\n", speaks=False),
    "forget": Call(("forget", "-m", MODEL), b"win a prize 1\n", speaks=False),
    "learn --ham": Call(("learn", "-m", MODEL, "--ham"), b"win a prize 1\n", speaks=False),  # relabels
    "review": Call(("review", TEXTS, "-m", MODEL), b"s\nh\nb\n", speaks=False),
    "model log": Call(("model", "log", "-m", MODEL)),
    "model undo": Call(("model", "undo", "1", "-m", MODEL), speaks=False),
    "imap status": Call(("--config", ACCOUNTS, "imap", "status")),
    "model list": Call(("model", "list")),
    "model check": Call(("model", "check", "-m", MODEL)),
    "config": Call(("config",)),
    "completion": Call(("completion", "bash")),
}
READS_STDIN = ("predict -", "explain", "filter", "learn", "learn --ham", "forget", "review")


def prepare(folder: Path) -> None:
    """The files that the calls need; a model with a journal."""
    kinds = (("ham", "see you café"), ("spam", "win a prize"))
    rows = [(kinds[i % 2][0], f"{kinds[i % 2][1]} {i}") for i in range(24)]
    (folder / DATA).write_text("label,text\n" + "".join(f"{label},{text}\n" for label, text in rows), "utf-8")
    (folder / TEXTS).write_text("win a prize\ncafé\n", "utf-8")
    (folder / ACCOUNTS).write_text('[imap.accounts."me@example.org"]\nserver = "imap.example.org"\n')
    (folder / MAIL).write_text("Subject: win\n\na prize\n", "utf-8")
    model = train([text for _, text in rows], [label for label, _ in rows])
    model.save(folder / MODEL)
    (folder / EXPORT).write_bytes(b"".join(export_lines(model)))
    with Learner(folder / MODEL) as learner:
        learner.learn(["free entry"], ["spam"])


def state(folder: Path) -> object:
    """What the model has learned, or why it cannot be read."""
    try:
        store = SpamModel.load(folder / MODEL).store
    except SpamnbError as error:
        return error.message
    return store.labels, store.message_totals.tolist(), store.vocabulary

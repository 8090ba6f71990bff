"""Files, labels, columns, patterns and models full of what steers a terminal, and commands that meet them."""

from __future__ import annotations

import csv
import json
import mailbox
import os
from pathlib import Path
from typing import Any, NamedTuple

from spamnb.cli.model_saving import save
from spamnb.storage import model_file, model_writer
from spamnb.training.trainer import train

# A window title, blinking, a cleared screen, the same by C1, a next line, text from right to left, isolates,
# invisible letters, backspace, delete, and the markup of rich, closed and not.
STEER = "\x1b]0;owned\x07\x1b[5m\x1b[2J\x9b5m\x85\u202eevil\u2066\u200f\u200b\x08\x7f"
FORGED = "Error:FORGED"  # what must not begin a line
NAME = f"n\n{FORGED}{STEER}[bold]MARK[nope"  # fits a file name
BRACKETS = NAME.partition("MARK")[0].count("[")  # before each MARK, wherever lines are folded
TEXT = f"n{STEER}[bold]MARK[nope[/bold][link=http://a.b]c[/link] win a prize"  # one line
LINES = f"{TEXT}\n{FORGED}"
RAW = os.fsencode(NAME) + b"\x9b5m\xff"  # a file name that is no UTF-8


class Call(NamedTuple):
    """A command line and what comes on stdin."""

    what: str
    args: tuple[str | bytes, ...]
    stdin: bytes = b""


def _call(*args: str | bytes, stdin: str | bytes = b"") -> Call:
    shown = " ".join(ascii(arg) if isinstance(arg, bytes) else arg for arg in args)
    return Call(ascii(shown), args, stdin if isinstance(stdin, bytes) else stdin.encode())


_LABELS = ("spam", "ham")
DATA, TABLE, THREE, MODEL = f"{NAME}.csv", f"{NAME}t.csv", f"{NAME}3.csv", f"{NAME}.spamnb"
NAMED, MANY = "named.spamnb", "many.spamnb"  # with hostile labels, two and three
COLUMNS = ("--categorical", f"c{NAME}", "--numeric", f"x{NAME}", "--set", f"pattern=p{NAME}=prize")
MAIL = f"From: {TEXT} <a@b.example>\nSubject: {TEXT}\n\n{TEXT}\n"


def prepare(folder: Path) -> None:
    """All files that the calls need."""
    messages = [
        (_LABELS[i % 2], f"{LINES if i % 2 else 'see you at'} {i % 7}", "ab"[i % 3 == 0]) for i in range(40)
    ]
    _table(folder / DATA, [("label", "text", "note"), *messages])
    extra = [(label, text, kind + STEER, str(i % 5)) for i, (label, text, kind) in enumerate(messages)]
    _table(folder / TABLE, [(f"l{NAME}", f"t{NAME}", f"c{NAME}", f"x{NAME}"), *extra])
    _table(folder / THREE, [("label", "text"), *((f"{NAME}{i % 3}", f"w{i % 3} {TEXT}") for i in range(30))])
    truth = [(label, f"{0.9 if label == 'spam' else 0.2}") for label, _, _ in messages]
    _table(folder / f"{NAME}p.csv", [("truth", f"s{NAME}"), *truth])
    (folder / os.fsdecode(RAW)).write_text(TEXT + "\n")
    (folder / f"{NAME}.eml").write_text(MAIL)
    (folder / "accounts.toml").write_text(f"[imap.accounts.{json.dumps(NAME)}]\nserver = 'a'\n")
    account = f'[imap.accounts."me@example.org"]\nserver = "a"\nfolders = 3\n{json.dumps(NAME)} = 1\n'
    (folder / "folders.toml").write_text(account)
    (folder / "bad.spamnb").write_text(TEXT)
    (folder / "export.jsonl").write_text(f'{{"format":"spamnb-counts","version":1}}\n{TEXT}\n')
    box = mailbox.Maildir(folder / f"{NAME}box")
    box.add(MAIL.encode())
    texts, labels = [text for _, text, _ in messages], [label for label, _, _ in messages]
    save(train(texts, labels), str(folder / MODEL), quiet=True)
    save(
        train(texts, [f"{label}{NAME}" for label in labels], positive=f"spam{NAME}"),
        str(folder / NAMED),
        quiet=True,
    )
    save(train(texts[:39], [NAME + str(i % 3) for i in range(39)]), str(folder / MANY), quiet=True)
    for i, state in enumerate(_odd_states(model_file.read(folder / MODEL, mmap=False))):
        model_writer.write(state, folder / f"odd{i}.spamnb")


def _table(path: Path, rows: list[tuple[str, ...]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def _odd_states(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The state with one of its strings, in turn, made hostile; then one with a key more everywhere."""
    rows: list[dict[str, Any]] = []

    def walk(value: Any, rebuilt: Any) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:

            def put(new: Any, key: Any = key) -> Any:
                copy = dict(value) if isinstance(value, dict) else list(value)
                copy[key] = new
                return rebuilt(copy)

            if isinstance(item, str):
                rows.append(put(item + NAME))
            elif isinstance(item, (dict, list)):
                walk(item, put)

    walk(state, lambda whole: whole)
    return rows


_EVALUATE = ("evaluate", DATA, "-m", NAMED)
CALLS = (
    _call("train", DATA, "-o", f"{NAME}new.spamnb"),
    _call("train", DATA, "-o", f"{NAME}new.spamnb"),  # over a model: it is kept
    _call(
        "train", TABLE, "--text-column", f"t{NAME}", "--label-column", f"l{NAME}", *COLUMNS, "-o", "c.spamnb"
    ),
    _call("train", THREE, "-o", "three.spamnb"),
    _call("train", "--label", f"{NAME}={NAME}box", "--label", f"ham={NAME}.eml", "-o", "boxes.spamnb"),
    _call("train", RAW),
    _call("train", f"{NAME}gone"),
    _call("train", DATA, "--label-column", NAME),
    _call("train", DATA, "--spam-label", NAME),
    _call("train", DATA, "--encoding", NAME),
    _call("train", DATA, "--set", f"pattern={NAME}"),
    _call("train", DATA, "--set", f"pattern={NAME}=("),
    _call("train", DATA, "--base", NAME),
    _call("train", DATA, "--alpha", NAME),
    _call("train", DATA, f"--{NAME}"),
    _call("train", DATA, "-o", DATA),
    _call("train", DATA, "-o", f"{DATA}/x"),
    _call("train", DATA, "--set", f"dask={NAME}", "-o", "x.spamnb"),
    *(
        _call("predict", "-m", model, "--format", form, *more, stdin=f"{TEXT}\n")
        for model in (MODEL, NAMED, MANY)
        for form in ("tsv", "csv", "jsonl", "table", "terse")
        for more in (((), ("--explain",)) if form != "terse" else ((),))
    ),
    _call("predict", "-m", MODEL, "-t", TEXT, "-t", LINES),
    _call("review", DATA, f"{NAME}box", "-m", MODEL, stdin="s\nh\nb\n\x1b[2J\nu\n"),
    _call("review", DATA, "-m", NAMED, stdin="s\n"),
    _call("learn", DATA, "-m", NAMED, "--again"),
    _call("model", "log", "-m", NAMED),
    _call("model", "undo", NAME, "-m", NAMED),
    _call("model", "undo", "1", "-m", NAMED),
    _call("predict", "-m", MODEL, TEXT),
    *(_call("predict", "-m", MODEL, TABLE, "--format", form) for form in ("tsv", "csv", "jsonl")),
    *(_call("predict", "-m", MODEL, DATA, "-o", f"{NAME}said{end}") for end in (".csv", ".parquet", "")),
    _call("predict", "-m", MODEL, DATA, TABLE, "--format", "csv"),
    _call("predict", "-m", "c.spamnb", TABLE, "--explain", "--format", "table"),
    _call("predict", "-m", "c.spamnb", DATA),
    _call("predict", "-m", MODEL, RAW, DATA, f"{NAME}box", f"{NAME}.eml", "--jobs", "2"),
    _call("predict", "-m", NAMED, "--only", NAME, DATA),
    _call("predict", "-m", NAMED, "--only", f"spam{NAME}", DATA),
    _call("predict", "-m", MODEL, "--files-from", "-", stdin=NAME.encode() + b"gone\n"),
    _call("predict", "-m", MODEL, "--max-bytes", NAME, DATA),
    _call("predict", "-m", "bad.spamnb", DATA),
    _call("predict", "-m", f"{NAME}gone", DATA),
    _call("predict", "-m", MANY, "--threshold", "0.5", DATA),
    _call(*_EVALUATE),
    _call(*_EVALUATE, "--mistakes", "3"),
    _call("evaluate", THREE, "-m", MANY, "--mistakes", "3"),
    _call("evaluate", "-m", NAMED),
    _call("evaluate", "-m", MANY),
    _call("evaluate", THREE, "-m", MANY),
    _call("evaluate", THREE, "-m", MANY, "--json", "-"),
    _call("evaluate", THREE, "-m", MANY, "--plots", NAME),
    _call("evaluate", DATA, "-m", MODEL, "--report", "-", "--quiet"),
    _call("evaluate", DATA, "-m", MODEL, "--report", f"{NAME}.html", "--plots", f"{NAME}plots"),
    _call("evaluate", DATA, "-m", MODEL, "--report", f"{NAME}gone/x.html"),
    *(_call(*_EVALUATE, flag, f"{NAME}p.csv") for flag in ("--json", "--report")),  # which is not theirs
    _call("evaluate", DATA, "--folds", "2"),
    _call("evaluate", THREE, "--folds", "2"),
    _call("evaluate", DATA, "--holdout", "30%"),
    _call("evaluate", DATA, "--learning-curve"),
    _call("evaluate", DATA, "--online"),
    _call("evaluate", "--predictions", f"{NAME}p.csv", "--prediction-column", f"s{NAME}"),
    _call("evaluate", "--predictions", f"{NAME}p.csv", "--prediction-column", NAME),
    _call("evaluate", "--predictions", f"{NAME}p.csv", DATA, "--prediction-column", f"s{NAME}"),
    _call("compare", DATA, "--with", f"pattern={NAME}"),
    _call("compare", DATA, "--with", NAME),
    _call("compare", THREE),
    _call("compare", DATA, "--objective", NAME),
    _call("tune", DATA, "--time", "1"),
    _call("tune", THREE, "--time", "1", "-o", "x.spamnb"),
    *(
        _call("inspect", model, *more)
        for model in (MODEL, NAMED, MANY, "c.spamnb")
        for more in ((), ("--json", "-"), (LINES,), ("--sample", "spam", "3"))
    ),
    *(_call("explain", "-m", model, LINES) for model in (MODEL, NAMED, MANY, "c.spamnb")),
    _call("explain", "-m", MODEL, TEXT, "--verify"),
    _call("explain", f"{NAME}gone.eml"),
    _call("inspect", "-m", MODEL, NAME),
    _call("inspect", "-m", MODEL, "--sample", TEXT, "3"),
    _call("model", "merge", NAMED, NAMED, "-o", f"{NAME}merged.spamnb"),
    _call("model", "merge", NAMED, MANY, "-o", "x.spamnb"),
    _call("model", "merge", f"{NAME}:x", "-o", "x.spamnb"),
    _call("model", "merge", NAMED, "c.spamnb", "-o", "x.spamnb"),
    _call("model", "prune", NAMED, "--min-count", "2", "-o", f"{NAME}pruned.spamnb"),
    _call("model", "prune", NAMED, "--max-bytes", NAME),
    _call("model", "age", NAMED, "-o", f"{NAME}aged.spamnb"),
    _call("model", "age", NAMED, "--half-life", NAME),
    *(_call("model", "export", model) for model in (MODEL, NAMED, "c.spamnb")),
    _call("model", "export", NAMED, "-o", f"{NAME}.jsonl"),
    _call("model", "export", NAMED, "-o", f"{NAME}p.csv"),
    _call("model", "export", NAMED, "-o", NAMED, "--force"),
    _call("model", "import", f"{NAME}.jsonl", "-o", f"{NAME}back.spamnb"),
    _call("model", "import", "export.jsonl", "-o", "x.spamnb"),
    _call("model", "import", DATA, "-o", "x.spamnb"),
    _call("filter", "-m", NAMED, "--explain", stdin=MAIL),
    _call("filter", "-m", f"{NAME}gone", stdin=MAIL),
    _call("filter", "-m", f"{NAME}gone", "--tempfail", stdin=MAIL),
    _call("filter", "-m", MANY, "--threshold", "0.4", stdin=MAIL),
    _call("learn", "-m", NAMED, "--spam", f"{NAME}.eml"),
    _call("learn", "-m", NAMED, DATA),
    _call("learn", "-m", NAMED, "--label", f"{NAME}={DATA}"),
    _call("learn", "-m", NAMED, "--sync", f"spam{NAME}={NAME}box"),
    _call("learn", "-m", NAMED, "--sync", NAME),
    _call("learn", "-m", MANY, "--ham", f"{NAME}.eml"),
    _call("learn", "-m", NAMED, "--spam", "--json", "-", stdin=TEXT),
    _call("learn", "-m", NAMED, "--compact"),
    _call("learn", "-m", NAMED, "--ham", f"{NAME}.eml"),
    _call("forget", "-m", NAMED, f"{NAME}.eml"),
    _call("forget", "-m", NAMED, f"{NAME}gone"),
    _call("--config", "accounts.toml", "imap", "status"),
    _call("--config", "folders.toml", "imap", "status"),
    _call("imap", "login", NAME, "--server", NAME, "--password-command", "true"),
    _call("imap", "login", "me@example.org", "--server", NAME, "--password-command", f"echo {NAME}"),
    _call("model", "list"),
    _call("model", "use", f"{NAME}gone"),
    _call("model", "use", NAME),
    _call("model", "remove", f"{NAME}gone", "--force"),
    _call("model", "check", "-m", MODEL),
    _call("model", "check", "-m", f"{NAME}gone", "nobody"),
    _call("model", "check", NAME),
    _call("train", DATA, "-o", "x.spamnb", "--set", NAME),
    _call("train", DATA, "-o", "x.spamnb", "--set", f"{NAME}=1"),
    _call("train", DATA, "-o", "x.spamnb", "--set", f"damping={NAME}"),
    _call("completion", NAME),
    _call("completion", "bash"),
    _call(NAME),
    _call("predict", NAME, NAME, "--unsure", NAME, NAME),
    *(_call(*args, f"odd{i}.spamnb") for i in range(12) for args in (("inspect",), ("evaluate", "-m"))),
    *(_call("predict", "-m", f"odd{i}.spamnb", "--explain", DATA) for i in range(12)),
)

"""`spamnb learn` and `forget`: what they read, what they print, what they leave."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from spamnb import SpamModel, __version__
from tests.helpers.command_line import TINY, TINY_FLAGS, Cli, Three, imported

LINES = "stdin: one message per line (UTF-8)"
MAIL = b"From: a@example.com\nSubject: %s\n\nwin a prize of %s\n"


@pytest.fixture
def here(cli: Cli) -> Cli:
    """A folder with the model of four messages."""
    cli("train", cli.write("tiny.csv", TINY), *TINY_FLAGS, "-o", "m.spamnb", "-q")
    cli.env["SPAMNB_MODEL"] = "m.spamnb"
    return cli


def totals(cli: Cli) -> dict[str, int]:
    store = SpamModel.load(cli.here / "m.spamnb").store
    return dict(zip(store.labels, store.message_totals.tolist(), strict=True))


def test_one_message_learned_corrected_and_forgotten(here: Cli) -> None:
    before = here("predict", stdin=b"cash\n").out
    done = here("learn", "--spam", stdin=b"win cash\n")
    assert done.out == b""
    assert done.err == (
        f"{LINES}, all spam\nlearned    1 message (1 spam)\nverdict    spam before, spam now\n"
        "mistakes   0 of 1 new message, before learning\nundo       spamnb model undo 1\n"
    )
    assert here("predict", stdin=b"cash\n").out.startswith(b"spam\t")
    again = here("learn", "--spam", stdin=b"win cash\n").err.splitlines()
    assert again[1:] == ["known      1 message (1 spam): already learned, skipped", "Nothing was changed."]
    assert "relabelled 1 message (1 spam to ham)\n" in here("learn", "--ham", stdin=b"win cash\n").err
    assert "relabelled 1 message (1 ham to spam)\n" in here("learn", "--spam", stdin=b"win cash\n").err
    undo = "undo       spamnb model undo"
    assert here("forget", stdin=b"win cash\n").err == f"{LINES}\nforgot     1 message (1 spam)\n{undo} 4\n"
    assert here("predict", stdin=b"cash\n").out == before
    gone = here("forget", stdin=b"win cash\n").err.splitlines()
    assert gone[1:] == [
        "not found  1 message was never learned (with this label); skipped",
        "Nothing was changed.",
    ]


def test_a_rare_class_of_the_model_is_no_typing_error(cli: Cli) -> None:
    cli.write("old.csv", "label,text\n" + "ham,see you\nspam,win cash\npromo,ten off\n" * 3)
    cli("train", "old.csv", "-o", "m.spamnb", "-q")
    rows = "".join(f"ham,at {i}\nspam,win {i}\n" for i in range(9))
    cli.write("new.csv", "label,text\npromo,five off\n" + rows)
    done = cli("evaluate", "new.csv", "-m", "m.spamnb")
    assert 'label column "label" (labels: promo, ham, spam)\n' in done.err
    done = cli("learn", "new.csv", "-m", "m.spamnb")
    assert "learned    19 messages (9 ham, 1 promo, 9 spam)\n" in done.err
    assert "1 skipped (line 2: unknown label promo)\n" in cli("train", "new.csv", "-o", "n.spamnb").err


def test_a_mail_with_a_line_that_looks_like_the_next_one(here: Cli) -> None:
    text = MAIL % (b"lunch", b"ham") + b"\nFrom now on we meet at five.\nBye\n"
    done = here("learn", "--ham", stdin=b"From a@example.com Mon Jan  1 00:00:00 2024\n" + text)
    assert "learned    1 message (1 ham)\n" in done.err


def test_tables_and_their_labels(here: Cli) -> None:
    here.write("new.csv", "label,text\nspam,cash now\nham,see you\nham,lunch\nham,cash now\n")
    done = here("learn", "new.csv", "--json", "-", "-q")
    assert done.err == ""
    assert done.json == {
        "made_by": f"spamnb {__version__}",
        "model": "m.spamnb",
        "learned": {"ham": 1, "spam": 1},
        "forgotten": {},
        "relabelled": [],
        "known": {"ham": 1},
        "not_found": 0,
        "still_learned": 0,
        "skipped": 0,
        "conflicting_labels": 1,
        "already_correct": 0,
        "stale": 0,
        "classified": 2,
        "misclassified": 0,
        "lessons": [
            {"label": "spam", "before": "unsure", "now": "spam", "evidence": "spam"},
            {"label": "ham", "before": "unsure", "now": "ham", "evidence": "ham"},
        ],
    }
    assert totals(here) == {"ham": 3, "spam": 3}
    here.write("other.csv", "label,text\nham,cash now\nham,never seen\n")
    done = here("learn", "other.csv", "--json", "-", "-q")
    assert done.json["relabelled"] == [{"from": "spam", "to": "ham", "messages": 1}]
    assert done.json["learned"] == {"ham": 1}
    here.write("again.txt", "see you\n\nsee you\n")
    assert here("learn", "--ham", "again.txt", "--mode", "again", "--json", "-").json["learned"] == {"ham": 2}
    assert here("forget", "again.txt", "--json", "-").json["forgotten"] == {"ham": 2}


@pytest.mark.parametrize("clash", [False, True])
@pytest.mark.parametrize("text", ["+1 prize, call now", "-stop", '=free "prize"', "@home"])
def test_a_correction_in_a_file_by_predict_is_of_the_same_text(here: Cli, text: str, clash: bool) -> None:
    """The apostrophe that keeps a spreadsheet from running a message is no part of it."""
    verdict = {"verdict": "by another filter"} if clash else {}
    here.write("in.jsonl", json.dumps({**verdict, "text": text}))
    here("predict", "in.jsonl", "-o", "out.csv")
    header, row = (here.here / "out.csv").read_text().splitlines()
    assert row.partition("'" + text[0])[2]
    here.write("out.csv", f"{header},label\n{row},ham\n")
    here("learn", "out.csv")
    model = SpamModel.load(here.here / "m.spamnb")
    assert model.score([text]).taught_label(0) == "ham"
    assert not model.score(["'" + text]).taught_label(0)


def test_on_error(here: Cli) -> None:
    done = here("learn", "--spam", "--mode", "on-error", stdin=b"win money now\nsee him\n")
    assert done.err.splitlines()[1:] == [
        "learned    1 message (1 spam)",
        "already correct  1 message was classified correctly; not learned",
        "verdict    ham before, spam now",
        "mistakes   1 of 2 new messages, before learning",
        "undo       spamnb model undo 1",
    ]


def test_mail_is_one_message_with_or_without_a_verdict_in_its_header(here: Cli) -> None:
    mail = MAIL % (b"hello", b"gold")
    assert here("learn", "--spam", "--json", "-", stdin=mail).json["learned"] == {"spam": 1}
    passed = here("filter", stdin=mail).out
    assert passed != mail
    assert here("learn", "--spam", "--json", "-", stdin=passed).json["known"] == {"spam": 1}


def maildir(cli: Cli, name: str) -> Path:
    for part in ("cur", "new", "tmp"):
        (cli.here / name / part).mkdir(parents=True)
    return cli.here / name / "cur"


def test_sync_learns_what_came_and_what_moved(here: Cli) -> None:
    junk, archive = maildir(here, "Junk"), maildir(here, "Archive")
    for n in range(4):
        folder = junk if n < 2 else archive
        (folder / f"{n}").write_bytes(MAIL % (b"m%d" % n, b"n%d" % n))
    sync = ("learn", "--sync", "spam=Junk", "ham=Archive", "--json", "-", "-q")
    assert here(*sync).json["learned"] == {"spam": 2, "ham": 2}
    os.rename(junk / "1", archive / "1:2,S")
    (junk / "5").write_bytes(MAIL % (b"m5", b"n5"))
    result = here(*sync).json
    assert result["learned"] == {"spam": 1}
    assert result["relabelled"] == [{"from": "spam", "to": "ham", "messages": 1}]
    assert result["known"] == {"ham": 2, "spam": 1}
    assert totals(here) == {"ham": 5, "spam": 4}
    # in both folders: it stays what the first one named says, however often it is looked at
    (archive / "5").write_bytes((junk / "5").read_bytes())
    for _ in range(2):
        result = here(*sync).json
        assert (result["conflicting_labels"], result["relabelled"], result["learned"]) == (1, [], {})


def test_compact(here: Cli) -> None:
    here("learn", "--spam", "-q", stdin=b"win cash\n")
    assert (here.here / "m.spamnb.journal").exists()
    done = here("learn", "--compact")
    assert re.fullmatch(r"saved      m\.spamnb \(\d+ kB\)\n", done.err)
    assert not (here.here / "m.spamnb.journal").exists()
    assert totals(here) == {"ham": 2, "spam": 3}


def test_training_again_keeps_what_was_learned_in_the_backup(here: Cli) -> None:
    here("learn", "--spam", "-q", stdin=b"win cash\n")
    here("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb", "-q")
    assert totals(here) == {"ham": 2, "spam": 2}
    assert in_backup(here) == 5


def test_training_again_warns_of_lessons_that_the_new_model_lacks(here: Cli) -> None:
    here("learn", "--spam", "-q", stdin=b"win cash\nsee cash\n")
    assert here("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb", "-q").err.splitlines() == [
        "warning: 2 messages learned since training are not in the new model; "
        "m.spamnb.bak has them until a model with lessons is replaced again",
        "Hint: keep corrections in a table, and train with both: spamnb train data.csv corrections.csv",
    ]


def test_a_backup_with_lessons_is_not_replaced_by_one_without(here: Cli) -> None:
    here("learn", "--spam", "-q", stdin=b"win cash\n")
    here("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb", "-q")
    done = here("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb")
    assert "kept              m.spamnb.bak as it is: it has lessons that the model lacks\n" in done.err
    assert in_backup(here) == 5
    here("learn", "--spam", "-q", stdin=b"cash now\nsee cash\n")
    here("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb", "-q")
    assert in_backup(here) == 6


def test_a_damaged_model_replaces_a_backup_with_lessons(here: Cli) -> None:
    here("learn", "--spam", "-q", stdin=b"win cash\n")
    here("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb", "-q")
    model = here.here / "m.spamnb"
    damaged = bytearray(model.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    model.write_bytes(damaged)
    here("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb", "-q")
    assert (here.here / "m.spamnb.bak").read_bytes() == damaged


@pytest.mark.parametrize("label", ["spam", "ham"])
def test_lessons_that_are_in_the_new_data_are_not_lost(here: Cli, label: str) -> None:
    here("learn", "--spam", "-q", stdin=b"win cash\n")
    here.write("corrections.csv", f"label,text\n{label},win cash\n")
    err = here("train", "tiny.csv", "corrections.csv", *TINY_FLAGS, "-o", "m.spamnb", "-q").err
    assert ("warning: 1 message learned since training is not in the new model" in err) == (label == "ham")


def test_without_digests_all_lessons_count_as_lost(here: Cli) -> None:
    here("train", "tiny.csv", *TINY_FLAGS, "--set", "digests=no", "-o", "m.spamnb", "-q")
    here("learn", "--spam", "-q", stdin=b"win cash\n")
    err = here("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb", "-q").err
    assert err.startswith(
        "warning: 1 message learned since training is not in the new model; m.spamnb.bak has it"
    )


def in_backup(cli: Cli) -> int:
    return int(SpamModel.load(cli.here / "m.spamnb.bak").store.message_totals.sum())


def test_a_model_without_digests(here: Cli) -> None:
    here("train", "tiny.csv", *TINY_FLAGS, "--set", "digests=no", "-o", "m.spamnb", "-q")
    here("learn", "--spam", "-q", stdin=b"win cash\n")
    done = here("forget", stdin=b"win cash\n", code=1)
    assert "Error: the model does not remember which messages it has learned\n" in done.err
    assert "Hint: pass the label that they were learned with (command line: --spam or --ham)\n" in done.err
    assert "forgot     1 message (1 spam)\n" in here("forget", "--spam", stdin=b"win cash\n").err


def test_inspect_tells_what_happened_since(here: Cli) -> None:
    assert "since training" not in here("inspect").text
    here("learn", "--spam", "-q", stdin=b"win cash\nsee her\n")
    here("forget", "-q", stdin=b"win cash\n")
    text = "learned 2, forgotten 1, 1 of 2 misclassified before they were learned"
    assert re.search(rf"since training +{text}", here("inspect").text)
    result = here("inspect", "--json", "-").json
    assert (result["seen_messages"], result["change_history"]["learned"], result["outdated"]) == (5, 2, "")


def test_inspect_says_that_figures_are_stale(cli: Cli) -> None:
    words = ["win", "cash", "prize", "see", "you", "home"]
    rows = [f"{'spam' if i % 2 else 'ham'},{words[i % 2 * 3 + i % 3]} w{i}" for i in range(40)]
    cli("train", cli.write("d.csv", "label,text\n" + "\n".join(rows) + "\n"), "-o", "m.spamnb", "-q")
    news = "".join(f"new {i}\n" for i in range(11)).encode()
    cli("learn", "-m", "m.spamnb", "--spam", "-q", stdin=news)
    text = re.sub(r"\s+", " ", cli("inspect", "m.spamnb", "--top", "0").text)
    why = "outdated 11 changes to the 40 messages that the metrics are about;"
    assert f"{why} measure it again with `spamnb evaluate DATA`" in text


@pytest.mark.parametrize(
    ("args", "stdin", "code", "error"),
    [
        (["learn", "--spam", "--label", "ham=x"], b"", 2, "--ham cannot be combined with --label or --sync"),
        (
            ["learn", "--sync"],
            b"",
            2,
            "--sync needs a Maildir, or folders with their labels: spam=Maildir/.Junk",
        ),
        (
            ["learn", "--sync", "--mode", "again", "spam=x"],
            b"",
            2,
            "--sync cannot be combined with --mode again.",
        ),
        (
            ["learn", "--spam", "--ham"],
            b"x\n",
            2,
            "--spam and --ham cannot be combined: leave out one",
        ),
        (["forget", "--ham", "--spam"], b"x\n", 2, "--spam and --ham cannot be combined"),
        (
            ["learn"],
            b"win a prize\n",
            1,
            "Hint: say what they are with --spam or --ham, or add a column",
        ),
        (
            ["learn", "--sync", "Junk"],
            b"",
            2,
            "with --sync a folder that is no Maildir needs its label, got 'Junk'",
        ),
        (["learn"], b"label,text\nspma,x\n", 1, "the model knows ham, spam, got the label 'spma'"),
        (["learn", "--spam", "-m", "./none"], b"x\n", 1, "no model at ./none"),
        (["learn", "--spam", "nothing.txt"], b"", 1, "nothing.txt"),
    ],
)
def test_errors(here: Cli, args: list[str], stdin: bytes, code: int, error: str) -> None:
    done = here(*args, stdin=stdin, code=code)
    assert error in done.err
    assert totals(here) == {"ham": 2, "spam": 2}
    assert not (here.here / "none.lock").exists()


def test_more_than_two_classes_have_no_ham(cli: Cli, three: Three) -> None:
    done = cli("learn", "--ham", "-m", three.model, stdin=b"x\n", code=2)
    assert "Error: --ham needs a model with a class ham, got home, spam, work\n" in done.err
    assert "Hint: name the class: --label home=PATH, or --label home=- for stdin\n" in done.err


def test_learning_one_message_imports_little(here: Cli) -> None:
    modules = imported(here, "learn", "--spam", "-q", stdin=b"win it\n")
    assert not modules & {"pandas", "joblib", "rich", "sklearn", "scipy"}
    assert totals(here) == {"ham": 2, "spam": 3}


def test_a_class_of_the_model_stays_one_whatever_it_means_elsewhere(cli: Cli) -> None:
    rows = [f"see you {i},ham\nwin prize {i},spam\nyour bank {i},phishing\n" for i in range(12)]
    cli.write("old.csv", "text,label\n" + "".join(rows) + "ten off,promo\n" * 5)
    cli("train", "old.csv", "-o", "m.spamnb", "-q")
    cli.write("new.csv", "text,label\nsee them,ham\nget a prize,spam\nbank login,phishing\n")
    done = cli("learn", "new.csv", "-m", "m.spamnb")
    assert "learned    3 messages (1 ham, 1 phishing, 1 spam)\n" in done.err


MAIL = b"From: a@b.example\nSubject: %b\n\n%b prize of the day\n"


def maildirs(cli: Cli) -> None:
    for folder in ("Junk", "Archive"):
        for part in ("cur", "new", "tmp"):
            (cli.here / folder / part).mkdir(parents=True)
    for number in range(4):
        cli.write(f"Archive/cur/{number}", MAIL % (b"word%d" % number, b"good%d" % number))


def test_sync_with_an_empty_folder(cli: Cli, tiny: Path) -> None:
    maildirs(cli)
    cli.write("m.spamnb", tiny.read_bytes())
    command = ("learn", "--sync", "spam=Junk", "ham=Archive", "-m", "m.spamnb")
    assert "learned    4 messages (4 ham)" in cli(*command).err.splitlines()
    assert cli.fails("learn", "--sync", "spam=Gone", "ham=Archive", "-m", "m.spamnb")[0].endswith("Gone")
    cli.write("Junk.mbox", b"")
    (cli.here / "Junk" / "cur" / "moved").symlink_to("nowhere")
    for junk in ("Junk.mbox", "Junk"):
        status_lines = cli(
            "learn", "--sync", f"spam={junk}", "ham=Archive", "-m", "m.spamnb"
        ).err.splitlines()
        assert "known      4 messages (4 ham): already learned, skipped" in status_lines


def test_sync_needs_a_model_that_remembers(cli: Cli) -> None:
    maildirs(cli)
    cli("train", "-", "--set", "digests=no", "-o", "m.spamnb", "-q", stdin=TINY.encode())
    assert cli.fails("learn", "--sync", "ham=Archive", "-m", "m.spamnb") == [
        "Error: the model does not remember which messages it has learned, so all would be learned each time",
        "Hint: --sync needs a model that was trained without --set digests=no",
    ]


def test_what_cannot_be_told_is_not_learned(cli: Cli, tiny: Path) -> None:
    path = cli.write("m.spamnb", tiny.read_bytes())
    for target in ("/dev/full", "nowhere/x.json"):
        errors = cli.fails("learn", "--spam", "-m", path, "--json", target, stdin=b"one more prize\n")
        assert "cannot write" in "".join(errors)
    assert path.read_bytes() == tiny.read_bytes()
    assert not (cli.here / "m.spamnb.journal").exists()


def test_compact_does_nothing_else(cli: Cli, tiny: Path) -> None:
    errors = cli.fails("learn", "--compact", "--spam", "-m", tiny, code=2)
    assert errors[-1] == "Error: --compact takes no messages: leave them out."


def test_forget_by_the_labels_of_a_table(cli: Cli, tiny: Path) -> None:
    """A message that is known with both labels is taken out of the one that the table names."""
    cli.write("m.spamnb", tiny.read_bytes())
    rows = "label,text\nspam,both of them\nham,both of them\n"
    cli("learn", "--mode", "again", "-", "-m", "m.spamnb", stdin=rows.encode())
    table = cli.write("t.csv", "label,text\nspam,both of them\n")
    skipped = "conflicting labels  1 message was given or learned with two labels; skipped"
    assert skipped in cli("forget", table, "-m", "m.spamnb").err.splitlines()
    status = cli("forget", table, "--label-column", "label", "-m", "m.spamnb").err
    assert "forgot     1 message (1 spam)" in status.splitlines()


def test_a_taught_message_keeps_its_label_until_it_is_forgotten(here: Cli) -> None:
    """Whatever its words say: they are ham in the model."""
    words, lines = b"see him\n", b"see him\nsee you\nwin money\nsee them\n"
    before = here("predict", stdin=lines).out
    assert before.startswith(b"ham\t")
    here("learn", "--spam", stdin=words)
    taught = here("predict", "--explain", stdin=words).text
    assert taught.startswith("spam\t")
    assert "\ttaught as spam; " in taught
    assert here("predict", "--format", "jsonl", stdin=words).records[0]["taught_as"] == "spam"
    here("learn", "--compact")
    assert here("predict", stdin=words).out.startswith(b"spam\t")
    shown = here("explain", "see him").text
    assert shown.startswith("spam, as taught  P(spam) = ")
    here("learn", "--ham", stdin=words)
    assert here("predict", stdin=words).out.startswith(b"ham\t")
    here("forget", stdin=words)
    assert here("predict", stdin=lines).out == before


def test_a_failed_first_lesson_leaves_no_model(cli: Cli) -> None:
    table = cli.write("t.csv", "id,text\n1,hello\n")
    assert cli.fails("learn", table)[1] == f"Error: no label column in {table} (columns: id, text)"
    assert not Path(cli.own_model).exists()
    cli("learn", "--spam", table)
    assert Path(cli.own_model).exists()
    before = Path(cli.own_model).read_bytes()
    cli.fails("learn", table)
    assert Path(cli.own_model).read_bytes() == before


def test_a_message_that_only_memory_holds_is_reported(cli: Cli) -> None:
    """A fresh installation: the first lesson starts a model of one's own."""
    done = cli("learn", "--spam", stdin=b"lunch at noon?\n")
    start = f"no model of your own for text yet: starting {cli.own_model} from the ready-made model for SMS"
    assert done.err.splitlines() == [
        start,
        f"{LINES}, all spam",
        "learned    1 message (1 spam)",
        "verdict    ham before, spam now",
        "remembered 1 message, word for word; its words alone say: ham",
        "mistakes   1 of 1 new message, before learning",
        "note: words count once there are lessons of both spam and ham; "
        "until then a lesson changes only the verdict on the same text "
        "(capitals and punctuation matter, white space does not)",
        "undo       spamnb model undo 1 -m my-text",
    ]
    assert "starting" not in cli("learn", "--ham", stdin=b"see you at six\n").err


def test_one_lesson_after_installation_changes_no_other_verdict(cli: Cli) -> None:
    others = b"win a FREE prize now\nhi mum, home by seven\nyour parcel waits\n"
    before = cli("predict", "-q", stdin=others).out
    cli("learn", "--spam", stdin=b"lunch at noon?\n")
    assert (
        cli("predict", stdin=others + b"lunch at noon?\n").out == before + b"spam\t0.9000\tlunch at noon?\n"
    )
    assert "learned           1 spam\n" in cli("inspect").text
    cli("forget", stdin=b"lunch at noon?\n")
    assert "learned           nothing yet\n" in cli("inspect").text
    assert cli("predict", stdin=others).out == before


def test_mail_starts_the_model_for_mail(cli: Cli) -> None:
    assert "from the ready-made model for mail\n" in cli("learn", "--spam", stdin=MAIL % (b"a", b"b")).err


def test_messages_that_the_data_repeats_are_counted_as_such(cli: Cli, tiny: Path) -> None:
    (cli.here / "m.spamnb").write_bytes(tiny.read_bytes())
    cli.write("d.csv", "label,text\nspam,win prize\nham,see dad\nham,see dad\n")
    status_lines = cli("learn", "d.csv", "-m", "m.spamnb").err.splitlines()
    assert (
        "known      2 messages (1 ham, 1 spam): already learned or repeated in this data, skipped"
        in status_lines
    )

"""`spamnb train`: what it reads, what it says, what it writes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from pathlib import Path

import pytest

from spamnb import SpamModel
from spamnb.scorers import REGISTRY
from tests.helpers.command_line import TINY, TINY_FLAGS, Cli, Sms, Tennis
from tests.helpers.paths import SMALL_SMS

DETECTED = 'tiny.csv: CSV (comma, header, UTF-8), text column "text", label column "label" (spam = "spam")\n'
SUMMARY = r"""learned           4 messages \(2 ham, 2 spam\) in \d+\.\d\d s
vocabulary        6 tokens; scorer multinomial, alpha 1
cross-validation  no metrics: folds need 10 messages of a class, got 2 ham; probabilities are not calibrated
saved             tiny\.spamnb \(\d+ kB\)
try               echo "your message" \| spamnb predict -m tiny\.spamnb
"""


def trained(path: Path) -> SpamModel:
    return SpamModel.load(path)


# --- what it says ----------------------------------------------------------------------------------


def test_summary_is_exact_and_on_stderr(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    done = cli("train", "tiny.csv", *TINY_FLAGS, "-o", "tiny.spamnb")
    assert done.out == b""
    assert re.fullmatch(re.escape(DETECTED) + SUMMARY, done.err), done.err


def test_summary_says_what_to_expect(cli: Cli) -> None:
    done = cli("train", SMALL_SMS)
    figures = trained(cli.own_model).metrics
    assert figures is not None
    caught = f"{figures['recall']:.1%} of spam caught, {figures['false_positives']} of 640 ham misclassified"
    right = f"{figures['unsure']} unsure, accuracy {figures['accuracy']:.2%} (5 folds, 813 messages)"
    assert f"cross-validation  {caught}, {right}\n" in done.err
    assert f"saved             {cli.own_model} (" in done.err
    assert done.err.endswith('try               echo "your message" | spamnb predict\n')


def test_the_next_step_it_names_works(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    status = cli("train", "tiny.csv", *TINY_FLAGS, "-o", "it's here.spamnb").err
    step = status.splitlines()[-1].removeprefix("try               ").replace("spamnb predict", '"$@"')
    assert cli.shell(step, "predict").lines == [b"unsure\t0.5000\tyour message"]


def test_quiet_says_nothing_and_changes_nothing(cli: Cli, sms: Sms) -> None:
    done = cli("train", sms.train, "--quiet", "-o", "quiet.spamnb")
    assert (done.out, done.err) == (b"", "")
    assert (cli.here / "quiet.spamnb").read_bytes() == sms.model.read_bytes()


def test_two_labels_that_no_word_tells_apart_are_refused_everywhere(cli: Cli) -> None:
    rows = "".join(f"no,quiet word{i}\nyes,loud word{i}\n" for i in range(12))
    data = cli.write("d.csv", "label,text\n" + rows).name
    for command in (
        ("train", "-o", "m.spamnb"),
        ("evaluate", "--folds", "2"),
        ("compare",),
        ("tune", "--time", "1s"),
    ):
        assert cli.fails(command[0], data, *command[1:])[-2:] == [
            "Error: cannot tell which label of d.csv means spam: "
            'its first 24 rows have "no" (12) and "yes" (12)',
            "Hint: add --spam-label no or --spam-label yes",
        ]
    status = cli("train", data, "-o", "m.spamnb", "--spam-label", "no").err
    assert "of spam caught" in status
    assert "of 12 ham misclassified" in status


def test_two_labels_of_two_files_are_refused_too(cli: Cli) -> None:
    for label in ("offers", "friends"):
        cli.write(f"{label}.txt", "".join(f"{label} word{i}\n" for i in range(12)))
    flags = ("--label", "offers=offers.txt", "--label", "friends=friends.txt")
    for command in (
        ("train", "-o", "m.spamnb"),
        ("evaluate", "--folds", "2"),
        ("evaluate", "--online"),
        ("compare",),
    ):
        assert cli.fails(*command, *flags)[-2:] == [
            'Error: cannot tell which label of the data means spam: it has "friends" (12) and "offers" (12)',
            "Hint: add --spam-label friends or --spam-label offers",
        ]
    assert "12 ham, 12 spam" in cli("train", *flags, "--spam-label", "Offers", "-o", "m.spamnb").err
    assert (
        "12 friends, 12 spam" in cli("train", *flags[:1], "spam=offers.txt", *flags[2:], "-o", "m.spamnb").err
    )


# --- where it writes -------------------------------------------------------------------------------


def test_default_path_is_in_the_data_directory(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train)
    assert cli.own_model.read_bytes() == sms.model.read_bytes()
    assert [p.name for p in cli.own_model.parent.iterdir()] == ["my-text.spamnb"]


def test_the_variable_names_the_model(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    env = {"SPAMNB_MODEL": str(cli.here / "mine.spamnb")}
    status = cli("train", "tiny.csv", *TINY_FLAGS, env=env).err
    assert status.endswith('try               echo "your message" | spamnb predict\n')
    assert cli("predict", "--format", "terse", stdin=b"win\n", env=env).out == b"spam\t0.7500\n"
    assert not cli.own_model.exists()


def test_output_option_goes_before_the_variable_and_makes_folders(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv", "-o", "new/deep/m.spamnb", env={"SPAMNB_MODEL": str(cli.here / "other")})
    assert (cli.here / "new/deep/m.spamnb").exists()
    assert not (cli.here / "other").exists()


def test_the_previous_model_is_kept(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv", "-o", "m.spamnb")
    before = (cli.here / "m.spamnb").read_bytes()
    status = cli("train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb").err
    assert "kept              the previous file as m.spamnb.bak\n" in status
    assert (cli.here / "m.spamnb.bak").read_bytes() == before != (cli.here / "m.spamnb").read_bytes()


def test_a_damaged_model_is_replaced_and_kept(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv", "-o", "m.spamnb")
    damaged = bytearray((cli.here / "m.spamnb").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (cli.here / "m.spamnb").write_bytes(damaged)
    cli("train", "tiny.csv", "-o", "m.spamnb")
    assert (cli.here / "m.spamnb.bak").read_bytes() == bytes(damaged)
    (cli.here / "m.spamnb").write_bytes(damaged[:-40])
    assert "it was not overwritten" in cli.fails("train", "tiny.csv", "-o", "m.spamnb")[0]


def test_what_is_no_model_is_not_overwritten(cli: Cli) -> None:
    data = cli.write("tiny.csv", TINY)
    assert cli.fails("train", "tiny.csv", "-o", "tiny.csv") == [
        "Error: tiny.csv exists and is not a spamnb model: it was not overwritten",
        "Hint: choose another name for -o, or add --force",
    ]
    assert data.read_text() == TINY
    cli.write("notes.spamnb", "mine")
    cli("train", "tiny.csv", "-o", "notes.spamnb", "--force")
    assert (cli.here / "notes.spamnb.bak").read_text() == "mine"
    assert trained(cli.here / "notes.spamnb").labels == ("ham", "spam")


def test_same_input_and_flags_give_the_same_bytes(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "-o", "again.spamnb", env={"PYTHONHASHSEED": "7"})
    assert (cli.here / "again.spamnb").read_bytes() == sms.model.read_bytes()


def test_a_refused_training_leaves_the_old_model(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv", "-o", "m.spamnb")
    before = (cli.here / "m.spamnb").read_bytes()
    cli.fails("train", cli.write("one.csv", "label,text\nspam,win\n"), "-o", "m.spamnb")
    assert (cli.here / "m.spamnb").read_bytes() == before
    assert sorted(p.name for p in cli.here.iterdir()) == ["m.spamnb", "one.csv", "tiny.csv"]


# --- what it reads ---------------------------------------------------------------------------------


def test_several_files_count_as_one(cli: Cli) -> None:
    header, *rows = TINY.splitlines(keepends=True)
    cli.write("whole.csv", TINY)
    cli.write("a.csv", header + rows[0] + rows[2])
    cli.write("b.tsv", "ham\tsee mum\nspam\twin money\n")
    cli("train", "whole.csv", "-o", "whole.spamnb")
    status = cli("train", "a.csv", "b.tsv", "-o", "parts.spamnb").err
    assert "a.csv: CSV (comma, header" in status
    assert "b.tsv: TSV (tab, no header" in status
    assert (cli.here / "whole.spamnb").read_bytes() == (cli.here / "parts.spamnb").read_bytes()


@pytest.mark.parametrize(
    ("suffix", "pack", "named"),
    [(".gz", gzip.compress, "gzip"), (".bz2", bz2.compress, "bzip2"), (".xz", lzma.compress, "xz")],
)
def test_packed_data_gives_the_same_model(cli: Cli, tiny: Path, suffix: str, pack, named: str) -> None:  # type: ignore[no-untyped-def]
    cli.write(f"tiny.csv{suffix}", pack(TINY.encode()))
    assert f"UTF-8, {named})" in cli("train", f"tiny.csv{suffix}", *TINY_FLAGS, "-o", "m.spamnb").err
    assert (cli.here / "m.spamnb").read_bytes() == tiny.read_bytes()


def test_stdin_gives_the_same_model(cli: Cli, tiny: Path) -> None:
    status = cli("train", "-", *TINY_FLAGS, "-o", "m.spamnb", stdin=TINY.encode()).err
    assert status.startswith("stdin: CSV (comma, header, UTF-8)")
    assert (cli.here / "m.spamnb").read_bytes() == tiny.read_bytes()


def test_line_ends_and_a_missing_last_one_change_nothing(cli: Cli, tiny: Path) -> None:
    for text in (TINY.replace("\n", "\r\n"), TINY.rstrip("\n")):
        cli("train", "-", *TINY_FLAGS, "-o", "m.spamnb", "--force", stdin=text.encode())
        assert (cli.here / "m.spamnb").read_bytes() == tiny.read_bytes()


def test_columns_by_name_and_number_and_the_spam_label(cli: Cli) -> None:
    cli.write("d.csv", "id,body,kind\n1,win prize,bad\n2,see you,fine\n3,win money,bad\n4,see mum,odd\n")
    flags = ("--text-column", "BODY", "--label-column", "3", "--spam-label", "bad")
    status = cli("train", "d.csv", *flags, "-o", "m.spamnb").err
    assert 'text column "body", label column "kind" (spam = "bad", all others ham)' in status
    assert "learned           4 messages (2 ham, 2 spam)" in status


def test_skipped_rows_are_named_with_their_lines(cli: Cli) -> None:
    cli.write("d.csv", TINY + ",no label here\nspam,\nham,fine\n")
    status = cli("train", "d.csv", "-o", "m.spamnb").err
    assert "d.csv: 2 skipped (line 6: no label, line 7: no text)\n" in status
    assert "learned           5 messages (3 ham, 2 spam)" in status


def test_more_than_two_labels(cli: Cli) -> None:
    cli.write("d.csv", "label,text\nwork,report due\nhome,buy milk\nspam,win cash\nwork,office\n")
    status = cli("train", "d.csv", "-o", "m.spamnb").err
    assert 'label column "label" (labels: work, home, spam)' in status
    assert "learned           4 messages (1 home, 1 spam, 2 work)" in status
    assert trained(cli.here / "m.spamnb").labels == ("home", "spam", "work")


# --- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scorer", sorted(REGISTRY))
def test_every_scorer_trains_and_predicts(cli: Cli, scorer: str) -> None:
    cli.write("tiny.csv", TINY)
    assert f"scorer {scorer}, alpha" in cli("train", "tiny.csv", "--scorer", scorer, "-o", "m.spamnb").err
    done = cli("predict", "-m", "m.spamnb", "--format", "terse", stdin=b"win prize\nsee you\n")
    assert [line.split(b"\t")[0] for line in done.lines] == [b"spam", b"ham"]


def test_no_cv_leaves_figures_and_calibration_out(cli: Cli, sms: Sms) -> None:
    status = cli("train", sms.train, "--folds", "0", "-o", "m.spamnb").err
    assert (
        "cross-validation  no metrics: there was no cross-validation; probabilities are not calibrated"
        in status
    )
    assert trained(cli.here / "m.spamnb").metrics is None
    assert trained(sms.model).metrics is not None


def test_balance(cli: Cli, sms: Sms) -> None:
    status = cli("train", sms.train, "--set", "balance=weight", "-o", "weight.spamnb").err
    assert re.search(r"learned           407 messages \(\d+ ham, \d+ spam\)", status)
    status = cli("train", sms.train, "--set", "balance=undersample", "-o", "under.spamnb").err
    match = re.search(r"\((\d+) ham, (\d+) spam\)", status)
    assert match is not None
    ham, spam = map(int, match.groups())
    assert 0 <= ham - spam <= 1  # copies of a text stay or go together


def test_settings_are_kept_in_the_model(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    flags = "--ngrams 3 --alpha 0.5 --class-prior 0.6,0.4 --threshold 0.9"
    flags += " --set chars=4 --set counts=all --set damping=0.25"
    cli("train", "tiny.csv", *flags.split(), "--set", r"pattern=phone=\d{4,}", "-o", "m.spamnb")
    model = trained(cli.here / "m.spamnb")
    assert (model.features.ngrams, model.features.chars) == (3, 4)
    assert model.features.patterns == (("phone", r"\d{4,}"),)
    scoring = model.scoring
    assert (scoring.alpha, scoring.once, scoring.damping, scoring.prior) == (0.5, False, 0.25, (0.6, 0.4))
    assert model.decision.threshold == 0.9


def test_a_pattern_counts(cli: Cli) -> None:
    cli.write("d.csv", "label,text\nspam,call 0909\nspam,ring 0808\nham,see you\nham,see mum\n")
    cli("train", "d.csv", "--tokens", "plain", "--set", r"pattern=phone=\d{4}", "-o", "m.spamnb")
    assert cli("predict", "-m", "m.spamnb", "--format", "terse", stdin=b"dial 0707\n").out.startswith(
        b"spam\t"
    )


@pytest.mark.parametrize(
    "command", ["train", "train --set balance=undersample", "compare", "tune", "evaluate --folds 5"]
)
def test_a_bad_pattern_is_refused_before_the_data_are_read(cli: Cli, command: str) -> None:
    cli.write("d.csv", "no table")
    result = cli(*command.split(), "d.csv", "--set", "pattern=x=(", code=2)
    message = "Error: --set pattern=x: not a regular expression of RE2: missing ): ("
    assert result.err.startswith(message)


def test_columns_of_categories_and_numbers(tennis: Tennis) -> None:
    assert (
        'no text column, label column "play" (labels: no, yes; none is spam), '
        'categorical "outlook", "wind", numeric "temperature", "humidity"\n' in tennis.err
    )
    assert "learned           14 messages (5 no, 9 yes)" in tennis.err
    assert "vocabulary        0 tokens and the columns outlook, wind, temperature, humidity;" in tennis.err
    assert tennis.err.endswith("try               spamnb predict DATA -m tennis.spamnb\n")


# --- many classes ------------------------------------------------------------------------------------


def _wrong_column(classes: int, rows: int) -> str:
    return "kind,text\n" + "".join(f"news,topic {i % classes}\n" for i in range(rows))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_column_that_does_not_look_like_labels(cli: Cli, jobs: str) -> None:
    cli.write("d.csv", _wrong_column(60, 179))
    for command in (("train", "--jobs", jobs, "-o", "m.spamnb"), ("evaluate", "--folds", "5")):
        done = cli(command[0], "d.csv", "--label-column", "text", *command[1:], code=1)
        assert done.err.endswith(
            "Error: the label column does not look like labels: expected few different values, "
            "got 60 in 179 rows\nHint: name the column of the labels with --label-column\n"
        )
    assert not (cli.here / "m.spamnb").exists()


@pytest.mark.parametrize(("classes", "rows"), [(60, 180), (50, 67)])
def test_many_classes_with_messages_and_few_with_hardly_any_are_classes(
    cli: Cli, classes: int, rows: int
) -> None:
    cli.write("d.csv", _wrong_column(classes, rows))
    assert (
        f"learned           {rows} messages ("
        in cli("train", "d.csv", "--label-column", "text", "-o", "m.spamnb").err
    )


def test_of_many_classes_the_largest_ten_are_named(cli: Cli) -> None:
    rows = [f"class {i:02},word{i} word\n" * (1 + (i >= 5)) for i in range(15)]
    cli.write("d.csv", "label,text\n" + "".join(rows))
    ten = ", ".join(f"2 class {i:02}" for i in range(5, 15))
    assert (
        f"learned           25 messages ({ten} and 5 more classes) in "
        in cli("train", "d.csv", "-o", "m.spamnb").err
    )
    cli.write("d.csv", "label,text\n" + "".join(rows[:11]))
    assert "1 class 03 and 1 more class) in " in cli("train", "d.csv", "-o", "n.spamnb").err


# --- refinement --------------------------------------------------------------------------------------


def test_refinement_is_told_in_the_summary_and_in_inspect(cli: Cli) -> None:
    done = cli("train", SMALL_SMS, "--set", "refine=yes", "-o", "m.spamnb")
    assert re.search(
        r"^refined           yes(, at \d\d% strength)?: out-of-fold log loss 0.\d{4} without, 0.\d{4} with$",
        done.err,
        re.M,
    )
    assert trained(cli.here / "m.spamnb").correction is not None
    shown = " ".join(cli("inspect", "-m", "m.spamnb").text.split())
    assert re.search(r"refined the weights of [\d,]+ tokens, fitted on 813 messages", shown)


def test_without_refinement(cli: Cli) -> None:
    done = cli("train", SMALL_SMS, "--set", "refine=no", "-o", "m.spamnb")
    assert "refined" not in done.err
    assert trained(cli.here / "m.spamnb").correction is None
    assert "refined no: the weights are those of naive Bayes" in " ".join(
        cli("inspect", "-m", "m.spamnb").text.split()
    )


def test_refinement_needs_cross_validation(cli: Cli) -> None:
    done = cli("train", SMALL_SMS, "--set", "refine=yes", "--folds", "0", code=2)
    assert "--set refine=yes needs cross-validation, got --folds 0" in done.err
    assert "leave out --folds 0 or --set refine=yes" in done.err


def test_a_column_of_nothing_but_labels_comes_before_one_with_slips(cli: Cli) -> None:
    rows = [
        f"{'2' if i == 7 else i % 2},{('ham', 'spam')[i % 3 == 0]},message number {i}\n" for i in range(200)
    ]
    cli.write("t.csv", "links,verdict,message\n" + "".join(rows))
    assert 'label column "verdict" (spam = "spam")\n' in cli("train", "t.csv", "-o", "m.spamnb").err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_class_that_comes_late_is_no_slip(cli: Cli, jobs: str) -> None:
    first = "".join(
        f"ham,see you at the place number {i}\nspam,win a prize number {i}\n" for i in range(1500)
    )
    cli.write("t.csv", "label,text\npromo,off\n" + first + "promo,ten percent off\n" * 300)
    assert cli.fails("train", "t.csv", "-o", "m.spamnb", "--jobs", jobs)[-2:] == [
        'Error: t.csv has 301 rows with the label "promo", hardly any at its beginning',
        "Hint: shuffle its rows, so that the first ones show all classes; or name the label that means spam: "
        "--spam-label spam",
    ]


def test_train_and_inspect_print_the_same_smoothing(cli: Cli) -> None:
    trained = cli("train", SMALL_SMS, "--folds", "0", "-o", "./m.spamnb").err
    assert "; scorer multinomial, alpha 0.05 (n-grams 0.2)\n" in trained
    assert " multinomial, alpha 0.05 (n-grams 0.2), " in cli("inspect", "./m.spamnb").text

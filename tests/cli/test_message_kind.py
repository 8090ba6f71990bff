"""Settings that nobody stated depend on what is read: mail is read by words, short messages by pairs too."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from spamnb.mail import mail_texts
from spamnb.mail.parse import parse_mail
from spamnb.model.spam_model import SpamModel
from spamnb.training.trainer import train
from tests.helpers.command_line import Cli, Sms
from tests.helpers.paths import ROOT, TEST_DATA

MAIL = ROOT / "data" / "mail"


def ngrams(path: Path) -> int:
    return SpamModel.load(path).features.ngrams


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_mail_is_read_by_words(jobs: str, cli: Cli, tmp_path: Path) -> None:
    cli("train", MAIL, "-o", tmp_path / "m", "--jobs", jobs)
    assert ngrams(tmp_path / "m") == 1
    cli("train", MAIL, "-o", tmp_path / "m", "--jobs", jobs, "--ngrams", "2")
    assert ngrams(tmp_path / "m") == 2


def test_short_messages_are_read_by_pairs_too(sms: Sms) -> None:
    assert ngrams(Path(sms.model)) == 2


def test_all_ways_to_measure_agree(cli: Cli, mails: Path) -> None:
    flags = ("--folds", "3", "--with", "ngrams=1", "--with", "ngrams=2", "--json", "-")
    rows = {row["name"]: row for row in cli("compare", mails, *flags).json["candidates"]}
    assert rows["multinomial"]["log_loss"] == rows["ngrams=1"]["log_loss"] != rows["ngrams=2"]["log_loss"]
    assert rows["ngrams=2"]["flags"] == "--ngrams 2"
    usual, stated = (
        cli("evaluate", mails, "--folds", "3", "--json", "-", *more).json for more in ((), ("--ngrams", "1"))
    )
    assert usual == stated


def test_tuning_starts_from_what_suits_mail(cli: Cli, mails: Path) -> None:
    result = cli("tune", mails, "--time", "0s", "--folds", "3", "--json", "-").json
    assert result["tried"][0]["name"] == "defaults"
    assert "--ngrams" not in result["command"]


def test_training_in_python_agrees() -> None:
    mails = [parse_mail(path.read_bytes()) for path in sorted(MAIL.glob("*/*.eml"))]
    labels = [path.parent.name for path in sorted(MAIL.glob("*/*.eml"))]
    assert train(mail_texts(mails), labels).features.ngrams == 1
    assert train([mail.body for mail in mails], labels).features.ngrams == 2


def test_a_model_of_short_messages_says_so_when_it_meets_mail(cli: Cli, tiny: Path) -> None:
    mail = next(iter(sorted((TEST_DATA / "mail/ham").iterdir())))
    note = "note: this model was trained without mail; its verdicts on mail are unreliable\n"
    assert note in cli("predict", "-m", tiny, mail).err
    assert cli("predict", "-m", tiny, mail.parent, mail.parent, mail).err.count(note) == 1
    assert note not in cli("predict", "-m", tiny, mail, "-q").err
    assert note in cli("filter", "-m", tiny, stdin=mail.read_bytes()).err
    assert note not in cli("predict", mail).err


def test_a_model_without_a_class_spam_lets_mail_pass(cli: Cli) -> None:
    words = {"work": "report office", "home": "dinner milk", "ads": "sale offer"}
    rows = [f"{label},{text} {i}" for label, text in words.items() for i in range(12)]
    cli.write("three.csv", "label,text\n" + "\n".join(rows) + "\n")
    cli("train", "three.csv", "-o", "m.spamnb")
    done = cli("filter", "-m", "m.spamnb", stdin=b"Subject: sale\n\noffer\n")
    assert done.out == b"X-Spamnb: no verdict\nSubject: sale\n\noffer\n"
    assert "no class of the model is spam: ads, home, work; the email passes without a verdict" in done.err


def test_a_mail_on_stdin_is_one_message(cli: Cli, tiny: Path) -> None:
    note = "note: this looks like mail, and each line is classified; --input-format eml reads mail\n"
    mail = b"From: a@b.example\nSubject: hi\n\nsee you\n"
    one = cli("predict", "-m", tiny, stdin=mail)
    assert len(one.lines) == 1
    assert one.out == cli("predict", "-m", tiny, "--input-format", "eml", stdin=mail).out
    assert len(cli("predict", "-m", tiny, stdin=b"From a@b\n" + mail + b"\nFrom a@b\n" + mail).lines) == 2
    lines = cli("predict", "-m", tiny, "--input-format", "lines", stdin=mail)
    assert len(lines.lines) == 4
    assert note in lines.err
    assert len(cli("predict", "-m", tiny, stdin=b"note: see you\nhome by seven\n").lines) == 2


def test_mails_are_classified_by_the_model_for_mail_however_they_arrive(cli: Cli, tmp_path: Path) -> None:
    """Without a model of one's own; an index of mails, a list of them without suffixes, a list on stdin."""
    kind = "no model of your own for {} yet: using the ready-made model for {}\n"
    mails = sorted(MAIL.glob("*/*.eml"))
    plain = [tmp_path / f"inmail.{i}" for i in range(3)]
    for path, mail in zip(plain, mails, strict=False):
        path.write_bytes(mail.read_bytes())
    (tmp_path / "list").write_text("".join(f"{path}\n" for path in plain))
    (tmp_path / "labels.txt").write_text("".join(f"ham {path.name}\n" for path in plain))
    (tmp_path / "box").write_bytes(b"From a@b.example\n" + mails[0].read_bytes())
    ways: list[tuple[tuple[str | Path, ...], bytes]] = [
        *[((mails[0],), b""), ((MAIL,), b""), ((plain[0],), b""), ((tmp_path / "box",), b"")],
        *[(("--files-from", tmp_path / "list"), b""), ((tmp_path / "labels.txt",), b"")],
        *[(("--files-from", "-"), (tmp_path / "list").read_bytes()), ((), mails[0].read_bytes())],
        *[(("-",), mails[0].read_bytes()), (("--input-format", "eml"), mails[0].read_bytes())],
    ]
    for args, stdin in ways:
        done = cli("predict", *args, stdin=stdin)
        assert kind.format("mail", "mail") in done.err, args
        assert done.out
    assert kind.format("text", "SMS") in cli("predict", stdin=b"see you\nSubject: this is a message\n").err
    assert kind.format("mail", "mail") in cli("evaluate", tmp_path / "labels.txt").err


@pytest.mark.parametrize(
    ("table", "description"),
    [
        (b"label,text\nham,see you\n", 'CSV (comma, header, {}), text column "text"'),
        (b"label\ttext\nham\tsee you\n", 'TSV (tab, header, {}), text column "text"'),
        (b"ham\tsee you\n", "TSV (tab, no header, {}), text column 2"),
        (b'{"text": "see you"}\n{"text": "win"}\n', 'JSONL ({}), text column "text"'),
        (b'{"from": 7, "said": "see you"}\n', 'JSONL ({}), text column "said"'),
        (b'[\n  {\n    "text": "see you"\n  }\n]\n', 'JSON array ({}), text column "text"'),
    ],
)
@pytest.mark.parametrize("pieces", [1, 3])
def test_a_table_on_stdin_is_read_by_its_columns(
    cli: Cli, tiny: Path, table: bytes, description: str, pieces: int
) -> None:
    """However slowly it comes: in pieces, the first line may be cut anywhere."""
    step = len(table) // pieces
    with cli.start("predict", "-m", tiny, "--format", "terse") as talk:
        for start in range(0, len(table), step):
            talk.say(table[start : start + step])
            time.sleep(0.05 * (pieces > 1))
        end = talk.end()
    assert end == (0, f"stdin: {description}\n".format("UTF-8"))


def test_records_on_stdin_flow(cli: Cli, tiny: Path) -> None:
    with cli.start("predict", "-m", tiny, "--format", "terse") as talk:
        for text, verdict in (("win", b"spam\t0.7500"), ("see you", b"ham\t0.1429")):
            talk.say(f'{{"text": "{text}"}}\n'.encode())
            assert talk.hear() == verdict


@pytest.mark.parametrize(
    ("lines", "format", "first"),
    [
        (b"id;message\r\n1;see you\r\n", "csv", "id;message"),
        (b'"id","text"\n1,see\n', "csv", '"id","text"'),
        (b"id\ttext\n1\tsee\n", "tsv", r"id\ttext"),
        (b"text,me\nsee you, later\n", "csv", "text,me"),
    ],
)
def test_what_may_be_a_table_or_lines_is_refused(
    cli: Cli, tiny: Path, lines: bytes, format: str, first: str
) -> None:
    errors = cli.fails("predict", "-m", tiny, stdin=lines)
    assert errors == [
        f'Error: stdin may be {format.upper()} or one message per line: it begins with "{first}"',
        f"Hint: --input-format {format} reads columns, --input-format lines classifies each line",
    ]
    assert len(cli("predict", "-m", tiny, "--input-format", "lines", stdin=lines).lines) == 2
    assert len(cli("predict", "-m", tiny, "--input-format", format, stdin=lines).lines) == 2


@pytest.mark.parametrize("stdin", [True, False])
def test_records_without_a_text_are_refused(cli: Cli, tiny: Path, stdin: bool) -> None:
    records = b'{"n": 1, "foo": 5}\n{"n": 2, "foo": 6}\n'
    name = "stdin" if stdin else "d.jsonl"
    args = () if stdin else (cli.write("d.jsonl", records) and "d.jsonl",)
    assert cli.fails("predict", "-m", tiny, *args, stdin=records) == [
        f"Error: no text column in {name} (columns: n, foo)",
        "Hint: name it with --text-column",
    ]


@pytest.mark.parametrize("magic", [b"\x89PNG\r\n", b"\x7fELF\n"])
def test_an_image_or_a_program_on_stdin_is_refused(cli: Cli, tiny: Path, magic: bytes) -> None:
    assert "expected messages as text" in cli.fails("predict", "-m", tiny, stdin=magic)[0]


@pytest.mark.parametrize(
    ("lines", "format"),
    [
        (b"label,text\nham,see you\n", "csv"),
        (b"label,text\n", "csv"),
        (b"id;message\r\n1;see you\r\n", "csv"),
        (b'"id","text"\n1,see\n', "csv"),
        (b"label\ttext\nham\tsee you\n", "tsv"),
        (b"ham\tsee you\n", "tsv"),
        (b'{"text": "see you"}\n', "jsonl"),
        (b'{"from": 7, "said": "see you"}\n', "jsonl"),
        (b"text,me\nsee you\n", ""),
        (b"Hi, text me\nsee you, then\n", ""),
        (b"{see you}\n", ""),
        (b"message\n", ""),
    ],
)
def test_a_table_on_stdin_that_is_read_as_lines_is_noticed(
    cli: Cli, tiny: Path, lines: bytes, format: str
) -> None:
    seen = f"this looks like {format.upper()}, and each line is classified"
    note = f"note: {seen}; --input-format {format} reads columns\n"
    stated = ("predict", "-m", tiny, "--input-format", "lines")
    done = cli(*stated, stdin=lines)
    assert done.err == (note if format else "")
    assert len(done.lines) == lines.count(b"\n")
    assert cli(*stated, "-q", stdin=lines).err == ""
    if not format:
        assert cli("predict", "-m", tiny, stdin=lines) == done


def test_texts_of_a_table_are_not_taken_for_one(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "--input-format", "csv")
    description = 'stdin: CSV (comma, header, UTF-8), text column "text"\n'
    assert cli(*flags, stdin=b'id,text\n1,"{""a"": 1}"\n2,"ham\tsee"\n').err == description


def test_lines_that_look_a_little_like_mail_are_messages(cli: Cli, tiny: Path) -> None:
    lines = b"Date: Friday\nPlace: Joe\nsee you\nwin prize\n"
    done = cli("predict", "-m", tiny, stdin=lines)
    assert len(done.lines) == 4
    assert done.err.startswith("note: this looks like mail, and each line is classified")


def test_a_mail_on_stdin_that_may_have_been_lines_is_noticed(cli: Cli, tiny: Path) -> None:
    mail, flags = b"From: a@b.example\nSubject: hi\n\nsee you\n", ("predict", "-m", tiny)
    note = "note: stdin is read as {}; --input-format lines classifies each line\n"
    assert note.format("one email") in cli(*flags, stdin=mail).err
    assert note.format("an mbox") in cli(*flags, stdin=b"From a@b.example\n" + mail).err
    assert cli(*flags, "-q", stdin=mail).err == ""
    assert "is read as" not in cli(*flags, "--input-format", "eml", stdin=mail).err


@pytest.mark.parametrize("first", [b"gateway log started", b'{"text": "cut o', b"{}"])
def test_records_after_a_line_that_is_none_are_noticed(cli: Cli, tiny: Path, first: bytes) -> None:
    note = "note: this looks like JSONL, and each line is classified; --input-format jsonl reads columns\n"
    record = b'{"text": "see you"}\n'
    done = cli("predict", "-m", tiny, stdin=first + b"\n" + 5 * record)
    assert (done.err, len(done.lines)) == (note, 6)
    assert cli("predict", "-m", tiny, "-q", stdin=first + b"\n" + 5 * record).err == ""
    assert cli("predict", "-m", tiny, stdin=b'see you\n{"odd": "message"}\nsee you\n').err == ""
    with cli.start("predict", "-m", tiny) as talk:  # line after line
        for line in (first + b"\n", record, record, record):
            talk.say(line)
            assert talk.hear()
        assert talk.end() == (0, note)


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        (
            b"9:00\t0171\tsee you\n9:05\t0172\twin prize\n9:06\t0172\twin\n",
            "lines have 3 fields separated by tabs, and each line is classified whole; --input-format tsv",
        ),
        (
            b"Message\nsee you\n",
            'the first line "Message" may name a column, and each line is classified; --input-format csv',
        ),
        (b"message\n", ""),
        (b"message me\nsee you\n", ""),
        (b"win\tprize\nsee you\nwin\tprize\n", ""),
        (b"win\tprize\n", ""),
        (b"win\tprize\nsee\tyou\tsoon\n", ""),
    ],
)
def test_columns_on_stdin_that_are_read_as_lines_are_noticed(
    cli: Cli, tiny: Path, lines: bytes, note: str
) -> None:
    expected = f"note: {note} reads columns\n" if note else ""
    done = cli("predict", "-m", tiny, stdin=lines)
    assert (done.err, len(done.lines)) == (expected, lines.count(b"\n"))
    assert cli("predict", "-m", tiny, "-q", stdin=lines).err == ""
    with cli.start("predict", "-m", tiny) as talk:  # line after line
        for line in lines.splitlines(keepends=True):
            talk.say(line)
            assert talk.hear()
        assert talk.end() == (0, expected)

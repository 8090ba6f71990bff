"""`spamnb filter` as a mail system calls it: the verdict is added, and not a byte of the mail is lost."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.mail_header import values, verdict_and_mail
from tests.helpers.paths import SMALL_MAILS, SMALL_SMS, TEST_DATA

SPAM = (TEST_DATA / "mail" / "spam" / "01-prize-plain.eml").read_bytes()
HAM = (TEST_DATA / "mail" / "ham" / "01-friend-plain.eml").read_bytes()
HEAD = b"From: a@example.org\nSubject: hi\n"
ADDED = (b"X-Spam-Flag", b"X-Spam-Status", b"X-Spam-Score", b"X-Spam-Level", b"X-Spamnb")

# --- The body


BODIES = {
    "plain": b"\nhello\n",
    "no final newline": b"\nhello",
    "empty": b"\n",
    "blank lines": b"\n\n\n \n\n",
    "lone dots": b"\n.\n..\nfoo\n.\n",
    "nul bytes": b"\na\0b\0\0\n",
    "8-bit": b"\n" + bytes(range(256)),
    "looks like a header": b"\nX-Spam-Flag: YES\nX-Spamnb : x\n\nX-Spam-Status: No\n",
    "looks like an mbox": b"\nFrom me to you\n>From here\n",
    "lone carriage returns": b"\na\rb\r\r\n",
}


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("name", BODIES)
def test_the_body_is_not_touched(name: str, ending: bytes, cli: Cli, mail_model: Path) -> None:
    head, body = HEAD.replace(b"\n", ending), BODIES[name].replace(b"\n", ending)
    added, mail = verdict_and_mail(cli("filter", "-m", mail_model, stdin=head + body).out)
    assert mail == head + body
    assert [len(values(added, field)) for field in ADDED] == [1] * 5
    lines = added.split(ending)
    assert lines.pop() == b""
    assert all(len(line) <= 78 and line.isascii() and b"\r" not in line for line in lines)


def test_a_large_mail_passes_whole(cli: Cli, mail_model: Path) -> None:
    body = b"\n" + b"All work and no play, 100%.\n" * 190_000
    out = cli("filter", "-m", mail_model, stdin=HEAD + body).out
    assert len(body) > 5_000_000
    assert verdict_and_mail(out)[1] == HEAD + body


def test_what_of_a_large_mail_was_not_looked_at_is_noted(cli: Cli, mail_model: Path) -> None:
    out = cli("filter", "-m", mail_model, "--set", "max-size=1K", stdin=HEAD + b"\n" + b"word " * 1000).out
    assert values(out, b"X-Spamnb")[0].endswith(b"; only the first 1,024 bytes were read")
    assert b"were read" not in values(cli("filter", "-m", mail_model, stdin=HAM).out, b"X-Spamnb")[0]


# --- The header


@pytest.mark.parametrize(
    "forged",
    [
        b"X-Spam-Flag: NO\n",
        b"x-spam-FLAG: NO\n",
        b"X-Spam-Flag \t : NO\n",
        b"X-Spam-Flag:\n NO\n\tNO\n",
        b"X-Spam-Status: No, score=-5\n\trequired=5\nX-Spam-Level: \nX-Spam-Report:\n * a\n * b\n",
        b"X-Spamnb: ham, p=0\nX-SPAMNB : ham\nX-Spam: No\n",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_forged_verdicts_are_removed(forged: bytes, place: int, cli: Cli, mail_model: Path) -> None:
    fields = [b"Subject: x\n", b"X-Spammer: kept\n\tX-Spam-Flag: kept, a continuation\n"]
    fields.insert(place, forged)
    out = cli("filter", "-m", mail_model, stdin=b"".join(fields) + b"\nbody\n").out
    rest = b"".join(field for field in fields if field is not forged)
    assert out.startswith(b"X-Spam-Flag: ")
    assert verdict_and_mail(out)[1] == rest + b"\nbody\n"
    header = out[: -len(b"\nbody\n")]
    assert [len(values(header, name)) for name in (*ADDED, b"X-Spam-Report", b"X-Spam")] == [1] * 5 + [0, 0]


SHAPES = {
    # mail: (what comes before our fields, what comes after them)
    b"From a@b Mon Jan  1 00:00:00 2026\nTo: x\n\nb": (b"From a@b Mon Jan  1 00:00:00 2026\n", b"To: x\n\nb"),
    b"From a\n>From b\nTo: x\n\nb": (b"From a\n", b">From b\nTo: x\n\nb"),
    b"no header at all\n\nX-Spam-Flag: NO\n": (b"", b"\nno header at all\n\nX-Spam-Flag: NO\n"),
    b"From a\nno header\n": (b"From a\n", b"\nno header\n"),
    b"\nonly a body\n": (b"", b"\nonly a body\n"),
    b"To: x\nSubject: y": (b"", b"To: x\nSubject: y"),
    b"To: x\r\nSubject: y": (b"", b"To: x\r\nSubject: y"),
    b"X-Spam-Flag: NO": (b"", b""),
    b"Z: 1\nA: 2\nZ: 3\n folded\n\n": (b"", b"Z: 1\nA: 2\nZ: 3\n folded\n\n"),
    b"To: x\nnot a field\nCc: y\n\nb": (b"", b"To: x\nnot a field\nCc: y\n\nb"),
    b"": (b"", b""),
}


@pytest.mark.parametrize("raw", SHAPES)
def test_where_the_verdict_goes(raw: bytes, cli: Cli, mail_model: Path) -> None:
    before, after = SHAPES[raw]
    out = cli("filter", "-m", mail_model, stdin=raw).out
    assert out.startswith(before + b"X-Spam-Flag: ")
    assert verdict_and_mail(out)[1] == after


def test_the_words_of_the_verdict(cli: Cli, mail_model: Path) -> None:
    for raw, flag, status in ((SPAM, b"YES", b"Yes, "), (HAM, b"NO", b"No, ")):
        header, _ = verdict_and_mail(cli("filter", "-m", mail_model, stdin=raw).out)
        assert values(header, b"X-Spam-Flag") == [flag]
        (score,) = values(header, b"X-Spam-Score")
        assert re.fullmatch(rb"-?\d+\.\d", score)
        number = b"score=" + score + rb" required=5\.0 tests=spamnb version=\S+"
        assert re.fullmatch(status + number, *values(header, b"X-Spam-Status"))
        assert values(header, b"X-Spam-Level") == [b"*" * max(0, int(float(score)))]
        label = b"spam" if flag == b"YES" else b"ham"
        assert re.fullmatch(
            label + rb", p=[01]\.\d{4}, log_odds=-?\d+\.\d\d, version=[^;]+"
            rb"; \S+ [+-]\d+\.\d\d(, \S+ [+-]\d+\.\d\d){2}",  # the three strongest reasons
            *values(header, b"X-Spamnb"),
        )
        reasons = re.findall(rb" ([+-])\d+\.\d\d(?:,|$)", values(header, b"X-Spamnb")[0])
        assert reasons == [b"+" if flag == b"YES" else b"-"] * 3


def test_threshold_moves_the_line(cli: Cli, mail_model: Path) -> None:
    header, _ = verdict_and_mail(cli("filter", "-m", mail_model, "--threshold", "1", stdin=SPAM).out)
    assert values(header, b"X-Spam-Flag") == [b"NO"]
    assert values(header, b"X-Spam-Score") == [b"-100.0"]  # the threshold 1 is infinitely far


def test_in_doubt_it_is_not_flagged(cli: Cli, mail_model: Path) -> None:
    header, _ = verdict_and_mail(cli("filter", "-m", mail_model, "--unsure", "0.01", "1", stdin=SPAM).out)
    assert values(header, b"X-Spam-Flag") == [b"NO"]
    assert values(header, b"X-Spamnb")[0].startswith(b"unsure, ")


def test_explain_names_tokens(cli: Cli, mail_model: Path) -> None:
    long = SPAM.replace(b"Dear", b"Dear " + b"x" * 300 + " \N{SNOWMAN}\N{BELL}".encode(), 1)
    header, _ = verdict_and_mail(cli("filter", "-m", mail_model, "--explain", stdin=long).out)
    assert re.search(rb"; \S.* [+-]\d+\.\d\d, ", values(header, b"X-Spamnb")[0])
    assert max(map(len, header.splitlines())) <= 78
    assert header.isascii()


# --- Failure


def _damaged(good: Path, folder: Path) -> Path:
    path = folder / "damaged.spamnb"
    data = bytearray(good.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    return path


def _broken_models(good: Path, folder: Path) -> dict[str, Path]:
    return {
        "missing": folder / "none.spamnb",
        "damaged": _damaged(good, folder),
        "foreign": SMALL_SMS,
        "folder": folder,
    }


@pytest.mark.parametrize("kind", ["missing", "damaged", "foreign", "folder"])
def test_on_failure_the_mail_passes_without_a_verdict(
    kind: str, cli: Cli, mail_model: Path, tmp_path: Path
) -> None:
    model = _broken_models(mail_model, tmp_path)[kind]
    raw = b"X-Spam-Flag: NO\r\nX-Spamnb\0: ham\n" + SPAM + bytes(range(256))
    done = cli("filter", "-m", model, stdin=raw)
    assert done.out == b"X-Spamnb: no verdict\r\n" + SPAM + bytes(range(256))
    assert re.fullmatch(r"spamnb filter: .+; the email passes without a verdict\n", done.err)
    tempfail = cli("filter", "-m", model, "--tempfail", stdin=raw, code=75)
    assert tempfail.out == b""
    assert re.fullmatch(r"spamnb filter: .+; the email is refused for now\n", tempfail.err)


def test_without_a_model_of_ones_own_the_ready_made_one_judges(cli: Cli) -> None:
    done = cli("filter", stdin=SPAM)
    assert done.out.startswith(b"X-Spam-Flag: YES\n")
    assert done.err == ""


def test_no_model_at_all(cli: Cli) -> None:
    done = cli("filter", stdin=SPAM, env={"SPAMNB_MODEL": str(cli.here / "none")})
    assert done.out == b"X-Spamnb: no verdict\n" + SPAM
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        (("--threshold", "7"), "--threshold must lie between 0 and 1, got 7"),
        (("--set", "max-size=foo"), "--set max-size must be a number of bytes, got 'foo'"),
        (("--set", "max-size="), "--set max-size must be a number of bytes, got ''"),
        (
            ("--set", "authserv-id=two words"),
            "--set authserv-id must be the name of a server, got ['two words']",
        ),
    ],
)
def test_a_wrong_option_is_an_error_before_the_mail_is_read(
    flags: tuple[str, ...], error: str, cli: Cli
) -> None:
    for tempfail, code in (((), 2), (("--tempfail",), 75)):
        done = cli("filter", *flags, *tempfail, stdin=SPAM, code=code)
        assert done.out == b""
        assert done.err.splitlines()[0] == f"Error: {error}"
    assert cli("filter", "--unsure", "0.9", "0.1", stdin=SPAM, code=2).out == b""


@pytest.mark.parametrize(("key", "value"), [("THRESHOLD", "7"), ("MAX_SIZE", "foo")])
def test_the_mail_passes_whatever_is_configured(key: str, value: str, cli: Cli, mail_model: Path) -> None:
    done = cli("filter", "-m", mail_model, stdin=SPAM, env={f"SPAMNB_FILTER_{key}": value})
    assert done.out == b"X-Spamnb: no verdict\n" + SPAM
    assert done.err.endswith("; the email passes without a verdict\n")


# --- Exit codes of `predict`, and all sample mails


@pytest.mark.parametrize(("style", "codes"), [("bogofilter", (0, 1, 2, 3)), ("spamc", (1, 0, 0, 0))])
def test_exit_codes(style: str, codes: tuple[int, ...], cli: Cli, mail_model: Path) -> None:
    command = ("predict", "--exit-code", style, "--input-format", "eml", "-m")
    assert cli(*command, mail_model, stdin=SPAM, code=codes[0]).out.startswith(b"spam\t")
    assert cli(*command, mail_model, stdin=HAM, code=codes[1]).out.startswith(b"ham\t")
    unsure = cli(*command, mail_model, "--unsure", "0.01", "1", stdin=SPAM, code=codes[2])
    assert unsure.out.startswith(b"unsure\t")
    assert cli(*command, "none.spamnb", stdin=SPAM, code=codes[3]).err.startswith("Error: ")


def test_what_cannot_be_read_is_no_ham(cli: Cli, mail_model: Path) -> None:
    """A link that leads nowhere cannot be read, by root either."""
    (cli.here / "folder").mkdir()
    flags = ("predict", "--exit-code", "bogofilter", "-m", mail_model)
    cli(*flags, "folder", code=3)  # nothing was classified
    cli.write("folder/1", HAM)
    cli(*flags, "folder", code=1)
    (cli.here / "folder" / "2").symlink_to("nowhere")
    assert "folder/2: No such file or directory" in cli(*flags, "folder", code=3).err
    cli.write("folder/3", SPAM)
    cli(*flags, "folder", code=0)
    cli("predict", "-m", mail_model, "folder")


def test_a_listed_mail_that_is_gone_does_not_stop_the_others(cli: Cli, mail_model: Path) -> None:
    cli.write("1", HAM)
    command = ("predict", "--files-from", "-", "--input-format", "eml", "-m", mail_model)
    for more, code in (((), 1), (("-q",), 1), (("--exit-code", "bogofilter"), 3)):
        done = cli(*command, *more, stdin=b"1\ngone\nlost\n", code=code)
        assert done.out.startswith(b"ham\t")
        assert done.err.splitlines()[0] == "Error: 2 listed files left out (first gone): no such file"
    assert cli.fails(*command, stdin=b"gone\n")[0] == "Error: no such file: gone"
    listed = cli(*command, stdin=b"1\0gone\0", code=1)  # as `find -print0` lists them
    assert listed.out.startswith(b"ham\t")
    assert listed.err.splitlines()[0] == "Error: 1 listed file left out (first gone): no such file"


def test_any_file_name_comes_out_as_it_is(cli: Cli, mail_model: Path) -> None:
    (cli.here / "m").mkdir()
    Path(os.fsdecode(bytes(cli.here / "m") + b"/\xff\xe9")).write_bytes(HAM)
    out = cli("predict", "m", "-m", mail_model).out
    assert out.rstrip(b"\n").split(b"\t")[2] in (b"m/\xff\xe9", rb"m/\xff\xe9")


@pytest.mark.parametrize(("style", "code"), [("plain", 2), ("bogofilter", 3), ("spamc", 64)])
@pytest.mark.parametrize(
    "wrong",
    [
        ("--no-such-option",),
        ("--threshold", "many"),
        ("--threshold", "7"),
        ("--only", "nothing"),
        ("--explain", "--format", "terse"),
    ],
    ids=" ".join,
)
def test_a_wrong_call_is_no_verdict(
    wrong: tuple[str, ...], style: str, code: int, cli: Cli, mail_model: Path
) -> None:
    """bogofilter's 2 is unsure, so a wrong option must not end with it."""
    flags = ("predict", f"--exit-code={style}", *wrong, "-m", mail_model)
    assert "Error: " in cli(*flags, stdin=SPAM, code=code).err
    assert "Error: " in cli(*flags[:1], *flags[2:], "--exit-code", style, stdin=SPAM, code=code).err


def test_the_style_is_that_of_predict_alone(cli: Cli) -> None:
    cli("train", "--exit-code", "bogofilter", code=2)
    cli("predict", "--wrong", "--", "--exit-code=bogofilter", code=2)
    cli("predict", "--exit-code", "bogofilter", "none.csv", code=3)
    cli("predict", "--exit-code", "spamc", "none.csv", code=0)


@pytest.mark.parametrize("path", SMALL_MAILS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_sample_mail(path: Path, cli: Cli, mail_model: Path) -> None:
    raw = path.read_bytes()
    verdict, mail = verdict_and_mail(cli("filter", "-m", mail_model, stdin=raw).out)
    assert mail == raw
    assert values(verdict, b"X-Spam-Flag") == [b"YES" if path.parent.name == "spam" else b"NO"]


def test_inspect_reads_a_mail_as_filter_does(cli: Cli, mail_model: Path) -> None:
    output = cli("explain", "--top", "999", "-m", mail_model, stdin=SPAM).text
    assert " subject:" in output
    assert " received:" in output
    verdict = values(cli("filter", "-m", mail_model, stdin=SPAM).out, b"X-Spamnb")[0].decode()
    assert output.startswith(f"spam  P(spam) = {verdict.split('p=')[1][:6]},")
    assert " subject:" not in cli("explain", "-m", mail_model, stdin=b"Note: a prize\nb\n").text


def test_several_emails_on_stdin_pass_with_a_warning(cli: Cli, mail_model: Path) -> None:
    mark = b"From a@b.example Mon Jan  1 00:00:00 2024\n"
    box = mark + HEAD + b"\nhello\n\n" + mark + SPAM
    done = cli("filter", "-m", mail_model, stdin=box)
    assert done.out.endswith(HEAD + b"\nhello\n\n" + mark + SPAM)
    assert done.err == (
        "warning: stdin holds several emails, and only the first one was classified; "
        "formail -s spamnb filter < FILE classifies each, spamnb predict FILE lists the verdicts\n"
    )
    for one in (mark + SPAM, mark + HEAD + b"\n>From me\n", HEAD + b"\n" + box):
        assert cli("filter", "-m", mail_model, stdin=one).err == ""
    cli.write("box", box)
    advice = "spamnb predict box, or formail -s spamnb filter < box"
    assert cli.fails("filter", "box", code=2)[-1].endswith(f"It takes one email; for several: {advice}")
    assert cli.fails("filter", ".", code=2)[-1].endswith("for a folder: spamnb predict .")

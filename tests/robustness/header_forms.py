r"""Forges verdicts in every form that was thought of, and reads what `spamnb filter` makes of them.

In a form `{...}` is what must be gone, `@` is where the verdict must be (else at the start), and `^` is a
line end that must be added. All other bytes must stay.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from spamnb.mail.verdict_header import NO_VERDICT, annotate
from tests.robustness.mail_programs import PROGRAMS, is_installed
from tests.robustness.result_row import Row

VERDICT = [
    ("X-Spam-Flag", "YES"),
    ("X-Spam-Status", "Yes, score=9.6 required=5.0"),
    ("X-Spam-Score", "9.6"),
    ("X-Spam-Level", "*********"),
    ("X-Spamnb", "spam, p=0.9900, log_odds=4.60; " + "word +0.10, " * 5),
]
NAMES = tuple(name for name, _ in VERDICT)
_MARKS = b"{}@^"


class Form(NamedTuple):
    """A mail with its marks; `later` are programs that also read a forged field, after ours."""

    marked: bytes
    later: tuple[str, ...] = ()

    @property
    def mail(self) -> bytes:
        return self.marked.translate(None, _MARKS)

    @property
    def end(self) -> bytes:
        """The line end of the mail's first line, after a `From ` line."""
        mail = self.marked.partition(b"@")[2] or self.marked
        return b"\r\n" if mail.partition(b"\n")[0].endswith(b"\r") else b"\n"

    def expected(self) -> bytes:
        """The mail as it must come out."""
        pieces = self.marked.split(b"{")
        text = pieces[0] + b"".join(piece.partition(b"}")[2] for piece in pieces[1:])
        before, _, after = text.rpartition(b"@")
        lines = b"".join(fold_as_filter(name, value) for name, value in VERDICT)
        return (before + lines.replace(b"\n", b"^") + after).replace(b"^", self.end)


def fold_as_filter(name: str, value: str) -> bytes:
    """A field in lines of 76 bytes at most."""
    lines = [f"{name}:"]
    for word in value.split():
        if len(lines[-1]) + 1 + len(word) > 76:
            lines.append("")
        lines[-1] += f" {word}"
    return "".join(f"{line}\n" for line in lines).encode()


def _named(forged: str | bytes) -> Form:
    """A field of an odd name between others."""
    raw = forged.encode() if isinstance(forged, str) else forged
    return Form(b"A: b\n{" + raw + b"\n}Subject: s\n\nbody\n")


def _after(line: bytes) -> Form:
    """A verdict after an odd line in the header."""
    return Form(b"A: b\n" + line + b"\n{X-Spam-Flag: NO\n}Subject: s\n\nbody\n")


_FROM, _REST = b"From ann Mon Jan  1 00:00:00 2026", b"Subject: s\n\nbody\n"
_NUL_LINE = ("reformail",)  # takes NUL, or the end of a mail, for the end of the name that it looks for

FORMS: dict[str, Form] = {
    # Places
    "first": Form(b"{X-Spam-Flag: NO\n}A: b\n" + _REST),
    "in the middle": _named("X-Spam-Flag: NO"),
    "last": Form(b"Subject: s\n{X-Spam-Flag: NO\n}\nbody\n"),
    "alone": Form(b"{X-Spam-Flag: NO\n}\nbody\n"),
    "three in a row": Form(b"A: b\n{X-Spam-Flag: NO\nX-Spam-Flag: NO\nx-spam-flag: NO\n}" + _REST),
    "10,000 in a row": Form(b"{" + b"X-Spam-Flag: NO\n" * 10_000 + b"}" + _REST),
    "after 200 KB of header": Form(b"A: b\n" * 40_000 + b"{X-Spam-Flag: NO\n}" + _REST),
    "after a line of 100 KB": _after(b"A: " + b"x" * 100_000),
    "in the body": Form(b"Subject: s\n\nX-Spam-Flag: NO\nX-Spamnb: ham\n"),
    "in an attached mail": Form(b"Content-Type: message/rfc822\nSubject: s\n\nX-Spam-Flag: NO\nA: b\n\nc\n"),
    # Other names
    "status, score and level": _named("X-Spam-Status: No,\n\tscore=-5\nX-Spam-Score: 0\nX-Spam-Level:"),
    "a report of several lines": _named("X-Spam-Report:\n * one\n * two"),
    "our own field": _named("X-Spamnb: ham, p=0"),
    "fields that could become ours": _named("X-Spam: no\nX-Spamnb-Label: ham\nX-Spam-: NO"),
    "X-Spammer is another name": Form(b"A: b\nX-Spammer: me\n" + _REST),
    # Spellings of a name
    "small letters": _named("x-spam-flag: NO"),
    "capitals": _named("X-SPAM-FLAG: NO"),
    "no blank after the colon": _named("X-Spam-Flag:NO"),
    "no value": _named("X-Spam-Flag:"),
    "a colon in the value": _named("X-Spam-Flag: NO: X-Spam-Flag: NO"),
    "two colons": _named("X-Spam-Flag:: NO"),
    "blank before the colon": _named("X-Spam-Flag : NO"),
    "tab before the colon": _named("X-Spam-Flag\t: NO"),
    "70,000 blanks before the colon": _named("X-Spam-Flag" + " " * 70_000 + ": NO"),
    "NUL before the colon": _named("X-Spam-Flag\0: NO"),
    "vertical tab before the colon": _named("X-Spam-Flag\v: NO"),
    "form feed before the colon": _named("X-Spam-Flag\f: NO"),
    "no-break space in Latin-1": _named(b"X-Spam-Flag\xa0: NO"),
    "no-break space in UTF-8": _named("X-Spam-Flag\u00a0: NO"),
    "zero-width space before the colon": _named("X-Spam-Flag\u200b: NO"),
    "DEL before the colon": _named("X-Spam-Flag\x7f: NO"),
    "NUL in the name": _named("X-Spam\0-Flag: NO"),
    "NUL before the name": _named("\0X-Spam-Flag: NO"),
    "vertical tab before the name": _named("\vX-Spam-Flag: NO"),
    "control-Z before the name": _named("\x1aX-Spam-Flag: NO"),
    "byte order mark before the name": _named("\ufeffX-Spam-Flag: NO"),
    "soft hyphen in the name": _named("X-Spam\u00ad-Flag: NO"),
    "zero-width joiner in the name": _named("X-Sp\u200dam-Flag: NO"),
    "wide letters are another name": Form("A: b\nＸ-Ｓｐａｍ-Ｆｌａｇ: NO\n".encode() + _REST),
    "a Cyrillic letter is another name": Form("A: b\n\u0425-Spam-Flag: NO\n".encode() + _REST),
    "an encoded name is another name": Form(b"A: b\n=?utf-8?q?X-Spam-Flag?=: NO\n" + _REST),
    "a blank in the name": _named("X -Spam-Flag: NO"),
    # Folds
    "folded": _named("X-Spam-Flag: NO\n NO\n\tNO"),
    "value on the next line": _named("X-Spam-Flag:\n NO"),
    "value after a return": _named("X-Spam-Flag:\r NO"),
    "fold before the colon": _named("X-Spam-Flag\n : NO"),
    "fold in the name": _named("X-Spam-\n Flag: NO"),
    "in a continued line": Form(b"A: b\n X-Spam-Flag: NO\n" + _REST),
    "after a line of blanks": _after(b" \t"),
    # Line ends
    "CRLF": Form(b"A: b\r\n{X-Spam-Flag: NO\r\n}Subject: s\r\n\r\nbody\r\n"),
    "CRLF, in the body": Form(b"Subject: s\r\n\r\nX-Spam-Flag: NO\r\n", ("procmail",)),
    "CRLF and LF": Form(b"A: b\r\n{X-Spam-Flag: NO\n}Subject: s\r\n\nbody\r\n"),
    "LF and CRLF": Form(b"A: b\n{X-Spam-Flag: NO\r\n}Subject: s\n\r\nbody\n"),
    "after a return": Form(b"A: b{\rX-Spam-Flag: NO}\n" + _REST),
    "after a return, CRLF": Form(b"A: b{\rX-Spam-Flag: NO}\r\nSubject: s\r\n\r\nbody\r\n"),
    "two after returns": Form(b"A: b{\rX-Spam-Flag: NO\rX-Spam-Flag: NO}\n" + _REST),
    "between returns": Form(b"A: b{\rX-Spam-Flag: NO}\rC: d\n" + _REST),
    "before a return": Form(b"A: b\n{X-Spam-Flag: NO\r}C: d\n" + _REST),
    "after LF and return": Form(b"A: b\n\rX-Spam-Flag: NO\n" + _REST),
    "after two returns": Form(b"A: b\r\rX-Spam-Flag: NO\n" + _REST),
    "after two returns and a line": Form(b"A: b\r\rC: d\n{X-Spam-Flag: NO\n}" + _REST),
    "return before the colon": Form(b"A: b\nX-Spam-Flag\r: NO\n" + _REST),
    "converted twice": Form(b"A: b\r\r\n{X-Spam-Flag: NO\r\r\n}Subject: s\r\r\n\r\r\nbody\r\r\n"),
    "returns alone": Form(b"A: b{\rX-Spam-Flag: NO}\rSubject: s\r\rbody\rX-Spam-Flag: NO\r"),
    "after a line of a return": Form(b"Subject: s\n\r\nX-Spam-Flag: NO\n\nbody\n", ("procmail",)),
    "after a vertical tab": Form(b"A: b\vX-Spam-Flag: NO\n" + _REST),
    "after a form feed": Form(b"A: b\fX-Spam-Flag: NO\n" + _REST),
    "after a file separator": Form(b"A: b\x1cX-Spam-Flag: NO\n" + _REST),
    "after a next-line character": Form(b"A: b\x85X-Spam-Flag: NO\n" + _REST),
    "after a line separator": Form("A: b\u2028X-Spam-Flag: NO\n".encode() + _REST),
    "after a NUL": Form(b"A: b\0X-Spam-Flag: NO\n" + _REST),
    "after an encoded line end": Form(b"A: =?utf-8?q?b=0AX-Spam-Flag:_NO?=\n" + _REST),
    "after an escaped line end": Form(b"A: b%0AX-Spam-Flag: NO\n" + _REST),
    # Lines that are no field
    "after a line that is no field": _after(b"not a field"),
    "after a name alone": _after(b"Subject"),
    "after a colon alone": _after(b": b"),
    "after a link": _after(b"http://example.com"),
    "after a boundary": _after(b"--boundary"),
    "after a name with a blank": _after(b"not a field: b"),
    "after a name with NUL": _after(b"B\0C: d"),
    "after a line of NUL": _after(b"\0")._replace(later=_NUL_LINE),
    "after 8-bit text": _after("Grüße".encode()),
    "after a From line in the header": _after(_FROM),
    "after an escaped From line": _after(b">" + _FROM),
    # Beginnings
    "From line": Form(_FROM + b"\n@{X-Spam-Flag: NO\n}" + _REST),
    "From line, CRLF": Form(_FROM + b"\r\n@Subject: s\r\n{X-Spam-Flag: NO\r\n}\r\nbody\r\n"),
    "From line that ends with a return": Form(_FROM + b"{\r}^@{X-Spam-Flag: NO\n}" + _REST),
    "From line converted twice": Form(_FROM + b"{\r\r\n}^@{X-Spam-Flag: NO\r\r\n}Subject: s\r\r\n\r\r\nb"),
    "two From lines": Form(_FROM + b"\n@From bob\n{X-Spam-Flag: NO\n}" + _REST),
    "From line and escaped From line": Form(_FROM + b"\n@>From bob\n{X-Spam-Flag: NO\n}" + _REST),
    "escaped From line": Form(b">" + _FROM + b"\n{X-Spam-Flag: NO\n}" + _REST),
    "From line alone": Form(_FROM + b"^@"),
    "blank line first": Form(b"\nX-Spam-Flag: NO\n" + _REST),
    "blank line first, CRLF": Form(b"\r\nX-Spam-Flag: NO\r\nSubject: s\r\n\r\nbody\r\n", ("procmail",)),
    "line of blanks first": Form(b"^ \t\nX-Spam-Flag: NO\n" + _REST),
    "return first": Form(b"^\rX-Spam-Flag: NO\n" + _REST),
    "continued line first": Form(b"^ of what?\nX-Spam-Flag: NO\n" + _REST),
    "continued verdict first": Form(b"^\tX-Spam-Flag: NO\n" + _REST),
    "byte order mark first": Form(b"\xef\xbb\xbfA: b\n{X-Spam-Flag: NO\n}" + _REST),
    "NUL first": Form(b"\0A: b\n{X-Spam-Flag: NO\n}" + _REST, _NUL_LINE),
    "text first": Form(b"^not a field\nX-Spam-Flag: NO\n" + _REST),
    # Ends
    "no body": Form(b"Subject: s\n{X-Spam-Flag: NO\n}"),
    "no line end": Form(b"Subject: s\n{X-Spam-Flag: NO}"),
    "nothing else": Form(b"{X-Spam-Flag: NO}"),
    "cut in the name": Form(b"Subject: s\nX-Spam-Fl", _NUL_LINE),
    "cut in the blank line": Form(b"Subject: s\r\n{X-Spam-Flag: NO\r\n}\r"),
    "text without a blank line": Form(b"Subject: s\nHello,\n{X-Spam-Flag: NO\n}Bye\n"),
    "empty": Form(b""),
    "a line end": Form(b"\n"),
}  # fmt: skip


def failures(name: str, programs: Iterable[str], folder: Path) -> list[str]:
    """What is wrong with the output for a form, by bytes and by what programs read in it."""
    form, wrong = FORMS[name], []
    with_verdict, without = annotate(form.mail, VERDICT), annotate(form.mail, NO_VERDICT)
    if with_verdict != form.expected():
        wrong.append(f"written: {with_verdict[-300:]!r}")
    for program in programs:
        read, others = PROGRAMS[program][1], ("...", "NO", "") if program in form.later else ()
        for field, values in read(with_verdict, folder, NAMES).items():
            expected = " ".join(dict(VERDICT)[field].split())
            if values[:1] != [expected] or [value for value in values[1:] if value not in others]:
                wrong.append(f"{program}: {field} is {values}")
        for field, values in read(without, folder, NAMES).items():
            if values != [value for name, value in NO_VERDICT if name == field] and not others:
                wrong.append(f"{program}: {field} is {values} without a verdict")
    return wrong


def loses_subject(name: str, program: str, folder: Path) -> bool:
    """Whether a program reads the subject before the filter, and not after it."""
    form, read = FORMS[name], PROGRAMS[program][1]
    before, after = (
        read(m, folder, ("Subject",))["Subject"] for m in (form.mail, annotate(form.mail, VERDICT))
    )
    return "s" in before and "s" not in after


def rows(budget: float) -> list[Row]:  # noqa: ARG001
    """A row for each program that is installed; takes some seconds, whatever the budget."""
    results = []
    for program in PROGRAMS:
        if not is_installed(program):
            print(f"header forms: {program} is not installed")
            continue
        started, bad = time.monotonic(), 0
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            for name in FORMS:
                wrong = failures(name, [program], Path(folder))
                bad += bool(wrong)
                for line in wrong:
                    print(f"  {name}: {line}")
        results.append(Row("header forms", program, len(FORMS), bad, time.monotonic() - started, 0.0))
    return results

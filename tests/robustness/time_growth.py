"""Measures bad input of many kinds, and twice as much of it: the time must about double.

Mails go through `hostile_mail` already; here are texts, tables, JSON, mailboxes, patterns, models and counts.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from spamnb.core.terminal_text import visible
from spamnb.errors import SpamnbError
from spamnb.features import extract
from spamnb.mail.html_text import parse_html
from spamnb.mail.parse import parse_mail
from spamnb.mail.verdict_header import annotate
from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.model.text_import import import_lines
from spamnb.readers import ReadOptions, open_source
from spamnb.settings import FeatureConfig
from spamnb.storage.safe_unpickler import RefusedError, load
from tests.robustness import hostile_mail
from tests.robustness.child_process import SHM
from tests.robustness.result_row import Row

MAX_GROWTH = 3.0
ENOUGH = 0.02  # seconds of processor time from which on the ratio of two times says something
_LARGEST = 1 << 22
_TRIES_OF_A_SIZE = 2
Case = tuple[Callable[[int], bytes], Callable[[bytes], object]]  # an input of about so many bytes, what to do


def filled(piece: str | bytes, before: bytes = b"", after: bytes = b"") -> Callable[[int], bytes]:
    raw = piece.encode() if isinstance(piece, str) else piece
    return lambda size: before + raw * (size // len(raw)) + after


def _numbered(piece: str) -> Callable[[int], bytes]:
    return lambda size: "".join(piece % i for i in range(size // len(piece))).encode()


def _tokens(data: bytes, config: FeatureConfig | None = None) -> object:
    return extract(Texts.of([data]), config or FeatureConfig())


def _patterns(pattern: str) -> Callable[[bytes], object]:
    return partial(_tokens, config=FeatureConfig(1, shapes=False, patterns=(("x", pattern),)))


def _mail(data: bytes) -> object:
    return parse_mail(data, hostile_mail.UNLIMITED), annotate(data, [("X-Spam-Flag", "NO")])


def _file(suffix: str, **flags: str) -> Callable[[bytes], object]:
    """Read as a file; a refusal is an answer as good as any."""

    def run(data: bytes) -> object:
        with tempfile.TemporaryDirectory(dir=SHM) as folder:
            path = Path(folder) / f"input{suffix}"
            path.write_bytes(data)
            try:
                options = ReadOptions.from_flags(max_size=1 << 40, **flags)
                return sum(
                    len(chunk) for chunk in open_source(str(path), options, labelled="label" not in flags)
                )
            except SpamnbError as error:
                return error.message

    return run


def _stream(data: bytes) -> object:
    try:
        return load(memoryview(data))
    except RefusedError as error:
        return str(error)


@cache
def _exported() -> tuple[bytes, ...]:
    model = SpamModel().learn(["one two"] * 3, ["ham", "spam", "ham"])
    return tuple(export_lines(model))[:1]


def _counts(data: bytes) -> object:
    try:
        return import_lines([*_exported(), *data.split(b"\n")], "x")
    except SpamnbError as error:
        return error.message


def _rules_and_elements(size: int) -> bytes:
    return (
        b"<style>" + b".a .b{display:none}" * (size // 40) + b"</style>" + b"<p class='a b'>x" * (size // 32)
    )


def _lists_and_elements(size: int) -> bytes:
    rule = b"p:is(" + b",".join(b".q%d" % i for i in range(16)) + b"):not(.a,.b,.c){color:red}"
    return b"<style>" + rule * (size // 200) + b"</style>" + b"<p class=z>x" * (size // 24)


def _misnested(size: int) -> bytes:
    return b"<b>" * (size // 8) + b"<div>" * 7 + b"</b>x" * (size // 8)


_TABLE = b"label,text\nham,ok\nspam,"
_HTML_MAIL = b"Content-Type: text/html\n\n"

CASES: dict[str, Case] = {
    "text: one long word": (filled("a"), _tokens),
    "text: long words, one Cyrillic letter": (filled("a", "\u0436 ".encode()), _tokens),
    "text: look-alike letters": (filled("p\u0430y "), _tokens),
    "text: one look-alike word": (filled("p\u0430"), _tokens),
    "text: zero-width runs": (filled("\u200b", b"a", b"b"), _tokens),
    "text: zero-width between letters": (filled("a\u200b"), _tokens),
    "text: accents upon accents": (filled("\u0301\u0316", b"a"), _tokens),
    "text: spaced letters": (filled("f r e e "), _tokens),
    "text: spaced by signs": (filled("f-r-e-e.v.i.p_"), _tokens),
    "text: held letters": (filled("freeee"), _tokens),
    "text: digits and signs in words": (filled("fr33c@$h"), _tokens),
    "text: digits": (filled("0123456789"), _tokens),
    "text: emoji": (filled("\U0001f600\u200d\ufe0f"), _tokens),
    "text: fancy letters": (filled("\U0001d4cc\uff37\u1d00"), _tokens),
    "text: script without spaces": (filled("\u0e44\u0e17\u0e22\u6f22"), _tokens),
    "text: letters that change their length": (filled("\u0130\u1e9e\u03a3"), _tokens),
    "text: bytes that are no UTF-8": (filled(b"\xff\xed\xa0"), _tokens),
    "text: addresses": (filled("a@b.c http://www."), _tokens),
    "text: characters by eights": (filled("ab"), partial(_tokens, config=FeatureConfig(1, chars=8))),
    "pattern: repeat before a word": (filled("free"), _patterns("free.*prize")),
    "pattern: long run": (filled("a"), _patterns(r"\w+@\w+\.com")),
    "pattern: repeats in repeats": (filled("xy"), _patterns("(?:x*y)*z")),
    "pattern: one branch looks far": (filled("xy"), _patterns("x.*z|x")),
    "terminal: control characters": (filled("\x1b[2J\u202e"), lambda data: visible(data.decode())),
    "CSV: open quote": (filled("a,b\n", _TABLE + b'"'), _file(".csv")),
    "CSV: quotes": (filled('"', _TABLE), _file(".csv")),
    "CSV: quotes inside of fields": (filled('ham,a"b"c\n', _TABLE), _file(".csv")),
    "CSV: many fields": (filled(",", _TABLE), _file(".csv")),
    "CSV: one long record": (filled("a ", _TABLE), _file(".csv")),
    "CSV: carriage returns": (filled("ham,a\r", _TABLE), _file(".csv")),
    "CSV: many labels": (_numbered("%d,a\n"), _file(".csv", format="csv", label="ham")),
    "JSON: nesting": (filled("["), _file(".jsonl")),
    "JSON: nesting within objects": (filled('{"a":'), _file(".jsonl")),
    "JSON: ends of objects in lines": (filled("} ,", b'{"text":"', b'","label":"ham"}\n'), _file(".jsonl")),
    "JSON: many names": (_numbered('{"text":"a","label":"ham","n%d":1}\n'), _file(".jsonl")),
    "JSON: long number": (filled("9", b'{"text":"a","label":"ham","n":', b"}\n"), _file(".jsonl")),
    "JSON array: nesting": (filled("["), _file(".json")),
    "JSON array: a text without an end": (filled("a ", b'[{"label":"ham","text":"'), _file(".json")),
    "JSON array: blanks": (filled(" \n", b'[{"label":"ham","text":"a"}'), _file(".json")),
    "JSON array: small elements": (filled("1,", b"[", b'{"label":"ham","text":"a"}]'), _file(".json")),
    "lines: one without an end": (filled("a "), _file(".txt", format="lines", label="ham")),
    "NUL: many": (filled("\0"), _file(".txt", format="null", label="ham")),
    "index: one long line": (filled("a", b"spam "), _file("", format="index", label="ham")),
    "mbox: From lines": (filled("\nFrom "), _file(".mbox", label="ham")),
    "mbox: From lines and blank lines": (filled("\n\nFrom x\n"), _file(".mbox", label="ham")),
    "mbox: From lines without a time": (
        filled("\n\nFrom x\n", b"From a 00:00\nA: b\n\n"),
        _file(".mbox", label="ham"),
    ),
    "mbox: escaped From lines": (filled(">>>>>>From x\n", b"From a\nA: b\n\n"), _file(".mbox", label="ham")),
    "mail: header folding": (filled(" a\n", b"X: a\n", b"\nbody"), _mail),
    "mail: base64": (filled("QUJD\n=", b"Content-Transfer-Encoding: base64\n\n"), _mail),
    "mail: boundaries": (filled("\n--b", b"Content-Type: multipart/mixed; boundary=b\n\n"), _mail),
    "mail: parameters": (filled(';a*0="', b"Content-Type: text/plain", b"\n\nx"), _mail),
    "mail: blanks before a colon": (filled(" ", b"X-Spam-Flag", b"\n\nx"), _mail),
    "mail: returns": (filled("\r", b"A: b", b"\nX-Spam-Flag: NO\n\nx"), _mail),
    "mail: returns alone": (filled("\r", b"A: b"), _mail),
    "mail: returns before names": (filled("\r\rX-Spam-Flag: NO\r\r\n", b"A: b\n", b"\n\nx"), _mail),
    "mail: verdicts after returns": (filled("\rX-Spam-Flag: NO", b"A: b", b"\n\nx"), _mail),
    "mail: folded names": (filled("X-Spam-\n ", b"A: b\n", b"\n\nx"), _mail),
    "mail: NUL in names": (filled("X-Spam\0\n", b"A: b\n", b"\n\nx"), _mail),
    "mail: bytes before a name": (filled(b"\xff", b"A: b\n", b"\n\nx"), _mail),
    "mail: From lines in the header": (filled("From a\n", b"", b"A: b\n\nx"), _mail),
    "mail: quoted-printable": (filled("=\n", b"Content-Transfer-Encoding: quoted-printable\n\n"), _mail),
    "HTML: attributes": (filled("<a href = ' "), parse_html),
    "HTML: style rules": (filled(".a{display : none}", b"<style>"), parse_html),
    "HTML: font sizes": (filled("font-size:0.000", b"<p style='"), parse_html),
    "HTML: misleading links": (filled("<a href = x>http"), parse_html),
    "HTML: rules and elements": (_rules_and_elements, parse_html),
    "HTML: rules with lists and elements": (_lists_and_elements, parse_html),
    "HTML: long selectors": (filled("a, .b ", b"<style>", b"{display:none}</style><p>x"), parse_html),
    "HTML: lists of selectors": (filled(":is(:not(a,", b"<style>", b"{color:red}</style><p>x"), parse_html),
    "HTML: rules with lists": (filled(":is(.a,.b):not(.c,p){color:#fff}", b"<style>"), parse_html),
    "HTML: sums": (filled("width:calc(1px + (2px*", b"<p style='"), parse_html),
    "HTML: colour functions": (filled("color:color-mix(in lab,lab(1 1 1),", b"<p style='"), parse_html),
    "HTML: many colours": (filled("color:oklch(50% .1 9);", b"<p style='"), parse_html),
    "HTML: custom properties": (filled("--a:var(--a) var(--a);x:var(--a)", b"<p style='"), parse_html),
    "HTML: fallbacks": (filled("opacity:var(--b,var(", b"<p style='"), parse_html),
    "HTML: media queries": (filled("@media (not (color)) or (a){p{color:red}}", b"<style>"), parse_html),
    "HTML: conditions": (filled("@supports ((not (a", b"<style>", b"{p{color:red}}"), parse_html),
    "HTML: gradients": (filled("gradient(#fff,", b"<p style='background:"), parse_html),
    "HTML: masks": (filled("mask:gradient(#0000 ", b"<p style='"), parse_html),
    "HTML: formatting that goes on": (_numbered("<font size=%d><p>x"), parse_html),
    "HTML: formatting around blocks": (_misnested, parse_html),
    "HTML: attributes of one tag": (filled("a=b ", b"<p "), parse_html),
    "HTML: nested tables": (filled("<table><tr><td>"), parse_html),
    "HTML: entities": (filled("&amp;lt&#x41"), parse_html),
    "model: marks": (filled("(", b"\x80\x04"), _stream),
    "model: nested lists": (filled("]", b"\x80\x04"), _stream),
    "model: words": (filled("\x8c\x01a\x94".encode("latin1"), b"\x80\x04]("), _stream),
    "counts: one long line": (filled("a\t"), _counts),
    "counts: backslashes": (filled("\\x41", b"", b"\t1\t1\t1\t1\t1"), _counts),
    "counts: lines": (_numbered("w%d\t1\t1\t1\t1\t1\n"), _counts),
    "counts: JSON": (lambda n: b"# rest " + json.dumps([[]] * (n // 4)).encode(), _counts),
}  # fmt: skip


def seconds(run: Callable[[bytes], object], data: bytes, rounds: int = 3) -> float:
    """Processor time, the best of some runs: other work on the machine can only add to it."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        run(data)
        best = min(best, time.process_time() - start)
    return best


def growth(name: str, enough: float = ENOUGH, tries: int = 8) -> tuple[float, float, int]:
    """time(2n) / time(n) for a size that takes long enough, the time of 2n, and its bytes.

    Noise gets further tries, and larger sizes: time jumps once where memory no longer fits into a cache, but
    what grows too fast does so at every size. What is too fast to be measured at the largest size grows by
    nothing.
    """
    make, run = CASES[name]
    size = 1 << 13
    while (took := seconds(run, make(size), 1)) < enough and size < _LARGEST:
        size *= 2 if took > enough / 4 else 4
    ratio, slow, two = float("inf"), 0.0, b""
    for i in range(tries):
        if i and i % _TRIES_OF_A_SIZE == 0:
            size *= 2
        one, two = make(size), make(2 * size)
        slow = seconds(run, two)
        ratio = min(ratio, (slow + 1e-3) / (seconds(run, one) + 1e-3))
        if ratio < MAX_GROWTH:
            break
    return ratio, slow, len(two)


def rows(budget: float) -> list[Row]:  # noqa: ARG001
    """For the table of `make hardening`; takes about a minute, whatever the budget."""
    worst = {name: growth(name) for name in CASES}
    bad = [name for name, (ratio, _, _) in worst.items() if ratio >= MAX_GROWTH]
    for name in bad:
        print(f"  {name}: {worst[name][0]:.2f}x")
    ratio, slow = max(r for r, _, _ in worst.values()), max(s for _, s, _ in worst.values())
    return [Row("time growth", f"time(2n) / time(n), worst {ratio:.2f}", len(CASES), len(bad), slow, 0.0)]

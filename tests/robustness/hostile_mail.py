"""Sends mails made to harm through the real filter: outcome, time, memory, how time grows.

A mail of each kind goes through `spamnb filter` as a process. How time grows is measured without the limits
on size, on parsing and rewriting alone: with them, twice the size would be cut to the same.
"""

from __future__ import annotations

import gc
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from spamnb.mail.parse import parse_mail
from spamnb.mail.parsed_mail import Limits
from spamnb.mail.verdict_header import annotate
from tests.helpers.paths import ROOT
from tests.robustness.child_process import ProcessResult, run_command, spamnb
from tests.robustness.result_row import Row

Make = Callable[[int], bytes]
UNLIMITED = Limits(1 << 40, 1 << 40, 1 << 40, 1 << 40, 32, 1 << 40, 1 << 40, 1 << 40)
MAX_MEGABYTES, MAX_GROWTH = 200.0, 2.5
_HALF_MB, _TEN_MB = 512 * 1024, 10_000_000


def _nested(levels: int) -> bytes:
    pairs = range(levels)
    return b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in pairs)


def _parts(number: int) -> bytes:
    return b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * number


def _charsets(number: int) -> bytes:
    head, part = (
        b"Content-Type: multipart/mixed; boundary=b\n\n",
        b"--b\nContent-Type: text/plain; charset=x%d\n\n",
    )
    return head + b"".join(part % i + b"caf\xe9 \xd8\x00\n" for i in range(number))


def _filled(piece: bytes, before: bytes = b"X: y\n\n", after: bytes = b"") -> Make:
    return lambda size: before + piece * (size // len(piece)) + after


def _page(piece: bytes) -> Make:
    return _filled(piece, b"Content-Type: text/html\n\n")


# kind -> the mail of a size, and the size
CASES: dict[str, tuple[Make, int]] = {
    "parts within parts, 10,000 deep": (_nested, 10_000),
    "100,000 parts": (_parts, 100_000),
    "one header line of 10 MB": (_filled(b"a", b"X: ", b"\n\nbody\n"), _TEN_MB),
    "10 MB of header lines": (_filled(b"X-Spam-Flag: NO\n", b"", b"\nbody\n"), _TEN_MB),
    "10 MB of folded header": (_filled(b" a\n", b"X-Spam-Flag: a\n", b"\nbody\n"), _TEN_MB),
    "bad base64": (_filled(b"!A=", b"Content-Transfer-Encoding: base64\n\n"), _HALF_MB),
    "NUL bytes": (_filled(b"\0", b"Subject: \0\0\n\n"), _HALF_MB),
    "lone surrogates": (_filled(b"\xed\xa0\x80", b"Subject: \xed\xa0\x80\n\n"), _HALF_MB),
    "unknown character sets": (_charsets, 8_000),
    "HTML: open tags": (_page(b"<a "), _HALF_MB),
    "HTML: open attributes": (_page(b'<a x="'), _HALF_MB),
    "HTML: open comments": (_page(b"<!--"), _HALF_MB),
    "HTML: open scripts": (_page(b"<script>"), _HALF_MB),
    "HTML: open entities": (_page(b"&#"), _HALF_MB),
    "HTML: nested elements": (_page(b"<div>"), _HALF_MB),
    "HTML: hidden elements": (_page(b"<div style='display:none'>"), _HALF_MB),
    "HTML: links that mislead": (_page(b"<a href='http://a.b'>http://c.d"), _HALF_MB),
}


def seconds(raw: bytes) -> float:
    """Processor time to parse and to rewrite a mail, the best of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        parse_mail(raw, UNLIMITED)
        annotate(raw, [("X-Spam-Flag", "NO")])
        best = min(best, time.process_time() - start)
    return best


def growth(name: str, part: int = 1, tries: int = 4) -> float:
    """time(2n) / time(n) up to the size of the case or a part of it; noise gets further tries."""
    make, size = CASES[name]
    size //= part
    half, whole = make(size // 2), make(size)
    ratio = float("inf")
    gc.collect()
    gc.freeze()  # else the collector walks all that the tests hold, and does so more often for the whole
    for _ in range(tries):
        ratio = min(ratio, (seconds(whole) + 1e-3) / (seconds(half) + 1e-3))
        if ratio < MAX_GROWTH:
            break
    gc.unfreeze()
    return ratio


def filtered(name: str, model: Path, folder: Path) -> tuple[ProcessResult, str]:
    """What the filter takes for the case, and what is wrong with its output ("" if nothing is)."""
    make, size = CASES[name]
    raw = make(size)
    result = run_command(spamnb("filter", "-m", str(model)), folder, stdin=raw)
    if result.code:
        return result, f"exit code {result.code}"
    body = raw[raw.index(b"\n\n") :]
    if not result.out.endswith(body):
        return result, "body changed"
    head = b"\n" + result.out[: len(result.out) - len(body)]
    return result, "" if head.lower().count(b"\nx-spam-flag") == 1 else "no verdict"


def model_in(folder: Path) -> Path:
    """A model of the sample mails."""
    target = folder / "model.spamnb"
    subprocess.run(spamnb("train", str(ROOT / "data" / "mail"), "-o", str(target), "-q"), check=True)
    return target


def rows(budget: float) -> list[Row]:
    """A row for each mail while there is time; growth is part of the verdict."""
    end, results = time.monotonic() + budget, []
    with tempfile.TemporaryDirectory() as name:
        model = model_in(Path(name))
        for case in CASES:
            if time.monotonic() < end:
                result, wrong = filtered(case, model, Path(name))
                bad = wrong or result.megabytes > MAX_MEGABYTES or growth(case) > MAX_GROWTH
                results.append(Row("hostile mail", case, 1, int(bool(bad)), result.seconds, result.megabytes))
    if len(results) < len(CASES):
        print(f"hostile mail: the time is up after {len(results)} of {len(CASES)}")
    return results

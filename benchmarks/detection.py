"""`make bench-quality`: detection beside all peers on the same splits, of SMS and of mail.

It prints means and the comparison split by split, and ends with 1 if what is wanted on SMS is not
reached. `--page` writes it into docs/internals/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.corpora import MAIL, UCI
from benchmarks.detection_splits import LOWER, OURS, OURS_MAIL, Results, gaps, met, run, show
from benchmarks.intervals import SHARED, mean_interval, paired_p, tally
from benchmarks.machine import facts
from benchmarks.peers import known
from benchmarks.results_page import between, table, times, write

TITLES = {
    "uci": "SMS Spam Collection, exact repeats removed",
    "spamassassin": "SpamAssassin mails, raw",
}
FILES = {"uci": UCI, "spamassassin": MAIL / "spamassassin.tar.xz"}
PEERS = {"uci": known.SMS, "spamassassin": known.MAIL}
SHOWN = {
    "accuracy": "accuracy",
    "ham_wrong": "ham misjudged, %",
    "recall": "spam caught, %",
    "one_minus_auc": "(1-AUC)%",
    "recall_at_0.1": "R@.1",
    "ece": "calibration error",
}
OWN = (OURS, OURS_MAIL)
OURS_HALF = "spamnb, spam from 0.5"  # on mail this is not the default
COMPARED = {"accuracy": "accuracy", "one_minus_auc": "(1-AUC)%", "recall_at_0.1": "R@.1"}
MISSING = "needs its corpus: put `{}` into `../shared/data/{}`, beside the clone."


def values(results: Results, unlike: set[str]) -> str:
    """Means over the splits; no calibration error for rows whose scores are no probabilities."""
    rows = []
    for name, splits in results.items():
        means = {m: float(np.mean([split[m] for split in splits])) for m in SHOWN}
        cells = [f"{value:.4g}" for value in means.values()]
        rows.append([name, *cells[:-1], "-" if name in unlike else cells[-1]])
    return table(["means", *SHOWN.values()], rows)


def comparison(results: Results, again: set[str], ours: str = OURS) -> str:
    """A row of ours against each peer: by how much better, how sure, how often, how many times.

    Rows in `again` are those with another line between ham and spam, so only their verdicts are new.
    """
    rows = []
    for measure, title in COMPARED.items():
        for name, theirs in results.items():
            new = measure == "accuracy" or not {name, ours} & again
            if name not in OWN and new:
                rows.append([f"{title}: {name}", *_compared(measure, results[ours], theirs)])
    head = [f"{ours} against", "better by", "95% interval", "won / tied / lost", "p", "errors"]
    return table(head, rows)


def _compared(measure: str, ours: list[dict[str, float]], theirs: list[dict[str, float]]) -> list[str]:
    gap = gaps(measure, ours, theirs)
    interval, counts = mean_interval(gap, SHARED), " / ".join(map(str, tally(gap)))
    ratio = _errors(measure, theirs) / _errors(measure, ours) if _errors(measure, ours) else float("nan")
    p = f"{paired_p(gap):.2g}" if len(gap) > 1 else "-"
    return [f"{interval.value:+.3g}", between(interval, "+.3g"), counts, p, f"{ratio:.2f}x"]


def _errors(measure: str, splits: list[dict[str, float]]) -> float:
    """What a perfect filter has none of."""
    mean = float(np.mean([split[measure] for split in splits]))
    return mean if measure in LOWER else 100 - mean


def part(name: str, seeds: Sequence[int]) -> tuple[str, bool]:
    """A part of the section, and whether what is wanted is met; a corpus that is missing is asked for."""
    title = f"### {TITLES[name]}: {times(len(seeds), 'split')}, from seed {seeds[0]} on"
    path = FILES[name]
    if not path.exists():
        note = f"{TITLES[name]}: {MISSING.format(path.name, path.parent.name)}"
        print(note)
        return f"### {TITLES[name]}\n\n{note}", True
    print(f"\n{title[4:]}", flush=True)
    if name == "spamassassin":
        print(
            f'"{OURS}" calls spam from P = 0.5 here; by default, training on mail draws "its line for mail"'
        )
    peers = known.present(PEERS[name])
    results = run(name, seeds, peers, ablation=False)
    good = met(name, show(results))
    unlike = {kind.row(cut) for kind in peers if not kind.probabilities for cut in kind.cutoffs}
    again = {kind.row(cut) for kind in peers for cut in kind.cutoffs[1:]} | {OURS_MAIL}
    parts = [title, values(results, unlike), *(comparison(results, again, o) for o in OWN if o in results)]
    text = "\n\n".join(parts)
    return text.replace(OURS, OURS_HALF) if OURS_MAIL in results else text, good


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, help="of SMS: 20, with --quick 2")
    parser.add_argument("--mail-splits", type=int, help="of mail: 3, with --quick 1")
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="some minutes, to see that it works")
    parser.add_argument("--page", type=Path, help="write the section on detection of this page")
    parsed = parser.parse_args(arguments)
    parsed.splits = parsed.splits or (2 if parsed.quick else 20)
    parsed.mail_splits = parsed.mail_splits or (1 if parsed.quick else 3)
    return parsed


def main() -> None:
    arguments, load = options(), os.getloadavg()[0]
    first = arguments.first_seed
    sms, good = part("uci", range(first, first + arguments.splits))
    mail, _ = part("spamassassin", range(first, first + arguments.mail_splits))
    if arguments.page:
        command = f"make bench-quality{' ARGS=--quick' if arguments.quick else ''}"
        write(
            arguments.page,
            "detection",
            "\n\n".join([facts(known.SMS, command, arguments.quick, load), sms, mail]),
        )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

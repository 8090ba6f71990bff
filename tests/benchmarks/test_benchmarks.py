"""The parts of the benchmarks that can be wrong without anyone noticing: page, intervals, command lines."""

from __future__ import annotations

import doctest
import math
import re
import statistics
from pathlib import Path

import numpy as np
import pytest

from benchmarks import detection, install_peers, intervals, results_page, sms_corpus, speed
from benchmarks.command_cost import ROOT, Cost, best
from benchmarks.intervals import mean_interval, paired_p, ratio_interval, tally
from benchmarks.peers import known
from benchmarks.peers.base import LineTool, Messages
from benchmarks.results_page import between, replaced, table, write
from benchmarks.speed_table import Table, seconds

PAGE = ROOT / "docs" / "internals" / "benchmarks.md"
# Student's t for 95%, two-sided, by degrees of freedom: from the tables of any textbook.
STUDENT = {1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262}


def sections(text: str) -> list[str]:
    """Head, speed, what is between, detection, tail."""
    return re.split(r"(?<=` -->)|(?=<!-- end of )", text)


@pytest.mark.parametrize(("name", "place"), [("speed", 1), ("detection", 3)])
def test_only_its_own_section_is_replaced(name: str, place: int) -> None:
    old = PAGE.read_text("utf-8")
    new = replaced(old, name, "| new |\n")
    before, after = sections(old), sections(new)
    assert len(before) == len(after) == 5
    assert after[place] == "\n\n| new |\n\n"
    assert [p for i, p in enumerate(after) if i != place] == [p for i, p in enumerate(before) if i != place]
    assert replaced(new, name, "| new |") == new


@pytest.mark.parametrize("harm", ["", "twice", "turned"])
def test_a_page_without_its_marks_is_refused(harm: str, tmp_path: Path) -> None:
    begin, end = "<!-- speed: written by `make bench` -->", "<!-- end of speed -->"
    text = {"": "# a page\n", "twice": f"{begin}\n{begin}\n{end}\n", "turned": f"{end}\n{begin}\n"}[harm]
    path = tmp_path / "page.md"
    path.write_text(text)
    with pytest.raises(SystemExit, match="needs the line"):
        write(path, "speed", "new")
    assert path.read_text() == text


def test_a_bar_within_a_cell_is_escaped() -> None:
    assert table(["a", "b"], [["x|y", "1"]]).splitlines()[-1] == r"| x\|y | 1 |"


@pytest.mark.parametrize("n", [2, 3, 5, 10])
@pytest.mark.parametrize("shared", [0.0, 3 / 7])
def test_the_interval_of_a_mean_is_that_of_the_textbook(n: int, shared: float) -> None:
    values = [float(v) for v in np.random.default_rng(n).normal(2.0, 1.0, n)]
    reach = STUDENT[n - 1] * statistics.stdev(values) * math.sqrt(1 / n + shared)
    interval = mean_interval(values, shared)
    assert interval.value == pytest.approx(statistics.fmean(values))
    assert interval.high - interval.value == pytest.approx(reach, rel=1e-3)
    assert interval.value - interval.low == pytest.approx(reach, rel=1e-3)


def test_a_ratio_worked_by_hand() -> None:
    # Ratios 1, 2 and 4: logarithms 0, 1 and 2 times log 2, mean 1, deviation 1; 2 degrees of freedom.
    interval = ratio_interval([1.0, 4.0, 12.0], [1.0, 2.0, 3.0])
    reach = 2 ** (STUDENT[2] / math.sqrt(3))
    assert interval == pytest.approx((2.0, 2 / reach, 2 * reach), rel=1e-3)


def test_one_round_has_no_interval() -> None:
    interval = ratio_interval([3.0], [1.5])
    assert interval.value == pytest.approx(2.0)
    assert between(interval) == "-"


def test_an_interval_that_touches_nothing_has_p_of_five_percent() -> None:
    values = [0.4, 1.0, 1.3, 2.0, 2.1]
    low = mean_interval(values, 3 / 7).low
    assert paired_p([value - low for value in values]) == pytest.approx(0.05)
    assert paired_p([1.0]) == 1.0
    assert tally([1.0, 0.0, -1.0, 2.0]) == (2, 1, 1)


def test_targets_are_judged_by_the_best_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Table()
    shown.at_least("kept", 8.0, seconds, [1.0, 2.0], [8.0, 8.0])
    assert shown.missed == 0
    shown.at_least("missed", 8.0, seconds, [1.1, 1.0], [8.0, 7.9])
    shown.at_most("kept too", 1.5, seconds, [1.5, 3.0], [1.0, 1.0])
    shown.at_least("other work", None, seconds, [1.0], [2.0])
    assert shown.missed == 1
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == [
        "wanted",
        "ok",
        "MISSED",
        "ok",
        "target",
    ]
    lines = shown.markdown().splitlines()
    assert "7.90x MISSED" in lines[3]
    assert "| no target: 2.00x |" in lines[5]


def test_the_best_of_rounds() -> None:
    assert best([Cost(2.0, 10.0, 1.0), Cost(1.0, 30.0, 1.5)]) == Cost(1.0, 30.0, 1.0)


def test_quick_is_shorter_and_what_is_given_wins() -> None:
    full, quick = speed.options([]), speed.options(["--quick"])
    assert quick.copies < full.copies
    assert quick.rounds == 1 < full.rounds
    assert speed.options(["--quick", "--rounds", "3"]).rounds == 3
    some, few = detection.options([]), detection.options(["--quick", "--page", "x.md"])
    assert few.splits < some.splits
    assert few.mail_splits < some.mail_splits
    assert few.page == Path("x.md")


def test_every_peer_is_named_once_and_comes_from_a_known_place() -> None:
    names = [kind.row(cut) for kind in known.SMS for cut in kind.cutoffs]
    assert len(names) == len(set(names))
    listed = {re.split(r"[<>=]", package)[0] for package in install_peers.packages()}
    listed |= {*install_peers.PROGRAMS}
    assert {kind.package for kind in (*known.SMS, *known.MAIL, *known.TOOLS)} == listed


def test_messages_reach_mail_filters_byte_by_byte(tmp_path: Path) -> None:
    raw = bytes(range(256))
    (path,) = Messages([raw.decode("latin-1")], mail=True).files(tmp_path)
    assert Path(path).read_bytes() == raw
    assert Messages(["café"]).as_bytes() == ["\ncafé\n".encode()]
    assert Messages(["a\tb\nc"]).lines() == ["a b c"]


@pytest.mark.parametrize(
    ("kind", "line"), [(known.River, "spam\twin now"), (known.FastText, "__label__spam win now")]
)
def test_tools_of_lines_write_what_their_commands_read(
    kind: type[LineTool], line: str, tmp_path: Path
) -> None:
    tool = kind(tmp_path)
    tool.write(Messages(["win\nnow"]), np.array([True]))
    tool.write(Messages(["see you"]), None)
    assert (tmp_path / "train.txt").read_text() == line + "\n"
    assert (tmp_path / "predict.txt").read_text() == "see you\n"
    for command, what in ((tool.train_command(), "train"), (tool.predict_command(), "predict")):
        assert command[2:] == [f"benchmarks.peers.{tool.module}", what, str(tmp_path)]
        assert (ROOT / "benchmarks" / "peers" / f"{tool.module}.py").exists()


def test_what_is_not_installed_is_left_out_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(known.Spamprobe, "package", "no-such-program")
    monkeypatch.setattr(known.River, "package", "no-such-package")
    assert known.present((known.Spamprobe, known.Multinomial, known.River)) == [known.Multinomial]
    assert capsys.readouterr().out.splitlines() == [
        "no-such-program is not installed: spamprobe is left out",
        "no-such-package is not installed: river BagOfWords + MultinomialNB is left out",
    ]


def test_a_corpus_that_is_missing_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(detection.FILES, "uci", Path("nowhere") / "sms" / "messages.tsv")
    text, _ = detection.part("uci", range(2))
    assert "put `messages.tsv` into `../shared/data/sms`" in text


@pytest.mark.parametrize("kind", known.SCIKIT_LEARN, ids=lambda kind: kind.__name__)
def test_a_peer_learns_and_scores(kind: type[known.Peer], tmp_path: Path) -> None:
    peer = kind(tmp_path / "peer")
    texts = [f"win prize {i % 7}" for i in range(30)] + [f"see you {i % 5}" for i in range(30)]
    peer.train(Messages(texts), np.arange(60) < 30)
    score, probability = peer.score(Messages(["win prize", "see you"]))
    assert score[0] > 0 > score[1]
    assert probability[0] > 0.5 > probability[1]


def test_doctests() -> None:
    modules = (results_page, intervals, sms_corpus)
    assert [doctest.testmod(module).failed for module in modules] == [0, 0, 0]
    assert min(doctest.testmod(module).attempted for module in modules) > 0


def test_the_comparison_counts_errors_and_wins() -> None:
    ours = [{"accuracy": 99.0, "one_minus_auc": 0.2, "recall_at_0.1": 90.0}] * 2
    peer = [{"accuracy": 98.0, "one_minus_auc": 0.1, "recall_at_0.1": 90.0}] * 2
    rows = detection.comparison(
        {detection.OURS: ours, "peer": peer, "peer, other line": peer}, {"peer, other line"}
    )
    cells = {
        row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:-1]]
        for row in rows.splitlines()[2:]
    }
    assert list(cells) == ["accuracy: peer", "accuracy: peer, other line", "(1-AUC)%: peer", "R@.1: peer"]
    assert [cells["accuracy: peer"][i] for i in (0, 2, 4)] == ["+1", "2 / 0 / 0", "2.00x"]
    assert [cells["(1-AUC)%: peer"][i] for i in (0, 2, 4)] == ["-0.1", "0 / 0 / 2", "0.50x"]
    assert [cells["R@.1: peer"][i] for i in (0, 2, 4)] == ["+0", "0 / 2 / 0", "1.00x"]
    line = detection.comparison(
        {detection.OURS_MAIL: peer, "peer": ours}, {detection.OURS_MAIL}, detection.OURS_MAIL
    )
    assert [row.split("|")[1:3] for row in line.splitlines()[2:]] == [[" accuracy: peer ", " -1 "]]
